"""Threads as a whole: listed, shown, searched, deleted."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from ..core.errors import JarvisError, ThreadBusy, UsageError
from ..core.stdlib import NamedTuple, Protocol
from ..core.text import clean, one_line
from ..core.turn_context import notice
from .database import Database, Row, Rows
from .history import alive
from .inflight import forget_file, forget_rows
from .locks import Lock, Locks
from .outbox import Outbox
from .schema import TABLES

_BEGINNING = 500  # characters of what was piped in, by which a thread is known again
_FOUND = 20  # turns that a search tells of
_MOST_WORDS = 20  # of one search
_LONGEST_WORDS = 1000  # characters of them all: SQLite takes no pattern of more than 50,000 bytes
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


class Match(NamedTuple):
    """A turn that a search found."""

    thread: str
    n: int
    started_at: float
    goal: str
    reply: str
    piped: str


class KeptConsents(Protocol):
    """What the person said yes to for a whole thread, as this machine keeps it."""

    def forget(self, thread: str | None) -> None:
        """Drop what is kept for *thread*, or for all."""


class Threads:
    def __init__(
        self,
        database: Database,
        lock: Locks,
        inflight: str = "",
        *,
        outbox: Outbox | None = None,
        consents: KeptConsents | None = None,
    ) -> None:
        """inflight: the file of turns under way, where they are not in *database* too.

        consents: they go with their threads.
        """
        self._database = database
        self._lock = lock
        self._inflight = inflight
        self._outbox = outbox
        self._consents = consents

    async def all(self) -> list[Thread]:
        """Every thread, the one used last first."""
        rows = await self._database.run(
            "SELECT threads.id, turns, created_at, used_at, COALESCE(goal, ''),"
            f" SUBSTR(COALESCE(piped, ''), 1, {_BEGINNING}) FROM threads"
            " LEFT JOIN turns AS t ON t.thread = threads.id AND t.n = threads.turns ORDER BY used_at DESC"
        )
        return [
            Thread(id_, turns, created_at, used_at, _beginning(goal, piped))
            for id_, turns, created_at, used_at, goal, piped in rows
        ]

    async def exists(self, thread: str) -> bool:
        return bool(await self.known([thread]))

    async def known(self, ids: Collection[str]) -> set[str]:
        """Those of *ids* that are threads of this history."""
        find = f"SELECT id FROM threads WHERE id IN ({', '.join('?' * len(ids))})"
        return {row[0] for row in await self._database.run(find, *ids)} if ids else set()

    async def turns(self, thread: str) -> list[dict[str, Any]]:
        """The turns of *thread*, oldest first, each with its steps."""
        rows = await self._database.run(
            "SELECT id, n, goal, piped, intent, status, reply, error, started_at, ended_at FROM turns"
            " WHERE thread = ? ORDER BY n",
            thread,
        )
        steps = await self._steps(thread)
        return [{**_record(row), "steps": steps.get(row[0], [])} for row in rows]

    async def search(self, words: str, thread: str | None = None) -> list[Match]:
        """The last turns in which each of *words* was said, asked or done, newest first.

        Raises UsageError where there are no words, or more than a database looks for.
        """
        whole = "turns.goal || ' ' || turns.piped || ' ' || turns.reply || ' ' || COALESCE(did.outcomes, '')"
        text = f"{self._database.fold}({whole})"
        patterns = [f"%{_escaped(word)}%" for word in _wanted(words)]
        inside = " AND thread = ?" if thread else ""
        rows = await self._database.run(
            "SELECT thread, n, started_at, goal, reply, piped FROM turns LEFT JOIN (SELECT turn,"
            f" {self._database.joined}(outcome, ' ') AS outcomes FROM steps GROUP BY turn) AS did"
            " ON did.turn = turns.id WHERE "
            + " AND ".join([f"{text} LIKE {self._database.fold}(?) ESCAPE '!'"] * len(patterns))
            + f"{inside} ORDER BY started_at DESC LIMIT {_FOUND}",
            *patterns,
            *([thread] if thread else []),
        )
        return [Match(*row) for row in rows]

    async def delete(self, thread: str | None) -> int:
        """Delete all of *thread*, or of every thread where it is None; how many turns that were.

        In a file the freed pages are overwritten, the write-ahead log too.
        Raises ThreadBusy, with nothing deleted, where a turn is under way.
        """
        where, arguments = ("", ()) if thread is None else (" WHERE thread = ?", (thread,))

        ids = where.replace("thread", "id")
        held: list[Lock] = []
        deleted: list[str] = []

        async def work(rows: Rows) -> None:
            # A turn that begins meanwhile waits for its thread's row.
            await rows.run(f"SELECT id FROM threads{ids}{self._database.for_update}", *arguments)
            await self._hold(rows, held, where, arguments)
            turns = [row[0] for row in await rows.run(f"SELECT id FROM turns{where}", *arguments)]
            await rows.run(f"DELETE FROM steps WHERE turn IN (SELECT id FROM turns{where})", *arguments)
            whose, named = (where, arguments) if thread else (" WHERE thread != ?", ("",))
            await rows.run(f"{_FOLD_USAGE}{whose}{_INTO_NOBODY}", *named)
            await rows.run(f"DELETE FROM usage{whose}", *named)
            for table in ("addresses", "turns"):
                await rows.run(f"DELETE FROM {table}{where}", *arguments)
            await rows.run(f"DELETE FROM threads{ids}", *arguments)
            if self._inflight:  # first, and in here: where it fails, all is left as it was
                forget_file(self._inflight, turns)
            else:
                await forget_rows(rows, turns)
            deleted[:] = turns or deleted  # none are left, if this is repeated

        try:
            await self._database.atomically(work)
        finally:
            for lock in held:
                await lock.release()
        self._forget_consents(thread)
        await self._database.tidy()
        if self._outbox:
            await self._outbox.forget(thread)
        return len(deleted)

    def _forget_consents(self, thread: str | None) -> None:
        """What they said yes to there ends with it. The deletion stands, even where that is kept."""
        try:
            if self._consents:
                self._consents.forget(thread)
        except JarvisError as error:
            notice(f"What you said yes to in {thread or 'any thread'} is kept: {error.message} {error.hint}")

    async def _hold(self, rows: Rows, held: list[Lock], where: str, arguments: tuple[str, ...]) -> None:
        """Take the lock of every thread that has an open turn. Raises ThreadBusy where one is alive."""
        while held:  # by an attempt whose connection was lost
            await held.pop().release()
        found = await rows.run(
            "SELECT thread, pid, started_at FROM turns"
            f"{where}{' AND' if where else ' WHERE'} status = 'open'",
            *arguments,
        )
        for thread, pid, started_at in found:
            lock = self._lock(thread)
            is_free = await lock.take()
            by = "" if is_free else await lock.holder()  # else it would be us
            if is_free:
                held.append(lock)
            if not is_free or alive(pid, started_at):
                raise ThreadBusy(
                    f"A turn is under way in the thread {thread} ({by or f'process {pid}'}):"
                    " nothing was deleted.",
                    hint="Wait for it to end, or stop it with Ctrl-C, then try again.",
                )

    async def counts(self) -> dict[str, int]:
        """How many rows each table holds."""
        counts = {t: await self._database.run(f"SELECT count(*) FROM {t}") for t in TABLES}
        return {table: rows[0][0] for table, rows in counts.items()}

    async def _steps(self, thread: str) -> dict[str, list[dict[str, Any]]]:
        """The steps of every turn of *thread*, by turn."""
        names = ("n", "action", "arguments", "target", "state", "outcome")
        rows = await self._database.run(
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
    """A row of turns, as `Threads.turns` asks for it."""
    names = ("turn", "n", "goal", "piped", "intent", "status", "reply", "error", "started_at", "ended_at")
    turn = dict(zip(names, row, strict=True))
    return {**turn, "intent": turn["intent"] and json.loads(turn["intent"])}


def _beginning(goal: str, piped: str) -> str:
    """By what people know a turn again."""
    return goal or one_line(piped.strip().partition("\n")[0])


def _wanted(words: str) -> list[str]:
    """The single words to look for. Raises UsageError for none, and for too many."""
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
    """*word* as LIKE finds it literally."""
    for character in "!%_":
        word = word.replace(character, f"!{character}")
    return word
