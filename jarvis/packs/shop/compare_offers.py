"""Compare what chosen offers cost in all, in each shop that has them. Nothing is bought."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...actions.base import ENGINES, BrainAction, Service, reason
from ...actions.fields import Ranked
from ...core.errors import JarvisError, Refused
from ...core.tables import COST, EXTRA, MONEY, STATE, Column, Row, Table
from ...core.text import pluralize
from ...core.types import Effect, Facts, Outcome
from ...search.serpapi import Engines
from ..entries import BEYOND, MOST, table_of
from .markets import HOME, looked_up
from .offers import COUNTRY, DELIVERY, OFFERS, Offer, Offers, called, offer_in, offers_with_ids, tax_in
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
    effect = "searches"
    services = (Service(ENGINES),)
    answers = True
    needs_table = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        ids = arguments["offers"]
        rows = offers_with_ids(ids, facts, _MOST_OFFERS)
        names = called([row.id for row in rows], facts.shown)
        offers = [offer for row in rows if (offer := offer_in(row))]
        if unpriced := [name for name, row in zip(names, rows, strict=True) if not offer_in(row)]:
            raise Refused(f"{unpriced[0]} has no price to compare.")
        countries = [row.private.get(COUNTRY) for row in rows]
        country = next(filter(None, countries), facts.country or HOME)
        picked = f" ({ids.by})" if isinstance(ids, Ranked) else ""
        needed = {"offers": offers, "called": names, "country": country}
        return Effect("searches", f"{', '.join(names)}{picked}", needed, credits=len(rows))

    def not_done(self, target: str) -> str:
        return f"Could not compare {target}".rstrip()

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        offers, names, country = (effect.arguments[name] for name in ("offers", "called", "country"))
        answers = await looked_up([each.row for each in offers], country, engines)
        failures = {
            name: each for name, each in zip(names, answers, strict=True) if isinstance(each, JarvisError)
        }
        if len(failures) == len(answers):
            raise next(iter(failures.values()))
        looked = [
            (offer, each) for offer, each in zip(offers, answers, strict=True) if isinstance(each, Offers)
        ]
        table = compared(looked, country)
        sentences = [f"{name} could not be looked up: {reason(error)}" for name, error in failures.items()]
        text = f"Compared {pluralize(len(looked), 'offers')}: {pluralize(len(table.rows), 'lines')}."
        return Outcome("done", text, value=effect.target, table=table._replace(failures=tuple(sentences)))


def compared(looked: Sequence[tuple[Offer, Offers]], country: str) -> Table:
    """Return the table of each offer's stores. An offer without stores stays as it was found.

    Each offer has its share of the rows. New rows have no ids yet. country: two letters.
    """
    left_out = Counter[str]()
    rows: list[Row] = []
    share = MOST // len(looked)
    for offer, stores in looked:
        left_out.update(stores.left_out)
        left_out += Counter({BEYOND: len(stores.offers[share:])})
        found = [each.row_in(_COLUMNS) for each in stores.offers[:share]]
        rows += [row._replace(private={**offer.row.private, **row.private}) for row in found]
        if not found:
            rows.append(offer.row_in(_COLUMNS, product=offer.title, **{NOTES: "as found before"}))
    note = "Before sales tax." if tax_in(country).is_apart else ""
    return table_of(KIND, _COLUMNS, rows, left_out, note)


ACTION = CompareOffers()
