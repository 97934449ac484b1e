"""The state of the loop, which is checkpointed, and its context, which each process makes itself."""

import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from ..actions.base import Action, Services
from ..config.settings import Budgets
from ..core.concurrency import Clock
from ..core.events import Event, Frontend, Planned, TableShown, Words
from ..core.follow_ups import table_in
from ..core.tables import TEXT, Table, column_of
from ..core.types import OFFER, ActionRequest, Address, Facts, Meanings, Plan, Step, Turn, step_in
from ..core.urls import typed_addresses
from ..packs.pack import OpenActions
from ..pages.page import TurnFiles
from ..policy.questions import Approval, Remember, RememberChoice
from ..policy.rules import Policy
from ..search.hosts import GraphEntries
from ..store.addresses import offer, page_in, pages_in
from ..store.history import History, Journal
from ..store.turns import PastTurn
from .meter import Meter
from .reading import IntentTracker
from .retry import Retry

_ALONG = 3  # lists that come along


class State(TypedDict, total=False):
    """The checkpointed state: plain records only, as in strict mode others would come back as bare lists."""

    goal: str
    thread: str
    n: int  # the turn's number in it
    typed: list[dict[str, str]]  # the addresses in the words
    given: int  # how many ids of offers the thread had given before
    unreported: list[list[Any]]  # unknown steps of earlier turns, told with this one
    material: str  # what the person piped in besides
    addresses: list[dict[str, str]]  # offered to the model
    # Of each search of this turn its query, the ids of what it found, best first, and the address of the own
    # site of the name that it was for; empty: it found none.
    lookups: list[list[Any]]
    # Found or worked out in this turn, as history keeps them; with the number of its first line, 0: of none.
    tables: list[dict[str, Any]]
    shown_tables: int  # how many of them the person has seen
    offers: int  # how many ids of offers the thread has given so far
    pages: dict[str, str]  # what was read, by the ids of its addresses; what was looked at, by what it was
    # The files in the words: the id, path and name of each. A late answer knows them by it, and by no row.
    files: list[list[str]]
    missing: list[str]  # the names of those that are not there
    standing: list[str]  # the ids on the lines of the list of before, where what was looked up is about it
    packs: list[str]  # the names of those that are open
    steps: list[dict[str, Any]]
    plans: list[dict[str, Any]]  # that no step came of yet, in their order: at most two
    request: dict[str, Any] | None  # what the desktop is at, or they are asked about: what is told of it then
    answer: dict[str, str] | None  # what the person said: to which question, and what
    reading: dict[str, Any]  # for whoever goes on: in a run `Context.reading` counts
    calls: int  # model calls so far
    tokens: list[int]  # [input, output]
    reply: str
    status: str
    exit_status: int
    failed: int  # the number of the step by which it failed; 0: by none
    sources: list[dict[str, Any]]


def plan_in(state: State) -> Plan:
    """Return the plan that the next step comes of."""
    return Plan(**state["plans"][0])


def addresses_in(state: State) -> list[Address]:
    return pages_in(Address(**record) for record in state.get("addresses", []))


def steps_in(state: State) -> list[Step]:
    return [step_in(record) for record in state.get("steps", [])]


def found_last(state: State) -> list[str]:
    """Return the ids of what the last search of this turn found, best first."""
    return state["lookups"][-1][1] if state.get("lookups") else []


def kept_reading(state: State, reading: IntentTracker) -> State:
    """Return the changes of *state* for the current *reading*. Addresses that it added are offered."""
    update: State = {"reading": reading.as_record()}
    if reading.added:
        offered = offer([*reading.added, *addresses_in(state)])
        update["addresses"] = [address._asdict() for address in offered]
    return update


def planned_in(state: State, n: int, effect: str, addresses: Mapping[str, Address]) -> Planned:
    """Return the event for plan *n* of the turn in *state*. addresses: by id."""
    plan, found, origins = plan_in(state), found_last(state), list[str]()
    arguments = [(str(value), addresses.get(str(value))) for value in plan.arguments.values()]
    for address in filter(None, (address for _, address in arguments)):  # what they typed or named, they know
        origins += [f"result {found.index(address.id) + 1}"] if address.id in found else []
        origins += ["its official site"] if address.official and address.source == "found" else []
    target = " ".join(address.url if address else value for value, address in arguments)
    return Planned(n, plan, effect, target, ", ".join(origins))


