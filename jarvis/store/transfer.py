"""Moves threads, and the person's own lists, from one database to another: a line of JSON for each.

Anybody may have written a line: what it holds is checked, and what only this history could know, such as what
was typed or opened here, is not believed. Of an export of an earlier version, rows lack their last columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, Json, ValidationError

from ..config.settings import check_thread
from ..core.errors import BadTarget, UsageError
from ..core.money import money_of
from ..core.text import one_line
from ..core.types import OFFER
from ..core.urls import canon, found
from .database import Database, Row, Transaction
from .kept import LONGEST
from .tables import kept_tables, listed_in, most_offers, unpacked

SCHEMA = 1
AGAIN = "jarvis threads export > threads.jsonl"
LISTS_AGAIN = "jarvis packs export > kept.jsonl"
_MOST = 999_999_999  # of whatever is counted: ids have nine digits, and a column has room to count on
_LATEST = 4e9  # seconds since the epoch: the year 2096
_LONGEST = 1_000_000  # characters of one text
_LONGEST_CELLS = 20_000
_OFFER_ID = re.compile(r"o[1-9][0-9]{0,8}", re.ASCII)

_M = TypeVar("_M", bound=BaseModel)


def _refuse_unless(is_right: object) -> None:
    if not is_right:
        raise ValueError("it can't be right")


def _canonical(url: str) -> str:
    """Return *url*, which is written as we write it. Raises ValueError."""
    try:
        _refuse_unless(canon(url).url == url)
    except BadTarget as error:
        raise ValueError(error.message) from None
    return url


def _findable(url: str) -> str:
    """Return *url*, which a search could have found, or that is empty. Raises ValueError."""
    _refuse_unless(not url or ((address := found(url)) and address.url == url))
    return url


def _written(value: object) -> str:
    """Return *value* as JSON. Raises ValueError where not every program could read that."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    text.encode()  # half a character is an error
    return text


def _tables(text: object) -> bytes | None:
    """Return the tables in *text* as they are kept, without the names by which a service knows their rows."""
    if text is None:
        return None
    try:
        records = json.loads(str(text))
        _written(records)
        listed = [listed_in({**record, "private": []}) for record in records]
    except (TypeError, LookupError, AttributeError, RecursionError):
        raise ValueError("it can't be read") from None
    for table, first in listed:
        _refuse_unless(type(first) is int and first >= 0)
        own = table.found or table
        for row in (*own.rows, *own.foot):  # a sum has neither id nor page
            _refuse_unless(not row.id or _OFFER_ID.fullmatch(row.id))
            _findable(row.url)
    return kept_tables(listed)


Count = Annotated[int, Field(ge=0, le=_MOST)]
Number = Annotated[int, Field(ge=1, le=_MOST)]
Moment = Annotated[float, Field(ge=0, le=_LATEST, allow_inf_nan=False)]
Text = Annotated[str, Field(max_length=_LONGEST, pattern=r"^[^\x00]*$")]  # Postgres has no place for NUL
Line = Annotated[str, AfterValidator(lambda text: one_line(text, LONGEST))]
ThreadId = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
HexId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
AddressId = Annotated[str, Field(pattern=r"^[urs][1-9][0-9]{0,8}$")]
LineId = Annotated[str, Field(pattern=r"^[urso][1-9][0-9]{0,8}$")]
Object = Annotated[Json[dict[str, Any]], AfterValidator(_written)]


class _Thread(NamedTuple):
    id: ThreadId
    created_at: Moment
    used_at: Moment
    turns: Count
    typed: Count
    found: Count
    title: Text = ""
    offers: Count = 0


class _Turn(NamedTuple):
    """A question that waits is not moved: who carries out its answer must know that it was asked here."""

    id: HexId
    thread: ThreadId
    n: Number
    goal: Text
    status: Literal["open", "done", "failed", "needs_answer", "refused", "interrupted"]
    reply: Text
    shown: Json[list[LineId]] | None
    error: Text | None
    usage: Object | None
    started_at: Moment
    ended_at: Moment | None
    piped: Text = ""
    intent: Annotated[Json[list[Text]], AfterValidator(_written)] | None = None
    own: Annotated[int, Field(ge=0, le=1)] = 0
    tables: Annotated[bytes | None, BeforeValidator(_tables)] = None


class _Step(NamedTuple):
    turn: HexId
    n: Number
    action: Text
    arguments: Object
    target: Text
    state: Literal["started", "done", "failed", "declined", "refused", "unknown"]
    outcome: Text
    started_at: Moment
    ended_at: Moment | None
    rule: Text = ""
    why: Text = ""


