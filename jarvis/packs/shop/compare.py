"""Lays out who sells chosen offers, and for how much in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ...core.tables import DELIVERY, MONEY, STATE, Cell, Column, Row, Table
from ...core.text import one_line
from ...search.entries import BEYOND, MOST
from ...search.offers.offer import Offer, Offers, within
from ...search.offers.values import delivery_cost
from .listing import in_turn
from .priced import Priced, priced, tax_in

KIND = "comparison"
BEFORE = "before"
_OLD = timedelta(days=1)  # from when on the price of before stands beside the one of now
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
    for each in looked_up:
        stores = _as_asked(each)
        left_out.update(stores.left_out)
        groups.append(_group(each.offer, stores.offers, seen_at))
    chosen = list(in_turn([(at, row) for row in group] for at, group in enumerate(groups)))
    left_out[BEYOND] += len(chosen[MOST:])
    rows = tuple(row for _, row in sorted(chosen[:MOST], key=lambda each: each[0]))
    counts = {reason: count for reason, count in left_out.items() if count}
    note = "Before sales tax." if tax_in(country).is_apart else ""
    return Table(KIND, _COLUMNS, rows, left_out=counts, note=note, seen_at=seen_at)


def _as_asked(looked: Looked) -> Offers:
    """Return the stores without those whose goods are known to be in another state than was asked for."""
    states, stores = looked.offer.states, looked.stores
    return within(stores, states={*states, ""}) if states else stores


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
    cells: dict[str, Cell] = {
        "store": row.cells.get("store"),
        "product": title,
        "price": row.cells.get("price"),
        BEFORE: row.cells.get(BEFORE),
        "state": row.cells.get("state"),
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