def with_table(state: State, table: Table, given: int, *, sums_up: bool) -> State:
    """Return the changes of *state* for *table*. Its new rows get ids.

    given: how many offer ids the thread had used before this turn. sums_up: whether it replaces the tables
    that the user hasn't seen yet. A line summarizes those.
    """
    tables, used_ids = state.get("tables", []), state.get("offers", given)
    seen = state.get("shown_tables", 0) if sums_up else len(tables)
    before = [record if place < seen else {**record, "first": 0} for place, record in enumerate(tables)]
    first = 1 + sum(len(record["rows"]) for record in before if record["first"])
    ids = itertools.count(used_ids + 1)
    rows = [row if row.id else row._replace(id=f"{OFFER}{next(ids)}") for row in table.rows]
    record = {**table._replace(rows=tuple(rows)).kept_record(), "first": first if rows else 0}
    return {"tables": [*before, record], "offers": next(ids) - 1}


def standing_in(state: State, listed: Sequence[tuple[Table, int]]) -> list[TableShown]:
    """Return the tables of the earlier list *listed*, if a reply's sources get numbers after its lines."""
    stands = state.get("standing") and state.get("sources") and not state.get("tables")
    return [TableShown(table, first) for table, first in listed if first] if stands else []


class PersonsFiles(NamedTuple):
    """The user's own files, as they are now."""

    policy: Callable[[], Policy]
    remember: Remember
    find_names: Callable[[str], list[tuple[str, str, str]]]  # words → what they name
    look_up: Callable[..., Awaitable[Meanings | None]]  # what the name in a part means here
    remember_choice: RememberChoice


class SessionParts(NamedTuple):
    """The parts that all turns of a session share."""

    history: History
    services: Services  # what actions in the brain work with
    open_actions: OpenActions
    budgets: Budgets
    files: PersonsFiles
    entries: GraphEntries
    facts: Facts  # that hold for every turn: where the person buys, and which texts hold a key

    @property
    def actions(self) -> Mapping[str, Action]:
        """Every action that was ever offered."""
        return self.open_actions.every


class ThreadContext(NamedTuple):
    """The content of a thread before a turn."""

    before: Sequence[PastTurn] = ()  # oldest first
    shown: Sequence[Address] = ()  # the list that the person saw last
    listed: Sequence[TableShown] = ()  # the tables in it
    offered: Sequence[Address] = ()  # to the model

    @property
    def tables(self) -> list[Table]:
        return [table for table, _ in self.listed]

    @property
    def is_private(self) -> bool:
        """Whether the prompt shows what came of something private that was read before."""
        return any(turn.is_private for turn in self.before) or any(each.model_sees for each in self.tables)

    @property
    def typed_before(self) -> list[str]:
        """The addresses that earlier words named."""
        own = [turn.goal for turn in self.before if turn.is_own]
        return [url for words in own for url in typed_addresses(words)]


