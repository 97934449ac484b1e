"""The tables of a turn in its state; their rows as addresses; and all that is known by them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from ..actions.base import Action
from ..core.events import Tabled
from ..core.table_records import kept_record_of
from ..core.tables import TEXT, Row, Table, column_of
from ..core.types import OFFER, Address, Facts, Step
from .citations import Earlier
from .context import Context, SessionParts
from .state import State, addresses_in

_TABLES = 3  # whose lines the model may have opened: the schema has room for as many ids


def with_table(state: State, table: Table, given: int, *, sums_up: bool) -> State:
    """Return what of *state* changes by *table*, whose new rows get ids.

    given: how many its thread had given before this turn. sums_up: whether it takes the place of those that
    the person has not seen yet.
    """
    before, known = state.get("tables", []), state.get("offers", given)
    change: State = {"tables": [*before, kept_record_of(_with_ids(table, known))]}
    change["offers"] = known + sum(not row.id for row in table.rows)
    if sums_up:
        change["summed_up"] = [*state.get("summed_up", []), *range(state.get("told", 0), len(before))]
    return change


def told_by(action: Action, state: State) -> State:
    """Return what changes as *action* is planned: all tables are told, unless it may sum them up."""
    known = len(state.get("tables", []))
    return {"told": known} if known and not action.sums_up else {}  # each value in it is written down


def standing_in(state: State, listed: Sequence[tuple[Table, int]]) -> list[Tabled]:
    """Return the tables of the list of before, *listed*, where a reply's sources are numbered on from it."""
    stands = state.get("standing") and state.get("sources") and not state.get("tables")
    return [Tabled(table, first) for table, first in listed if first] if stands else []


def earlier_offers(state: State, context: Context) -> Earlier:
    """Return the offers that a reply may name besides those in the tables of this turn.

    The list of before stands no more where this turn has something that will be listed.
    """
    stands = not state.get("tables") and not state.get("found")
    lines = {id_: line for line, id_ in enumerate(context.shown, 1) if stands and id_.startswith(OFFER)}
    return Earlier(lines, state.get("offers", context.turn.offers))


def _with_ids(table: Table, given: int) -> Table:
    """Return *table* with ids for the rows that have none, from the one after *given* on."""
    ids = iter(range(given + 1, given + len(table.rows) + 1))
    rows = tuple(row if row.id else row._replace(id=f"{OFFER}{next(ids)}") for row in table.rows)
    return table._replace(rows=rows)


def addresses_of(tables: Iterable[Table]) -> dict[str, Address]:
    """Return the offers in *tables* as addresses, by their ids; one without a page has an empty address."""
    return {row.id: _address(row, table) for table in tables for row in table.rows}


def _address(row: Row, table: Table) -> Address:
    title = column_of(table, TEXT)
    said = row.cells.get(title.key) if title else None
    return Address(row.id, row.url, said if isinstance(said, str) else "", source="found")


def openable(tables: Sequence[Table], most: int) -> list[str]:
    """Return the ids of offers that the model may have opened: of the last tables the first *most* lines."""
    ids = [row.id for table in tables for row in table.rows[:most] if row.url]
    return list(dict.fromkeys(ids))[-_TABLES * most :]


def known_in(state: State, context: Context) -> dict[str, Address]:
    """Return every address that may be acted on as of *state*, by its id."""
    offers = addresses_of([*context.listed, *context.tables.of(state)])
    return offers | {address.id: address for address in addresses_in(state)}


def facts_of(state: State, context: Context, parts: SessionParts, steps: Sequence[Step]) -> Facts:
    """Return what is known as of *state*, whose steps these are."""
    tables = context.tables.of(state)
    offers = [row.id for table in tables for row in table.rows]
    found = [id_ for _, ids in state.get("lookups", []) for id_ in ids]
    known = Facts(
        known_in(state, context),
        shown=tuple(context.shown),
        found=frozenset([*found, *offers]),
        pictures=context.front.pictures,
        allowed=context.allowed,
        holds_key=parts.holds_key,
        country=parts.market.country,
        currency=parts.market.currency,
        tax_rate=Decimal(parts.market.tax_rate) if parts.market.tax_rate else None,
        tables=(*context.listed, *tables),
    )
    return context.reading.facts(known, steps)
