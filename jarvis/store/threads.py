"""Lists, shows, searches and deletes threads."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

from ..core.errors import JarvisError, StoreFailed, ThreadBusy, UsageError
from ..core.events import Tabled
from ..core.frontend import notice
from ..core.text import clean, one_line
from .database import Database, Row, Transaction
from .locks import Lock, Locks
from .outbox import Outbox
from .schema import OWN, TABLES
from .sqlite import empty_log
from .tables import tables_in
from .unfinished import is_at_work

_BEGINNING = 500  # characters of what was piped in, by which a thread is known again
_FOUND = 20  # turns that a search tells of
_MOST_WORDS = 20  # of one search
_LONGEST_WORDS = 1000  # characters of them all: SQLite takes no pattern of more than 50,000 bytes
_PATIENCE = 10.0  # seconds that another process may hold the file
# LangGraph's own; `checkpoint_migrations` holds no words.
_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
# What was used up counts on, towards the day's limit, under no thread's name.
_FOLD_USAGE = (
    "INSERT INTO usage SELECT day, '', SUM(model_calls), SUM(searches), SUM(input_tokens), SUM(output_tokens)"
    " FROM usage"
)
_INTO_NOBODY = (
    " GROUP BY day ON CONFLICT (day, thread) DO UPDATE SET"
    " model_calls = usage.model_calls + excluded.model_calls, searches = usage.searches + excluded.searches,"
    " input_tokens = usage.input_tokens + excluded.input_tokens,"
    " output_tokens = usage.output_tokens + excluded.output_tokens"
)


class Thread(NamedTuple):
    id: str
    turns: int
    created_at: float  # seconds since the epoch
    used_at: float
    last: str  # what was asked last; without any words, the first line of what was piped in
    title: str  # empty where it began with words that may not be the person's own

    @property
    def told(self) -> str:
        """What it is known by: its title, else what was asked last."""
        return self.title or self.last


class Match(NamedTuple):
    """A turn that a search found."""

    thread: str
    n: int
    started_at: float
    goal: str
    reply: str
    piped: str


class Threads(NamedTuple):
    """The threads of a history."""

    database: Database

    async def all(self) -> list[Thread]:
        """Return every thread, the one used last first."""
        rows = await self.database.run(
            "SELECT threads.id, turns, created_at, used_at, COALESCE(goal, ''),"
            f" SUBSTR(COALESCE(piped, ''), 1, {_BEGINNING}), title FROM threads"
            " LEFT JOIN turns AS t ON t.thread = threads.id AND t.n = threads.turns ORDER BY used_at DESC"
        )
        return [
            Thread(id_, turns, created_at, used_at, _beginning(goal, piped), title)
            for id_, turns, created_at, used_at, goal, piped, title in rows
        ]

    async def exists(self, thread: str) -> bool:
        return bool(await self.known([thread]))

    async def known(self, ids: Collection[str]) -> set[str]:
        """Return those of *ids* that are threads of this history."""
        find = f"SELECT id FROM threads WHERE id IN ({', '.join('?' * len(ids))})"
        return {row[0] for row in await self.database.run(find, *ids)} if ids else set()

    async def rename(self, thread: str, title: str) -> None:
        """Give *thread* another title. Its id stays: that of a terminal is computed."""
        await self.database.run("UPDATE threads SET title = ? WHERE id = ?", title, thread)

    async def turns(self, thread: str) -> list[dict[str, Any]]:
        """Return the turns of *thread*, oldest first, each with its steps and its tables."""
        rows = await self.database.run(
            "SELECT id, n, goal, piped, intent, status, reply, error, started_at, ended_at, tables FROM turns"
            " WHERE thread = ? ORDER BY n",
            thread,
        )
        steps = await self._steps(thread)
        return [{**_record(row), "steps": steps.get(row[0], [])} for row in rows]

    async def last_reply(self, thread: str) -> tuple[str, tuple[Tabled, ...]]:
        """Return the last reply in *thread*, and the tables beside it; of both, what there is."""
        rows = await self.database.run(
            "SELECT reply, tables FROM turns WHERE thread = ? AND (reply <> '' OR tables IS NOT NULL)"
            " ORDER BY n DESC LIMIT 1",
            thread,
        )
        return (str(rows[0][0]), tables_in(rows[0][1])) if rows else ("", ())

    async def search(self, words: str, thread: str | None = None) -> list[Match]:
        """Return the last turns in which each of *words* was said, asked or done, newest first.

        Raises UsageError where there are no words, or more than a database looks for.
        """
        whole = "turns.goal || ' ' || turns.piped || ' ' || turns.reply || ' ' || COALESCE(did.outcomes, '')"
        text = f"{self.database.fold}({whole})"
        patterns = [f"%{_escaped(word)}%" for word in _wanted(words)]
        inside = " AND thread = ?" if thread else ""
        rows = await self.database.run(
            "SELECT thread, n, started_at, goal, reply, piped FROM turns LEFT JOIN (SELECT turn,"
            f" {self.database.joined}(outcome, ' ') AS outcomes FROM steps GROUP BY turn) AS did"
            " ON did.turn = turns.id WHERE "
            + " AND ".join([f"{text} LIKE {self.database.fold}(?) ESCAPE '!'"] * len(patterns))
            + f"{inside} ORDER BY started_at DESC LIMIT {_FOUND}",
            *patterns,
            *([thread] if thread else []),
        )
        return [Match(*row) for row in rows]

    async def counts(self) -> dict[str, int]:
        """Return how many rows each table holds."""
        counts = {t: await self.database.run(f"SELECT count(*) FROM {t}") for t in (*TABLES, *OWN)}
        return {table: rows[0][0] for table, rows in counts.items()}

    async def kept(self) -> int:
        """Return how many things are on the person's own lists, which no thread has."""
        rows = await self.database.run("SELECT count(*) FROM kept WHERE removed_at IS NULL")
        return int(rows[0][0])

    async def _steps(self, thread: str) -> dict[str, list[dict[str, Any]]]:
        """Return the steps of every turn of *thread*, by turn."""
        names = ("n", "action", "arguments", "target", "state", "outcome")
        rows = await self.database.run(
            "SELECT steps.turn, steps.n, action, arguments, target, state, outcome FROM turns"
            " JOIN steps ON steps.turn = turns.id WHERE thread = ? ORDER BY turns.n, steps.n",
            thread,
        )
        found: dict[str, list[dict[str, Any]]] = {}
        for turn, *row in rows:
            step = dict(zip(names, row, strict=True))
            found.setdefault(turn, []).append({**step, "arguments": json.loads(step["arguments"])})
        return found