class _Address(NamedTuple):
    thread: ThreadId
    id: AddressId
    url: Annotated[str, AfterValidator(_canonical)]
    title: Text
    source: Literal["typed", "piped", "found", "site", "alias"]
    official: Text
    turn: Number
    step: Count
    opened: Number | None
    shown: Number | None
    place: Count = 0
    official_name: Text = ""


class _Record(BaseModel):
    """A thread, whole. Parents first."""

    schema_: Literal[1] = Field(alias="schema")
    threads: Annotated[list[_Thread], Field(min_length=1, max_length=1)]
    turns: list[_Turn]
    steps: list[_Step]
    addresses: list[_Address]


_ROWS: Any = {"threads": _Thread, "turns": _Turn, "steps": _Step, "addresses": _Address}
COLUMNS: Mapping[str, tuple[str, ...]] = {table: row._fields for table, row in _ROWS.items()}
_OF_THREAD = {
    "threads": "WHERE id = ?",
    # Before the turns: one that begins meanwhile, on a server, has none here.
    "steps": "WHERE turn IN (SELECT id FROM turns WHERE thread = ?) ORDER BY turn, n",
    "turns": "WHERE thread = ? ORDER BY n",
    "addresses": "WHERE thread = ? ORDER BY turn, step, id",
}


async def exported(database: Database, thread: str) -> dict[str, Any]:
    """Return all of *thread* as one record: `{"schema": 1, "columns": {table: names}, "threads": [row], …}`.

    A turn that is under way is told as it is now: open.
    """

    async def read(transaction: Transaction) -> dict[str, list[Row]]:
        return {
            table: await transaction.run(f"SELECT {', '.join(COLUMNS[table])} FROM {table} {where}", thread)
            for table, where in _OF_THREAD.items()
        }

    rows = await database.atomically(read)
    if not rows["threads"]:
        raise UsageError(f"There is no thread {thread}.", hint="jarvis threads list")
    columns = {table: " ".join(names) for table, names in COLUMNS.items()}
    told = {table: [[_portable(value) for value in row] for row in rows[table]] for table in COLUMNS}
    return {"schema": SCHEMA, "columns": columns, **told}


def _portable(value: Any) -> Any:
    """Return *value* as JSON holds it, and every database takes it."""
    text = unpacked(value) if isinstance(value, bytes) else value
    return text.replace("\0", "") if isinstance(text, str) else text


async def imported(database: Database, record: object, name: str | None = None) -> tuple[str, int]:
    """Write *record* as the thread that it was, or as *name*. Return its name, and how many turns it has.

    Raises UsageError, with nothing written, where it is no such record, or its thread is there already.
    """
    told = _believed(_read(record), name)
    ((thread, *_),), turns = told["threads"], told["turns"]

    async def work(transaction: Transaction) -> None:
        # Not looked for before: another process may begin a thread of this name meanwhile.
        begin = f"{_insert('threads', COLUMNS['threads'])} ON CONFLICT DO NOTHING RETURNING id"
        if not await transaction.run(begin, *told["threads"][0]):
            raise UsageError(
                f"There is a thread {thread} in {database.name} already. It was not changed.",
                hint=f"Give it another name: jarvis threads import --as {thread}-2 FILE",
            )
        first = turns[0][0] if turns else ""
        if known := await transaction.run("SELECT thread FROM turns WHERE id = ?", first):
            raise UsageError(
                f"The turns are in the thread {known[0][0]} already. Nothing was written.",
                hint=f"If you want them anew, delete them first: jarvis threads delete {known[0][0]}",
            )
        for table in ("turns", "steps", "addresses"):
            await transaction.run_many(_insert(table, COLUMNS[table]), told[table])

    await database.atomically(work)
    return thread, len(turns)


def _insert(table: str, columns: Iterable[str]) -> str:
    names = tuple(columns)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


def _read(record: object) -> _Record:
    """Return what *record* holds. Raises UsageError where it makes no sense."""
    read = _validated(_Record, record, "thread", AGAIN)
    turns = {turn.id for turn in read.turns}  # a step of another one would be written into that
    if not turns.issuperset(step.turn for step in read.steps):
        raise UsageError(f"The rows of the thread {read.threads[0].id} do not belong together.", hint=AGAIN)
    return read


def _believed(record: _Record, name: str | None) -> dict[str, list[Row]]:
    """Return the rows of *record*, as the thread *name*, without what only this history could vouch for."""
    thread = _counting_on(record)
    if name is not None:
        check_thread(name)
        thread = thread._replace(id=name)
    nothing: Any = {"official": "", "official_name": "", "opened": None, "shown": None}
    return {
        "threads": [thread],
        "turns": [
            turn._replace(
                thread=thread.id,
                # nobody goes on with it here, and they are not one's own words
                status="interrupted" if turn.status == "open" else turn.status,
                own=0,
                shown=None,
            )
            for turn in record.turns
        ],
        "steps": [s._replace(state="unknown" if s.state == "started" else s.state) for s in record.steps],
        "addresses": [a._replace(thread=thread.id, source="found", **nothing) for a in record.addresses],
    }


