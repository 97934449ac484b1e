"""Reads what was in a thread before a turn: what was said and listed, and what can be acted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..agent.state import is_offered_clean
from ..core.events import Tabled
from ..core.tables import Table
from ..core.types import Address, Turn
from ..core.urls import typed_addresses
from ..store.addresses import finding_list, finding_offered, offered_in
from ..store.database import Row, Statement
from ..store.history import History
from ..store.tables import tables_in
from ..store.turns import Exchange, exchanges_in, finding_exchanges


class Before(NamedTuple):
    """What was in its thread before a turn."""

    exchanges: Sequence[Exchange]  # oldest first
    shown: Sequence[Address]  # the list that the person saw last
    listed: Sequence[Tabled]  # the tables in it
    offered: Sequence[Address]  # to the model
    kept: bytes | None = None  # the tables, as history keeps them
    beside: Sequence[Sequence[Row]] = ()  # the rows of what was read besides

    @property
    def tables(self) -> list[Table]:
        return [table for table, _ in self.listed]

    @property
    def vouched(self) -> list[str]:
        """The addresses that earlier words named."""
        own = [exchange.goal for exchange in self.exchanges if exchange.is_own]
        return [url for words in own for url in typed_addresses(words)]

    def is_clean(self, named: Sequence[Address]) -> bool:
        """Return whether nothing of it is foreign. named: what the words of the turn name."""
        return is_offered_clean(self.offered, named) and not (self.exchanges or self.shown)


NOTHING_BEFORE = Before((), (), (), ())


async def read_before(history: History, turn: Turn, *beside: Statement) -> Before:
    """Return what was in the thread of *turn* before it: a server is asked once.

    It is asked once more where the list last shown has addresses from further back.
    beside: what is to be read with it.
    """
    offering = finding_offered(turn)
    found, turns, steps, *more = await history.database.run_all(
        finding_list(turn.thread), *finding_exchanges(turn), *offering, *beside
    )
    known = more[: len(offering)]
    shown, kept = await history.addresses.listed_in(
        turn.thread, found, [row for rows in known for row in rows]
    )
    return Before(
        exchanges=exchanges_in(turns, steps),
        shown=shown,
        listed=tables_in(kept) if kept else (),
        offered=offered_in(turn, shown, *known),
        kept=kept,
        beside=more[len(offering) :],
    )
