"""Compare what chosen offers cost in all, in each shop that has them. Nothing is bought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ...actions.base import ENGINES, BrainAction, Service, failed, reason
from ...actions.fields import Ranked
from ...core.errors import JarvisError, Refused
from ...core.tables import COST, EXTRA, MONEY, STATE, Cell, Column, Row, Table
from ...core.text import counted
from ...core.types import Effect, Facts, Outcome
from ...search.serpapi import Engines
from ..entries import BEYOND, MOST
from .find_products import in_turn
from .markets import HOME, Answered, looked_up
from .offers import ANY, COUNTRY, DELIVERY, OFFERS, Offer, Offers, chosen, offer_in, target, tax_in, within
from .readers import NOTES

KIND = "comparison"
_MOST_OFFERS = 5  # of one step: each is a search
_COLUMNS = (
    Column("store", "store", rank=0),
    Column("product", "product", rank=1),
    Column("price", "price", MONEY, 1),
    Column("state", "state", STATE, 5),
    Column(DELIVERY, "delivery", MONEY, 2, EXTRA),
    Column("total", "total", MONEY, 0, COST),
    Column(NOTES, "notes", rank=4),
)


class CompareOffers(BrainAction):
    name = "compare_offers"
    description = (
        "look up who sells chosen offers and what each shop asks in all, as a table that the person sees; "
        f"`offers` says which of the tables' lines, {_MOST_OFFERS} at most. It answers by itself."
    )
    fields = (OFFERS,)
    services = (Service(ENGINES),)
    answers = True
    needs_table = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        ids = arguments["offers"]
        named = chosen(ids, facts, _MOST_OFFERS)
        offers = [offer for each in named if (offer := offer_in(each.row, each.seen_at))]
        if unpriced := [each for each in named if offer_in(each.row) is None]:
            raise Refused(f"{unpriced[0].told} has no price to compare.")
        found_in = (each.row.private.get(COUNTRY) for each in named)
        country = next(filter(None, found_in), facts.country or HOME)
        picked = f" ({ids.by})" if isinstance(ids, Ranked) else ""
        needed = {"offers": offers, "called": [each.told for each in named], "country": country}
        return Effect("reads", f"{target(named)}{picked}", needed, credits=len(named))

    def not_done(self, target: str) -> str:
        return f"Could not compare {target}".rstrip()

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        offers, called, country = (effect.arguments[name] for name in ("offers", "called", "country"))
        answers = await looked_up([each.row for each in offers], country, engines)
        failures = {
            told: answer
            for told, answer in zip(called, answers, strict=True)
            if isinstance(answer, JarvisError)
        }
        if len(failures) == len(answers):
            return failed(self.not_done(effect.target), next(iter(failures.values())))
        looked = [
            (offer, answer.offers)
            for offer, answer in zip(offers, answers, strict=True)
            if isinstance(answer, Answered)
        ]
        table = compared(looked, datetime.now(UTC).isoformat(timespec="seconds"), country)
        said = [f"{told} could not be looked up: {reason(error)}" for told, error in failures.items()]
        kept = ["What was found before is kept: jarvis back."] if said else []
        text = f"Compared {counted(len(looked), 'offers')}: {counted(len(table.rows), 'lines')}."
        return Outcome("done", text, value=effect.target, table=table._replace(failures=(*said, *kept)))


def compared(looked: Sequence[tuple[Offer, Offers]], seen_at: str, country: str = "") -> Table:
    """Return the table of the stores of each offer; of one without stores the offer as it was found.

    Rows are grouped by offer, and each offer has its share of them. The new ones have no ids yet.
    seen_at: when they were looked up, as ISO 8601 writes it. country: where, of two letters.
    """
    left_out = Counter[str]()
    groups = []
    for offer, stores in looked:
        # Goods that are known to be in another state than was asked for are none of it.
        fitting = within(stores, ANY._replace(states={*offer.states, ""})) if offer.states else stores
        left_out.update(fitting.left_out)
        groups.append(_group(offer, fitting.offers))
    shared = list(in_turn([(at, row) for row in group] for at, group in enumerate(groups)))
    left_out[BEYOND] += len(shared[MOST:])
    rows = tuple(row for _, row in sorted(shared[:MOST], key=lambda each: each[0]))
    note = "Before sales tax." if tax_in(country).is_apart else ""
    return Table(KIND, _COLUMNS, rows, left_out=dict(+left_out), note=note, seen_at=seen_at)


def _group(chosen: Offer, stores: Sequence[Offer]) -> list[Row]:
    if not stores:
        return [_row(chosen, {"product": chosen.title, NOTES: "as found before"})]
    return [_row(store, {})._replace(private={**chosen.row.private, **store.row.private}) for store in stores]


def _row(offer: Offer, more: Mapping[str, Cell]) -> Row:
    """Return *offer* as a row of this table. more: its cells that differ."""
    cells: dict[str, Cell] = {
        **offer.row.cells,
        DELIVERY: offer.delivery,
        "total": offer.to_pay(),
        **more,
    }
    return offer.row._replace(cells={column.key: cells.get(column.key) for column in _COLUMNS})


ACTION = CompareOffers()
