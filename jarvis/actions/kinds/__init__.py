"""What a field of a plan may hold. On the wire each is a string; here it becomes a value of Python's.

A schema with numbers and bounds would use up what Gemini's grammar has room for, which nobody
documents; strings also stay exact, and ask less of weak models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...core.types import Facts
from ..base import Action, Field
from . import change, choice, count, ids, money, number, quantities, text
from .unusable import Unusable


class _Kind:
    """How a kind is read, and how its value is looked for in the person's own words."""

    def __init__(self, parse: Callable[..., Any], is_said: Callable[[Any, str, Facts], bool]) -> None:
        self.parse = parse
        self.is_said = is_said


KINDS: Mapping[str, _Kind] = {
    "text": _Kind(text.parse, text.is_said),
    "ids": _Kind(ids.parse, ids.is_said),
    "quantities": _Kind(quantities.parse, quantities.is_said),
    "money": _Kind(money.parse, money.is_said),
    "number": _Kind(number.parse, number.is_said),
    "count": _Kind(count.parse, count.is_said),
    "choice": _Kind(choice.parse, choice.is_said),
    "change": _Kind(change.parse, change.is_said),
}
_OWED = ("quantities",)  # offers were found, but how many of each are meant only the person says


def needs_words(action: Action) -> bool:
    """Return whether any field of *action* is more than text or an offered id."""
    return any(_is_read(field) for field in action.fields)


def values(action: Action, arguments: Mapping[str, object], words: str, facts: Facts) -> dict[str, object]:
    """Return the *arguments* as its fields' kinds read them. Raises Unusable.

    words: the person's own, of this turn.
    """
    fields = {field.name: field for field in action.fields if _is_read(field)}
    return {
        name: _value(fields[name], str(value), words, facts) if name in fields else value
        for name, value in arguments.items()
    }


def unsaid(
    action: Action, arguments: Mapping[str, object], words: str, before: str, facts: Facts
) -> list[str]:
    """Return the names of the *arguments* that the person has to have said, and did not. Raises Unusable.

    before: what they said in the turn before. What can't be left out, or would be written somewhere else, is
    Unusable where they did not say it. So are counts: without its offers an action would take others.
    """
    read, both = values(action, arguments, words, facts), f"{before}\n{words}"
    free = [field.name for field in action.fields if _is_free(field)]
    texts = [str(arguments[name]) for name in free if name in arguments]
    said = {"money": money.without_numbers(both, texts)}  # what is looked for has numbers of its own
    owed = [each for each in action.fields if each.name in read and (each.said or each.kind in _OWED)]
    names = [
        field
        for field in owed
        if not KINDS[field.kind].is_said(read[field.name], said.get(field.kind, both), facts)
    ]
    for field in names:
        if not field.optional or field.kind in _OWED or action.effect in ("writes", "spends"):
            raise Unusable(f"`{field.name}` is something that the person did not say")
    return [field.name for field in names]


def _is_free(field: Field) -> bool:
    """Return whether *field* holds the model's own words."""
    return field.kind == "text" and not field.offered and not field.said


def _is_read(field: Field) -> bool:
    return not field.offered and (field.kind != "text" or field.said)


def _value(field: Field, wire: str, words: str, facts: Facts) -> object:
    choices = {"choices": field.choices} if field.kind == "choice" else {}
    try:
        return KINDS[field.kind].parse(wire, words, facts, **choices)
    except Unusable as error:
        raise Unusable(f"`{field.name}`: {error}") from None


__all__ = ["KINDS", "Unusable", "needs_words", "unsaid", "values"]
