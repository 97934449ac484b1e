"""Reads amounts of money from foreign and typed text, formats them, and adds them up. Never uses floats.

currencies.txt lists each currency's digits, notation, and countries.
"""

import os
import re
from collections.abc import Iterable
from decimal import Context, Decimal, Inexact
from typing import NamedTuple

_LONGEST = 200  # characters of what an amount is looked for in
_MOST = 10**15  # nothing costs that much: such a number is none
_ROOM = Context(prec=60)  # for any sum of such
_EXACT = Context(prec=60, traps=[Inexact])  # where Python's own would round, and say nothing

_SPACES = " \u00a0\u2009\u202f"
# The one number in a text, as it is written, with what stands before and behind it.
_ONE_NUMBER = rf"([^0-9]*)([0-9](?:[0-9.,'’{_SPACES}]*[0-9])?)([^0-9]*)"


class Currency(NamedTuple):
    """A currency in use today, by ISO 4217."""

    code: str
    digits: int  # of the smallest amount there is, behind the decimal mark
    mark: str  # the decimal mark, where it is used
    sign: str  # what we write in front of an amount; empty: its code
    signs: frozenset[str]  # that mean it wherever they stand
    home: frozenset[str]  # that mean it in its own countries, and elsewhere maybe another one
    countries: tuple[str, ...]  # in lower case

    def has(self, sign: str) -> bool:
        """Return whether *sign*, in lower case and without spaces, may stand for it: $, kr, usd."""
        return sign in self.signs or sign in self.home or sign == self.code.lower()


class Money(NamedTuple):
    """An amount in a currency. One that is not known is None, never 0."""

    amount: Decimal
    currency: str  # its code, by ISO 4217
    basis: str = ""  # what it is, where it is not simply what is paid: from, up to

    @property
    def formatted(self) -> str:
        """The amount as people read it: $1,146.00, ¥3,500, KWD 12.500, from $5.00."""
        currency = CURRENCIES.get(self.currency)
        sign = currency.sign if currency else ""
        minus = "-" if self.amount < 0 else ""
        amount = f"{minus}{sign or self.currency + ' '}{_with_digits(abs(self.amount), currency):,f}"
        return f"{self.basis} {amount}".lstrip()

    @property
    def serialized(self) -> str:
        """The amount as programs read it: 1146.00 USD, from 5.00 USD."""
        return f"{self.basis} {self.record['amount']} {self.currency}".lstrip()

    @property
    def record(self) -> dict[str, str]:
        """The amount as JSON. `money_of` reads it back without its basis."""
        amount = _with_digits(self.amount, CURRENCIES.get(self.currency))
        fields = {"amount": f"{amount:f}", "currency": self.currency}
        return {**fields, "basis": self.basis} if self.basis else fields


def money_of(record: object) -> Money | None:
    """Return the amount in a `Money.record`, or None for anything else or an unknown currency."""
    match record:
        case {"amount": str(amount), "currency": str(currency)} if currency in CURRENCIES:
            number = exact(amount)
            return None if number is None else Money(number, currency)
    return None


def exact(text: str) -> Decimal | None:
    """Return the number in *text* in the form of records (-1146.00), or None."""
    return Decimal(text) if re.fullmatch(r"-?[0-9]{1,40}(\.[0-9]{1,15})?", text) else None


def price_in(text: object, country: str, extracted: object = None, *, default: str = "") -> Money | None:
    """Return the price in *text* of a service's answer, if it is nothing but a price to pay.

    It must be one number and a sign, without “from”, “/mo”, “was”, “+ tax”, a range, a minus, or 0. country:
    of the search. It decides the meaning of $ and ¥. extracted: the number that the service itself read. If
    given, it must be equal. default: the currency code of the search. A bare number is a price only with it.
    """
    currency, amounts = _read(text if isinstance(text, str) else "", country, default)
    if extracted is not None:
        amounts = [amount for amount in amounts if amount == number_of(extracted)]
    return Money(amounts[0], currency.code) if currency and amounts and amounts[0] else None


def price_of(number: object, code: str) -> Money | None:
    """Return the price that a bare *number* of a service's answer is, in the currency it was *code* in."""
    currency, amount = CURRENCIES.get(code.upper()), number_of(number)
    held = _held(amount, currency) if currency and amount else None
    return Money(held, currency.code) if currency and held and held > 0 else None


def number_of(value: object) -> Decimal | None:
    """Return a number from a service's JSON, or one that was read exactly, or None.

    JSON makes a float of 129.99. Python prints that float with the same digits, and this reads those.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not -_MOST < value < _MOST:
        return None
    return Decimal(str(value))


def amount_in(text: str, country: str = "", default: str = "") -> Money | None:
    """Return the amount that the model wrote: 150 USD, €1.299,00, 4000 yen.

    A bare number is in the currency *default* for, or in that of *country*. 1,299 has two readings. The first
    one that is an amount of the currency counts.
    """
    home = home_currency(country)
    currency, amounts = _read(text, country, default or (home.code if home else ""))
    return next((Money(each, currency.code) for each in amounts if currency and each is not None), None)


def beyond(price: Money, most: Money | None = None, least: Money | None = None) -> str:
    """Return why *price* is outside the limits, or "". Limits in another currency don't apply."""
    for limit in filter(None, (most, least)):
        if price.currency != limit.currency:
            return f"in {price.currency}"
    if most and price.amount > most.amount:
        return f"over {most.serialized}"
    return f"under {least.serialized}" if least and price.amount < least.amount else ""