class TurnTables:
    """The tables of a turn and its thread. Each is read from the state once and shown once."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self.thread = ThreadContext()
        self._tell = tell
        self._shown_count = 0
        self._read: list[Table] = []

    def of(self, state: State) -> list[Table]:
        """Return the tables in *state*, in their order."""
        records = state.get("tables", [])
        self._read += map(table_in, records[len(self._read) :])  # none of them ever changes
        return self._read[: len(records)]

    def addresses_by_id(self, state: State) -> dict[str, Address]:
        """Return all addresses and offers by id. Some offers have no page."""
        addresses: dict[str, Address] = {}
        for table in (*self.thread.tables, *self.of(state)):
            title = column_of(table, TEXT)
            for row in table.rows:
                text = row.cells.get(title.key) if title else None
                title_text = text if isinstance(text, str) else ""
                addresses[row.id] = page_in(Address(row.id, row.url, title_text, source="found"))
        return addresses | {address.id: address for address in addresses_in(state)}

    def listed(self, state: State) -> list[TableShown]:
        """Return the tables in *state* as they are listed: their lines are numbered on."""
        firsts = [record["first"] for record in state.get("tables", [])]
        return [TableShown(*each) for each in zip(self.of(state), firsts, strict=True)]

    def tables_to_save(self, state: State) -> list[TableShown]:
        """Return the tables that are kept with a turn: lists of other kinds come along from its thread."""
        listed = self.listed(state)
        anew = {table.kind for table, _ in listed}
        along = [table for table in self.thread.tables if anew and table.kind not in anew]
        return [*(TableShown(table, 0) for table in along[-_ALONG:]), *listed]

    def lines(self, state: State) -> list[str]:
        """Return the ids on the lines that a reply's sources are numbered on from, in their order.

        They are those of the tables in *state*, or of the list of before where the reply is about that.
        """
        lines = [row.id for table, first in self.listed(state) if first for row in table.rows]
        return lines or state.get("standing", [])

    def tell(self, state: State, count: int | None = None) -> None:
        """Show the tables in *state* that were not shown yet, from number *count* on."""
        for tabled in self.listed(state)[self._shown_count : count]:
            # Of those that are not listed a line tells; what was worked out anew is not worth one.
            is_told = tabled.table.rows and not tabled.table.checks
            if tabled.first or is_told:
                self._tell(tabled)
            self._shown_count += 1


class Resources(NamedTuple):
    """The limited resources of a turn."""

    clock: Clock
    model: Retry
    meter: Meter


@dataclass(slots=True)
class Person:
    """The person's side of one run of a turn."""

    words: Words
    frontend: Frontend
    request: ActionRequest | None = None  # what this very run decided on: nothing else is asked about or done


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that one run of a turn works with."""

    person: Person
    resources: Resources
    journal: Journal
    tables: TurnTables
    reading: IntentTracker  # what the words ask for
    approval: Approval
    files: TurnFiles  # that the words name

    @property
    def turn(self) -> Turn:
        """The turn, as far as it is known."""
        return self.journal.turn

    @property
    def is_private(self) -> bool:
        """Whether a prompt shows the user's own data, read in this turn or shown in an earlier one."""
        return self.journal.is_private or self.tables.thread.is_private

    @property
    def is_clean(self) -> bool:
        """Whether the first prompt contains nothing foreign. Then the planner also does the reading.

        It offers only known sites and addresses in the words: typed ones as u1, u2, …, as in the reading.
        """
        words_typed, thread = self.turn.typed, self.tables.thread
        typed = [address.id for address in words_typed if address.source == "typed"]
        is_ours = all(each in words_typed and each.source in ("typed", "site") for each in thread.offered)
        is_numbered = typed == [f"u{n}" for n in range(1, len(typed) + 1)]
        return is_ours and is_numbered and not (thread.before or thread.shown or self.person.words.piped)

    @property
    def shown(self) -> list[str]:
        """The ids in the list that the person saw last, in its order."""
        return [address.id for address in self.tables.thread.shown]


def facts_of(state: State, context: Context, parts: SessionParts, action: Action | None = None) -> Facts:
    """Return the facts in *state*. An *action* of a pack gets no private data of other packs.

    It could make tables of its own from them, such as wish lists, sums, or queries.
    """
    tables = context.tables.of(state)
    seen = [
        each
        for each in (*context.tables.thread.tables, *tables)
        if not (
            action and action.pack and each.model_sees and not parts.open_actions.makes(action, each.kind)
        )
    ]
    offers = [row.id for table in tables for row in table.rows]
    found = [id_ for _, ids, _ in state.get("lookups", []) for id_ in ids]
    facts = parts.facts._replace(
        addresses=context.tables.addresses_by_id(state),
        files=context.files.files,
        shown=tuple(context.shown),
        found=frozenset([*found, *offers]),
        pictures=context.person.frontend.desktop.pictures,
        tables=tuple(seen),
        is_private=context.is_private,
        receiver=context.resources.model.receiver,
    )
    return context.reading.facts(facts, steps_in(state), state.get("lookups", []))
