"""Runs turns, one at a time in each thread. What one turn does stands in loop.py."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ..actions.base import Services
from ..agent.meter import Meter
from ..agent.models import Models
from ..config.market import market_of
from ..config.settings import Settings
from ..core.errors import JarvisError, StoreFailed, ThreadBusy
from ..core.events import Notice, TurnEnded, Unsure
from ..core.frontend import Front, Words, listener
from ..core.text import refuse_keys
from ..core.types import ALIAS, SITE, Performed
from ..core.urls import typed_addresses
from ..launcher import aliases
from ..launcher.lookup import aliases_named, sites_named
from ..packs.open_actions import OpenActions
from ..policy import rules_file
from ..policy.approval import Memory
from ..policy.consents import Consents
from ..store.abandoned import close_thread
from ..store.left_turns import find_left, settle
from ..store.locks import Lock
from ..store.log import Log
from ..store.open import Store
from ..store.usage import Ledger
from .limiter import Limiter
from .loop import LoopTurn
from .parts import SessionParts
from .progress import Progress, read_progress
from .replay import replay

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
            limiter=Limiter(settings.budgets.turns_at_once),
            meter=lambda turn, model: Meter(
                ledger,
                log,
                turn,
                model or settings.model,
                most=settings.budgets.credits,
                has_search_key=bool(settings.serpapi_key),
            ),
            model=models.patient,
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

        Raises StoreFailed, ThreadBusy or UsageError where nothing was begun; any later failure
        is an event.
        """
        refuse_keys(f"{words.own}\0{words.piped}", self._keys)
        if self._store.warning:
            front.tell(Notice(self._store.warning))
            self._store = self._store._replace(warning="")
        async with self._parts.limiter.slot(thread, front.tell):
            return await self._let_through(words, thread, front)

    async def _let_through(self, words: Words, thread: str, front: Front) -> TurnEnded:
        """Do what *words* ask, once no other process has the thread."""
        heard = listener.set(lambda text: front.tell(Notice(text)))
        lock = self._store.lock(thread)
        try:
            await self._take(lock, thread, front)
            began = time.time()
            await self._settle(thread)
            progress = None
            if words.did is not None and (behind := await self._behind(words, words.did, front)):
                if isinstance(behind, TurnEnded):
                    return behind
                progress = behind
            typed, piped = typed_addresses(words.own), typed_addresses(words.piped)
            named, left = self._named(words.own), list[Unsure]()
            turn = await self._store.history.begin(
                thread, words.own, typed, piped, named, material=words.piped, left=left.append, id_=words.turn
            )
            loop = LoopTurn(self._parts, turn, words, front, lock, left, progress)
            ended = await loop.run()
            await self._keep_list(thread, loop, began)
            return ended
        finally:
            await lock.release()
            listener.reset(heard)

    async def _behind(
        self, words: Words, did: Sequence[Performed], front: Front
    ) -> Progress | TurnEnded | None:
        """Return what the turn of *words* has behind it, at which a brain died; its end, where it had ended.

        None: it had not begun. Raises StoreFailed for one that history has lost.
        """
        left = await find_left(self._store.database, words.turn)
        if left is None:
            if did:
                raise StoreFailed("History has nothing of this any more.", hint="See: jarvis doctor")
            return None
        if not left.is_left:
            return await replay(left, words.own, did, self._store.history, self._parts.actions, front.tell)
        kept = await self._parts.saver.state_of(left.id)
        progress = await read_progress(self._store.database, left, kept, did)
        await settle(self._store.database, left, progress.steps, did)
        return progress

    async def thread(self, named: str, own: str, *, used_last: bool, of_turn: str = "") -> str:
        """Return the thread for a person who *named* one, or none, or wants the one used last.

        own: that of their terminal. of_turn: a turn that may have begun already, and then is in one.
        """
        if of_turn and (begun := await find_left(self._store.database, of_turn)):
            return begun.thread
        last = await (self._store.outbox or self._store.history).last_thread() if used_last else None
        return last or named or self._thread or own

    async def deliver(self) -> None:
        """Bring plain commands from this machine to the database, if that is on a server."""
        if self._store.outbox:
            await self._store.outbox.deliver(self._store.database)

    async def rest(self) -> None:
        """Let go of the files of history until the next turn: meanwhile they may be moved or replaced."""
        for history in filter(None, (self._store.history, self._store.outbox)):
            await history.database.rest()

    def _named(self, words: str) -> list[tuple[str, str, str]]:
        """Return what *words* name that is known by its name: as (address, source, name)."""
        own = aliases_named(words, aliases.load(self._aliases))
        sites = [(url, SITE, name) for name, url in sites_named(words) if name not in dict(own)]
        return [(url, ALIAS, name) for name, url in own] + sites

    async def _settle(self, thread: str) -> None:
        """Bring plain commands to the database, also those that a crash left open in *thread*.

        Yeses for threads that were deleted elsewhere end with them.
        """
        if outbox := self._store.outbox:
            await close_thread(outbox.database, thread)
        await self.deliver()
        given = self._consents.threads()
        for name in set(given) - await self._store.threads.known(given) if given else ():
            self._consents.forget(name)

    async def _keep_list(self, thread: str, turn: LoopTurn, began: float) -> None:
        """Keep the list last shown for plain commands, which don't ask the server what `open 2` means.

        turn: it has ended. began: when it did; what another terminal listed here since then stays.
        """
        if not (outbox := self._store.outbox):
            return
        with suppress(JarvisError):  # the turn has ended, and was told
            if listed := turn.listed:
                await outbox.keep_list(thread, *listed)
            else:
                await outbox.keep_list(thread, *turn.list_before, known_at=began)

    async def _take(self, lock: Lock, thread: str, front: Front) -> None:
        """Wait for the turns of other processes, however many, but for none that lasts."""
        begun, deadline, by = -1, 0.0, ""
        while not await lock.take():
            if time.monotonic() > deadline:
                before, begun = begun, await self._store.history.begun(thread)
                if before == begun:
                    hint = "Wait for it, or use another: jarvis -t other …"
                    raise ThreadBusy(f"The thread {thread} is {by}.", hint=hint)
                deadline = time.monotonic() + _BUSY_SECONDS
            if not by:
                by = f"in use by {await lock.holder() or 'another process'}"
                front.tell(Notice(f"The thread {thread} is {by}: waiting"))
            await asyncio.sleep(0.1)


__all__ = ["Session", "Words"]
