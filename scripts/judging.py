"""How well a model plans and reads: what it is asked, what it answered, and what is right, as a table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from jarvis.core.text import fold_case

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
    "something. invented: read as an effect, of those that ask for nothing. unsure: asked about needlessly.\n"
    "unread: no plan or no reading, even once repaired. beyond: effects that nobody asked for, unasked."
)


class Case(NamedTuple):
    """Words that somebody says, with what is known then. `wants` and `plans` hold all that is acceptable."""

    id: str
    words: str
    kind: str
    lang: str
    wants: Sequence[str]  # the first is the one to expect
    plans: Sequence[Mapping[str, str]] = ()  # an `address` that is not there means any
    window: Sequence[Mapping[str, Any]] = ()  # earlier turns: goal, reply, intent, steps
    lines: int = 0  # of the list last shown
    piped: str = ""
    addresses: Sequence[Sequence[str]] = ()  # offered before: id, title, host, snippet
    files: Sequence[str] = ()  # that the words name, by their names
    results: Sequence[Sequence[str]] = ()  # what a search finds: title, url, snippet
    answers: Sequence[str] = ()  # that were recorded, one a call; the last again and again

    @property
    def asks_nothing(self) -> bool:
        return all(wants == NOTHING for wants in self.wants)


class Answer(NamedTuple):
    """What a model made of a case."""

    plan: Mapping[str, Any]  # its first, as it was read; empty: it could not be read
    wants: str  # empty: it could not be read, which counts as nothing


class Judged(NamedTuple):
    case: Case
    is_planned: bool
    reading: str  # RIGHT | MISSED | INVENTED | UNSURE | OTHER
    is_read: bool  # whether there was a plan, and a reading
    beyond: Sequence[str]  # what may be done, unasked, that no acceptable reading asks for


class _Part(NamedTuple):
    """One thing that a reading asks for."""

    form: str
    name: frozenset[str]  # the words of what follows it
    unsure: bool


Row: TypeAlias = dict[str, str]  # a figure of some answers for each column


def cases(kinds: Sequence[str] = (), path: Path = CASES) -> list[Case]:
    """Return those of *kinds*; of all where none is given."""
    found = [Case(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    return [case for case in found if not kinds or case.kind in kinds]


def judged(asked: Sequence[Case], ask: Callable[[Case], Answer], times: int = 1) -> Iterator[Judged]:
    """Ask each case, *times* times."""
    yield from (judge(case, ask(case)) for case in asked for _ in range(times))


def judge(case: Case, answer: Answer) -> Judged:
    is_planned = any(right.items() <= answer.plan.items() for right in case.plans)
    parts, right = _parts(answer.wants), [part for wants in case.wants for part in _parts(wants)]
    sure = [part for part in parts if not part.unsure]
    beyond = [part.form for part in sure if not any(_fits(each, part) for each in right)]
    return Judged(case, is_planned, _reading(case, parts), bool(answer.plan and answer.wants), beyond)


def _reading(case: Case, parts: Sequence[_Part]) -> str:
    acceptable = [_parts(wants) for wants in case.wants]
    if any(_is_same(right, parts) for right in acceptable):
        return RIGHT
    if not parts:
        return MISSED
    if case.asks_nothing:
        return UNSURE if all(part.unsure for part in parts) else INVENTED
    as_sure = [part._replace(unsure=False) for part in parts]
    return UNSURE if any(_is_same(right, as_sure) for right in acceptable) else OTHER


def _parts(wants: str) -> list[_Part]:
    said = [fold_case(part) for part in wants.split(";")]
    return [_part(part) for part in said if part not in ("", NOTHING)]


def _part(said: str) -> _Part:
    thing = said.removesuffix("?").strip()
    form = next((form for form in ("open site ", "start ") if thing.startswith(form)), thing)
    return _Part(form, frozenset(re.findall(r"\w+", thing.removeprefix(form))), said.endswith("?"))


def _is_same(right: Sequence[_Part], parts: Sequence[_Part]) -> bool:
    """Tell whether *parts* are those of the *right* reading, in whatever order."""
    return len(right) == len(parts) and all(any(_fits(each, part) for part in parts) for each in right)


def _fits(right: _Part, part: _Part) -> bool:
    """A name is right with more to it, “the MIT” for “MIT”, but not with less."""
    return right.name <= part.name and part._replace(name=right.name) == right


def table(found: Mapping[str, Row]) -> str:
    """Return the whole table, with what its columns mean."""
    width = max(map(len, found))
    lines = [f"{'kind':<{width}}{''.join(f'  {name}' for name in found['all'])}"]
    for kind, row in found.items():
        lines.append(f"{kind:<{width}}{''.join(f'  {row[name]:>{len(name)}}' for name in row)}")
    return "\n".join([*lines, "", LEGEND])


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
        "plan %": _share(one.is_planned for one in judged if one.case.plans),
        "reading %": _share(one.reading == RIGHT for one in judged),
        "missed %": _share(one.reading == MISSED for one in honest),
        "invented %": _share(one.reading == INVENTED for one in idle),
        "unsure %": _share(one.reading == UNSURE for one in judged),
        "unread %": _share(not one.is_read for one in judged),
        "beyond": str(sum(len(one.beyond) for one in judged)),
    }


def _share(claims: Iterable[bool]) -> str:
    counted = list(claims)
    return f"{100 * sum(counted) / len(counted):.1f}" if counted else "-"
