"""Reads what was in a thread before a turn: what was said and listed, and what can be acted on."""

from __future__ import annotations

from collections.abc import Sequence

from ..agent.state import is_offered_clean
from ..core.events import Tabled
from ..core.stdlib import NamedTuple
from ..core.tables import Table
from ..core.types import Address, Turn
from ..core.urls import typed_addresses
from ..store.exchanges import Exchange, exchanges_before
from ..store.history import History


class Before(NamedTuple):
    """What was in its thread before a turn."""

    exchanges: Sequence[Exchange]  # oldest first
    shown: Sequence[Address]  # the list that the person saw last
    listed: Sequence[Tabled]  # the tables in it
    offered: Sequence[Address]  # to the model

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


async def read_before(history: History, turn: Turn) -> Before:
    """Return what was in the thread of *turn* before it."""
    shown, listed = await history.addresses.listed(turn.thread)
    offered = await history.addresses.offered(turn, shown)
    exchanges = await exchanges_before(history.database, turn)
    return Before(exchanges, shown, listed, offered)
