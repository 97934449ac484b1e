"""Compare what chosen offers cost in all, in each shop that has them. Nothing is bought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from ...actions.base import ENGINES, BrainAction, Service, failed, reason
from ...actions.fields import Ranked
from ...core.errors import JarvisError, Refused
from ...core.tables import DELIVERY, MONEY, STATE, Cell, Column, Row, Table
from ...core.text import counted, one_line
from ...core.types import Effect, Facts, Outcome
from ...search.serpapi import Engines
from ..entries import BEYOND, MOST
from .find_products import in_turn
from .markets import HOME, looked_up
from .offers import ANY, Offer, Offers, delivery_cost, within
from .priced import COUNTRY, OFFERS, Chosen, Priced, chosen, priced, target, tax_in

KIND = "comparison"
BEFORE = "before"
_OLD = timedelta(days=1)  # from when on the price of before stands beside the one of now
_MOST_OFFERS = 5  # of one step: each is a search
_COLUMNS = (
    Column("store", "store", rank=0),
    Column("product", "product", rank=1),
    Column("price", "price", MONEY, 1),
    Column(BEFORE, "before", MONEY, 3),
    Column("state", "state", STATE, 5),
    Column(DELIVERY, "delivery", MONEY, 2),
    Column("total", "total", MONEY, 0),
    Column("notes", "notes", rank=4),
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
        named = chosen(arguments["offers"], facts, _MOST_OFFERS)
        for each in named:
            if priced(each.row) is None:
                raise Refused(f"{each.told} has no price to compare.")
        found_in = [each.row.private.get(COUNTRY, "") for each in named]
        country = next(filter(None, found_in), facts.country or HOME)
        ids = arguments["offers"]
        picked = f" ({ids.by})" if isinstance(ids, Ranked) else ""
        needed = {"chosen": named, "country": country}
        return Effect("reads", f"{target(named)}{picked}", needed, credits=len(named))

    def not_done(self, target: str) -> str:
        return f"Could not compare {target}".rstrip()

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        named, country = effect.arguments["chosen"], effect.arguments["country"]
        answers = await looked_up([each.row for each in named], country, engines)
        failures = [answer for answer in answers if isinstance(answer, JarvisError)]
        if len(failures) == len(answers):
            return failed(self.not_done(effect.target), failures[0])
        looked = [
            Looked(offer, answer[0].read(answer[1]))
            for each, answer in zip(named, answers, strict=True)
            if not isinstance(answer, JarvisError) and (offer := priced(each.row, each.seen_at))
        ]
        table = compared(looked, datetime.now(UTC).isoformat(timespec="seconds"), country)
        told = _not_looked_up(named, answers)
        kept = ["What was found before is kept: jarvis back."] if told else []
        text = f"Compared {counted(len(looked), 'offers')}: {counted(len(table.rows), 'lines')}."
        return Outcome("done", text, value=effect.target, table=table._replace(failures=(*told, *kept)))


class Looked(NamedTuple):
    """A chosen offer, and what its stores ask for it now."""

    offer: Priced
    stores: Offers


def compared(looked_up: Sequence[Looked], seen_at: str, country: str = "") -> Table:
    """Return the table of the stores of each of *looked_up*; of one without stores the offer as it was found.

    Rows are grouped by offer, and each offer has its share of them. The new ones have no ids yet.
    seen_at: when they were looked up, as ISO 8601 writes it. country: where, of two letters.
    """
    left_out = Counter[str]()
    groups = []
    for offer, stores in looked_up:
        # Goods that are known to be in another state than was asked for are none of it.
        fitting = within(stores, ANY._replace(states={*offer.states, ""})) if offer.states else stores
        left_out.update(fitting.left_out)
        groups.append(_group(offer, fitting.offers, seen_at))
    shared = list(in_turn([(at, row) for row in group] for at, group in enumerate(groups)))
    left_out[BEYOND] += len(shared[MOST:])
    rows = tuple(row for _, row in sorted(shared[:MOST], key=lambda each: each[0]))
    note = "Before sales tax." if tax_in(country).is_apart else ""
    return Table(KIND, _COLUMNS, rows, left_out=dict(+left_out), note=note, seen_at=seen_at)


def _group(chosen: Priced, stores: Sequence[Offer], seen_at: str) -> list[Row]:
    if not stores:
        return [_laid_out(chosen.row, chosen.title, ["as found before"])]
    before = chosen.price if _is_old(chosen.seen_at, seen_at) else None
    at = next((at for at, store in enumerate(stores) if _is_same(store.store, chosen.store)), None)
    rows = []
    for place, store in enumerate(stores):
        cells: dict[str, Cell] = {**store.cells, BEFORE: before if place == at else None}
        private = {**chosen.row.private, **store.private}
        said = _notes(store)
        if before and at is None and place == 0:
            said.append(f"{before.told} at {chosen.store or 'another store'} before")
        row = Row("", cells, store.url, store.link, private)
        rows.append(_laid_out(row, store.title or chosen.title, said))
    return rows


def _laid_out(row: Row, title: str, notes: Iterable[str]) -> Row:
    """Return *row* with the cells of this table."""
    known = priced(row)
    cells: dict[str, Cell] = {column.key: row.cells.get(column.key) for column in _COLUMNS}
    cells |= {
        "product": title,
        DELIVERY: known.delivery if known else None,
        "total": known.to_pay() if known else None,
        "notes": ", ".join(filter(None, notes)) or None,
    }
    return row._replace(cells=cells)


def _notes(offer: Offer) -> list[str]:
    """Return its notes, without those that say what its delivery costs: a column does."""
    if offer.delivery is None:
        return list(offer.notes)
    return [note for note in offer.notes if delivery_cost(note, "", offer.price) != offer.delivery]


def _is_same(store: str, other: str) -> bool:
    return bool(store) and one_line(store).casefold() == one_line(other).casefold()


def _is_old(seen_at: str, now: str) -> bool:
    try:
        return datetime.fromisoformat(now) - datetime.fromisoformat(seen_at) > _OLD
    except (ValueError, TypeError):  # when that was is not known
        return False


def _not_looked_up(named: Sequence[Chosen], answers: Sequence[object]) -> list[str]:
    return [
        f"{each.told} could not be looked up: {reason(answer)}"
        for each, answer in zip(named, answers, strict=True)
        if isinstance(answer, JarvisError)
    ]


ACTION = CompareOffers()
