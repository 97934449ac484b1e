"""Find what a stock or fund is called where Ghostfolio gets its prices."""

from ...actions.base import Field
from ...core.tables import STATE, Column
from ...core.types import Effect, Outcome
from ..entries import entries_at, entry_table, outcome_of
from . import SYMBOL
from .ghostfolio import Ghostfolio, GhostfolioAction, profile_in

_COLUMNS = (
    Column("symbol", "symbol", rank=0),
    Column("name", "name", rank=0),
    Column("currency", "currency", STATE, 1),
    Column("dataSource", "source", STATE, 2),
    Column("assetSubClass", "kind", STATE, 3),
)


class FindSymbol(GhostfolioAction):
    name = "find_symbol"
    description = "find the symbol of a stock or fund that they name, to tell which one is meant."
    fields = (Field("query", "a few words of its name, or its symbol"),)

    async def perform(self, effect: Effect, ghostfolio: Ghostfolio) -> Outcome:
        page = await ghostfolio.context.get("/api/v1/symbol/lookup", {"query": effect.target})
        table = entry_table(SYMBOL, _COLUMNS, entries_at(page, "items"))
        table = table._replace(rows=tuple(row._replace(private=profile_in(row.cells)) for row in table.rows))
        found = outcome_of(table, effect.target, "symbols")
        # It answers the same to both.
        none = f"Ghostfolio found no symbol for {effect.target}: there is none, or its source is down."
        return found if table.rows else found._replace(text=none)


ACTION = FindSymbol()
