"""Lists, shows, searches, and deletes threads. Keeps the lines typed in a chat with their thread."""

import contextlib
import os
import re
import sqlite3
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import NamedTuple

from ..core.errors import JarvisError, StoreFailed
from ..core.files import exclusive_lock, replace_file
from ..core.text import clean, one_line
from .database import Database, Locks, Row, Transaction, empty_log, open_to_read, sqlite_error
from .schema import ITEMS
from .turns import PastTurn, past_turns

_BEGINNING = 500  # characters of what was piped in, by which a thread is known again
_FOUND = 20  # turns that a search tells of
_PATIENCE = 10.0  # seconds that another process may hold the file
_MOST_NAMES = 200  # somebody reads through them
# LangGraph's own; `checkpoint_migrations` holds no words.
_CHECKPOINTS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
_COUNTS = ("model_calls", "searches", "input_tokens", "output_tokens")
# What was used up counts on, towards the day's limit, under no thread's name.
_FOLD_USAGE = f"INSERT INTO usage SELECT day, '', {', '.join(f'SUM({name})' for name in _COUNTS)} FROM usage"
_INTO_NOBODY = "GROUP BY day ON CONFLICT (day, thread) DO UPDATE SET " + ", ".join(
    f"{name} = usage.{name} + excluded.{name}" for name in _COUNTS
)


class Thread(NamedTuple):
    id: str
    turns: int
    created_at: float  # seconds since the epoch
    used_at: float
    last: str  # the first line of what was asked last; without any words, of what was piped in
    title: str  # empty where it began with words that may not be the person's own

    @property
    def formatted(self) -> str:
        """The thread's title, or its last request."""
        return self.title or self.last


class Threads(NamedTuple):
    """The threads of a history."""

    database: Database

    async def all(self) -> list[Thread]:
        """Return every thread, the one used last first."""
        rows = await self.database.run(
            "SELECT threads.id, turns, created_at, used_at,"
            f" COALESCE(NULLIF(goal, ''), SUBSTR(piped, 1, {_BEGINNING}), ''), title FROM threads"
            " LEFT JOIN turns AS t ON t.thread = threads.id AND t.n = threads.turns ORDER BY used_at DESC"
        )
        return [Thread(*row)._replace(last=one_line(row[4].strip().partition("\n")[0])) for row in rows]

    async def find(self, name: str) -> str:
        """Return the id of the thread called *name*, else of the last used one with that title, or ""."""
        same = "id = ? OR LOWER(title) = LOWER(?) ORDER BY id = ? DESC, used_at DESC LIMIT 1"
        rows = await self.database.run(f"SELECT id FROM threads WHERE {same}", name, name, name)
        return rows[0][0] if rows else ""

    async def rename(self, thread: str, title: str) -> bool:
        """Give *thread* another title, and return whether there is one of that id.

        That stays: the id of a terminal's is computed.
        """
        rename = "UPDATE threads SET title = ? WHERE id = ? RETURNING id"
        return bool(await self.database.run(rename, title, thread))

    async def turns(self, thread: str) -> list[PastTurn]:
        """Return the turns of *thread*, oldest first, each with its steps and its tables."""
        return await past_turns(self.database, "thread = ?", thread)

    async def search(self, words: str, thread: str | None = None) -> list[PastTurn]:
        """Return the latest turns that contain each of *words*, newest first."""
        wanted = clean(words).casefold().split()
        turns = await past_turns(self.database, "? IN ('', thread)", thread or "")
        found = [turn for turn in turns if all(word in turn.text for word in wanted)]
        return sorted(found, key=lambda turn: turn.started_at, reverse=True)[:_FOUND]

    async def delete(self, thread: str | None, locks: Locks, inflight: str) -> int:
        """Delete *thread*, or everything and the user's own lists. Returns the number of turns.

        inflight: the file of running turns, if they are not in the database too. Raises JarvisError, with
        nothing deleted, while a turn is running.
        """
        async with AsyncExitStack() as held:
            # Else those in which a turn is open: under way, or left so.
            left = "SELECT DISTINCT thread FROM turns WHERE confirmed != 1 AND status = 'open'"
            for (name,) in [(thread,)] if thread else await self.database.run(left):
                if (lock := await locks(name)) is None:
                    raise JarvisError(
                        f"A request is under way in the conversation {name}. Nothing was deleted.",
                        hint="Wait for it to end, or stop it with Ctrl-C, then try again.",
                        code="thread_busy",
                    )
                await held.enter_async_context(lock)
            return await self.database.atomically(lambda transaction: _delete(transaction, thread, inflight))


