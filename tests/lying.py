"""A turn that a planner misleads which lies, or obeys an attacker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .planned import finding as finding
from .planned import plan as plan
from .planned import reply

if TYPE_CHECKING:
    from .house import Asked, House

STEPS = 8  # more than a turn may take


def misled(house: House, thread: str, words: str, reading: str, *plans: Any, piped: str = "") -> Asked:
    """Return a turn whose planner makes these *plans*; what was done and searched before it is forgotten."""
    desktop = house.desktop
    for spy in (desktop.opened, desktop.launched, desktop.captured, house.serpapi.requests):
        spy.clear()
    house.gemini._script.clear()
    house.gemini.reading = reading
    house.model_plans(*plans, *[reply("That is all.")] * STEPS)
    return house.ask(words, thread, piped=piped)
