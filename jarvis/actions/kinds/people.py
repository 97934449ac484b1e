"""Who travels: how many adults, and the age of each child."""

from __future__ import annotations

import re

from ...core.stdlib import NamedTuple
from ...core.text import one_line
from ...core.types import Facts
from ...language.spelt_numbers import spelt
from .unusable import Unusable
from .wording import numbers_in, readings

_ADULTS = "adults? persons? people travell?ers? guests?".replace(" ", "|")
_CHILDREN = r"(?: (\w+))? (?:child|children|kids?)((?: [0-9]{1,2})+)"
_PEOPLE = rf"(\w+)(?: (?:{_ADULTS}))?|(\w+) (?:{_ADULTS}){_CHILDREN}"
_FILLING = r"[,;:&()]|\b(?:and|with|aged?|ages|of|years?|old)\b"
_MOST = 9  # on one booking
_GROWN = 18


class People(NamedTuple):
    adults: int
    ages: tuple[int, ...] = ()  # of the children


def parse(wire: str, words: str, facts: Facts) -> People:
    """Return the people that *wire* says: 2, two adults, children 4 7. Raises Unusable."""
    said = " ".join(re.sub(_FILLING, " ", one_line(wire, 200).casefold()).split())
    parts = re.fullmatch(_PEOPLE, said)
    if not parts:
        raise Unusable(f"`{one_line(wire, 60)}` does not say who: write it as 2 adults, children 4 7")
    alone, adults, children, ages = parts.groups()
    people = People(_number(alone or adults), tuple(int(age) for age in (ages or "").split()))
    if children and _number(children) != len(people.ages):
        raise Unusable("the age of each child is missing: write it as 2 adults, children 4 7")
    if people.adults < 1 or people.adults + len(people.ages) > _MOST:
        raise Unusable(f"it has to be 1 to {_MOST} people, and an adult among them")
    if any(age >= _GROWN for age in people.ages):
        raise Unusable(f"a child is younger than {_GROWN}: count the others as adults")
    return people


def is_said(value: People, words: str, facts: Facts) -> bool:
    return {value.adults, *value.ages} <= numbers_in(words)


def _number(word: str) -> int:
    value = next(iter(readings(word)), spelt(word))
    if value is None:
        raise Unusable(f"`{one_line(word, 60)}` is no number of people")
    return int(value)
