"""What is left of an intent: each part of it is used up by what was done for it, is unknown, or got a no."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..intent import Intent, Part
from ..turn import INSTEAD, Step

_TRIES = 2  # of one thing: a failed one may be tried once more, with another address
_USING = ("done", "unknown", "declined")  # the states of a step that use up what it was for


def left(intent: Intent, steps: Iterable[Step]) -> list[int]:
    """The places of the parts that are not used up."""
    done = list(steps)
    return [place for place, part in enumerate(intent.parts) if not _is_used_up(place, part, done)]


def _is_used_up(place: int, part: Part, steps: Sequence[Step]) -> bool:
    own = [step for step in steps if step.part == place + 1]
    used = sum(step.state in _USING and step.code != INSTEAD for step in own)
    failed = sum(step.state == "failed" for step in own)
    return used + failed // _TRIES >= part.most
