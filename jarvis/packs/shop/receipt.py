"""Add up offers, or pick those that fit a budget, and report possible problems.

Python does the arithmetic. The checks compare the offers with the request, and report unknown prices.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from statistics import median
from typing import Any

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
    Check,
    Column,
    Row,
    Table,
    format_cell,
)
from ...core.text import one_line, pluralize
from ...core.types import Effect, Facts, Outcome
from ..sums import Choice, best, left_of, sum_by_currency, within_budget
from . import PACK
from .markets import HOME
from .offers import DELIVERY, NO_TAX, OFFERS, Offer, Tax, called, offers_in, tax_in

KIND = "receipt"
CHEAPEST = "cheapest"
RULES = (BEST_RATED, CHEAPEST)  # by which they are picked
# What the rows of its foot are.
TOTAL, WITHOUT_TAX = "total", "total, without tax"
_QUANTITY = Column("quantity", "quantity", NUMBER, 0)
_AMOUNT = Column("total", "total", MONEY, 0, COST)
_COLUMNS = (
    Column("item", "item", rank=0),
    _QUANTITY,
    Column("state", "state", STATE, 3),
    Column("store", "store", rank=2),
    Column("price", "price", MONEY, 5),  # what the total is without delivery
    Column(DELIVERY, "delivery", MONEY, 4, EXTRA),
    _AMOUNT,
)
_LONGEST = 30  # characters of what is quoted
_NAMED = 2  # offers to list by name, then only their number
_FEWEST = 5  # prices, below which a list has no usual one


class Receipt(BrainAction):
    name = "receipt"
    verb = "add up"
    description = (
        "add up what offers cost together: Python computes and checks it. With `offers` exactly these. "
        "Without, it picks one for each thing that was searched for, by `rule`, to fit `budget` together."
    )
    fields = (
        OFFERS._replace(optional=True),
        Field("rule", "how they are picked", optional=True, kind="choice", choices=RULES),
        Field("budget", "what they may cost together", optional=True, kind="money", stated=True),
    )
    effect = "arranges"
    answers = True
    attempts = 3  # a receipt of unknown offers is planned again
    sums_up = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        ids, budget = arguments.get("offers"), arguments.get("budget")
        rule = arguments.get("rule") or BEST_RATED
        by_id = _by_id(facts.tables)
        if ids is None and not _newest(facts.tables):
            raise Refused("There are no offers to add up: search for them first.")
        if strange := [id_ for id_ in ids or () if id_ not in by_id]:
            raise Refused(f"Can't add up {strange[0]}: it has no price, or is in no current list.")
        where = {offer.country or facts.country for offer in by_id.values()}
        is_own = where == {facts.country or HOME}
        rate = facts.settings.get(PACK.name, {}).get("tax_rate") if is_own else ""
        tax = tax_in(where.pop() if len(where) == 1 else "", Decimal(rate) if rate else None)
        needed = {"lists": facts.tables, "offers": ids, "rule": rule, "budget": budget, "tax": tax}
        picked = f"{rule} that fit {budget.formatted} together" if budget else f"{rule} of each"
        return Effect("arranges", ", ".join(called(ids, facts.shown)) if ids else picked, needed)

    async def perform(self, effect: Effect) -> Outcome:
        """Return the receipt, with its checks. One over the budget says so, and is an answer."""
        lists, ids, rule, budget, tax = (
            effect.arguments[name] for name in ("lists", "offers", "rule", "budget", "tax")
        )
        by_id, note = _by_id(lists), ""
        lines = [by_id[id_]._replace(quantity=ids.count(id_)) for id_ in dict.fromkeys(ids or ())]
        if not ids:
            lines, note = _pick_best(_newest(lists), rule, budget, tax)
        total = total_of(lines, tax)
        checks = (*within_budget(total, budget), *checks_of(lines, tax))
        receipt = receipt_of(lines, budget, tax)._replace(checks=checks, note=note)
        amounts = " and ".join(format_cell(each, _AMOUNT) for each in total)
        return Outcome(
            "done", f"Added up {pluralize(len(lines), 'offers')}: {amounts}.", effect.target, table=receipt
        )


def total_of(lines: Sequence[Offer], tax: Tax = NO_TAX) -> list[Money]:
    """Return the total of *lines*, delivered, an amount for each currency, with any known tax."""
    taxes = taxes_on(lines, tax)
    return sum_by_currency([*(line.to_pay for line in lines), *([taxes] if taxes else [])])


def taxes_on(lines: Sequence[Offer], tax: Tax) -> Money | None:
    """Return the tax on *lines*, if they are in one currency, and its rate is known."""
    amounts = totals(tax.on(line.goods) for line in lines)
    return amounts[0] if tax.rate is not None and len(amounts) == 1 else None


def receipt_of(lines: Sequence[Offer], budget: Money | None = None, tax: Tax = NO_TAX) -> Table:
    """Return the receipt of *lines*, without checks. With several currencies, each has its own total.

    Such a receipt has no budget and no tax.
    """
    has_several = any(line.quantity != 1 for line in lines)
    columns = tuple(column for column in _COLUMNS if has_several or column is not _QUANTITY)
    rows = tuple(line.row_in(columns, item=line.title, quantity=Decimal(line.quantity)) for line in lines)
    foot = tuple(Row("", {"item": name, "total": amount}) for name, amount in _foot(lines, budget, tax))
    seen_at = min((line.seen_at for line in lines), default="")  # of the oldest, or "" if unknown
    return Table(KIND, columns, rows, seen_at=seen_at, foot=foot, end=max(len(rows), 1))


def _foot(lines: Sequence[Offer], budget: Money | None, tax: Tax) -> Iterator[tuple[str, Cell]]:
    """Yield the rows of the foot, from the top: what each is, and its amount."""
    name, total, taxes = WITHOUT_TAX if tax.is_apart else TOTAL, total_of(lines, tax), taxes_on(lines, tax)
    yield from ((name, each) for each in total_of(lines))
    if tax.rate is not None and taxes:
        yield f"tax of {tax.rate.normalize():f} %", taxes
        yield TOTAL, total[0]
    yield from left_of(total, budget)


def _by_id(lists: Sequence[Table]) -> dict[str, Offer]:
    """Return all offers in *lists* by id. If several lists have one, the first list counts."""
    return {offer.row.id: offer for table in reversed(lists) for offer in offers_in(table)}


def _newest(lists: Sequence[Table]) -> list[Offer]:
    """Return the offers of the newest of *lists*, receipts left out."""
    found = [table for table in lists if table.kind != KIND]
    return offers_in(found[-1]) if found else []


def _pick_best(offers: Sequence[Offer], rule: str, budget: Money | None, tax: Tax) -> tuple[list[Offer], str]:
    """Return the best offer for each query, and a note on those that were skipped."""
    wants: dict[str, list[Offer]] = {}
    for each in offers:
        wants.setdefault(each.query, []).append(each)
    likely = [_plausible(want) for want in wants.values()]
    places = best([choices(want, rule, tax) for want in likely], budget)
    passed = len(offers) - sum(map(len, likely))
    note = f"Passed over {pluralize(passed, 'offers')}: another model, or far cheaper than the rest."
    return [want[place] for want, place in zip(likely, places, strict=True)], note if passed else ""


def _plausible(want: Sequence[Offer]) -> list[Offer]:
    """Return those of *want* that are probably right, or else all of them.

    An offer below 40 % of the median price may be an accessory.
    """
    usual = median(each.price.amount for each in want) if len(want) >= _FEWEST else Decimal(0)
    dear = (each for each in want if each.price.amount * 5 >= usual * 2)
    return [each for each in dear if not words_missing(each.query, each.title)] or list(want)


def choices(want: Sequence[Offer], rule: str, tax: Tax) -> list[Choice]:
    """Return the cost of each of *want*, and its worth by *rule*. Unknown delivery costs nothing."""
    worths = drawn_ratings([offer.rating for offer in want]) if rule == BEST_RATED else [None] * len(want)
    return [
        Choice(totals(filter(None, [each.price, each.delivery, tax.on(each.price)]))[0], worth)
        for each, worth in zip(want, worths, strict=True)
    ]


def checks_of(lines: Sequence[Offer], tax: Tax) -> tuple[Check, ...]:
    """Return the checks of *lines*: of unknown values, and of models that may be different."""
    return (_delivery(lines), _tax(lines, tax), *_models(lines))


def words_missing(query: str, title: str) -> list[str]:
    """Return the words for a model in *query* that *title* has not: those with a digit, as S24, 128GB."""
    text = _joined(title)
    return [word for word in query.split() if re.search("[0-9]", word) and _joined(word) not in text]


def _delivery(lines: Sequence[Offer]) -> Check:
    if unknown := [line for line in lines if line.delivery is None]:
        return Check("delivery", None, f"delivery of {_quoted(unknown)} unknown")
    if any(line.to_pay.basis for line in lines):
        return Check("delivery", None, "delivery may be more for several")
    return Check("delivery", is_met=True, finding="delivery")


def _tax(lines: Sequence[Offer], tax: Tax) -> Check:
    if not tax.is_apart:
        return Check("tax", None, "tax as the shops have it in their prices")
    if taxes_on(lines, tax) is None:
        return Check("tax", None, "tax not known")
    return Check("tax", is_met=True, finding="tax by your rate")


def _models(lines: Sequence[Offer]) -> Iterator[Check]:
    for line in lines:
        if words := words_missing(line.query, line.title):
            finding = f"{one_line(', '.join(words), _LONGEST)} not in the name of {_quoted([line])}"
            yield Check("model", is_met=False, finding=finding, is_hard=False)


def _quoted(offers: Sequence[Offer]) -> str:
    """Return the titles of *offers*. Their numbers change when other lists come before them."""
    names = [f"“{one_line(each.title or 'a nameless line', _LONGEST)}”" for each in offers]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return " and ".join([", ".join(names[:_NAMED]), *more])


def _joined(text: str) -> str:
    """Return *text* without what may stand between letters and digits: 128 GB, WH-1000."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text)).casefold()


ACTION = Receipt()
