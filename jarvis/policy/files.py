"""Decides whether a file may be opened: only one that the person typed, in a plain command of their own."""

from __future__ import annotations

from ..core.intent import OWN_FILE
from ..core.types import SEVERAL, Effect, Facts
from .verdict import Doubt, Verdict, allowed, not_asked, refuse


def showing(effect: Effect, facts: Facts) -> Verdict:
    file, intent = effect.address, facts.intent
    if file is None or facts.addresses.get(file.id) != file or file.url != effect.target:
        return refuse("that is not a file that you named.")
    if intent is None or not intent.is_command:
        return not_asked()
    for place in facts.left:
        part, meant = intent.parts[place], facts.meanings.get(place, ())
        if part.form == OWN_FILE and file.id == f"f{part.value}":
            # What lies here under a name may be what they mean by it, or not.
            doubts = (Doubt(SEVERAL, "a file of that name lies here"),) if len(meant) > 1 else ()
            return allowed(place, facts, doubts, tuple(each.id for each in meant) if doubts else ())
    return not_asked()