async def _delete(transaction: Transaction, thread: str | None, inflight: str) -> int:
    """Delete *thread*, or all threads. Returns the number of turns."""
    where, arguments = ("", ()) if thread is None else ("WHERE thread = ?", (thread,))
    turns = [row[0] for row in await transaction.run(f"SELECT id FROM turns {where}", *arguments)]
    whose = where or "WHERE thread != ''"
    statements = (
        f"DELETE FROM steps WHERE turn IN (SELECT id FROM turns {where})",
        f"{_FOLD_USAGE} {whose} {_INTO_NOBODY}",
        f"DELETE FROM usage {whose}",
        f"DELETE FROM addresses {where}",
        f"DELETE FROM leases {where}",
        f"DELETE FROM turns {where}",
        f"DELETE FROM threads {where.replace('thread', 'id')}",
        *([] if thread else [f"DELETE FROM {ITEMS}"]),
    )
    await transaction.send(*((sql, *arguments) for sql in statements))
    if inflight:  # in here: where it fails, all is left as it was
        _forget_file(inflight, turns if thread else None)
    else:
        await _forget_rows(transaction, turns)
    return len(turns)


async def _forget_rows(transaction: Transaction, turns: Sequence[str]) -> None:
    """Delete every checkpoint of *turns* from the Postgres that *transaction* is on."""
    find = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    there = {row[0] for row in await transaction.run(find)}
    for table in there.intersection(_CHECKPOINTS):
        await transaction.send((f"DELETE FROM {table} WHERE thread_id = ANY(?)", list(turns)))


def _forget_file(path: str, turns: Sequence[str] | None) -> None:
    """Delete every checkpoint of *turns*, or all, from the SQLite file at *path*, if there is one."""
    if not os.path.exists(path):
        return
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_PATIENCE)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            for table in there & {"checkpoints", "writes"}:
                if turns is None:  # those of an earlier format's turns too
                    connection.execute(f"DELETE FROM {table}")
                delete = f"DELETE FROM {table} WHERE thread_id = ?"
                connection.executemany(delete, [(turn,) for turn in turns or ()])
            connection.commit()
            empty_log(connection)  # or the words would stay there
    except sqlite3.Error as error:
        raise sqlite_error(error, path) from None


# For a prompt or a Tab: no file is made, no lock taken or waited for.


def known_threads(path: str) -> list[Row]:
    """Return the threads, last used first: name, title, last request."""
    return _read_now(
        path,
        "SELECT threads.id, title, COALESCE(goal, '') FROM threads LEFT JOIN turns AS t"
        f" ON t.thread = threads.id AND t.n = threads.turns ORDER BY used_at DESC LIMIT {_MOST_NAMES}",
    )


def glance(path: str, thread: str, day: str) -> Row:
    """Return the title of *thread*, and how many searches *day* had. None: none yet."""
    find = "SELECT (SELECT title FROM threads WHERE id = ?), (SELECT SUM(searches) FROM usage WHERE day = ?)"
    return next(iter(_read_now(path, find, thread, day)), (None, None))


def _read_now(path: str, find: str, *values: str) -> list[Row]:
    try:
        with contextlib.closing(open_to_read(path)) as connection:
            return connection.execute(find, values).fetchall()
    except (sqlite3.Error, StoreFailed):  # none, where that can't be told at once
        return []


# What was typed in chats.

_THREAD = "# thread "
_ENTRY = r"(?:(?!\+).*\n)*(?:\+.*\n)+"  # its head, and what was typed; compiled where it is needed


def keep_prompt(path: str, thread: str, text: str) -> None:
    """Add *text*, typed in *thread*, to the file at *path*, which several chats may write.

    prompt_toolkit reads this format: it takes an entry's lines that begin with +. Raises OSError or
    StoreFailed.
    """
    when = time.strftime("%Y-%m-%d %H:%M:%S")
    lines = "".join(f"+{line}\n" for line in text.split("\n"))
    with exclusive_lock(f"{path}.lock"), open(path, "ab") as file:
        file.write(f"\n# {when}\n{_THREAD}{thread}\n{lines}".encode(errors="replace"))


def forget_prompts(path: str, thread: str | None) -> None:
    """Delete the lines typed in *thread* (None: in all). Raises OSError or StoreFailed.

    Entries of earlier versions have no thread, so they go only if everything goes.
    """
    if not os.path.exists(path):
        return
    with exclusive_lock(f"{path}.lock"):
        with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
            entries = re.findall(_ENTRY, file.read())
        left = [entry for entry in entries if thread and f"\n{_THREAD}{thread}\n" not in entry]
        replace_file(path, "".join(left))
