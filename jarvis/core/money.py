"""Reads amounts of money out of foreign and typed text, writes them, and adds them up; never by a float.

How many digits a currency has, how it is written, and where, stands in currencies.txt.
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
        known = CURRENCIES.get(self.currency)
        sign = known.sign if known else ""
        minus = "-" if self.amount < 0 else ""
        amount = f"{minus}{sign or self.currency + ' '}{_with_digits(abs(self.amount), known):,f}"
        return f"{self.basis} {amount}".lstrip()

    @property
    def serialized(self) -> str:
        """The amount as programs read it: 1146.00 USD, from 5.00 USD."""
        return f"{self.basis} {self.record['amount']} {self.currency}".lstrip()

    @property
    def record(self) -> dict[str, str]:
        """The amount as JSON has it, which `money_of` reads but for its basis."""
        amount = _with_digits(self.amount, CURRENCIES.get(self.currency))
        known = {"amount": f"{amount:f}", "currency": self.currency}
        return {**known, "basis": self.basis} if self.basis else known


def money_of(record: object) -> Money | None:
    """Return what `Money.record` made; None for anything else, and for a currency that we don't know."""
    match record:
        case {"amount": str(amount), "currency": str(currency)} if currency in CURRENCIES:
            number = exact(amount)
            return None if number is None else Money(number, currency)
    return None


def exact(text: str) -> Decimal | None:
    """Return the number that *text* is, as a record has it: -1146.00; None for anything else."""
    return Decimal(text) if re.fullmatch(r"-?[0-9]{1,40}(\.[0-9]{1,15})?", text) else None


def price_in(text: object, country: str, extracted: object = None, *, asked: str = "") -> Money | None:
    """Return the price that *text* of a service's answer is, if it is nothing but a price to pay.

    So it is one number and its sign: no “from”, “/mo”, “was” or “+ tax”, no range, no minus, and not 0.
    country: where it was asked for, which decides what $ and ¥ mean.
    extracted: the number that the service itself read there; where there is one, it has to be the same.
    asked: the code of the currency it was asked in, without which a bare number is no price.
    """
    currency, amounts = _read(text if isinstance(text, str) else "", country, asked)
    if extracted is not None:
        amounts = [amount for amount in amounts if amount == number_of(extracted)]
    return Money(amounts[0], currency.code) if currency and amounts and amounts[0] else None


def price_of(number: object, asked: str) -> Money | None:
    """Return the price that a bare *number* of a service's answer is, in the currency it was *asked* in."""
    currency, amount = CURRENCIES.get(asked.upper()), number_of(number)
    held = _held(amount, currency) if currency and amount else None
    return Money(held, currency.code) if currency and held and held > 0 else None


def number_of(value: object) -> Decimal | None:
    """Return the number that stands in a service's JSON, or that was read exactly; None for what is none.

    JSON's reader made a float of 129.99: Python writes that as it was written there, and so it is read.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not -_MOST < value < _MOST:
        return None
    return Decimal(str(value))


def amount_in(text: str, country: str = "", asked: str = "") -> Money | None:
    """Return the amount that the model wrote: 150 USD, €1.299,00, 4000 yen.

    A bare number is one in the currency that prices are *asked* in, or that of their *country*. Of two ways
    to read 1,299 the first one counts that is an amount of the currency.
    """
    home = home_currency(country)
    currency, amounts = _read(text, country, asked or (home.code if home else ""))
    return next((Money(each, currency.code) for each in amounts if currency and each is not None), None)


def beyond(price: Money, most: Money | None = None, least: Money | None = None) -> str:
    """Return why *price* is not within the limits; empty where it is: another currency is held to none."""
    for limit in filter(None, (most, least)):
        if price.currency != limit.currency:
            return f"in {price.currency}"
    if most and price.amount > most.amount:
        return f"over {most.serialized}"
    return f"under {least.serialized}" if least and price.amount < least.amount else ""


def totals(amounts: Iterable[Money]) -> tuple[Money, ...]:
    """Return the sum of each currency among *amounts*, in the order they come in, whatever their basis."""
    sums: dict[str, Decimal] = {}
    for amount, currency, _ in amounts:
        sums[currency] = _EXACT.add(sums.get(currency, Decimal(0)), amount)
    return tuple(Money(amount, currency) for currency, amount in sums.items())


def _read(text: str, country: str, asked: str) -> tuple[Currency | None, list[Decimal | None]]:
    """Return the currency of the one number in *text*, and what that may be, as _amounts() does."""
    parts = re.fullmatch(_ONE_NUMBER, text) if len(text) <= _LONGEST else None
    currency = _currency_of(parts.group(1, 3), country, asked) if parts else None
    return currency, _amounts(parts[2], currency) if parts and currency else []


def _currency_of(sides: Iterable[str], country: str, asked: str) -> Currency | None:
    """Return the currency of an amount, by what stands on its *sides*; None unless each says that one."""
    words = ["".join(side.split()).lower() for side in sides]
    signs = [word for word in words if word] or [asked.lower()]
    code = next((sign for sign in signs if sign.upper() in CURRENCIES), signs[0])
    currency = currency_meant(code, country, asked)
    return currency if currency and all(map(currency.has, signs)) else None


def _amounts(number: str, currency: Currency) -> list[Decimal | None]:
    """Return what *number* may be, as it is written at home and elsewhere; None: no amount of *currency*."""
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
    """Return *amount* in the digits of *currency*; None where it has others, but for cents of 0."""
    has_room = -int(amount.as_tuple().exponent) <= max(currency.digits, 2) and abs(amount) < _MOST
    held = round(amount, currency.digits) if has_room else None
    return held if held == amount else None


def _with_digits(amount: Decimal, currency: Currency | None) -> Decimal:
    """Return *amount* with at least the digits of *currency*: more, where there are more, none is dropped."""
    digits = Decimal(1).scaleb(-currency.digits if currency else 0)
    held = amount.quantize(digits, context=_ROOM)
    return held if held == amount else amount


def home_currency(country: str) -> Currency | None:
    """Return what is paid with in *country*, of two letters; None where we don't know."""
    return _OF_COUNTRY.get(country.lower())


def currency_meant(sign: str, country: str, asked: str = "") -> Currency | None:
    """Return the currency that *sign* or code stands for in *country*, in lower case; None: it is not sure.

    asked: the code of the currency that prices were asked in, which has the first say.
    """
    if sign.upper() in CURRENCIES:
        return CURRENCIES[sign.upper()]
    for currency in (CURRENCIES.get(asked.upper()), home_currency(country)):
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