def _record(row: Row) -> dict[str, Any]:
    """Return a row of turns, as `Threads.turns` reads it, as a record."""
    names = ("turn", "n", "goal", "piped", "intent", "status", "reply", "error", "started_at", "ended_at")
    *values, tables = row
    turn = dict(zip(names, values, strict=True))
    return {**turn, "intent": turn["intent"] and json.loads(turn["intent"]), "tables": tables_in(tables)}


def _beginning(goal: str, piped: str) -> str:
    """Return the words by which a person knows a turn again."""
    return goal or one_line(piped.strip().partition("\n")[0])


def _wanted(words: str) -> list[str]:
    """Return the single words to look for. Raises UsageError for none, and for too many."""
    wanted = clean(words).split()
    if not wanted:
        raise UsageError("There are no words to search for.", hint="jarvis threads search invoice")
    if len(wanted) > _MOST_WORDS or sum(map(len, wanted)) > _LONGEST_WORDS:
        raise UsageError(
            f"At most {_MOST_WORDS} words, of {_LONGEST_WORDS:,} characters in all, are searched for.",
            hint="Search for fewer words.",
        )
    return wanted


def _escaped(word: str) -> str:
    """Return *word* so that LIKE finds it literally."""
    for character in "!%_":
        word = word.replace(character, f"!{character}")
    return word


class KeptBeside(Protocol):
    """Keeps something of threads on this machine: what was said yes to for a thread, what was typed in it."""

    def forget(self, thread: str | None) -> None:
        """Delete what is kept for *thread*, or for all."""


