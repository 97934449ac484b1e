"""Moves threads, and the person's own lists, from one database to another: a line of JSON for each.

Anybody may have written a line: what it holds is checked, and what only this history could know, such as what
was typed or opened here, is not believed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from ..config.settings import check_thread
from ..core.errors import BadTarget, UsageError
from ..core.money import money_of
from ..core.text import one_line
from ..core.types import OFFER
from ..core.urls import canon, found
from .database import Database, Row, Transaction
from .kept import LONGEST
from .tables import listed_in, most_offers, packed, unpacked

SCHEMA = 1
AGAIN = "jarvis threads export > threads.jsonl"
LISTS_AGAIN = "jarvis packs export > kept.jsonl"
_BATCH = 500  # rows at once: a server has seconds for each answer
_MOST = 999_999_999  # of whatever is counted: ids have nine digits, and a column has room to count on
_LATEST = 4e9  # seconds since the epoch: the year 2096
_LONGEST = 1_000_000  # characters of one text
_MOST_SHOWN = 500  # lines of a list: a statement takes a limited number of values
_MOST_TABLES, _MOST_ROWS, _MOST_OTHERS = 50, 500, 50  # more is not ours, and would take long to be read
_LONGEST_CELLS = 20_000  # characters
_MOST_PRICES = 10_000
_KEPT_OF_A_ROW = 3  # of a table, before its cells: id, address, whose page that is

_T = TypeVar("_T")


def _checked(check: Callable[[_T], bool]) -> AfterValidator:
    """Return what refuses a value that *check* says no to."""

    def validate(value: _T) -> _T:
        if not check(value):
            raise ValueError("it can't be right")
        return value

    return AfterValidator(validate)


def _is_canonical(url: str) -> bool:
    try:
        return canon(url).url == url
    except BadTarget:
        return False


def _could_be_found(url: str) -> bool:
    """Return whether a search could have found that address."""
    address = found(url)
    return bool(address and address.url == url)


def _writable(value: object) -> str:
    """Return *value* as JSON. Raises ValueError where that can't be written."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise ValueError("it is too deep") from None
    text.encode()
    return text


def _json(kind: Any) -> AfterValidator:
    """Return what refuses a text that is no JSON of that *kind*."""
    adapter = TypeAdapter(kind)

    def validate(text: str) -> str:
        try:
            held = json.loads(text)
        except RecursionError:
            raise ValueError("it is too deep") from None
        _writable(held)
        adapter.validate_python(held, strict=True)
        return text

    return AfterValidator(validate)


Count = Annotated[int, Field(ge=0, le=_MOST)]
Number = Annotated[int, Field(ge=1, le=_MOST)]
Moment = Annotated[float, Field(ge=0, le=_LATEST)]
Text = Annotated[str, Field(max_length=_LONGEST, pattern=r"^[^\x00]*$")]  # Postgres has no place for NUL
Line = Annotated[str, AfterValidator(lambda text: one_line(text, LONGEST))]
ThreadId = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
HexId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
AddressId = Annotated[str, Field(pattern=r"^[urs][1-9][0-9]{0,8}$")]
LineId = Annotated[str, Field(pattern=r"^[urso][1-9][0-9]{0,8}$")]
OfferId = Annotated[str, Field(pattern=r"^o[1-9][0-9]{0,8}$")]
Page = Annotated[str, _checked(_could_be_found)]
Object = Annotated[Text, _json(dict[str, Any])]


class _Sum(BaseModel):
    """A row below a table, which is nothing that could be opened."""

    id: Literal["", None] = None
    url: Literal["", None] = None


