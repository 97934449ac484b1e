"""Runs turns, one at a time in each thread. What one turn does stands in loop.py."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from ..config.settings import Settings
from ..core.errors import JarvisError, StoreFailed, ThreadBusy
from ..core.events import Notice, TurnEnded
from ..core.frontend import Front, Words, listener
from ..core.text import refuse_keys
from ..core.types import Performed, Turn
from ..policy.consents import Consents
from ..store.locks import FileLock, Lock
from ..store.open import Store
from ..store.turns import find_turn, reopening, settle
from .loop import Engine, LoopTurn
from .summary import replay

_BUSY_SECONDS = 10.0


class Session:
    def __init__(self, engine: Engine, store: Store, settings: Settings) -> None:
        self.warm = engine.models.warm  # does what the first turn would have to do otherwise, on any thread
        self._engine = engine
        self._store = store
        self._thread = settings.thread
        self._state = settings.folders.state
        self._keys = settings.keys()
        self._consents = Consents(settings.folders.consents)

    async def turn(self, words: Words, thread: str, front: Front) -> TurnEnded:
        """Do what *words* ask, or go on with a turn, told to *front* as it happens.

        Raises StoreFailed, ThreadBusy or UsageError where nothing was begun; any later failure is an event.
        """
        refuse_keys(f"{words.own}\0{words.piped}", self._keys)
        async with self._engine.limiter.slot(thread, front.tell), self._locked(thread, front) as lock:
            began = time.time()
            await self._settle(thread)
            if words.did is not None and (ended := await self._ended(words, words.did, front)):
                return ended
            turn = Turn(words.turn or os.urandom(8).hex(), thread, 0, ())
            loop = LoopTurn(self._engine, turn, words, front, lock)
            told = await loop.run()
            await self._keep_list(thread, loop, began)
            return told

    async def answer(self, words: Words, front: Front) -> TurnEnded:
        """Go on with the turn that waits for the answer in *words*: it counts once, for a day.

        Raises UsageError, with the question left as it was, where it can't be answered so.
        """
        from .plain import take  # few answer later

        taken = await take(self._store.database, words.answer, again=words.did is not None)
        await self._store.database.run_all(reopening(taken.id))
        own = words._replace(own=taken.goal, piped=taken.material, turn=taken.id, did=words.did or ())
        return await self.turn(own, taken.thread, front)

    async def thread(self, named: str, own: str, *, used_last: bool, of_turn: str = "") -> str:
        """Return the thread for a person who *named* one, or none, or wants the one used last.

        own: that of their terminal. of_turn: a turn that may have begun already, and then is in one.
        """
        if of_turn and (begun := await find_turn(self._store.database, of_turn)):
            return begun.thread
        last = await (self._store.outbox or self._store.history).last_thread() if used_last else None
        return last or named or self._thread or own

    async def deliver(self) -> None:
        """Bring plain commands from this machine to the database, if that is on a server."""
        if self._store.outbox:
            await self._store.outbox.deliver(self._store.database)

    async def rest(self) -> None:
        """Close the file of history until the next turn: meanwhile it may be moved or replaced."""
        await (self._store.outbox or self._store.history).close()

    @asynccontextmanager
    async def _locked(self, thread: str, front: Front) -> AsyncIterator[Lock]:
        """Hold the lock of *thread*; *front* is told what may hold the turn up meanwhile."""
        heard = listener.set(lambda text: front.tell(Notice(text)))
        lock = self._store.lock(thread)
        try:
            await self._take(lock, thread, front)
            yield lock
        finally:
            await lock.release()
            listener.reset(heard)

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
                by = "in use by another process"
                front.tell(Notice(f"The thread {thread} is {by}: waiting"))
            await asyncio.sleep(0.1)

    async def _settle(self, thread: str) -> None:
        """Bring plain commands to the database, also those that a crash left open in *thread*.

        Yeses for threads that were deleted elsewhere end with them.
        """
        if outbox := self._store.outbox:
            await settle(outbox.database, thread, FileLock(self._state, thread))
        await self.deliver()
        given = self._consents.threads()
        for name in set(given) - await self._store.threads.known(given) if given else ():
            self._consents.forget(name)

    async def _ended(self, words: Words, did: Sequence[Performed], front: Front) -> TurnEnded | None:
        """Return the end of the turn of *words*, where it had ended and only was not told.

        Raises StoreFailed for one that history has lost.
        """
        left = await find_turn(self._store.database, words.turn)
        if left is None and did:
            raise StoreFailed("History has nothing of this any more.", hint="See: jarvis doctor")
        if left is None or left.is_left:
            return None
        return await replay(left, words.own, did, self._store.history, self._engine.parts.actions, front.tell)

    async def _keep_list(self, thread: str, turn: LoopTurn, began: float) -> None:
        """Keep the list last shown for plain commands, which don't ask the server what `open 2` means.

        turn: it has ended. began: when it did; what another terminal listed here since then stays.
        """
        if not (outbox := self._store.outbox):
            return
        with suppress(JarvisError):  # the turn has ended, and was told
            addresses = self._store.history.addresses
            shown = await addresses.last_list(thread) if turn.has_listed else turn.list_before
            await outbox.keep_list(thread, *shown, known_at=began)


__all__ = ["Session", "Words"]
