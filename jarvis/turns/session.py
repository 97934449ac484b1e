"""Runs turns, one at a time in each thread. What one turn does stands in loop.py."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from functools import partial
from typing import Any

from ..actions.base import Services
from ..agent.meter import Meter
from ..agent.models import Models
from ..config.market import market_of
from ..config.settings import Settings
from ..core.errors import JarvisError, ThreadBusy
from ..core.events import Notice, TurnEnded, Unsure
from ..core.frontend import Front, Words, listener
from ..core.text import refuse_keys
from ..core.types import ALIAS, SITE
from ..core.urls import typed_addresses
from ..launcher import aliases
from ..launcher.lookup import aliases_named, sites_named
from ..packs.open_actions import OpenActions
from ..policy import rules_file
from ..policy.approval import Memory
from ..policy.consents import Consents
from ..store.locks import Lock
from ..store.log import Log
from ..store.open import Store
from ..store.usage import Ledger
from .loop import LoopTurn
from .parts import SessionParts

_BUSY_SECONDS = 10.0
_SHORTEST_KEY = 12  # characters; a shorter one may be a word


class Session:
    def __init__(
        self,
        graph: Any,
        saver: Any,
        store: Store,
        settings: Settings,
        actions: OpenActions,
        log: Log,
        models: Models,
        services: Services,
    ) -> None:
        self.warm = models.warm  # does what the first turn would have to do otherwise, on any thread
        self._store = store
        ledger = Ledger(store.database, settings.daily)
        self._thread = settings.thread
        self._keys = settings.keys()
        self._consents = Consents(settings.folders.consents)
        self._aliases = settings.folders.aliases
        rules = settings.folders.policy
        keys = [key.casefold() for key in settings.secrets()]  # many are the same in capitals
        self._parts = SessionParts(
            graph=graph,
            saver=saver,
            history=store.history,
            services=services,
            open_actions=actions,
            budgets=settings.budgets,
            meter=lambda turn, model: Meter(
                ledger,
                log,
                turn,
                model or settings.model,
                most=settings.budgets.credits,
                has_search_key=bool(settings.serpapi_key),
            ),
            model=models.named,
            policy=lambda: rules_file.load_rules(rules),
            memory=Memory(partial(rules_file.remember, rules), self._consents.allow),
            allowed=self._consents.allowed,
            aliases=lambda: aliases.load(self._aliases),
            pick=partial(aliases.picked, self._aliases),
            market=market_of(settings),
            holds_key=lambda text: any(k in text.casefold() for k in keys if len(k) >= _SHORTEST_KEY),
        )

    async def turn(self, words: Words, thread: str, front: Front) -> TurnEnded:
        """Do what *words* ask, told to *front* as it happens.

        Raises StoreFailed, ThreadBusy or UsageError where nothing was begun; any later failure is an event.
        """
        refuse_keys(f"{words.own}\0{words.piped}", self._keys)
        heard = listener.set(lambda text: front.tell(Notice(text)))
        lock = self._store.lock(thread)
        try:
            if self._store.warning:
                front.tell(Notice(self._store.warning))
                self._store = self._store._replace(warning="")
            await self._take(lock, thread, front)
            await self._settle(thread, front)
            typed, piped = typed_addresses(words.own), typed_addresses(words.piped)
            turn = await self._store.history.begin(
                thread, words.own, typed, piped, self._named(words.own), material=words.piped
            )
            ended = await LoopTurn(self._parts, turn, words, front, lock).run()
            await self._keep_list(thread)
            return ended
        finally:
            await lock.release()
            listener.reset(heard)

    async def thread(self, named: str, own: str, *, used_last: bool) -> str:
        """Return the thread for a person who *named* one, or none, or wants the one used last.

        own: that of their terminal.
        """
        last = await (self._store.outbox or self._store.history).last_thread() if used_last else None
        return last or named or self._thread or own

    async def deliver(self) -> None:
        """Bring plain commands from this machine to the database, if that is on a server."""
        if self._store.outbox:
            await self._store.outbox.deliver(self._store.database)

    def _named(self, words: str) -> list[tuple[str, str, str]]:
        """Return what *words* name that is known by its name: as (address, source, name)."""
        own = aliases_named(words, aliases.load(self._aliases))
        sites = [(url, SITE, name) for name, url in sites_named(words) if name not in dict(own)]
        return [(url, ALIAS, name) for name, url in own] + sites

    async def _settle(self, thread: str, front: Front) -> None:
        """Tell what a crash left open in *thread*, and bring plain commands to the database.

        Yeses for threads that were deleted elsewhere end with them.
        """
        outbox = self._store.outbox
        for history in (self._store.history, *([outbox] if outbox else [])):
            for left in await history.close_abandoned(thread):
                front.tell(Unsure(thread, left.turn, left.n, left.action, left.target))
        await self.deliver()
        given = self._consents.threads()
        for name in set(given) - await self._store.threads.known(given) if given else ():
            self._consents.forget(name)

    async def _keep_list(self, thread: str) -> None:
        """Keep the list last shown for plain commands, which don't ask the server what `open 2` means."""
        if self._store.outbox:
            with suppress(JarvisError):  # the turn has ended, and was told
                await self.deliver()  # what another terminal listed here meanwhile
                shown, tables = await self._store.history.addresses.last_list(thread)
                await self._store.outbox.keep_list(thread, shown, tables)

    async def _take(self, lock: Lock, thread: str, front: Front) -> None:
        """Wait for the turns of others, however many, but for none that lasts."""
        begun, deadline, by = -1, 0.0, ""
        while not await lock.take():
            if time.monotonic() > deadline:
                before, begun = begun, await self._store.history.begun(thread)
                if before == begun:
                    hint = "Wait for it, or use another: jarvis -t other …"
                    raise ThreadBusy(f"The thread {thread} is {by}.", hint=hint)
                deadline = time.monotonic() + _BUSY_SECONDS
            if not by:
                by = f"in use by {_other(await lock.holder())}"
                front.tell(Notice(f"The thread {thread} is {by}: waiting"))
            await asyncio.sleep(0.1)


def _other(holder: str) -> str:
    """Return who holds a lock, in words for the person: one process may serve all of their terminals."""
    if holder == f"process {os.getpid()}":
        return "another terminal, where it may wait for an answer"
    return holder or "another process"


__all__ = ["Session", "Words"]
