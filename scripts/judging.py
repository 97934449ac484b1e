"""How well a model plans and reads: what it is asked, what it answered, and what is right."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

CASES = Path(__file__).parent / "judge_cases.jsonl"
NOTHING = "nothing"

# What a reading is, held against those that are acceptable.
RIGHT = "right"
MISSED = "missed"  # somebody asked for something, and it was read as nothing
INVENTED = "invented"  # nobody asked for anything, and an effect was read
UNSURE = "unsure"  # nothing worse than a question that was not needed
OTHER = "other"  # another effect than the one that was asked for, or more, or less of it


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
    def is_honest(self) -> bool:
        """Whether something is asked for, however it is read."""
        return NOTHING not in self.wants

    @property
    def asks_nothing(self) -> bool:
        return all(wants == NOTHING for wants in self.wants)


class Answer(NamedTuple):
    """What a model made of a case."""

    plan: Mapping[str, Any]  # its first, as it was read; empty: it could not be read
    wants: str  # empty: it could not be read, which counts as nothing
    repairs: int = 0
    tokens: int = 0
    ms: float = 0.0


class Score(NamedTuple):
    is_planned: bool
    reading: str  # RIGHT | MISSED | INVENTED | UNSURE | OTHER


class Judged(NamedTuple):
    case: Case
    answer: Answer
    score: Score


def cases(kinds: Sequence[str] = (), path: Path = CASES) -> list[Case]:
    """Those of *kinds*; of all where none is given."""
    found = [Case(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    return [case for case in found if not kinds or case.kind in kinds]


def judged(asked: Sequence[Case], ask: Callable[[Case], Answer], times: int = 1) -> Iterator[Judged]:
    """Each case, *times* times."""
    for case in asked:
        for _ in range(times):
            answer = ask(case)
            yield Judged(case, answer, score(case, answer.plan, answer.wants))


def score(case: Case, plan: Mapping[str, Any], wants: str) -> Score:
    """What *plan* and *wants* are worth for *case*."""
    return Score(any(_is_plan(plan, right) for right in case.plans), _reading(case, wants))


def _is_plan(plan: Mapping[str, Any], right: Mapping[str, str]) -> bool:
    return all(plan.get(field) == value for field, value in right.items())


def _reading(case: Case, wants: str) -> str:
    parts = _parts(wants)
    if any(is_same(_parts(right), parts) for right in case.wants):
        return RIGHT
    if not parts:
        return MISSED
    sure = [part for part in parts if not part.endswith("?")]
    if case.asks_nothing:
        return INVENTED if sure else UNSURE
    as_sure = [part.rstrip("?") for part in parts]
    return UNSURE if any(is_same(_parts(right), as_sure) for right in case.wants) else OTHER


def is_same(right: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether *parts* are those of the *right* reading, in whatever order."""
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
    """The part without its NAME, and the NAME."""
    part, unsure = _folded(part.removesuffix("?")), "?" if part.endswith("?") else ""
    for form in ("open site ", "start "):
        if part.startswith(form):
            return form + unsure, part.removeprefix(form)
    return part + unsure, ""


def _folded(text: str) -> str:
    """Without case, accents and doubled spaces."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())
