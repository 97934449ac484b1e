"""Add up what offers cost together, or pick those that fit a budget. Python computes it, and checks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ...actions.base import BrainAction, Field
from ...core.errors import Refused
from ...core.money import Money
from ...core.table_text import told_cell
from ...core.tables import BEST_RATED, Price, Table
from ...core.text import counted
from ...core.types import Effect, Facts, Outcome
from .audit import audit, is_sound
from .basket import RULES, best
from .chosen import OFFERS
from .plausible import plausible
from .priced import Priced, by_query, priced_in
from .receipt_table import AMOUNT, KIND, TOTAL, Line, receipt_of
from .tax import Tax, tax_in

UNSOUND = "unsound"  # the code of a receipt that does not hold


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
    attempts = 3
    sums_up = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        lists = facts.tables
        ids, budget = arguments.get("offers"), arguments.get("budget")
        rule = arguments.get("rule") or BEST_RATED
        known = {offer.row.id: offer for table in lists for offer in priced_in(table)}
        if ids is None and not (lists and _newest(lists)):
            raise Refused("There are no offers to add up: search for them first.")
        for id_ in ids or ():
            if id_ not in known:
                raise Refused(f"{id_} can't be added up: it has no price, or is in no list at hand.")
        where = {offer.country or facts.country for offer in known.values()}
        tax = tax_in(where.pop() if len(where) == 1 else "", facts.tax_rate)
        needed = {"lists": lists, "offers": ids, "rule": rule, "budget": budget, "tax": tax}
        return Effect("reads", _target(ids, rule, budget, facts.shown), needed)

    def not_done(self, target: str) -> str:
        return f"Did not add up {target}".rstrip()

    async def perform(self, effect: Effect) -> Outcome:
        outcome = added_up(**effect.arguments, now=datetime.now(UTC))
        return outcome._replace(value=effect.target)


def added_up(
    lists: Sequence[Table],
    offers: Sequence[str] | None,
    rule: str,
    budget: Money | None,
    tax: Tax,
    now: datetime,
) -> Outcome:
    """Return the receipt of *offers*, or of those that are picked by *rule*, with what its checks came to."""
    if offers:
        lines, note = _named(lists, offers), ""
    else:
        lines, note = _picked(_newest(lists), rule, budget, tax)
    receipt = receipt_of(lines, budget, tax, note)
    checks = audit(receipt, lists, now, budget, tax)
    receipt, what = receipt._replace(checks=checks), counted(len(lines), "offers")
    if not is_sound(checks):
        wrong = "; ".join(check.said for check in checks if check.is_hard and check.is_met is False)
        text = f"The receipt of {what} does not hold: {wrong}."
        return Outcome("failed", text, code=UNSOUND, exit_status=1, table=receipt)
    totals = _totals(receipt)
    told = " and ".join(told_cell(each, AMOUNT) for each in totals)
    return Outcome("done", f"Added up {what}: {told}.", table=receipt)


def _newest(lists: Sequence[Table]) -> list[Priced]:
    """Return the offers of the newest of *lists* that is no receipt."""
    found = [table for table in lists if table.kind != KIND]
    return priced_in(found[-1]) if found else []


def _named(lists: Sequence[Table], ids: Sequence[str]) -> list[Line]:
    """Return a line for each of *ids*, which stand there as often as they are wanted."""
    known: dict[str, Priced] = {}
    for offer in (each for table in lists for each in priced_in(table)):
        known.setdefault(offer.row.id, offer)
    return [Line(known[id_], ids.count(id_)) for id_ in dict.fromkeys(ids)]


def _picked(offers: Sequence[Priced], rule: str, budget: Money | None, tax: Tax) -> tuple[list[Line], str]:
    """Return a line for the best of what was searched for, and a note on those that were passed over."""
    wants = by_query(offers)
    likely = [plausible(want) for want in wants]
    passed = sum(map(len, wants)) - sum(map(len, likely))
    note = f"Passed over {counted(passed, 'offers')}: another model, or far cheaper than the rest."
    return [Line(each) for each in best(likely, rule, budget, tax)], note if passed else ""


def _totals(receipt: Table) -> list[Money | Price]:
    """Return what all of it costs: of each currency the last total, which has the tax in it if any has."""
    last: dict[str, Money | Price] = {}
    for row in receipt.foot:
        total = row.cells["total"]
        if str(row.cells["item"]).startswith(TOTAL) and isinstance(total, Money | Price):
            money = total.money if isinstance(total, Price) else total
            last[money.currency] = total
    return list(last.values())


def _target(ids: Sequence[str] | None, rule: str, budget: Money | None, shown: Sequence[str]) -> str:
    """Return what is added up, in words. shown: the ids on the lines by which the person knows them."""
    if not ids:
        return f"{rule} that fit {budget.told} together" if budget else f"{rule} of each"
    counts = {id_: ids.count(id_) for id_ in ids}
    lines = {id_: str(shown.index(id_) + 1) for id_ in counts if id_ in shown}
    several = {id_: f"line {line}" for id_, line in lines.items()}
    return ", ".join(
        lines.get(id_, id_) if count == 1 else f"{count} of {several.get(id_, id_)}"
        for id_, count in counts.items()
    )


ACTION = Receipt()
