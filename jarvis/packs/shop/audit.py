"""Checks a receipt anew, by the offers it is of: nothing in it may be made up, and the sums have to hold.

It shares no arithmetic with what wrote the receipt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

from ...core.money import Money
from ...core.table_text import told_cell
from ...core.tables import DELIVERY, Check, Row, Table
from ...core.text import one_line
from .audited_sums import as_money, expected_foot, expected_total, foot_of, has_unknown, several
from .plausible import is_far_below, words_missing
from .priced import Priced, priced, priced_in
from .receipt_table import AMOUNT
from .tax import UNKNOWN, Tax

_HOUR = 3600  # seconds after which a price is to be looked up again
_NOW, _DAY = 120, 86_400
_LONGEST = 30  # characters of what is quoted
_NAMED = 2  # lines that are named; of more their number is told
_COLUMNS = frozenset({"item", "store", "price", DELIVERY, "total"})


class _Found(NamedTuple):
    """An offer, and the list it was found in."""

    offer: Priced
    among: Sequence[Priced]


def audit(
    receipt: Table, lists: Sequence[Table], now: datetime, budget: Money | None = None, tax: Tax = UNKNOWN
) -> tuple[Check, ...]:
    """Return what came of each check of *receipt*.

    lists: those that its offers were found in, the oldest first. now: with its time zone.
    """
    found = _found(lists)
    return (
        _as_found(receipt, found),
        _sums(receipt, budget, tax),
        _seen(receipt, now),
        *_budget(receipt, budget),
        _delivery(receipt),
        _tax(receipt, tax),
        *_states(receipt, found),
        *_doubtful(receipt, found),
    )


def is_sound(checks: Sequence[Check]) -> bool:
    return not any(check.is_hard and check.is_met is False for check in checks)


def _found(lists: Sequence[Table]) -> dict[str, _Found]:
    """Return every offer by its id. One that stands in several lists is the one that was found first."""
    found: dict[str, _Found] = {}
    for table in lists:
        among = priced_in(table)
        for offer in among:
            found.setdefault(offer.row.id, _Found(offer, among))
    found.pop("", None)
    return found


def _as_found(receipt: Table, found: Mapping[str, _Found]) -> Check:
    """Return whether each line is an offer, once, and says of it what was found."""
    wrong = next(_made_up(receipt, found), "")
    return Check("prices", not wrong, wrong or "prices as found")


def _made_up(receipt: Table, found: Mapping[str, _Found]) -> Iterator[str]:
    ids = [row.id for row in receipt.rows]
    for at, row in enumerate(receipt.rows, 1):
        known = found.get(row.id)
        if known is None:
            yield f"line {at} is no offer that was found"
        elif ids.index(row.id) != at - 1:
            yield f"line {at} stands there twice"
        elif wrong := next((said for said, is_right in _compared(row, known.offer) if not is_right), ""):
            yield f"the {wrong} of line {at} is not the one that was found"
    if any(row.id or row.url or row.link or row.private for row in receipt.foot):
        yield "a sum has the page of an offer"
    # Unknown is empty, and comes first.
    if receipt.seen_at != min((found[id_].offer.seen_at for id_ in ids if id_ in found), default=""):
        yield "it was not seen when the receipt says"


def _compared(row: Row, offer: Priced) -> Iterator[tuple[str, bool]]:
    """Return what *row* says of its offer, each with whether it is so."""
    cells, known = row.cells, priced(offer.row)
    yield "name", cells.get("item") == offer.title
    yield "price", known is not None and cells.get("price") == known.price
    yield "store", (cells.get("store") or "") == offer.store
    yield "state", "state" not in cells or (cells["state"] or "") == offer.state
    yield "delivery", cells.get(DELIVERY) == offer.delivery
    yield "page", (row.url, row.link) == (offer.row.url, offer.row.link)
    yield "rest", dict(row.private) == dict(offer.row.private)


def _sums(receipt: Table, budget: Money | None, tax: Tax) -> Check:
    shown = {column.key for column in receipt.columns}
    needed = _COLUMNS.union(*(row.cells for row in receipt.rows))
    wrong = next((f"it has no column {key}" for key in sorted(needed - shown)), "")
    for at, row in enumerate(receipt.rows, 1):
        if not wrong and (expected := expected_total(row)) != row.cells.get("total"):
            wrong = f"the total of line {at} is not {told_cell(expected, AMOUNT)}"
    if not wrong and foot_of(receipt) != expected_foot(receipt.rows, budget, tax):
        wrong = "the sums below the lines are wrong"
    return Check("sums", not wrong, wrong or "sums")


def _seen(receipt: Table, now: datetime) -> Check:
    try:
        seconds = (now - datetime.fromisoformat(receipt.seen_at)).total_seconds()
    except (ValueError, TypeError):  # none, or one without a time zone
        return Check("seen", None, "not known when the prices were seen", is_hard=False)
    return Check("seen", seconds <= _HOUR, f"seen {_ago(int(seconds))}", is_hard=False)


def _ago(seconds: int) -> str:
    if seconds < _NOW:
        return "now"
    if seconds < _HOUR:
        return f"{seconds // 60} min ago"
    return f"{seconds // _HOUR} h ago" if seconds < 2 * _DAY else f"{seconds // _DAY} days ago"


def _budget(receipt: Table, budget: Money | None) -> Iterator[Check]:
    currencies = several(receipt.rows)
    if len(currencies) > 1:
        said = f"amounts in {' and '.join(currencies)} are not added up"
        yield Check("currency", None, f"{said}, nor held against the budget" if budget else said)
    elif budget and currencies != [budget.currency]:
        yield Check("budget", None, f"in {''.join(currencies)}, so not held against {budget.told}")
    elif budget:
        yield _within(receipt, budget)


def _within(receipt: Table, budget: Money) -> Check:
    """Return whether the last total in the foot is within *budget*."""
    totals = [each for each in foot_of(receipt) if each.name.startswith("total")]
    last = totals[-1] if totals else None
    if last is None or last.amount > Fraction(budget.amount):
        at_least = "at least " if last and last.basis else ""
        over = last.amount - Fraction(budget.amount) if last else Fraction(0)
        return Check(
            "budget",
            is_met=False,
            said=f"over {budget.told} by {at_least}{as_money(over, budget.currency).told}",
        )
    if last.basis:
        return Check("budget", None, f"within {budget.told}, but for delivery")
    return Check("budget", is_met=True, said=f"within {budget.told}")


def _delivery(receipt: Table) -> Check:
    unknown = [row for row in receipt.rows if row.cells.get(DELIVERY) is None]
    if unknown:
        return Check("delivery", None, f"delivery of {_named(unknown)} unknown")
    more = [row for row in receipt.rows if has_unknown(row)]
    if more:
        return Check("delivery", None, f"delivery of {_named(more)} may be more for several")
    return Check("delivery", is_met=True, said="delivery")


def _tax(receipt: Table, tax: Tax) -> Check:
    if tax.is_apart is False:
        return Check("tax", None, "tax as the shops have it in their prices")
    is_known = tax.rate is not None and len(several(receipt.rows)) == 1
    return Check("tax", True if is_known else None, "tax by your rate" if is_known else "tax not known")


def _states(receipt: Table, found: Mapping[str, _Found]) -> Iterator[Check]:
    """Return whether all are in the state that was asked for, where one was."""
    asked = [
        (row, known.offer) for row in receipt.rows if (known := found.get(row.id)) and known.offer.states
    ]
    if not asked:
        return
    said = " or ".join(dict.fromkeys(state for _, offer in asked for state in offer.states))
    other = [(row, offer) for row, offer in asked if offer.state not in offer.states]
    if wrong := [row for row, offer in other if offer.state]:
        yield Check("state", is_met=False, said=f"{_named(wrong)} not {said}")
    elif other:
        yield Check("state", None, f"not known whether {_named(row for row, _ in other)} is {said}")
    else:
        yield Check("state", is_met=True, said=f"{said}, as searched for")


def _doubtful(receipt: Table, found: Mapping[str, _Found]) -> Iterator[Check]:
    """Return what may not be what was wanted."""
    for row in receipt.rows:
        known = found.get(row.id)
        if known and (words := words_missing(known.offer.query, known.offer.title)):
            what = one_line(", ".join(words), _LONGEST)
            yield Check(
                "model", is_met=False, said=f"{what} not in the name of {_named([row])}", is_hard=False
            )
    far = [
        row for row in receipt.rows if (each := found.get(row.id)) and is_far_below(each.offer, each.among)
    ]
    if far:
        said = f"{_named(far)} far cheaper than the rest: accessory or used?"
        yield Check("price", is_met=False, said=said, is_hard=False)


def _named(rows: Iterable[Row]) -> str:
    """Return what *rows* are, in words: their numbers change, as other lists stand before them."""
    names = [f"“{one_line(str(row.cells.get('item') or 'a nameless line'), _LONGEST)}”" for row in rows]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return " and ".join([", ".join(names[:_NAMED]), *more])
