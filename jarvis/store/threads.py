"""Threads as a whole: listed, shown, deleted."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ..errors import ThreadBusy
from ..settings import Folders
from .history import alive
from .inflight import forget
from .locks import ThreadLock
from .sqlite import Database

TABLES = ("addresses", "steps", "turns", "threads")  # children first


class Thread(NamedTuple):
    id: str
    turns: int
    created_at: float  # seconds since the epoch
    used_at: float
    last: str  # what was asked last


class Threads:
    def __init__(self, database: Database, folders: Folders) -> None:
        self._database = database
        self._folders = folders

    def all(self) -> list[Thread]:
        """Every thread, the one used last first."""
        rows = self._database.run(
            "SELECT id, turns, created_at, used_at, COALESCE((SELECT goal FROM turns"
            " WHERE thread = threads.id AND n = threads.turns), '') FROM threads ORDER BY used_at DESC"
        )
        return [Thread(*row) for row in rows]

    def exists(self, thread: str) -> bool:
        return bool(self._database.run("SELECT 1 FROM threads WHERE id = ?", thread))

    def turns(self, thread: str) -> list[dict[str, Any]]:
        """The turns of *thread*, oldest first, each with its steps."""
        rows = self._database.run(
            "SELECT id, n, goal, status, reply, error, started_at, ended_at FROM turns"
            " WHERE thread = ? ORDER BY n",
            thread,
        )
        names = ("turn", "n", "goal", "status", "reply", "error", "started_at", "ended_at")
        return [{**dict(zip(names, row, strict=True)), "steps": self._steps(row[0])} for row in rows]

    def delete(self, thread: str | None) -> int:
        """Delete all of *thread*, or of every thread where it is None; how many turns that were.

        The freed pages are overwritten, the write-ahead log too.
        Raises ThreadBusy, with nothing deleted, where a turn is under way.
        """
        where, arguments = ("", ()) if thread is None else (" WHERE thread = ?", (thread,))
        with self._database.transaction():
            self._refuse_if_alive(where, arguments)
            turns = self._database.run(f"SELECT id FROM turns{where}", *arguments)  # noqa: S608
            self._database.run(f"DELETE FROM steps WHERE turn IN (SELECT id FROM turns{where})", *arguments)  # noqa: S608
            for table in ("addresses", "turns"):
                self._database.run(f"DELETE FROM {table}{where}", *arguments)  # noqa: S608
            self._database.run(f"DELETE FROM threads{where.replace('thread', 'id')}", *arguments)  # noqa: S608
        self._database.run("PRAGMA wal_checkpoint(TRUNCATE)")
        forget(self._folders.inflight, [turn for (turn,) in turns])
        return len(turns)

    def _refuse_if_alive(self, where: str, arguments: tuple[str, ...]) -> None:
        found = self._database.run(f"SELECT thread, pid, started_at, status FROM turns{where}", *arguments)  # noqa: S608
        for thread, pid, started_at, status in found:
            if status != "open":
                continue
            lock = ThreadLock(self._folders.state, thread)
            free = lock.take()
            lock.release()
            if not free or alive(pid, started_at):
                raise ThreadBusy(
                    f"A turn is under way in the thread {thread} (process {pid}): nothing was deleted.",
                    hint="Wait for it to end, or stop it with Ctrl-C, then try again.",
                )

    def counts(self) -> dict[str, int]:
        """How many rows each table holds."""
        return {table: self._database.run(f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}  # noqa: S608

    def _steps(self, turn: str) -> list[dict[str, Any]]:
        rows = self._database.run(
            "SELECT n, action, arguments, target, state, outcome FROM steps WHERE turn = ? ORDER BY n", turn
        )
        names = ("n", "action", "arguments", "target", "state", "outcome")
        steps = [dict(zip(names, row, strict=True)) for row in rows]
        return [{**step, "arguments": json.loads(step["arguments"])} for step in steps]
