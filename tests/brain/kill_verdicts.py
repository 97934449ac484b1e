"""What was wrong with a request that met a kill: lost, doubled, stuck, denied, left open, untold."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.brain.kills import Seen
    from tests.running import Result

STUCK_SECONDS = 15
_MAYBE = "may or may not have happened"


def met_open_turn(seen: Seen) -> bool:
    return seen.at_kill.status == "open" or (seen.work.words.startswith("open ") and not seen.at_kill.status)


def faults(seen: Seen) -> list[str]:
    """Return what was wrong, a word or two each; none where all is as promised."""
    return [*_history(seen), *_effect(seen), *_front_ends(seen), *_of_a_living_client(seen)]


def _history(seen: Seen) -> Iterator[str]:
    expected = 2 if seen.work.is_late else 1
    for where, turns in (("history", seen.turns), ("export", seen.exported)):
        there = sum(turn["goal"] == seen.work.words for turn in turns)
        if there < expected:
            yield f"lost in {where}"
        if there > expected:
            yield f"doubled in {where}"
    if any(turn["status"] == "open" for turn in seen.turns):
        yield "left open"


def _state(seen: Seen) -> str:
    """Return what history says of the step that acts; empty where there is none."""
    turns = [turn for turn in seen.turns if turn["goal"] == seen.work.words]
    steps = [step for turn in turns[-1:] for step in turn["steps"] if step["action"] == seen.work.action]
    return steps[-1]["state"] if steps else ""


def _effect(seen: Seen) -> Iterator[str]:
    state = _state(seen)
    if seen.acts > 1 or len(seen.pictures) > 1:
        yield "doubled"
    if seen.acts and state not in ("done", "unknown"):
        yield f"denied ({state or 'no step'})"
    if state == "done" and not seen.acts:
        yield "claimed"
    if state == "unknown" and seen.at_kill.state == "done":
        yield "unknown though the hands had answered"
    if seen.work.action == "take_screenshot":
        if (state == "done") != bool(seen.pictures):
            yield f"{state or 'no step'} with {len(seen.pictures)} pictures"
        if any(path.endswith(".tmp") for path in seen.pictures):
            yield "half a picture"


def _front_ends(seen: Seen) -> Iterator[str]:
    first, second = seen.next_told
    if any(each.status or each.seconds > STUCK_SECONDS for each in seen.next_told):
        yield "stuck"
    was_told = _says(first) or (seen.victim in ("brain", "still") and _says(seen.told))
    if _state(seen) == "unknown" and not was_told:
        yield "untold"
    if _says(second):
        yield "told again"


def _of_a_living_client(seen: Seen) -> Iterator[str]:
    if seen.victim not in ("brain", "still"):
        return
    if seen.told.status:
        yield f"failed ({seen.told.status})"
    if _state(seen) == "unknown":
        yield "unknown though the hands live"
    if seen.acts != 1 or _state(seen) != "done":
        yield "not done"


def _says(told: Result) -> bool:
    return _MAYBE in told.stderr
