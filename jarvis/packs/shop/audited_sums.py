"""Reckons the sums of a receipt by itself, in fractions, to hold them against those it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import NamedTuple

from ...core.currencies import CURRENCIES
from ...core.money import Money
from ...core.tables import DELIVERY, Cell, Price, Row, Table, money_in
from .priced import FROM
from .receipt_table import BUDGET, LEFT, OVER, QUANTITY, TOTAL, UP_TO, WITHOUT_TAX, tax_named
from .tax import Tax

_EXACT = Context(prec=60, traps=[Inexact])  # where Python's own would round, and say nothing


class Sum(NamedTuple):
    """A row of a receipt's foot."""

    name: str
    amount: Fraction
    currency: str
    basis: str = ""  # empty: that is all


def foot_of(receipt: Table) -> list[Sum]:
    """Return what the foot of *receipt* says."""
    return [_said(row) for row in receipt.foot]


def expected_foot(rows: Sequence[Row], budget: Money | None, tax: Tax) -> list[Sum]:
    """Return what the foot of a receipt of *rows* has to say."""
    name, currencies = WITHOUT_TAX if tax.is_apart else TOTAL, several(rows)
    sums = [Sum(name, *_total(rows, currency)) for currency in currencies]
    if len(sums) != 1:
        return sums
    total = sums[0]
    if tax.rate is not None:
        of_tax = sum((_tax(row, tax.rate) for row in rows), Fraction(0))
        total = Sum(TOTAL, total.amount + of_tax, total.currency, total.basis)
        sums += [Sum(tax_named(tax.rate), of_tax, total.currency), total]
    return [*sums, *_against(budget, total)]


def expected_total(row: Row) -> Cell:
    """Return what the total of *row* has to be."""
    price = money_in(row.cells.get("price"))
    if not price:
        return None
    total = as_money(_amount(row), price.currency)
    return Price(total, FROM) if has_unknown(row) else total


def as_money(amount: Fraction, currency: str) -> Money:
    """Return *amount*, which has as many digits as amounts of money have."""
    return Money(_EXACT.divide(Decimal(amount.numerator), Decimal(amount.denominator)), currency)


def has_unknown(row: Row) -> bool:
    """Return whether more may be added to what *row* costs."""
    delivery = money_in(row.cells.get(DELIVERY))
    return delivery is None or (_count(row) > 1 and delivery.amount > 0)


def several(rows: Sequence[Row]) -> list[str]:
    """Return the currencies of *rows*, as they come."""
    prices = (money_in(row.cells.get("price")) for row in rows)
    return list(dict.fromkeys(price.currency for price in prices if price))


def _said(row: Row) -> Sum:
    cell = row.cells.get("total")
    money, basis = money_in(cell), cell.basis if isinstance(cell, Price) else ""
    name = str(row.cells.get("item"))
    return Sum(name, Fraction(money.amount), money.currency, basis) if money else Sum(name, Fraction(0), "")


def _total(rows: Sequence[Row], currency: str) -> tuple[Fraction, str, str]:
    of_it = [row for row in rows if several([row]) == [currency]]
    basis = FROM if any(map(has_unknown, of_it)) else ""
    return sum(map(_amount, of_it), Fraction(0)), currency, basis


def _amount(row: Row) -> Fraction:
    price, delivery = money_in(row.cells.get("price")), money_in(row.cells.get(DELIVERY))
    goods = Fraction(price.amount) * _count(row) if price else Fraction(0)
    return goods + (Fraction(delivery.amount) if delivery else 0)


def _count(row: Row) -> Fraction:
    count = row.cells.get(QUANTITY)
    return Fraction(count) if isinstance(count, Decimal) else Fraction(1)


def _tax(row: Row, rate: Decimal) -> Fraction:
    """Return the tax on a line's goods, to the smallest coin; half of one counts as one."""
    price = money_in(row.cells.get("price"))
    if not price:
        return Fraction(0)
    coins = 10 ** (CURRENCIES[price.currency].digits if price.currency in CURRENCIES else 2)
    exact = Fraction(price.amount) * _count(row) * Fraction(rate) / 100
    return Fraction((exact * coins + Fraction(1, 2)).__floor__(), coins)


def _against(budget: Money | None, total: Sum) -> Iterator[Sum]:
    if budget and budget.currency == total.currency:
        most = Fraction(budget.amount)
        yield Sum(BUDGET, most, budget.currency)
        if total.amount > most:
            yield Sum(OVER, total.amount - most, total.currency, total.basis)
        else:
            yield Sum(LEFT, most - total.amount, total.currency, UP_TO if total.basis else "")
