"""Deletes threads, from history and from all that is kept beside it, unless a turn is under way."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..core.errors import JarvisError, StoreFailed, ThreadBusy
from ..core.frontend import notice
from .abandoned import is_at_work
from .database import Database, Transaction
from .locks import Lock, Locks
from .outbox import Outbox
from .schema import OWN
from .sqlite import empty_log

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
