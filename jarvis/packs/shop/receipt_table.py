"""Writes a receipt: what each of some offers costs, and all of them together, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from ...core.money import Money, totals
from ...core.tables import DELIVERY, MONEY, NUMBER, STATE, Cell, Column, Price, Row, Table, money_in
from .priced import FROM, NEW, Priced
from .tax import UNKNOWN, Tax

KIND = "receipt"
QUANTITY = "quantity"
# What the rows of its foot are.
TOTAL, WITHOUT_TAX = "total", "total, without tax"
BUDGET, LEFT, OVER = "budget", "left", "over the budget"
UP_TO = "up to"  # the basis of what is left where more may be added to the total
_ITEM = Column("item", "item", rank=0)
_STORE = Column("store", "store", rank=2)
_STATE = Column("state", "state", STATE, 3)
_QUANTITY = Column(QUANTITY, QUANTITY, NUMBER, 0)
AMOUNT = Column("total", "total", MONEY, 0)
_AMOUNTS = (
    Column("price", "price", MONEY, 5),  # what the total is without delivery
    Column(DELIVERY, "delivery", MONEY, 4),
    AMOUNT,
)


class Line(NamedTuple):
    """One line of a receipt."""

    offer: Priced
    quantity: int = 1


def receipt_of(
    lines: Sequence[Line], budget: Money | None = None, tax: Tax = UNKNOWN, note: str = ""
) -> Table:
    """Return the receipt of *lines*, without checks. Of several currencies each has a total of its own.

    Such a receipt is held to no budget, and no tax is worked out.
    """
    has_states = any(line.offer.state != NEW for line in lines)
    has_several = any(line.quantity != 1 for line in lines)
    columns = (
        _ITEM,
        *((_QUANTITY,) if has_several else ()),
        *((_STATE,) if has_states else ()),
        _STORE,
        *_AMOUNTS,
    )
    rows = tuple(_row(line, columns) for line in lines)
    foot = tuple(_sum(name, amount) for name, amount in _foot(lines, budget, tax))
    seen_at = min((line.offer.seen_at for line in lines), default="")
    return Table(KIND, columns, rows, note=note, seen_at=seen_at, foot=foot, end=max(len(rows), 1))


def tax_named(rate: Decimal) -> str:
    """Return what the row with the tax is called."""
    return f"tax of {rate.normalize():f} %"


def _row(line: Line, columns: Sequence[Column]) -> Row:
    offer, price = line.offer, line.offer.price
    cells: dict[str, Cell] = {
        "item": offer.title,
        QUANTITY: Decimal(line.quantity),
        "state": offer.state or None,
        "store": offer.store or None,
        "price": price,
        DELIVERY: offer.delivery,
        "total": offer.to_pay(line.quantity),
    }
    shown = {column.key: cells[column.key] for column in columns}
    return offer.row._replace(cells=shown)


def _foot(lines: Sequence[Line], budget: Money | None, tax: Tax) -> Iterator[tuple[str, Cell]]:
    """Return the rows of the foot, from the top: what each is, and its amount."""
    sums = totals(money for line in lines if (money := money_in(line.offer.to_pay(line.quantity))))
    name = WITHOUT_TAX if tax.is_apart else TOTAL
    if len(sums) != 1:
        yield from ((name, _based(each, lines)) for each in sums)
        return
    yield name, _based(sums[0], lines)
    if tax.rate is not None:
        taxes = totals(tax.on(totals([line.offer.price] * line.quantity)[0]) for line in lines)
        sums = totals([*sums, *taxes])
        yield tax_named(tax.rate), taxes[0]
        yield TOTAL, _based(sums[0], lines)
    if budget and budget.currency == sums[0].currency:
        yield BUDGET, budget
        yield _held_against(budget, sums[0], is_whole=isinstance(_based(sums[0], lines), Money))


def _based(total: Money, lines: Sequence[Line]) -> Money | Price:
    """Return the *total* of its currency, as one that more may be added to where a line's is."""
    own = [each.offer.to_pay(each.quantity) for each in lines if each.offer.price.currency == total.currency]
    return Price(total, FROM) if any(isinstance(each, Price) for each in own) else total


def _held_against(budget: Money, total: Money, *, is_whole: bool) -> tuple[str, Cell]:
    """Return what is left of *budget*, or how much the *total* is over it."""
    left = totals([budget, total._replace(amount=-total.amount)])[0]
    if left.amount < 0:
        over = left._replace(amount=-left.amount)
        return OVER, over if is_whole else Price(over, FROM)
    return LEFT, left if is_whole else Price(left, UP_TO)


def _sum(name: str, amount: Cell) -> Row:
    return Row("", {"item": name, "total": amount})
