"""What is left of an intent, and which actions it lets act."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..actions.base import Action
from ..core.intent import SITE, START, Intent, Part
from ..core.types import APP, INSTEAD, Address, Step

_TRIES = 2  # of one thing: a failed one may be tried once more, with another address
_USING = ("done", "unknown", "declined")  # the states of a step that use up what it was for


def left(intent: Intent, steps: Iterable[Step], meanings: Mapping[int, Sequence[Address]]) -> list[int]:
    """The places of the parts that are not used up: by what was done, is unknown, or got a no.

    meanings: what the name in a part means here. What is not installed comes last, so that it keeps nothing
    else from being started.
    """
    done = list(steps)
    places = [place for place, part in enumerate(intent.parts) if not _is_used_up(place, part, done)]
    missing = {place for place in places if meanings.get(place) == ()}
    tried = {place for place in missing if _is_tried(place, done)}
    return sorted(places, key=lambda place: (place in missing, place in tried))


def lets(
    action: Action, place: int, part: Part, meant: Sequence[Address] | None, steps: Sequence[Step]
) -> bool:
    """Whether *part*, whose name means *meant* here, lets *action* act; None: it was not looked up."""
    if part.form not in (START, SITE):
        return part.form in [want.form for want in action.wants]
    apps = [address for address in meant or () if address.source == APP]
    match action.effect:
        case "opens":  # what is not installed may have a site
            return part.form == SITE or not apps or len(apps) < len(meant or ())
        case "launches":  # that it is not installed is found out once
            return bool(apps) or (part.form == START and not meant and not _is_tried(place, steps))
    return False


def _is_used_up(place: int, part: Part, steps: Sequence[Step]) -> bool:
    own = [step for step in steps if step.outcome.part == place + 1]
    used = sum(step.outcome.state in _USING and step.outcome.code != INSTEAD for step in own)
    failed = sum(step.outcome.state == "failed" for step in own)
    return used + failed // _TRIES >= part.most


def _is_tried(place: int, steps: Iterable[Step]) -> bool:
    return any(step.outcome.part == place + 1 for step in steps)
