"""Whether a query may be sent. It goes to the provider that the person chose, but never with their keys."""

from __future__ import annotations

from ..core.types import Effect, Facts
from .verdict import ALLOW, Verdict, refuse

LONGEST = 200  # characters


def searching(effect: Effect, facts: Facts) -> Verdict:
    query = effect.target
    if len(query) > LONGEST or not query.isprintable():
        return refuse("that is no query.")
    if facts.holds_key(query):
        return refuse("it has one of your keys in it.")
    return Verdict(ALLOW, rule="a search")
