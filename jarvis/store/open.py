"""Opens the store that the settings name: a file, or a Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

from ..config.settings import Settings
from ..core.errors import StoreFailed
from ..policy.consents import Consents
from .database import VERSION, Database
from .history import History
from .locks import AdvisoryLock, FileLock, Locks
from .outbox import Outbox, server_of
from .sqlite import Sqlite, checked_version
from .threads import Deletion, PromptHistory, Threads


class Store(NamedTuple):
    """All that outlives a turn."""

    database: Database
    history: History
    threads: Threads
    delete: Deletion
    lock: Locks
    outbox: Outbox | None = None  # where plain turns wait to be delivered; None: they are in history at once


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Store]:
    """Open the store, and never another instead. Raises StoreFailed, ServiceUnreachable, SettingsError."""
    folders, consents = settings.folders, Consents(settings.folders.consents)
    typed = PromptHistory(folders.chat_history)
    if not settings.database_url:
        file, lock = Sqlite(folders.history), partial(FileLock, folders.state)
        try:
            await file.open()
            delete = Deletion(file, lock, folders.inflight, consents=consents, typed=typed)
            yield Store(file, History(file), Threads(file), delete, lock)
        finally:
            await file.close()
        return
    # Most have no server.
    from .postgres import Postgres

    budgets = settings.budgets
    server = Postgres(settings.database_url.reveal(), budgets.database_seconds, budgets.database_connections)
    outbox = Outbox(Sqlite(folders.outbox), server_of(settings.database_url.reveal()))
    locks = partial(AdvisoryLock, server)
    try:
        await server.open()
        await outbox.deliver(server)
        delete = Deletion(server, locks, outbox=outbox, consents=consents, typed=typed)
        yield Store(server, History(server), Threads(server), delete, locks, outbox)
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
