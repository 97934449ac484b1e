"""A planner that lies: what it plans, and a turn that it misleads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .house import Asked, House

STEPS = 8  # more than a turn may take


def plan(action: str, **fields: object) -> dict[str, Any]:
    return {"action": action, "finish": True, "text": "As they asked.", **fields}


def finding(queries: str = "lantern", **fields: object) -> dict[str, Any]:
    return plan("find_products", queries=queries, **fields)


def misled(house: House, thread: str, words: str, reading: str, *plans: Any, piped: str = "") -> Asked:
    """Return a turn whose planner makes these *plans*; what was done and searched before it is forgotten."""
    desktop, rest = house.desktop, {"action": "reply", "text": "That is all.", "finish": True}
    for spy in (desktop.opened, desktop.launched, desktop.captured, house.serpapi.requests):
        spy.clear()
    house.gemini._script.clear()
    house.gemini.reading = reading
    house.model_plans(*plans, *[rest] * STEPS)
    return house.ask(words, thread, piped=piped)
