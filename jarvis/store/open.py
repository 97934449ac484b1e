"""Opens the store that the settings name: a file, or a Postgres."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from socket import gethostname
from typing import TYPE_CHECKING, NamedTuple

from ..config.settings import Settings
from ..config.sources import Folders, read_own
from ..core.errors import JarvisError
from ..core.events import notice
from ..core.files import exclusive_lock, private_file, replace_file
from ..core.text import one_line
from .database import EARLIER, Database, Locks, Sqlite, checked_version, file_lock
from .history import History
from .outbox import Outbox, server_of
from .schema import FIND_OTHERS
from .shown_notes import forget_shown_notes, should_show
from .threads import Threads, forget_prompts

if TYPE_CHECKING:
    from .postgres import Postgres


class Store(NamedTuple):
    """All that outlives a turn."""

    folders: Folders
    database: Database
    history: History
    threads: Threads
    lock: Locks
    outbox: Outbox | None = None  # where plain turns wait to be delivered; None: they are in history at once

    async def arrive(self) -> None:
        """Bring plain commands to a server. Where history went elsewhere before, tell so first."""
        place, before = self.outbox.server if self.outbox else "", read_own(self.folders.server)
        if place != before:
            others = self.outbox and await self.database.run(FIND_OTHERS)
            beside = ", where other programs have tables too" if others else ""
            if before or others or os.access(self.folders.history, os.F_OK):
                notice(f"From now on history goes to {self.database.name}{beside}.", must_know=True)
            with exclusive_lock(f"{self.folders.server}.lock"):
                replace_file(private_file(self.folders.server), place)
        if self.outbox:
            await self.outbox.deliver(self.database)
            if should_show(self.folders.state, "", "met by", str(os.getpid())):  # once a process
                await self._meet()

    async def _meet(self) -> None:
        """Tell, once, who else keeps history in the same tables."""
        own = f"{gethostname()}:{self.folders.data}"
        add = "INSERT INTO people (name) VALUES (?) ON CONFLICT (name) DO NOTHING"
        _, rows = await self.database.run_all((add, own), ("SELECT name FROM people WHERE name != ?", own))
        others = one_line(", ".join(sorted(name for (name,) in rows if ":" in name)), 200)
        if others and should_show(self.folders.state, "", self.database.name, others):
            shared = f"{self.database.name} is shared with {others}."
            notice(f"{shared} Unless that is you, they can read what you keep there.", must_know=True)

    async def delete(self, thread: str | None) -> int:
        """Delete all of *thread*. None: delete all threads and the user's own lists.

        Returns the number of turns. In a file, freed pages and the write-ahead log are overwritten. Raises
        JarvisError, with nothing deleted, while a turn is running.
        """
        inflight = "" if self.database.shared else self.folders.inflight
        turns = await self.threads.delete(thread, self.lock, inflight)
        try:
            forget_prompts(self.folders.chat_history, thread)
        except (JarvisError, OSError) as error:  # the thread is gone already
            notice(f"Can't delete what you typed in {thread or 'your conversations'}: {error}")
        forget_shown_notes(self.folders.state, thread)
        await self.database.tidy()
        if self.outbox:
            await self.outbox.forget(thread)
        return turns


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[Store]:
    """Open the store, and never another instead. Raises StoreFailed, ServiceUnreachable, SettingsError."""
    folders, url = settings.folders, settings.database_url.reveal()
    database = _server(settings) if url else Sqlite(folders.history)
    lock = partial(file_lock, folders.state) if isinstance(database, Sqlite) else database.lock
    outbox = Outbox(Sqlite(folders.outbox), server_of(url)) if url else None
    try:
        await database.open()
        if outbox and outbox.server == read_own(folders.server):
            await outbox.deliver(database)
        yield Store(folders, database, History(database), Threads(database), lock, outbox)
    finally:
        await database.close()
        if outbox:
            await outbox.database.close()


def condition_of(settings: Settings) -> str:
    """Return where history is and its condition. Changes nothing. Raises the same errors as opening it."""
    folders = settings.folders
    if settings.database_url:
        checked_version(folders.outbox)
        place, version = _server(settings).looked_at()
    else:
        checked_version(folders.inflight)
        place, version = f"SQLite, {folders.history}", checked_version(folders.history)
    return place + {
        0: ", empty so far",
        EARLIER: ", from an older version of Jarvis: your next request moves it aside",
    }.get(version, "")


def _server(settings: Settings) -> Postgres:
    from .postgres import Postgres  # most have no server

    budgets = settings.budgets
    return Postgres(settings.database_url.reveal(), budgets.database_seconds, budgets.database_connections)
