"""What the loop knows: the state, which is checkpointed, and the context, which is not."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from ..actions.base import Action
from ..core.events import Planned, Tabled
from ..core.table_records import kept_record_of
from ..core.tables import Table
from ..core.types import OFFER, Address, Plan, Step, step_in

_TABLES = 3  # whose lines the model may have opened: the schema has room for as many ids


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
    request: dict[str, Any] | None  # what the hands are at, or are to be asked for: what is told of it then
    answer: dict[str, str] | None  # what the person said: to which question, and what
    asked: int  # how often they were asked
    reading: dict[str, Any]  # as it stands: Reading.as_record()
    intent: list[str] | None  # a copy, for whoever tells of it: the guard goes by the reading in memory
    calls: int  # model calls so far
    tokens: list[int]  # [input, output]
    reply: str
    status: str
    exit_status: int
    sources: list[dict[str, str]]


def is_offered_clean(offered: Sequence[Address], named: Sequence[Address]) -> bool:
    """Return whether all that is *offered* stands in the words, or is a known site; typed ones as u1, u2, …

    named: what the words name.
    """
    typed = [address.id for address in named if address.source == "typed"]
    is_ours = all(address in named and address.source in ("typed", "site") for address in offered)
    return is_ours and typed == [f"u{n}" for n in range(1, len(typed) + 1)]


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


def _with_ids(table: Table, given: int) -> Table:
    """Return *table* with ids for the rows that have none, from the one after *given* on."""
    ids = itertools.count(given + 1)
    rows = [row if row.id else row._replace(id=f"{OFFER}{next(ids)}") for row in table.rows]
    return table._replace(rows=tuple(rows))


def told_by(action: Action, state: State) -> State:
    """Return what changes as *action* is planned: all tables are told, unless it may sum them up."""
    known = len(state.get("tables", []))
    return {"told": known} if known and not action.sums_up else {}  # each value in it is written down


def standing_in(state: State, listed: Sequence[tuple[Table, int]]) -> list[Tabled]:
    """Return the tables of the list of before, *listed*, where a reply's sources are numbered on from it."""
    stands = state.get("standing") and state.get("sources") and not state.get("tables")
    return [Tabled(table, first) for table, first in listed if first] if stands else []


def openable(tables: Sequence[Table], most: int) -> list[str]:
    """Return the ids of offers that the model may have opened: of the last tables the first *most* lines."""
    ids = [row.id for table in tables for row in table.rows[:most] if row.url]
    return list(dict.fromkeys(ids))[-_TABLES * most :]
