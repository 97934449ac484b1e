"""Which apps does a name come near that means none? For the person to say: nothing is started by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..core.stdlib import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    Thing = TypeVar("Thing")

_LEAST = 75  # of a hundred letters alike
_REACH = 12  # rivals come as near as the best one, but for so much
_SHORTEST = 4
_MOST_WORDS = 3


def near(
    names: Sequence[str], things: Iterable[Thing], called: Callable[[Thing], Iterable[str]]
) -> list[Thing]:
    """Those of *things* that one of *names* may be a slip of the finger for, the nearest first.

    called: what a thing is called, normalised as *names* are.
    """
    names = [name for name in names if len(name.split()) <= _MOST_WORDS]
    scored = [
        (max((alike(n, c) for n in names for c in called(thing)), default=0), thing) for thing in things
    ]
    best = max((nearness for nearness, _ in scored), default=0)
    reached = [each for each in scored if each[0] and each[0] > best - _REACH]
    return [thing for _, thing in sorted(reached, key=lambda each: -each[0])]


def alike(name: str, called: str) -> float:
    """How many of a hundred letters are alike; 0 where *name* is hardly a slip of the finger for *called*."""
    # It is seldom in the first letter; and a short word is soon another.
    if len(name) < _SHORTEST or name[0] != called[:1]:
        return 0
    from rapidfuzz import fuzz

    return fuzz.ratio(name, called, score_cutoff=_LEAST)