class Deletion(NamedTuple):
    """Deletes threads. It holds all places where something of a thread is kept."""

    database: Database
    lock: Locks
    inflight: str = ""  # the file of turns under way, where they are not in the database too
    outbox: Outbox | None = None
    consents: KeptBeside | None = None  # these two go with their threads
    typed: KeptBeside | None = None

    async def __call__(self, thread: str | None) -> int:
        """Delete all of *thread*; where it is None every thread, and the person's own lists.

        Return how many turns that were.
        In a file the freed pages are overwritten, the write-ahead log too.
        Raises ThreadBusy, with nothing deleted, where a turn is under way.
        """
        where, arguments = ("", ()) if thread is None else (" WHERE thread = ?", (thread,))

        ids = where.replace("thread", "id")
        held: list[Lock] = []
        deleted: list[str] = []

        async def work(transaction: Transaction) -> None:
            # A turn that begins meanwhile waits for its thread's row.
            await transaction.run(f"SELECT id FROM threads{ids}{self.database.for_update}", *arguments)
            await self._hold(transaction, held, where, arguments)
            turns = [row[0] for row in await transaction.run(f"SELECT id FROM turns{where}", *arguments)]
            await transaction.run(
                f"DELETE FROM steps WHERE turn IN (SELECT id FROM turns{where})", *arguments
            )
            whose, named = (where, arguments) if thread else (" WHERE thread != ?", ("",))
            await transaction.run(f"{_FOLD_USAGE}{whose}{_INTO_NOBODY}", *named)
            await transaction.run(f"DELETE FROM usage{whose}", *named)
            for table in ("addresses", "turns"):
                await transaction.run(f"DELETE FROM {table}{where}", *arguments)
            for table in () if thread else OWN:
                await transaction.run(f"DELETE FROM {table}")
            await transaction.run(f"DELETE FROM threads{ids}", *arguments)
            if self.inflight:  # first, and in here: where it fails, all is left as it was
                _forget_file(self.inflight, turns)
            else:
                await _forget_rows(transaction, turns)
            deleted[:] = turns or deleted  # none are left, if this is repeated

        try:
            await self.database.atomically(work)
        finally:
            for lock in held:
                await lock.release()
        where = thread or "any thread"
        _forget_beside(self.consents, thread, f"What you said yes to in {where}")
        _forget_beside(self.typed, thread, f"What you typed in {where}")
        await self.database.tidy()
        if self.outbox:
            await self.outbox.forget(thread)
        return len(deleted)

    async def _hold(
        self, transaction: Transaction, held: list[Lock], where: str, arguments: tuple[str, ...]
    ) -> None:
        """Take the lock of every thread that has an open turn. Raises ThreadBusy where one is under way."""
        while held:  # by an attempt whose connection was lost
            await held.pop().release()
        found = await transaction.run(
            "SELECT thread, pid, pid_since, started_at FROM turns"
            f"{where}{' AND' if where else ' WHERE'} status = 'open'",
            *arguments,
        )
        for thread, *process in found:
            lock = self.lock(thread)
            is_free = await lock.take()
            by = "" if is_free else await lock.holder()  # else it would be us
            if is_free:
                held.append(lock)
            if not is_free or is_at_work(*process):
                raise ThreadBusy(
                    f"A turn is under way in the thread {thread} ({by or f'process {process[0]}'})."
                    " Nothing was deleted.",
                    hint="Wait for it to end, or stop it with Ctrl-C, then try again.",
                )


def _forget_beside(kept: KeptBeside | None, thread: str | None, what: str) -> None:
    """Delete what *kept* has of the thread. Where that fails the thread is deleted all the same."""
    try:
        if kept:
            kept.forget(thread)
    except JarvisError as error:
        notice(f"{what} is kept: {error.message} {error.hint}")


async def _forget_rows(transaction: Transaction, turns: Sequence[str]) -> None:
    """Delete every checkpoint of *turns* from the Postgres that *transaction* is on."""
    for table in _TABLES:
        find = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?"
        if await transaction.run(find, table):
            await transaction.run(f"DELETE FROM {table} WHERE thread_id = ANY(?)", list(turns))


def _forget_file(path: str, turns: Sequence[str]) -> None:
    """Delete every checkpoint of *turns* from the SQLite file at *path*, if there is one."""
    if not os.path.exists(path):
        return
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_PATIENCE)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            tables = {
                row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            for table in tables & {"checkpoints", "writes"}:
                delete = f"DELETE FROM {table} WHERE thread_id = ?"
                connection.executemany(delete, [(turn,) for turn in turns])
            connection.commit()
            empty_log(connection)  # or the words would stay there
    except sqlite3.Error as error:
        raise StoreFailed(
            f"The words of turns under way can't be deleted: {error}.", hint="Try again."
        ) from None
