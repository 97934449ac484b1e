"""Opens the store that the settings name: a file, or a Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ..config.settings import Settings
from ..core.told import forget_told
from .database import Database, Locks
from .history import History
from .outbox import Outbox, server_of
from .sqlite import Sqlite, checked_version, file_lock
from .threads import Deletion, Threads, forget_prompts

if TYPE_CHECKING:
    from .postgres import Postgres


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
    folders, url = settings.folders, settings.database_url.reveal()
    database = _server(settings) if url else Sqlite(folders.history)
    lock = partial(file_lock, folders.state) if isinstance(database, Sqlite) else database.lock
    outbox = Outbox(Sqlite(folders.outbox), server_of(url)) if url else None
    delete = Deletion(
        database,
        lock,
        inflight="" if url else folders.inflight,
        in_outbox=outbox.forget if outbox else None,
        beside={
            "What you typed": partial(forget_prompts, folders.chat_history),
            "What you were told": partial(forget_told, folders.state),
        },
    )
    try:
        await database.open()
        if outbox:
            await outbox.deliver(database)
        yield Store(database, History(database), Threads(database), delete, lock, outbox)
    finally:
        await database.close()
        if outbox:
            await outbox.close()


def condition_of(settings: Settings) -> str:
    """Return where history is, and how it is there; nothing is changed. Raises as `opened` does."""
    folders = settings.folders
    if settings.database_url:
        from ..core.concurrency import run_async  # most have no server

        checked_version(folders.outbox)
        server = _server(settings)
        version = run_async(server.look())
        told = f"{server.name}, schema {server.schema}"
    else:
        checked_version(folders.inflight)
        version = checked_version(folders.history)
        told = f"SQLite, {folders.history}"
    return told if version else f"{told}; nothing is kept there yet"


def _server(settings: Settings) -> Postgres:
    from .postgres import Postgres  # most have no server

    budgets = settings.budgets
    return Postgres(settings.database_url.reveal(), budgets.database_seconds, budgets.database_connections)