def _counting_on(record: _Record) -> _Thread:
    """Return the thread with its counters raised to what is in use, so that no id is given again."""
    thread = record.threads[0]
    minted = {"u": thread.typed, "r": thread.found, OFFER: thread.offers}
    for id_ in [id_ for turn in record.turns for id_ in turn.shown or ()] + [a.id for a in record.addresses]:
        kind = "u" if id_[0] == "s" else id_[0]  # they are counted together
        minted[kind] = max(minted[kind], int(id_[1:]))
    offers = [most_offers(turn.tables) for turn in record.turns if turn.tables]
    used = [n for row in record.addresses for n in (row.turn, row.opened, row.shown) if n]
    return thread._replace(
        turns=max([thread.turns, *used, *(turn.n for turn in record.turns)]),
        typed=minted["u"],
        found=minted["r"],
        offers=max([minted[OFFER], *offers]),
    )


def _validated(kind: type[_M], record: object, what: str, again: str) -> _M:
    """Return *record*, an exported *what*. Raises UsageError where it makes no sense."""
    if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
        raise UsageError(f"That is not an exported {what}.", hint=again)
    try:
        return kind.model_validate(record, strict=True)
    except ValidationError as error:
        place = [*error.errors(include_url=False, include_input=False, include_context=False)[0]["loc"][:3]]
    if place[0] in COLUMNS and len(place) == 3 and isinstance(place[2], int):
        place[2] = COLUMNS[str(place[0])][place[2]]
    raise UsageError(f"The value at {'.'.join(map(str, place))} can't be right.", hint=again)


# The person's own lists, which are in no thread.


class _Thing(NamedTuple):
    id: HexId
    list: Line
    kind: Line
    title: Line
    cells: Annotated[dict[str, Any], AfterValidator(_written), Field(max_length=_LONGEST_CELLS)]
    url: Annotated[str, AfterValidator(_findable)]
    added_at: Moment
    removed_at: Moment | None = None


class _Price(NamedTuple):
    at: Moment
    amount: Annotated[str, Field(max_length=30)]
    currency: str
    source: Line


def _priced(price: _Price) -> _Price:
    _refuse_unless(money_of({"amount": price.amount, "currency": price.currency}))
    return price


class _OnList(BaseModel):
    """A thing, and its prices."""

    kept: _Thing
    prices: list[Annotated[_Price, AfterValidator(_priced)]]


async def exported_lists(database: Database) -> list[dict[str, Any]]:
    """Return all that is or was on a list as records: `{"schema": 1, "kept": {…}, "prices": [{…}, …]}`."""
    things, prices = await database.run_all(
        (f"SELECT {', '.join(_Thing._fields)} FROM kept ORDER BY added_at, id",),
        (f"SELECT kept, {', '.join(_Price._fields)} FROM prices ORDER BY kept, at",),
    )
    of_thing: dict[str, list[dict[str, Any]]] = {}
    for id_, *price in prices:
        of_thing.setdefault(id_, []).append(_Price._make(price)._asdict())
    return [
        {
            "schema": SCHEMA,
            "kept": {**thing._asdict(), "cells": json.loads(str(thing.cells))},
            "prices": of_thing.get(thing.id, []),
        }
        for thing in map(_Thing._make, things)
    ]


async def imported_lists(database: Database, records: Iterable[object]) -> int:
    """Put the things in *records* on their lists, and return how many are new. One that is there stays.

    Raises UsageError, with nothing written, where one of them makes no sense.
    """
    read = [_validated(_OnList, record, "list", LISTS_AGAIN) for record in records]
    new: set[str] = set()  # also by an attempt of which it was not heard any more whether it counts
    add = f"{_insert('kept', _Thing._fields)} ON CONFLICT DO NOTHING RETURNING id"
    note = f"{_insert('prices', ('kept', *_Price._fields))} ON CONFLICT (kept, at) DO NOTHING"

    async def work(transaction: Transaction) -> None:
        for each in read:
            written = await transaction.run(add, *each.kept)
            new.update(row[0] for row in written)
            if written or await transaction.run("SELECT 1 FROM kept WHERE id = ?", each.kept.id):
                await transaction.run_many(note, [(each.kept.id, *price) for price in each.prices])

    await database.atomically(work)
    return len(new)
