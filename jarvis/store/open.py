"""Opens the store that the settings name: a file, or a Postgres."""

from __future__ import annotations

import contextlib
import getpass
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from ..config.settings import Settings
from ..core.errors import BrokenFile, StoreFailed
from ..core.frontend import listener
from ..core.text import one_line
from ..policy.consents import Consents
from ..policy.rules import WORDS
from .database import Database, Row
from .history import History
from .locks import Locks, advisory_locks, file_locks
from .outbox import Outbox, server_of
from .schema import VERSION
from .sqlite import Sqlite, checked_version
from .threads import Deletion, PromptHistory, Threads

_NAMED = 5  # permissions that count no longer, at most


class Store(NamedTuple):
    """All that outlives a turn."""

    database: Database
    history: History
    threads: Threads
    delete: Deletion
    lock: Locks
    outbox: Outbox | None = None  # where plain turns wait to be delivered; None: they are in history at once
    warning: str = ""  # for the person, once


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Store]:
    """Open the store, and never another instead. Raises StoreFailed, ServiceUnreachable, SettingsError."""
    folders, consents = settings.folders, Consents(settings.folders.consents)
    typed = PromptHistory(folders.chat_history)
    if not settings.database_url:
        file, lock = Sqlite(folders.history), file_locks(folders.state)
        try:
            warning = await _ready(file)
            delete = Deletion(file, lock, folders.inflight, consents=consents, typed=typed)
            yield Store(file, History(file), Threads(file), delete, lock, warning=warning)
        finally:
            await file.close()
        return
    # Most have no server.
    from .postgres import Postgres

    budgets = settings.budgets
    server = Postgres(settings.database_url.reveal(), budgets.database_seconds, budgets.database_connections)
    outbox = Outbox(Sqlite(folders.outbox), server_of(settings.database_url.reveal()))
    locks = advisory_locks(server)
    try:
        await server.open()
        await outbox.deliver(server)
        delete = Deletion(server, locks, outbox=outbox, consents=consents, typed=typed)
        warnings = [await _met(server), await _revoked(server), await _revoked(outbox.database)]
        history = History(server)
        yield Store(server, history, Threads(server), delete, locks, outbox, " ".join(filter(None, warnings)))
    finally:
        await server.close()
        await outbox.close()


def condition_of(settings: Settings) -> str:
    """Return where history is, and how it is there; nothing is changed. Raises as `opened` does."""
    folders = settings.folders
    if settings.database_url:
        checked_version(folders.outbox)
        return _condition_of_server(settings)
    checked_version(folders.inflight)
    version = checked_version(folders.history)
    if (version or 0) > VERSION:
        raise StoreFailed(
            f"{folders.history} was written by a newer version of Jarvis.", hint="Update Jarvis."
        )
    return f"SQLite, {folders.history}" if version else "SQLite; nothing was kept yet"


def _condition_of_server(settings: Settings) -> str:
    # Most have no server.
    from ..core.concurrency import run_async
    from .postgres import Postgres

    server = Postgres(settings.database_url.reveal(), settings.budgets.database_seconds)
    version = run_async(server.look())
    return f"{server.name}, schema {server.schema}{'' if version else '; it has no tables of ours yet'}"


async def _ready(file: Sqlite) -> str:
    """Open *file*, or a new one in place of one that is broken. Return a warning for the person."""
    try:
        await file.open()
        return await _revoked(file)
    except BrokenFile as broken:
        warning = "" if listener.get() else f"{broken.message} {broken.hint}"  # who listens was told
        return f"{warning} {await _ready(file)}".strip()


@contextlib.contextmanager
def _tolerated() -> Iterator[None]:
    """Go on without what can't be written by a role that may only read, or on a full disk."""
    try:
        yield
    except BrokenFile:
        raise
    except StoreFailed:
        return


async def _revoked(database: Database) -> str:
    """Delete the yeses that an earlier version kept in *database*, and return what to tell of them.

    Somebody who can write a database could have written them, so none is taken over.
    """
    found: list[Row] = []
    with _tolerated():
        rows = await database.run("SELECT thread, effect, name FROM allowed ORDER BY thread, effect, name")
        if rows:
            await database.run("DELETE FROM allowed")
        found = rows
    if not found:
        return ""
    words = {effect: word for word, effect in reversed(WORDS.items())}
    named = [
        f"{one_line(f'{words.get(effect, effect)} {name}', 100)} in thread {one_line(thread, 64)}"
        for thread, effect, name in found[:_NAMED]
    ]
    more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    told = f"Permissions that were kept in the database count no longer: {'; '.join(named)}{more}."
    return f"{told} Jarvis asks again."


async def _met(server: Database) -> str:
    """Return a warning, once for each who is new, where another person's history is in the same place."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        return ""
    others: list[Row] = []
    with _tolerated():
        _, others, ((known,), *_) = await server.run_all(
            ("INSERT INTO people (name) VALUES (?) ON CONFLICT (name) DO NOTHING", name),
            ("SELECT name FROM people WHERE name != ? ORDER BY name", name),
            ("SELECT warned FROM people WHERE name = ?", name),
        )
        if len(others) <= known:
            return ""
        await server.run("UPDATE people SET warned = ? WHERE name = ?", len(others), name)
    told = (
        f"{server.name} also keeps the history of {', '.join(row[0] for row in others)}. If that is not you:"
    )
    return f"{told} one person per database or schema, or each reads the other's." if others else ""
