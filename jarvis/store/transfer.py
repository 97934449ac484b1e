"""Moves threads, and the person's own lists, from one database to another: a line of JSON for each.

Anybody may have written a line: what it holds is checked, and what only this history could know, such as what
was typed or opened here, is not believed.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError

from ..config.settings import check_thread
from ..core.errors import BadTarget, UsageError
from ..core.tables import Table
from ..core.text import one_line
from ..core.urls import canon, found
from .addresses import kept_tables, listed_in, most_offers, tables_in, unpacked
from .database import Database, Row, Statement, Transaction, marks
from .items import LONGEST

SCHEMA = 2
AGAIN = "jarvis threads export > threads.jsonl"
LISTS_AGAIN = "jarvis packs export > lists.jsonl"
_MOST = 999_999_999  # of whatever is counted: ids have nine digits, and a column has room to count on
_LATEST = 4e9  # seconds since the epoch: the year 2096
_LONGEST = 1_000_000  # characters of one text
_LONGEST_BODY = 20_000

_TABLE = TypeAdapter(Table)
_M = TypeVar("_M", bound=BaseModel)


def _written(value: object) -> str:
    """Return *value* as JSON. Raises ValueError where not every program could read that."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    text.encode()  # half a character is an error
    return text


def _tables(value: object) -> bytes | None:
    """Return the stored tables in *value*, without the keys by which services identify their rows."""
    if value is None:
        return None
    try:
        listed = [listed_in({**record, "private": []}) for record in _cleaned(value)]
    except (TypeError, LookupError, AttributeError, RecursionError, UsageError):
        raise ValueError("it can't be read") from None
    tables = [_TABLE.validate_python(table, strict=True) for table, _ in listed]
    if not all(0 <= table.start < table.end for table in tables):
        raise ValueError("no table has such a page")
    own = [table.found or table for table in tables]
    for row in [row for table in own for row in (*table.rows, *table.foot)]:
        if not re.fullmatch(r"(o[1-9][0-9]{0,8})?", row.id, re.ASCII):  # a sum has none
            raise ValueError("no offer has such an id")
        if row.url and not ((address := found(row.url)) and address.url == row.url):
            raise ValueError("no search finds that")
    return kept_tables(listed)


def _cleaned(value: Any) -> Any:
    """Return a *value* of JSON with each text in it cleaned, on one line."""
    if isinstance(value, dict):
        return {name: _cleaned(each) for name, each in value.items()}
    if isinstance(value, list):
        return [*map(_cleaned, value)]
    return one_line(value) if isinstance(value, str) else value


# Not believed, whatever it is.
Nothing = Annotated[None, BeforeValidator(lambda _: None)]
Blank = Annotated[str, BeforeValidator(lambda _: "")]
Count = Annotated[int, Field(ge=0, le=_MOST)]
Number = Annotated[int, Field(ge=1, le=_MOST)]
Flag = Annotated[int, Field(ge=0, le=1)]
Moment = Annotated[float, Field(ge=0, le=_LATEST, allow_inf_nan=False)]
Text = Annotated[str, Field(max_length=_LONGEST)]
Line = Annotated[str, AfterValidator(lambda text: one_line(text, LONGEST))]
ThreadId = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
HexId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
AddressId = Annotated[str, Field(pattern=r"^[urs][1-9][0-9]{0,8}$")]
Object = Annotated[dict[str, Any], AfterValidator(_written)]
Status = Literal["done", "failed", "needs_answer", "refused", "interrupted"]
State = Literal["done", "failed", "declined", "refused", "unknown"]


class _Thread(NamedTuple):
    id: ThreadId
    created_at: Moment
    used_at: Moment
    turns: Count
    typed: Count
    found: Count
    title: Text
    offers: Count


