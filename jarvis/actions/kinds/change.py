"""What is asked of the list last shown, in the words of language/follow_ups.py."""

from __future__ import annotations

from ...core.money import Money
from ...core.types import Facts
from ...language.follow_ups import asked_of, change_in
from . import money, text
from .wording import numbers_in

parse = text.parse


def is_said(value: str, words: str, facts: Facts) -> bool:
    """Return whether the limit in *value* stands in *words*. What has none may be said in any language."""
    change = change_in(value)
    asked = asked_of(facts.table, change, facts.country) if change and facts.table else None
    if asked is None or asked.amount is None:
        return True
    if not asked.currency:
        return asked.amount in numbers_in(words)
    return money.is_said(Money(asked.amount, asked.currency), words, facts)