class _Table(BaseModel):
    """A table as `kept_tables` writes it."""

    columns: Annotated[list[Any], Field(max_length=_MOST_OTHERS)]
    rows: Annotated[list[list[Any]], Field(max_length=_MOST_ROWS)]
    foot: Annotated[list[_Sum], Field(max_length=_MOST_OTHERS)]
    asked: Annotated[list[Any], Field(max_length=_MOST_OTHERS)]
    first: Count

    @model_validator(mode="before")
    @classmethod
    def _is_read(cls, record: Any) -> Any:
        try:
            listed_in(record)
        except (TypeError, KeyError):
            raise ValueError("it can't be read") from None
        return record

    @model_validator(mode="after")
    def _has_rows_of_ours(self) -> Self:
        for row in self.rows:
            if len(row) != _KEPT_OF_A_ROW + len(self.columns):
                raise ValueError("a row is of another width")
            _OF_A_ROW.validate_python(dict(zip(("id", "url", "link"), row, strict=False)))
        return self


class _OfTableRow(BaseModel):
    id: OfferId | None
    url: Page | None
    link: Literal["merchant", "service"] | None


_OF_A_ROW = TypeAdapter(_OfTableRow)
TablesText = Annotated[Text, _json(Annotated[list[_Table], Field(max_length=_MOST_TABLES)])]


class _Row(BaseModel):
    """A row of a table of history, by its columns in the order of an export.

    What has a default stands last, and is missing in exports of earlier versions.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _named(cls, row: object) -> object:
        if not isinstance(row, list) or len(row) > len(cls.model_fields):
            raise ValueError("it is no row")
        return dict(zip(cls.model_fields, row, strict=False))

    @property
    def values(self) -> Row:
        return tuple(getattr(self, name) for name in type(self).model_fields)

    def believed(self) -> Self:
        """Return it without what only this history could vouch for."""
        return self


class _Thread(_Row):
    id: ThreadId
    created_at: Moment
    used_at: Moment
    turns: Count
    typed: Count
    found: Count
    title: Text = ""
    offers: Count = 0


class _Turn(_Row):
    """A question that waits is not moved: who carries out its answer must know that it was asked here."""

    id: HexId
    thread: ThreadId
    n: Number
    goal: Text
    status: Literal["open", "done", "failed", "needs_answer", "refused", "interrupted"]
    reply: Text
    shown: Annotated[Text, _json(Annotated[list[LineId], Field(max_length=_MOST_SHOWN)])] | None
    error: Text | None
    usage: Object | None
    started_at: Moment
    ended_at: Moment | None
    piped: Text = ""
    intent: Annotated[Text, _json(Annotated[list[Text], Field(max_length=_MOST_SHOWN)])] | None = None
    own: Annotated[int, Field(ge=0, le=1)] = 0
    tables: TablesText | None = None

    def believed(self) -> Self:
        """Return it without its list, and not as one's own words; nobody goes on with it here."""
        status = "interrupted" if self.status == "open" else self.status
        return self.model_copy(
            update={"status": status, "own": 0, "shown": None, "tables": _believed_tables(self.tables)}
        )


class _Step(_Row):
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

    def believed(self) -> Self:
        return self.model_copy(update={"state": "unknown"}) if self.state == "started" else self


# What an id says of where its address is from: those of an import all count as found.
_SOURCES = {"u": ("typed", "piped", "found"), "r": ("found",), "s": ("site", "alias", "found")}


class _Address(_Row):
    thread: ThreadId
    id: AddressId
    url: Annotated[str, _checked(_is_canonical)]
    title: Text
    source: Literal["typed", "piped", "found", "site", "alias"]
    official: Text
    turn: Number
    step: Count
    opened: Number | None
    shown: Number | None
    place: Count = 0
    official_name: Text = ""

    def believed(self) -> Self:
        nothing = {"official": "", "official_name": "", "opened": None, "shown": None}
        return self.model_copy(update={"source": "found", **nothing})


