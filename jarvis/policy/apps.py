"""Decides whether an app may be started: only one that Python found for a name in the intent."""

from __future__ import annotations

from ..core.intent import OWN_FILE, SITE, START, Intent
from ..core.types import SEVERAL, Effect, Facts
from .verdict import Doubt, Verdict, allowed, not_asked

_NAMED = (START, SITE, OWN_FILE)  # what goes by the name of a site, or of a file here, may be an app


def starting(effect: Effect, facts: Facts) -> Verdict:
    intent = facts.intent or Intent()
    for place in facts.left:
        meant = facts.meanings.get(place, ()) if intent.parts[place].form in _NAMED else ()
        if effect.target in [address.url for address in meant if address.source == "app"]:
            return allowed(
                place, facts, _doubts(intent.parts[place].value, place, facts), _choices(place, facts)
            )
    return not_asked("you did not ask for it to be started.")


def _doubts(name: str, place: int, facts: Facts) -> tuple[Doubt, ...]:
    if len(facts.meanings[place]) > 1:
        return (Doubt(SEVERAL, f"“{name}” can mean each of these"),)
    return (Doubt("near name", f"“{name}” only comes near its name"),) if place in facts.near else ()


def _choices(place: int, facts: Facts) -> tuple[str, ...]:
    ids = tuple(address.id for address in facts.meanings[place])
    return ids if len(ids) > 1 else ()