class _Turn(NamedTuple):
    """Open questions are not exported: only their own history can accept an answer.

    A turn that was under way doesn't continue elsewhere either.
    """

    id: HexId
    thread: ThreadId
    n: Number
    goal: Text
    status: Annotated[Status, BeforeValidator(lambda status: "interrupted" if status == "open" else status)]
    reply: Text
    shown: Nothing
    error: Text | None
    usage: Object | None
    started_at: Moment
    ended_at: Moment | None
    piped: Text
    intent: Annotated[list[Text], AfterValidator(_written)] | None
    own: Annotated[int, BeforeValidator(lambda _: 0)]  # they are not one's own words
    tables: Annotated[bytes | None, BeforeValidator(_tables)]
    private: Flag
    confirmed: Annotated[int, BeforeValidator(lambda _: 1)]  # whoever exported it saw it


class _Step(NamedTuple):
    turn: HexId
    n: Number
    action: Text
    arguments: Object
    target: Text
    state: Annotated[State, BeforeValidator(lambda state: "unknown" if state == "started" else state)]
    outcome: Text
    started_at: Moment
    ended_at: Moment | None
    rule: Text
    why: Text
    ends: Flag
    part: Count
    confirmed: Annotated[int, BeforeValidator(lambda _: 1)]


class _Address(NamedTuple):
    thread: ThreadId
    id: AddressId
    url: Annotated[str, AfterValidator(lambda url: canon(url).url)]
    title: Text
    source: Annotated[str, BeforeValidator(lambda _: "found")]
    official: Blank
    turn: Number
    step: Count
    opened: Nothing
    shown: Nothing
    place: Count
    official_name: Blank


class _Record(BaseModel):
    """A thread, whole."""

    threads: Annotated[list[_Thread], Field(min_length=1, max_length=1)]
    turns: list[_Turn]
    steps: list[_Step]
    addresses: list[_Address]


_ROWS: Any = {"threads": _Thread, "turns": _Turn, "steps": _Step, "addresses": _Address}
_OF_JSON = {"arguments", "intent", "usage"}  # the columns that hold that
COLUMNS: Mapping[str, tuple[str, ...]] = {table: row._fields for table, row in _ROWS.items()}
_OF_THREAD = {
    "threads": "WHERE id = ?",
    # Before the turns: one that begins meanwhile has none here.
    "steps": "WHERE turn IN (SELECT id FROM turns WHERE thread = ?) ORDER BY turn, n",
    "turns": "WHERE thread = ? ORDER BY n",
    # The path of a file says nothing elsewhere.
    "addresses": "WHERE thread = ? AND source != 'file' ORDER BY turn, step, id",
}


async def exported(database: Database, thread: str) -> dict[str, Any]:
    """Return all of *thread* as one record: `{"schema": 2, "threads": [{"id": …}], "turns": […], …}`.

    A turn under way is exported as it is now: open.
    """
    find = (
        (f"SELECT {', '.join(COLUMNS[table])} FROM {table} {_OF_THREAD[table]}", thread)
        for table in _OF_THREAD
    )
    rows = dict(zip(_OF_THREAD, await database.run_all(*find), strict=True))
    if not rows["threads"]:
        raise UsageError(f"There is no conversation {thread}.", hint="jarvis threads list")
    return {"schema": SCHEMA, **{table: [_columns_of(table, row) for row in rows[table]] for table in rows}}


def _columns_of(table: str, row: Row) -> dict[str, Any]:
    """Return a *row* of *table* by its columns' names."""
    columns = dict(zip(COLUMNS[table], row, strict=True))
    columns |= {name: json.loads(columns[name]) for name in _OF_JSON & columns.keys() if columns[name]}
    return columns | ({"tables": json.loads(unpacked(columns["tables"]))} if columns.get("tables") else {})