class _Record(BaseModel):
    """A thread, whole. Parents first."""

    threads: Annotated[list[_Thread], Field(min_length=1, max_length=1)]
    turns: list[_Turn]
    steps: list[_Step]
    addresses: list[_Address]

    def rows(self, table: str) -> list[_Row]:
        return list(getattr(self, table))

    def believed(self) -> Self:
        return self.model_copy(
            update={table: [row.believed() for row in self.rows(table)] for table in COLUMNS}
        )

    def named(self, name: str) -> Self:
        """Return it as the thread *name*."""
        return self.model_copy(
            update={
                "threads": [row.model_copy(update={"id": name}) for row in self.threads],
                "turns": [row.model_copy(update={"thread": name}) for row in self.turns],
                "addresses": [row.model_copy(update={"thread": name}) for row in self.addresses],
            }
        )

    def counted(self) -> Self:
        """Return it with its counters raised to what is in use, so that no id is given again."""
        (thread,) = self.threads
        used = [n for row in self.addresses for n in (row.turn, row.opened, row.shown) if n]
        turns = max([thread.turns, *used, *(turn.n for turn in self.turns)])
        offers = [most_offers(turn.tables) for turn in self.turns if turn.tables]
        minted = {"u": thread.typed, "r": thread.found, OFFER: max([thread.offers, *offers])}
        listed = [id_ for turn in self.turns if turn.shown for id_ in json.loads(turn.shown)]
        for id_ in (*listed, *(row.id for row in self.addresses)):
            kind = "u" if id_[0] == "s" else id_[0]  # they are counted together
            minted[kind] = max(minted[kind], int(id_[1:]))
        counters = {"turns": turns, "typed": minted["u"], "found": minted["r"], "offers": minted[OFFER]}
        return self.model_copy(update={"threads": [thread.model_copy(update=counters)]})


