"""Add up what offers cost together, or pick those that fit a budget. Python computes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from ...actions.base import BrainAction, Field
from ...core.errors import Refused
from ...core.follow_ups import drawn_ratings
from ...core.money import Money, totals
from ...core.tables import (
    BEST_RATED,
    COST,
    EXTRA,
    MONEY,
    NUMBER,
    STATE,
    Cell,
    Column,
    Price,
    Row,
    Table,
    money_in,
    told_cell,
)
from ...core.text import counted
from ...core.types import Effect, Facts, Outcome
from ..checks import seen_check, within_budget
from ..sums import FROM, UP_TO, Choice, added, best, less
from . import PACK
from .checks import Line, checks_of, plausible
from .offers import DELIVERY, NEW, OFFERS, UNKNOWN, Offer, Tax, offers_in, tax_in

KIND = "receipt"
CHEAPEST = "cheapest"
RULES = (BEST_RATED, CHEAPEST)  # by which they are picked
# What the rows of its foot are.
TOTAL, WITHOUT_TAX = "total", "total, without tax"
BUDGET, LEFT, OVER = "budget", "left", "over the budget"
_QUANTITY = Column("quantity", "quantity", NUMBER, 0)
_STATE = Column("state", "state", STATE, 3)
_AMOUNT = Column("total", "total", MONEY, 0, COST)
_COLUMNS = (
    Column("item", "item", rank=0),
    _QUANTITY,  # where one is not one
    _STATE,  # where one is not new
    Column("store", "store", rank=2),
    Column("price", "price", MONEY, 5),  # what the total is without delivery
    Column(DELIVERY, "delivery", MONEY, 4, EXTRA),
    _AMOUNT,
)


class Receipt(BrainAction):
    name = "receipt"
    description = (
        "add up what offers cost together: Python computes and checks it. With `offers` exactly these. "
        "Without, it picks one for each thing that was searched for, by `rule`, to fit `budget` together."
    )
    fields = (
        OFFERS._replace(optional=True),
        Field("rule", "how they are picked", optional=True, kind="choice", choices=RULES),
        Field("budget", "what they may cost together", optional=True, kind="money", said=True),
    )
    effect = "reads"
    answers = True
    attempts = 3  # one that names what is not there is planned anew
    sums_up = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        ids, budget = arguments.get("offers"), arguments.get("budget")
        rule = arguments.get("rule") or BEST_RATED
        known = _by_id(facts.tables)
        if ids is None and not _newest(facts.tables):
            raise Refused("There are no offers to add up: search for them first.")
        if strange := [id_ for id_ in ids or () if id_ not in known]:
            raise Refused(f"{strange[0]} can't be added up: it has no price, or is in no list at hand.")
        where = {offer.country or facts.country for offer in known.values()}
        rate = facts.settings.get(PACK.name, {}).get("tax_rate")
        tax = tax_in(where.pop() if len(where) == 1 else "", Decimal(rate) if rate else None)
        needed = {"lists": facts.tables, "offers": ids, "rule": rule, "budget": budget, "tax": tax}
        return Effect("reads", _target(ids, rule, budget, facts.shown), needed)

    def not_done(self, target: str) -> str:
        return f"Did not add up {target}".rstrip()

    async def perform(self, effect: Effect) -> Outcome:
        """Return the receipt, with what its checks came to. One over the budget is told so, and an answer."""
        lists, ids, rule, budget, tax = (
            effect.arguments[name] for name in ("lists", "offers", "rule", "budget", "tax")
        )
        lines, note = _named(lists, ids) if ids else _picked(_newest(lists), rule, budget, tax)
        receipt, total = receipt_of(lines, budget, tax), sums_of(lines, tax).total
        # What stands in several lists was found in the first one.
        among = {offer.row.id: found for found in map(offers_in, reversed(lists)) for offer in found}
        checks = (
            seen_check(receipt.seen_at, datetime.now(UTC)),
            *within_budget(total, budget),
            *checks_of(lines, total, among, tax),
        )
        told = " and ".join(told_cell(each, _AMOUNT) for each in total)
        text = f"Added up {counted(len(lines), 'offers')}: {told}."
        return Outcome("done", text, effect.target, table=receipt._replace(checks=checks, note=note))


def receipt_of(lines: Sequence[Line], budget: Money | None = None, tax: Tax = UNKNOWN) -> Table:
    """Return the receipt of *lines*, without checks. Of several currencies each has a total of its own.

    Such a receipt is held to no budget, and no tax is worked out.
    """
    has_states = any(line.offer.state != NEW for line in lines)
    has_several = any(line.quantity != 1 for line in lines)
    left_out = {*(() if has_states else (_STATE,)), *(() if has_several else (_QUANTITY,))}
    columns = tuple(column for column in _COLUMNS if column not in left_out)
    rows = tuple(_row(line, columns) for line in lines)
    foot = tuple(Row("", {"item": name, "total": amount}) for name, amount in _foot(lines, budget, tax))
    seen_at = min((line.offer.seen_at for line in lines), default="")  # of the oldest; empty: not known
    return Table(KIND, columns, rows, seen_at=seen_at, foot=foot, end=max(len(rows), 1))


class Sums(NamedTuple):
    """What lines come to, delivered: an amount for each currency."""

    untaxed: list[Money | Price]
    tax: Money | None  # where it can be worked out
    total: list[Money | Price]


def sums_of(lines: Sequence[Line], tax: Tax) -> Sums:
    """Return what *lines* come to, with the *tax* if they are in one currency, and its rate is known."""
    untaxed = added([line.offer.to_pay(line.quantity) for line in lines])
    if tax.rate is None or len(untaxed) != 1:
        return Sums(untaxed, None, untaxed)
    (taxes,) = totals(tax.on(totals([line.offer.price] * line.quantity)[0]) for line in lines)
    return Sums(untaxed, taxes, added([*untaxed, taxes]))


def _row(line: Line, columns: Sequence[Column]) -> Row:
    offer = line.offer
    cells: dict[str, Cell] = {
        **offer.row.cells,
        "item": offer.title,
        "quantity": Decimal(line.quantity),
        DELIVERY: offer.delivery,
        "total": offer.to_pay(line.quantity),
    }
    return offer.row._replace(cells={column.key: cells.get(column.key) for column in columns})


def _foot(lines: Sequence[Line], budget: Money | None, tax: Tax) -> Iterator[tuple[str, Cell]]:
    """Yield the rows of the foot, from the top: what each is, and its amount."""
    sums = sums_of(lines, tax)
    name = WITHOUT_TAX if tax.is_apart else TOTAL
    yield from ((name, each) for each in sums.untaxed)
    if tax.rate is not None and sums.tax:
        yield f"tax of {tax.rate.normalize():f} %", sums.tax
        yield TOTAL, sums.total[0]
    money = money_in(sums.total[0]) if len(sums.total) == 1 else None
    if budget and money and money.currency == budget.currency:
        yield BUDGET, budget
        yield _held_against(budget, money, is_whole=isinstance(sums.total[0], Money))


def _held_against(budget: Money, total: Money, *, is_whole: bool) -> tuple[str, Cell]:
    """Return what is left of *budget*, or how much the *total* is over it."""
    left = less(budget, total)
    if left.amount < 0:
        over = less(total, budget)
        return OVER, over if is_whole else Price(over, FROM)
    return LEFT, left if is_whole else Price(left, UP_TO)


def _by_id(lists: Sequence[Table]) -> dict[str, Offer]:
    """Return all offers in *lists*; of one that stands in several it is that of the first."""
    return {offer.row.id: offer for table in reversed(lists) for offer in offers_in(table)}


def _newest(lists: Sequence[Table]) -> list[Offer]:
    """Return the offers of the newest of *lists* that is no receipt."""
    found = [table for table in lists if table.kind != KIND]
    return offers_in(found[-1]) if found else []


def _named(lists: Sequence[Table], ids: Sequence[str]) -> tuple[list[Line], str]:
    """Return a line for each of *ids*, which stand there as often as they are wanted; and no note."""
    known = _by_id(lists)
    return [Line(known[id_], ids.count(id_)) for id_ in dict.fromkeys(ids)], ""


def _picked(offers: Sequence[Offer], rule: str, budget: Money | None, tax: Tax) -> tuple[list[Line], str]:
    """Return a line for the best of what was searched for, and a note on those that were passed over."""
    wants: dict[str, list[Offer]] = {}
    for each in offers:
        wants.setdefault(each.query, []).append(each)
    likely = [plausible(want) for want in wants.values()]
    places = best([choices(want, rule, tax) for want in likely], budget)
    passed = len(offers) - sum(map(len, likely))
    note = f"Passed over {counted(passed, 'offers')}: another model, or far cheaper than the rest."
    return [Line(want[place]) for want, place in zip(likely, places, strict=True)], note if passed else ""


def choices(want: Sequence[Offer], rule: str, tax: Tax) -> list[Choice]:
    """Return what each of *want* costs, and is worth by *rule*. Delivery that is not known costs nothing."""
    worths = drawn_ratings([offer.rating for offer in want]) if rule == BEST_RATED else [None] * len(want)
    return [
        Choice(totals(filter(None, [each.price, each.delivery, tax.on(each.price)]))[0], worth)
        for each, worth in zip(want, worths, strict=True)
    ]


def _target(ids: Sequence[str] | None, rule: str, budget: Money | None, shown: Sequence[str]) -> str:
    """Return what is added up, in words. shown: the ids on the lines by which the person knows them."""
    if not ids:
        return f"{rule} that fit {budget.told} together" if budget else f"{rule} of each"
    lines = {id_: f"{line}" for line, id_ in enumerate(shown, 1)}
    several = {id_: f"line {line}" for id_, line in lines.items()}
    counts = {id_: ids.count(id_) for id_ in ids}
    return ", ".join(
        lines.get(id_, id_) if count == 1 else f"{count} of {several.get(id_, id_)}"
        for id_, count in counts.items()
    )


ACTION = Receipt()
