"""The store that the settings name, opened: a file of ours, or a Postgres."""

from __future__ import annotations

import contextlib
import getpass
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..errors import StoreFailed
from ..settings import Settings
from ..typed import NamedTuple
from .database import Database, Rows
from .history import History
from .locks import Locks, file_locks
from .outbox import Outbox
from .sqlite import Sqlite
from .threads import Threads


class Store(NamedTuple):
    """What outlives a turn."""

    database: Database
    history: History
    threads: Threads
    lock: Locks
    outbox: Outbox | None = None  # where plain turns wait to be delivered; None: they are in history at once
    warning: str = ""  # for the person, once


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Store]:
    """Raises StoreFailed, ServiceUnreachable or SettingsError: another store is never taken instead."""
    folders = settings.folders
    if not settings.database_url:
        file, lock = Sqlite(folders.history), file_locks(folders.state)
        try:
            yield Store(file, History(file), Threads(file, lock, folders.inflight), lock)
        finally:
            await file.close()
        return
    from .advisory import AdvisoryLocks
    from .postgres import Postgres

    server = Postgres(settings.database_url.reveal(), settings.budgets.database_seconds)
    outbox = Outbox(folders.outbox)
    locks = AdvisoryLocks(server)
    try:
        await server.open()
        await outbox.deliver(server)
        warning = ""
        with contextlib.suppress(StoreFailed):  # a role that may only read
            warning = await _meet(server)
        yield Store(server, History(server), Threads(server, locks, outbox=outbox), locks, outbox, warning)
    finally:
        await locks.close()
        await server.close()
        await outbox.close()


async def _meet(server: Database) -> str:
    """A warning, once for each newcomer, where somebody else's history is in the same place."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        return ""

    async def work(rows: Rows) -> list[str]:
        await rows.run("INSERT INTO people (name) VALUES (?) ON CONFLICT (name) DO NOTHING", name)
        others = [str(r[0]) for r in await rows.run("SELECT name FROM people WHERE name != ?", name)]
        known = (await rows.run("SELECT warned FROM people WHERE name = ?", name))[0][0]
        if len(others) <= known:
            return []
        await rows.run("UPDATE people SET warned = ? WHERE name = ?", len(others), name)
        return others

    others = await server.atomically(work)
    told = f"{server.name} also keeps the history of {', '.join(sorted(others))}. If that is not you:"
    return f"{told} one person per database or schema, or each reads the other's." if others else ""
