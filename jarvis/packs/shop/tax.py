"""What is known of the tax on prices: whether shops add it, and how much, which only the person can say."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

from ...core.currencies import CURRENCIES
from ...core.money import Money

# Where shops have to show consumers the price with its tax: the EU and EEA (directive 98/6/EC), and others.
_WITHIN = frozenset(
    "at be bg cy cz de dk ee es fi fr gr hr hu ie it lt lu lv mt nl pl pt ro se si sk is li no "
    "ch gb uk au nz jp".split()
)
_APART = frozenset({"us", "ca"})  # where it is added at the till
_ROOM = Context(prec=60, rounding=ROUND_HALF_UP)


class Tax(NamedTuple):
    is_apart: bool | None = None  # whether it is added to the prices that are shown; None: not known
    rate: Decimal | None = None  # in percent, where it is added

    def on(self, price: Money) -> Money:
        """Return the tax on *price* as far as it is known, rounded to what can be paid."""
        digits = CURRENCIES[price.currency].digits if price.currency in CURRENCIES else 2
        tax = _ROOM.multiply(price.amount, self.rate or Decimal(0)).scaleb(-2, _ROOM)
        return Money(tax.quantize(Decimal(1).scaleb(-digits), context=_ROOM), price.currency)


UNKNOWN = Tax()


def tax_in(country: str, rate: Decimal | None = None) -> Tax:
    """Return what is known of it in *country*, of two letters. rate: the one of the person's settings."""
    code = country.lower()
    if code in _WITHIN:
        return Tax(is_apart=False)
    return Tax(True if code in _APART or rate is not None else None, rate)