def totals(amounts: Iterable[Money]) -> tuple[Money, ...]:
    """Return the sum of *amounts* for each currency, in the order of their first appearance, of any basis."""
    sums: dict[str, Decimal] = {}
    for amount, currency, _ in amounts:
        sums[currency] = _EXACT.add(sums.get(currency, Decimal(0)), amount)
    return tuple(Money(amount, currency) for currency, amount in sums.items())


def _read(text: str, country: str, default: str) -> tuple[Currency | None, list[Decimal | None]]:
    """Return the currency of the one number in *text*, and what that may be, as _amounts() does."""
    parts = re.fullmatch(_ONE_NUMBER, text) if len(text) <= _LONGEST else None
    currency = _currency_of(parts.group(1, 3), country, default) if parts else None
    return currency, _amounts(parts[2], currency) if parts and currency else []


def _currency_of(sides: Iterable[str], country: str, default: str) -> Currency | None:
    """Return the currency of an amount by the words on its *sides*, or None unless all agree."""
    words = ["".join(side.split()).lower() for side in sides]
    signs = [word for word in words if word] or [default.lower()]
    code = next((sign for sign in signs if sign.upper() in CURRENCIES), signs[0])
    currency = currency_for_sign(code, country, default)
    return currency if currency and all(map(currency.has, signs)) else None


def _amounts(number: str, currency: Currency) -> list[Decimal | None]:
    """Return the possible values of *number* in the notation of *currency* and elsewhere, or None."""
    marks = (currency.mark, "," if currency.mark == "." else ".")
    read = [read_decimal(number, mark) for mark in marks]
    return [_held(amount, currency) for amount in read if amount is not None]


def read_decimal(number: str, mark: str) -> Decimal | None:
    """Return *number*, read with this decimal *mark*. Thousands stand in groups, lakhs in groups of two."""
    between = "," if mark == "." else "."
    groups = rf"[1-9][0-9]{{0,2}}(?P<between>[{between}'’{_SPACES}])(?:[0-9]{{2,3}}(?P=between))*[0-9]{{3}}"
    parts = re.fullmatch(rf"(?P<whole>0|[1-9][0-9]*|{groups}|)(?:\{mark}(?P<part>[0-9]+))?", number)
    if not parts:
        return None
    whole, part = re.sub(r"[^0-9]", "", parts["whole"]), parts["part"]
    return Decimal(f"{whole or 0}.{part or 0}")


def _held(amount: Decimal, currency: Currency) -> Decimal | None:
    """Return *amount* with the digits of *currency*, or None if it has more digits, except zeros."""
    has_room = -int(amount.as_tuple().exponent) <= max(currency.digits, 2) and abs(amount) < _MOST
    held = round(amount, currency.digits) if has_room else None
    return held if held == amount else None


def _with_digits(amount: Decimal, currency: Currency | None) -> Decimal:
    """Return *amount* with at least the digits of *currency*. Drops none."""
    digits = Decimal(1).scaleb(-currency.digits if currency else 0)
    held = amount.quantize(digits, context=_ROOM)
    return held if held == amount else amount


def home_currency(country: str) -> Currency | None:
    """Return the currency of *country* (two letters), or None."""
    return _OF_COUNTRY.get(country.lower())


def currency_for_sign(sign: str, country: str, default: str = "") -> Currency | None:
    """Return the currency of *sign* (a sign or code) in *country* (lower case), or None if it is unclear.

    default: the currency code of the search, which decides first.
    """
    if sign.upper() in CURRENCIES:
        return CURRENCIES[sign.upper()]
    for currency in (CURRENCIES.get(default.upper()), home_currency(country)):
        if currency and currency.has(sign):
            return currency
    return _ANYWHERE.get(sign)


def _currency(row: str) -> Currency:
    facts, signs, home, countries = row.split("|")
    code, digits, mark, sign = facts.split()
    ours = "" if sign == "-" else sign
    sure, at_home = frozenset(signs.split()), frozenset(home.split())
    return Currency(code, int(digits), mark, ours, sure, at_home, tuple(countries.split()))


with open(os.path.join(os.path.dirname(__file__), "currencies.txt"), encoding="utf-8") as _file:
    CURRENCIES = {each.code: each for row in _file if "|" in row for each in [_currency(row)]}
_OF_COUNTRY = {country: currency for currency in CURRENCIES.values() for country in currency.countries}
_ANYWHERE = {sign: currency for currency in CURRENCIES.values() for sign in currency.signs}
