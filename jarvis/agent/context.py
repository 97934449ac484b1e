"""What a turn has at hand while it runs: what every turn of a session shares, and what is its own.

None of it is written down. Whoever goes on with a turn makes it anew, from history and the turn's state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..actions.base import Action, Services
from ..config.market import Market
from ..config.settings import Budgets
from ..core.concurrency import Clock
from ..core.events import Event, Tabled
from ..core.frontend import Front, Words
from ..core.intent import Part
from ..core.table_records import table_in
from ..core.tables import Table
from ..core.types import Address, AppsFound, Meanings, Request, Turn
from ..core.urls import typed_addresses
from ..packs.open_actions import OpenActions
from ..policy.approval import Approval, Memory
from ..policy.rules_file import Policy
from ..store.addresses import finding_list, finding_offered, offered_in
from ..store.database import Row, Statement
from ..store.history import History
from ..store.locks import Lock
from ..store.tables import tables_in
from ..store.turns import Exchange, Journal, exchanges_in, finding_exchanges
from .meter import Meter
from .model import Patience
from .reading import Reading
from .state import State, is_offered_clean

FindApps = Callable[[str], Awaitable[AppsFound]]
LookUp = Callable[[Part], Awaitable[Meanings | None]]  # what the name in a part means here
Pick = Callable[[str, str, str], object]  # name, kind, target: which of several they meant


class SessionParts(NamedTuple):
    """What every turn of a session shares."""

    history: History
    services: Services  # what actions in the brain work with
    open_actions: OpenActions
    budgets: Budgets
    policy: Callable[[], Policy]  # as it is now
    memory: Memory
    allowed: Callable[[str], frozenset[tuple[str, str, str]]]  # what they said yes to for a thread
    named: Callable[[str], list[tuple[str, str, str]]]  # words → what they name
    look_up: Callable[[FindApps, Sequence[Address]], LookUp]  # known sites that the words name
    pick: Pick
    holds_key: Callable[[str], bool]
    market: Market  # where the person buys

    @property
    def actions(self) -> Mapping[str, Action]:
        """Every action that was ever offered."""
        return self.open_actions.every


class ThreadContext(NamedTuple):
    """What was in its thread before a turn."""

    exchanges: Sequence[Exchange] = ()  # oldest first
    shown: Sequence[Address] = ()  # the list that the person saw last
    listed: Sequence[Tabled] = ()  # the tables in it
    offered: Sequence[Address] = ()  # to the model
    kept: bytes | None = None  # the tables, as history keeps them
    rows: Sequence[Sequence[Row]] = ()  # of what was read besides

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


async def read_thread(history: History, turn: Turn, *more: Statement) -> ThreadContext:
    """Return what was in the thread of *turn* before it: a server is asked once.

    It is asked once more where the list last shown has addresses from further back.
    more: what is to be read with it.
    """
    offering = finding_offered(turn)
    found, turns, steps, *rest = await history.database.run_all(
        finding_list(turn.thread, turn.n), *finding_exchanges(turn), *offering, *more
    )
    known = rest[: len(offering)]
    shown, kept = await history.addresses.listed_in(
        turn.thread, found, [row for rows in known for row in rows]
    )
    return ThreadContext(
        exchanges=exchanges_in(turns, steps),
        shown=shown,
        listed=tables_in(kept) if kept else (),
        offered=offered_in(turn, shown, *known),
        kept=kept,
        rows=rest[len(offering) :],
    )


class TurnTables:
    """The tables of a turn: each is read out of its state once, and told once."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self._tell = tell
        self._told = 0
        self._read: list[Table] = []

    def of(self, state: State) -> list[Table]:
        """Return the tables in *state*, in their order."""
        records = state.get("tables", [])
        self._read += map(table_in, records[len(self._read) :])  # none of them ever changes
        return self._read[: len(records)]

    def listed(self, state: State) -> list[Tabled]:
        """Return the tables in *state* as they are listed: their lines are numbered on.

        Those that another takes the place of are told in a line, and begin with 0.
        """
        listed, first = [], 1
        for place, table in enumerate(self.of(state)):
            is_summed_up = place in state.get("summed_up", [])
            listed.append(Tabled(table, 0 if is_summed_up else first))
            first += 0 if is_summed_up else len(table.rows)
        return listed

    def lines(self, state: State) -> list[str]:
        """Return the ids on the lines that a reply's sources are numbered on from, in their order.

        They are those of the tables in *state*, or of the list of before where the reply is about that.
        """
        lines = [row.id for table, first in self.listed(state) if first for row in table.rows]
        return lines or state.get("standing", [])

    def tell(self, state: State, count: int | None = None) -> None:
        """Tell the tables in *state* that were not told yet, up to that *count*."""
        for tabled in self.listed(state)[self._told : count]:
            self._tell(tabled)
            self._told += 1


@dataclass(slots=True)
class Context:
    """What one run of a turn has at hand."""

    words: Words
    front: Front
    lock: Lock  # of the thread
    meter: Meter
    model: Patience
    clock: Clock
    journal: Journal
    tables: TurnTables
    turn: Turn  # as far as it is known
    reading: Reading  # what the words ask for
    approval: Approval
    thread: ThreadContext = field(default_factory=ThreadContext)
    transcript: str = ""
    is_clean: bool = (
        False  # whether the first prompt holds nothing foreign: then the planner makes the reading
    )
    allowed: frozenset[tuple[str, str, str]] = frozenset()  # (effect, name, doubt): a yes for this thread
    request: Request | None = None  # what this very run decided on: nothing else is asked about or done
    hurry: asyncio.Event = field(default_factory=asyncio.Event)  # once it was told to end

    @property
    def intent(self) -> tuple[str, ...] | None:
        """What the words ask for; None: they were not read."""
        return self.reading.intent.told if self.reading.intent else None

    @property
    def shown(self) -> list[str]:
        """The ids in the list that the person saw last, in its order."""
        return [address.id for address in self.thread.shown]

    @property
    def listed(self) -> list[Table]:
        """The tables in that list."""
        return self.thread.tables
