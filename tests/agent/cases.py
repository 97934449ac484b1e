"""One turn as a row of a table: what is said, found, refused and planned in it, and what comes of it.

Before: `words`, what searches find (`finds`) or say (`says`), what fails (`fails`, `can't`: with which
error), `budget` (model calls), `dry_run`, `plans`.
After: `opens`, `status`, whatever else of `came` is named; `told`, in the last prompt; `offers`: actions, and
whether each was open in each call.
"""

from __future__ import annotations

from typing import Any

from jarvis.core.errors import ActionFailed


def ends_as_told(house: Any, turn: dict[str, Any]) -> None:
    """Take that *turn*, and hold what comes of it against the row."""
    if "budget" in turn:
        house.configure(f"[budgets]\nmodel_calls = {turn['budget']}\n")
    if "says" in turn:
        house.serpapi.finds({"error": turn["says"]})
    for found in turn.get("finds", ()):
        house.search_finds(*found)
    house.desktop.fails |= {each: ActionFailed("It broke.") for each in turn.get("fails", ())}
    house.desktop.fails |= turn.get("can't", {})
    house.model_plans(*turn["plans"])

    asked = house.ask(turn["words"], dry_run=turn.get("dry_run", False))

    assert (house.desktop.opened, asked.status) == (turn.get("opens", []), turn.get("status", ("done", 0)))
    came = {name: getattr(asked, name) for name in ("reply", "sources", "steps", "note")}
    came["searches"] = asked.summary["usage"]["searches"]
    came |= {"cost": house.cost, "code": (asked.summary["error"] or {}).get("code")}
    assert came == came | {name: turn[name] for name in came if name in turn}
    assert [text for text in turn.get("told", ()) if text not in house.prompts[-1]] == []
    for action, is_open in turn.get("offers", {}).items():
        assert [action in each.enum("action") for each in house.gemini.planning] == is_open