_ROWS: Mapping[str, type[_Row]] = {"threads": _Thread, "turns": _Turn, "steps": _Step, "addresses": _Address}
COLUMNS = {table: tuple(row.model_fields) for table, row in _ROWS.items()}
_OF_THREAD = {
    "threads": "WHERE id = ?",
    "turns": "WHERE thread = ? ORDER BY n",
    "steps": "WHERE turn IN (SELECT id FROM turns WHERE thread = ?) ORDER BY turn, n",
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
    # A server lets a turn begin between two reads, even of one transaction.
    turns = {row[0] for row in rows["turns"]}
    rows["steps"] = [row for row in rows["steps"] if row[0] in turns]
    columns = {table: " ".join(names) for table, names in COLUMNS.items()}
    told = {table: [list(_portable(row)) for row in rows[table]] for table in COLUMNS}
    return {"schema": SCHEMA, "columns": columns, **told}


async def imported(database: Database, record: object, name: str | None = None) -> tuple[str, int]:
    """Write *record* as the thread that it was, or as *name*. Return its name, and how many turns it has.

    Raises UsageError, with nothing written, where it is no such record, or its thread is there already.
    """
    told = _read(record).believed()
    if name is not None:
        check_thread(name)
        told = told.named(name)
    thread, turns = told.threads[0].id, [turn.id for turn in told.turns]
    is_written = False  # all of it, by an attempt of which it was not heard any more whether it counts

    async def work(transaction: Transaction) -> None:
        nonlocal is_written
        # Not looked for before: another process may begin a thread of this name meanwhile.
        begin = f"{_insert('threads')} ON CONFLICT DO NOTHING RETURNING id"
        if not await transaction.run(begin, *told.threads[0].values):
            if is_written and await _is_in(transaction, thread, turns):
                return
            raise UsageError(
                f"There is a thread {thread} in {database.name} already. It was not changed.",
                hint=f"Give it another name: jarvis threads import --as {thread}-2 FILE",
            )
        await _refuse_known(transaction, turns)
        for table in ("turns", "steps", "addresses"):
            for batch in _batches([row.values for row in told.rows(table)]):
                await transaction.run_many(_insert(table), batch)
        is_written = True

    await database.atomically(work)
    return thread, len(turns)


async def _is_in(transaction: Transaction, thread: str, turns: Sequence[str]) -> bool:
    """Return whether *thread* has the first of *turns*, if there is any."""
    first = "SELECT 1 FROM turns WHERE thread = ? AND id = ?"
    return not turns or bool(await transaction.run(first, thread, turns[0]))


async def _refuse_known(transaction: Transaction, turns: Sequence[str]) -> None:
    """Raise UsageError where one of *turns* is in another thread: the record was made of that one."""
    for batch in _batches(turns):
        marks = ", ".join("?" * len(batch))
        if known := await transaction.run(f"SELECT thread FROM turns WHERE id IN ({marks}) LIMIT 1", *batch):
            raise UsageError(
                f"The turns are in the thread {known[0][0]} already. Nothing was written.",
                hint=f"If you want them anew, delete them first: jarvis threads delete {known[0][0]}",
            )


def _insert(table: str) -> str:
    columns = COLUMNS[table]
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def _batches(rows: Sequence[_T]) -> list[Sequence[_T]]:
    return [rows[i : i + _BATCH] for i in range(0, len(rows), _BATCH)]


def _portable(row: Row) -> Row:
    """Return *row* as JSON holds it and every database takes it: Postgres has no place for NUL in a text."""
    texts = [unpacked(value) if isinstance(value, bytes) else value for value in row]
    return tuple(value.replace("\0", "") if isinstance(value, str) else value for value in texts)


def _believed_tables(text: str | None) -> bytes | None:
    """Return tables as they are kept, without the names by which a service finds their rows again."""
    if text is None:
        return None
    return packed(json.dumps([{**record, "private": []} for record in json.loads(text)], ensure_ascii=False))


def _read(record: object) -> _Record:
    """Return what *record* holds, with counters that fit. Raises UsageError where it makes no sense."""
    if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
        raise UsageError("That is not an exported thread.", hint=AGAIN)
    try:
        read = _Record.model_validate(record)
    except ValidationError as error:
        raise _unfit(*_place(error)) from None
    _refuse_strangers(read)
    _refuse_twins(read)
    _refuse_mixed_kinds(read)
    return read.counted()


def _place(error: ValidationError) -> tuple[Any, ...]:
    """Return where the first thing is that can't be right."""
    return error.errors(include_url=False, include_input=False, include_context=False)[0]["loc"]


def _unfit(table: object, row: object = None, name: object = None, *_: object) -> UsageError:
    if isinstance(row, int) and name is not None:
        return UsageError(f"The {name} in row {row + 1} of {table} can't be right.", hint=AGAIN)
    return UsageError(f"The {table} are not written as an export writes them.", hint=AGAIN)


def _refuse_strangers(record: _Record) -> None:
    """Raise UsageError where the rows are not all of one thread."""
    thread, turns = record.threads[0].id, {turn.id for turn in record.turns}
    named = {turn.thread for turn in record.turns} | {address.thread for address in record.addresses}
    if not named <= {thread} or not turns.issuperset(step.turn for step in record.steps):
        raise UsageError(f"The rows of the thread {thread} do not belong together.", hint=AGAIN)


def _refuse_twins(record: _Record) -> None:
    """Raise UsageError where two rows have the same key."""
    keys: Mapping[str, Iterable[object]] = {
        "turns have the same id": (turn.id for turn in record.turns),
        "turns have the same n": (turn.n for turn in record.turns),
        "steps have the same turn and n": ((step.turn, step.n) for step in record.steps),
        "addresses have the same id": (address.id for address in record.addresses),
    }
    for told, each in keys.items():
        if max(Counter(each).values(), default=1) > 1:
            raise UsageError(f"Two rows of {told}.", hint=AGAIN)


def _refuse_mixed_kinds(record: _Record) -> None:
    """Raise UsageError where an address's id says another source than its row does."""
    for address in record.addresses:
        if address.source not in _SOURCES[address.id[0]]:
            raise UsageError(f"The address {address.id} can't have the source {address.source}.", hint=AGAIN)


# The person's own lists, which are in no thread.


class _Price(BaseModel):
    model_config = ConfigDict(strict=True)

    at: Moment
    amount: Annotated[str, Field(max_length=30)]
    currency: str
    source: Line

    @model_validator(mode="after")
    def _is_money(self) -> Self:
        if money_of({"amount": self.amount, "currency": self.currency}) is None:
            raise ValueError("it is no money")
        return self


class _Thing(BaseModel):
    model_config = ConfigDict(strict=True)

    id: HexId
    list: Line
    kind: Line
    title: Line
    cells: Annotated[dict[str, Any], _checked(lambda cells: len(_writable(cells)) <= _LONGEST_CELLS)]
    url: Literal[""] | Page
    added_at: Moment
    removed_at: Moment | None = None


class _OnList(BaseModel):
    """A thing, and its prices."""

    kept: _Thing
    prices: Annotated[list[_Price], Field(max_length=_MOST_PRICES)]


_THING, _PRICE = tuple(_Thing.model_fields), tuple(_Price.model_fields)


async def exported_lists(database: Database) -> list[dict[str, Any]]:
    """Return all that is or was on a list as records: `{"schema": 1, "kept": {…}, "prices": [{…}, …]}`."""

    async def read(transaction: Transaction) -> tuple[list[Row], list[Row]]:
        return (
            await transaction.run(f"SELECT {', '.join(_THING)} FROM kept ORDER BY added_at, id"),
            await transaction.run(f"SELECT kept, {', '.join(_PRICE)} FROM prices ORDER BY kept, at"),
        )

    things, prices = await database.atomically(read)
    of_thing: dict[str, list[dict[str, Any]]] = {}
    for id_, *price in prices:
        of_thing.setdefault(id_, []).append(dict(zip(_PRICE, price, strict=True)))
    records = [dict(zip(_THING, thing, strict=True)) for thing in things]
    return [
        {
            "schema": SCHEMA,
            "kept": {**record, "cells": json.loads(record["cells"])},
            "prices": of_thing.get(record["id"], []),
        }
        for record in records
    ]


async def imported_lists(database: Database, records: Iterable[object]) -> int:
    """Put the things in *records* on their lists, and return how many are new. One that is there stays.

    Raises UsageError, with nothing written, where one of them makes no sense.
    """
    read = [_read_thing(record) for record in records]
    new: set[str] = set()  # also by an attempt of which it was not heard any more whether it counts

    async def work(transaction: Transaction) -> None:
        for each in read:
            thing = each.kept
            row = {**thing.model_dump(), "cells": _writable(thing.cells)}
            insert = f"INSERT INTO kept ({', '.join(_THING)}) VALUES ({', '.join('?' * len(_THING))})"
            written = await transaction.run(f"{insert} ON CONFLICT DO NOTHING RETURNING id", *row.values())
            new.update(row[0] for row in written)
            if written or await transaction.run("SELECT 1 FROM kept WHERE id = ?", thing.id):
                await transaction.run_many(
                    f"INSERT INTO prices (kept, {', '.join(_PRICE)}) VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT (kept, at) DO NOTHING",
                    [
                        (thing.id, price.at, price.amount, price.currency, price.source)
                        for price in each.prices
                    ],
                )

    await database.atomically(work)
    return len(new)


def _read_thing(record: object) -> _OnList:
    """Return what *record* holds, of which no text steers anything. Raises UsageError."""
    if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
        raise UsageError("That is not an exported list.", hint=LISTS_AGAIN)
    try:
        return _OnList.model_validate(record)
    except ValidationError as error:
        named = [part for part in _place(error) if isinstance(part, str)]
        raise UsageError(
            f"The {named[1] if len(named) > 1 else named[0]} of a thing on a list can't be right.",
            hint=LISTS_AGAIN,
        ) from None
