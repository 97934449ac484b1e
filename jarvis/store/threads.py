"""Lists, shows and searches threads."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, NamedTuple

from ..core.errors import UsageError
from ..core.events import Tabled
from ..core.text import clean, one_line
from .database import Database, Row
from .listed import tables_in
from .schema import OWN, TABLES

_BEGINNING = 500  # characters of what was piped in, by which a thread is known again
_FOUND = 20  # turns that a search tells of
_MOST_WORDS = 20  # of one search
_LONGEST_WORDS = 1000  # characters of them all: SQLite takes no pattern of more than 50,000 bytes


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
