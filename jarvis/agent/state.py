"""What the loop knows: the state, which is checkpointed, and the context, which is not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from ..config.market import NOWHERE, Market
from ..core.events import Event, Planned, Tabled
from ..core.table_records import table_in
from ..core.tables import Table
from ..core.types import Address, Plan, Request, Step, step_in
from ..policy.rules_file import Policy
from .meter import Meter
from .model import Model
from .reading import Reading


class State(TypedDict, total=False):
    """The checkpointed state: plain records only, as in strict mode others would come back as bare lists."""

    goal: str
    material: str  # what the person piped in besides
    addresses: list[dict[str, str]]  # offered to the model
    found: list[str]  # the ids of what the last search of this turn found, best first
    # Of each search of this turn, its query and the ids of what it found. Turns of older versions that still
    # wait for an answer have a `searches` of another shape, which nobody reads.
    lookups: list[list[Any]]
    tables: list[dict[str, Any]]  # found or worked out in this turn, as history keeps them
    standing: list[str]  # the ids on the lines of the list of before, where what was looked up is about it
    summed_up: list[int]  # the places of those that a later one takes the place of
    told: int  # how many of them the person has seen
    offers: int  # how many ids of offers the thread has given so far
    packs: list[str]  # the names of those that are open
    steps: list[dict[str, Any]]
    plan: dict[str, Any]
    intent: list[str] | None  # a copy, for whoever tells of it: the guard goes by the reading in memory
    calls: int  # model calls so far
    tokens: list[int]  # [input, output]
    reply: str
    status: str
    exit_status: int
    sources: list[dict[str, str]]


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


@dataclass(frozen=True, slots=True)
class Context:
    """What a turn needs and nobody stores: it is handed in again after an interrupt."""

    reading: Reading  # what the words ask for
    is_clean: bool  # whether the first prompt holds nothing foreign, so that the planner makes the reading
    policy: Policy
    transcript: str
    shown: Sequence[str]  # the ids in the list that the person saw last, in its order
    listed: Sequence[Table]  # the tables in it
    tables: TurnTables  # those of this turn
    offers: int  # how many ids of offers the thread had given before
    streams: bool  # whether a reply is shown while it is written
    allowed: frozenset[tuple[str, str, str]]  # (effect, name, doubt) to which they said yes for this thread
    holds_key: Callable[[str], bool]  # whether a text has one of the person's keys in it
    place: str  # time and place, one line
    pictures: str
    # step, known → what it found, under their ids: written down together
    keep_found: Callable[[Step, Sequence[Address]], Awaitable[tuple[Address, ...]]]
    meter: Meter
    model: Model
    market: Market = NOWHERE  # where the person buys
    requests: dict[int, Request] = field(default_factory=dict)  # what was decided on, by its step


def first_state(own: str, piped: str, offered: Sequence[Address], packs: Sequence[str] = ()) -> State:
    """Return what a turn begins with. own, piped: the person's words, and what came with them."""
    state: State = {
        "goal": own,
        "material": piped,
        "addresses": [address._asdict() for address in offered],
        "steps": [],
        "intent": None if own else [],
        "calls": 0,
        "tokens": [0, 0],
    }
    return {**state, "packs": [*packs]} if packs else state  # each value in it is written down


def is_offered_clean(offered: Sequence[Address], named: Sequence[Address]) -> bool:
    """Return whether all that is *offered* stands in the words, or is a known site; typed ones as u1, u2, …

    named: what the words name.
    """
    typed = [address.id for address in named if address.source == "typed"]
    is_ours = all(address in named and address.source in ("typed", "site") for address in offered)
    return is_ours and typed == [f"u{n}" for n in range(1, len(typed) + 1)]


def strict() -> JsonPlusSerializer:
    """Return the serializer. LangGraph's default would revive any class that a tampered row names."""
    return JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)


def plan_in(state: State) -> Plan:
    return Plan(**state["plan"])


def addresses_in(state: State) -> list[Address]:
    return [Address(**record) for record in state.get("addresses", [])]


def planned_in(state: State, n: int, effect: str, addresses: Mapping[str, Address]) -> Planned:
    """Return what to tell of the plan in *state*, the *n*-th of its turn. addresses: by their ids."""
    plan = plan_in(state)
    named = [(str(value), addresses.get(str(value))) for value in plan.arguments.values()]
    target = " ".join(address.url if address else value for value, address in named)
    known = [_known_from(address, state.get("found", [])) for _, address in named if address]
    return Planned(n, plan, effect, target, "".join(known))


def _known_from(address: Address, found: Sequence[str]) -> str:
    """Return where *address* is known from, in words; empty where they typed or named it."""
    place = f"result {found.index(address.id) + 1}" if address.id in found else ""
    is_own = address.official and address.source == "found"
    return ", ".join(filter(None, (place, "its official site" if is_own else "")))


def steps_in(state: State) -> list[Step]:
    return [step_in(record) for record in state.get("steps", [])]