async def imported(database: Database, record: object, name: str | None = None) -> tuple[str, int | None]:
    """Write *record* as a thread, called *name* if given. Returns its name and its number of turns.

    None turns: the same thread already exists in full. Raises UsageError, with nothing written, if it is not
    such a record, or if a different thread has its name or its first turn.
    """
    read = _validated(_Record, record, "thread", AGAIN)
    thread, first = name or read.threads[0].id, read.turns[0].id if read.turns else ""
    check_thread(thread)
    # A step of another one would be written into that.
    if not {turn.id for turn in read.turns}.issuperset(step.turn for step in read.steps):
        raise UsageError(f"The rows of the conversation {thread} do not belong together.", hint=AGAIN)

    rows: dict[str, Any] = {"threads": [_counting_on(read)._replace(id=thread)], "steps": read.steps}
    rows |= {of: [row._replace(thread=thread) for row in getattr(read, of)] for of in ("turns", "addresses")}

    async def work(transaction: Transaction) -> int | None:
        find = "SELECT id FROM threads WHERE id = ? UNION SELECT thread FROM turns WHERE id = ?"
        for (there,) in await transaction.run(find, thread, first):
            ids = {row[0] for row in await transaction.run("SELECT id FROM turns WHERE thread = ?", there)}
            if there == thread and ids.issuperset(turn.id for turn in read.turns):
                return None
            raise UsageError(
                f"{database.name} already has a conversation {there}. It was not changed.",
                hint=f"To replace it, delete it first: jarvis threads delete {there}",
            )
        await transaction.send(*(_adding(table, row) for table in COLUMNS for row in rows[table]))
        return len(read.turns)

    return thread, await database.atomically(work)


def _adding(table: str, row: Any) -> Statement:
    return f"INSERT INTO {table} ({', '.join(row._fields)}) VALUES ({marks(row)})", *row


def _counting_on(record: _Record) -> _Thread:
    """Return the thread with its counters raised to what is in use, so that no id is given again."""
    (thread,), turns, addresses = record.threads, record.turns, record.addresses

    def most(counted: int, kinds: str) -> int:
        return max([counted, *(int(each.id[1:]) for each in addresses if each.id[0] in kinds)])

    return thread._replace(
        turns=max([thread.turns, *(turn.n for turn in turns), *(each.turn for each in addresses)]),
        typed=most(thread.typed, "us"),  # they are counted together
        found=most(thread.found, "r"),
        offers=max([thread.offers, *(most_offers(tables_in(turn.tables)) for turn in turns)]),
    )


def _validated(kind: type[_M], record: object, what: str, again: str) -> _M:
    """Return *record*, an exported *what*. Raises UsageError where it makes no sense."""
    schema = record.get("schema") if isinstance(record, Mapping) else None
    if schema == 1:
        raise UsageError(f"This {what} was exported by an older version of Jarvis.", hint=again)
    if schema != SCHEMA:
        raise UsageError(f"That is not an exported {what}.", hint=again)
    try:
        return kind.model_validate(record, strict=True)
    except BadTarget as error:
        raise UsageError(error.message, hint=again) from None
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
    raise UsageError(f"The value at {place} makes no sense.", hint=again)


# The person's own lists, which are in no thread.


class _ItemRow(NamedTuple):
    """An item of a list. Its pack checks the body each time it reads it."""

    pack: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
    list: Line
    id: Annotated[str, Field(min_length=1, max_length=_LONGEST_BODY), AfterValidator(one_line)]
    body: Annotated[dict[str, Any], AfterValidator(_written), Field(max_length=_LONGEST_BODY)]
    at: Moment


class _Saved(BaseModel):
    item: _ItemRow


async def exported_lists(database: Database) -> list[dict[str, Any]]:
    """Return the items of all lists as records: `{"schema": 2, "item": {"pack": …, "list": …, …}}`."""
    rows = await database.run(f"SELECT {', '.join(_ItemRow._fields)} FROM items ORDER BY at, pack, list, id")
    items = [_ItemRow(*row)._asdict() for row in rows]
    return [
        {"schema": SCHEMA, "item": {**item, "body": json.loads(item["body"], strict=False)}} for item in items
    ]


async def imported_lists(database: Database, records: Iterable[object]) -> tuple[int, int]:
    """Add the items in *records* to their lists. Returns how many are new and how many existed.

    Raises UsageError, with nothing written, if a record makes no sense.
    """
    read = [_validated(_Saved, record, "list", LISTS_AGAIN).item for record in records]
    adding = [_adding("items", item) for item in read]
    rows = await database.run_all(
        *((f"{sql} ON CONFLICT DO NOTHING RETURNING id", *values) for sql, *values in adding)
    )
    new = sum(map(bool, rows))
    return new, len(read) - new
