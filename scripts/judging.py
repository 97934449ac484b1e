"""How well a model plans and reads: what it is asked, what it answered, and what is right, as a table."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

CASES = Path(__file__).parent / "judge_cases.jsonl"
NOTHING = "nothing"

# What a reading is, held against those that are acceptable.
RIGHT = "right"
MISSED = "missed"  # somebody asked for something, and it was read as nothing
INVENTED = "invented"  # nobody asked for anything, and an effect was read
UNSURE = "unsure"  # nothing worse than a question that was not needed
OTHER = "other"  # another effect than the one that was asked for, or more, or less of it

LEGEND = (
    "plan: the first one is right. reading: so is `wants`. missed: read as nothing, of those that ask for\n"
    "something. invented: read as an effect, of those that ask for nothing. unsure: asked about needlessly."
)


class Case(NamedTuple):
    """Words that somebody says, with what is known then. `wants` and `plans` hold all that is acceptable."""

    id: str
    words: str
    kind: str
    lang: str
    wants: Sequence[str]  # the first is the one to expect
    plans: Sequence[Mapping[str, str]]  # an `address` that is not there means any
    window: Sequence[Mapping[str, str]] = ()  # earlier turns: own, did, reply
    lines: int = 0  # of the list last shown
    piped: str = ""
    addresses: Sequence[Sequence[str]] = ()  # offered before: id, title, host, snippet
    results: Sequence[Sequence[str]] = ()  # what a search finds: title, url, snippet

    @property
    def asks_nothing(self) -> bool:
        return all(wants == NOTHING for wants in self.wants)


class Answer(NamedTuple):
    """What a model made of a case."""

    plan: Mapping[str, Any]  # its first, as it was read; empty: it could not be read
    wants: str  # empty: it could not be read, which counts as nothing


class Judged(NamedTuple):
    case: Case
    answer: Answer
    is_planned: bool
    reading: str  # RIGHT | MISSED | INVENTED | UNSURE | OTHER


Row: TypeAlias = dict[str, str]  # a figure of some answers for each column


def cases(kinds: Sequence[str] = ()) -> list[Case]:
    """Return those of *kinds*; of all where none is given."""
    found = [Case(**json.loads(line)) for line in CASES.read_text("utf-8").splitlines()]
    return [case for case in found if not kinds or case.kind in kinds]


def judged(asked: Sequence[Case], ask: Callable[[Case], Answer], times: int = 1) -> Iterator[Judged]:
    """Ask each case, *times* times."""
    yield from (judge(case, ask(case)) for case in asked for _ in range(times))


def judge(case: Case, answer: Answer) -> Judged:
    is_planned = any(right.items() <= answer.plan.items() for right in case.plans)
    return Judged(case, answer, is_planned, _reading(case, answer.wants))


def _reading(case: Case, wants: str) -> str:
    parts = _parts(wants)
    if any(is_same(_parts(right), parts) for right in case.wants):
        return RIGHT
    if not parts:
        return MISSED
    if case.asks_nothing:
        return UNSURE if all(part.endswith("?") for part in parts) else INVENTED
    as_sure = [part.rstrip("?") for part in parts]
    return UNSURE if any(is_same(_parts(right), as_sure) for right in case.wants) else OTHER


def is_same(right: Sequence[str], parts: Sequence[str]) -> bool:
    """Tell whether *parts* are those of the *right* reading, in whatever order."""
    rest = list(parts)
    for part in right:
        same = next((other for other in rest if _is_same_part(part, other)), None)
        if same is None:
            return False
        rest.remove(same)
    return not rest


def _parts(wants: str) -> list[str]:
    parts = [part.strip() for part in wants.split(";")]
    return [part for part in parts if part and part.casefold() != NOTHING]


def _is_same_part(right: str, part: str) -> bool:
    """A name is right with more to it, “the MIT” for “MIT”, but not with less."""
    (right_form, right_name), (form, name) = _named(right), _named(part)
    return form == right_form and set(re.findall(r"\w+", right_name)) <= set(re.findall(r"\w+", name))


def _named(part: str) -> tuple[str, str]:
    """Return the part without its NAME, and the NAME."""
    part, unsure = _folded(part.removesuffix("?")), "?" if part.endswith("?") else ""
    for form in ("open site ", "start "):
        if part.startswith(form):
            return form + unsure, part.removeprefix(form)
    return part + unsure, ""


def _folded(text: str) -> str:
    """Return it without case, accents and doubled spaces."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


def table(judged: Sequence[Judged]) -> str:
    """Return the whole table, with what its columns mean."""
    found = rows(judged)
    lines = [["kind", *found["all"]], *([kind, *row.values()] for kind, row in found.items())]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]
    return "\n".join([*aligned, "", LEGEND])


def rows(judged: Sequence[Judged]) -> dict[str, Row]:
    """Return the figures of each kind of request, and of all of them."""
    kinds = dict.fromkeys(one.case.kind for one in judged)
    each = {kind: _row([one for one in judged if one.case.kind == kind]) for kind in kinds}
    return {**each, "all": _row(judged)}


def _row(judged: Sequence[Judged]) -> Row:
    honest = [one for one in judged if NOTHING not in one.case.wants]  # something is asked for in any reading
    idle = [one for one in judged if one.case.asks_nothing]
    return {
        "asked": str(len(judged)),
        "plan %": _share(one.is_planned for one in judged),
        "reading %": _share(one.reading == RIGHT for one in judged),
        "missed %": _share(one.reading == MISSED for one in honest),
        "invented %": _share(one.reading == INVENTED for one in idle),
        "unsure %": _share(one.reading == UNSURE for one in judged),
    }


def _share(claims: Iterable[bool]) -> str:
    counted = list(claims)
    return f"{100 * sum(counted) / len(counted):.1f}" if counted else "-"
