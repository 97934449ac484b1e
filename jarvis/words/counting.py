"""How many things do the words ask to be opened? One, unless they name more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..urls import typed_addresses
from .asked import asked
from .clauses import Clause

MOST = 6
NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNTS = {**NUMBERS, "couple": 2, "both": 2}
_MANY = "seven eight nine ten all each every them these those".split()
_OPENED = (
    r"(?:web ?sites?|sites?|pages?|links?|results?|hits?|entries|items?|articles?|stories|posts?|papers?|"
    r"videos?|recipes?|tutorials?|tabs?|windows?|apps?|programs?|ones?|things?)"
)
# A number counts where the thing begins with it: not in “Windows 10 page”, nor in “a tie in 5 steps”.
_NUMBER = re.compile(
    r"(?i)(?:(?:the|my|any|a|all|first|last|top|best|next|other) )*?"
    rf"(?P<number>{'|'.join((*_COUNTS, *_MANY))}|[2-9]|10)\b"
    rf"(?= of\b| (?:the )?(?:\w+ )?{_OPENED}\b|(?: (?:all|too|please|up|now))*\W*\Z)"
)
_A_LINE = re.compile(r"#?\d+\W*(?: please\W*)?")


def things_named(goal: str) -> int:
    """From 1 to MOST: the things in lists after verbs that open, numbers said there, typed addresses."""
    return counted(asked(goal).clauses, goal)


def counted(clauses: Iterable[Clause], goal: str) -> int:
    said = [clause for clause in clauses if clause.kind and not clause.framed]
    # “Show me the weather and open github”: what is shown is an answer, unless nothing else is opened.
    opening = [clause for clause in said if clause.kind != "shows"] or said
    count = sum(_things(clause.thing) for clause in opening)
    return min(MOST, max(1, count, len(typed_addresses(goal))))


def _things(thing: str) -> int:
    number = _NUMBER.match(thing)
    if number is None or _A_LINE.fullmatch(thing):
        return 1
    word = number["number"].lower()
    return _COUNTS.get(word) or (int(word) if word.isdigit() else MOST)
