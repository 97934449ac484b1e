"""Joins the parts of a session, which runs turns, one at a time in each thread. One turn is loop.py's."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from functools import partial

from ..actions.base import Services, plannable
from ..agent.graph import build_graph, savers_for
from ..agent.meter import Meter
from ..agent.models import Models
from ..agent.state import PersonsFiles, SessionParts
from ..config.keys import BRAVE, SERPAPI
from ..config.settings import Settings
from ..core.concurrency import Limiter, in_thread, telling_late
from ..core.errors import JarvisError, StoreFailed
from ..core.events import Frontend, TurnEnded, Words, listen
from ..core.text import refuse_keys
from ..core.types import Facts, Turn
from ..launcher import aliases
from ..launcher.match import look_up, named_in
from ..packs.context import PackContext
from ..packs.pack import OpenActions, half_ready, market, ready
from ..pages.page import read_page
from ..policy import rules
from ..search.hosts import GraphEntries
from ..search.other_search import other_search
from ..search.serpapi import SerpApi
from ..store.database import Lock, file_lock
from ..store.history import settle
from ..store.log import Log, log_of_turn
from ..store.open import Store, open_store
from ..store.turns import find_turn, take_answered
from ..store.usage import Ledger
from .loop import Engine, LoopTurn

_BUSY_SECONDS = 10.0  # for the turns of other processes, after the lock of a dead one has run out
_LOOK = 0.2  # seconds between two looks whether it is free
_SHORTEST_KEY = 12  # characters; a shorter one may be a word


class Session:
    def __init__(self, engine: Engine, store: Store, settings: Settings, log: Log) -> None:
        self.settings = settings
        self.log = log
        self._engine = engine
        self._store = store

    async def turn(self, words: Words, thread: str, frontend: Frontend) -> TurnEnded:
        """Do the request *words*, or continue a turn. *frontend* gets the events.

        Raises a JarvisError if nothing was begun. Any later failure is an event. If the question can't be
        answered that way, it stays as it was.
        """
        listen(frontend.tell)
        log_of_turn.set(self.log)
        resumes = words.did is not None
        if words.answer:
            await self._store.arrive()  # it may be a plain command's
            asks = await take_answered(self._store.database, words.answer, again=resumes)
            words, thread = words._replace(own=asks.goal, piped=asks.material), asks.thread
            words = words._replace(turn=asks.id, did=words.did or ())
        refuse_keys(f"{words.own}\0{words.piped}", self.settings.keys())
        turn = Turn(words.turn or os.urandom(8).hex(), thread, 0, ())
        limiter, tell = self._engine.limiter, frontend.tell
        async with (
            limiter.in_thread(thread, tell),
            self._locked(turn, frontend, resumes=resumes) as lock,
            limiter.slot(tell),
        ):
            await self._settle(thread)
            if words.did and await find_turn(self._store.database, words.turn) is None:
                raise StoreFailed("History has nothing of this any more.", hint="See: jarvis doctor")
            run = LoopTurn(self._engine, turn, lock, words, frontend)
            try:
                ended = await run.run()
                if not ended.summary["unkept"]:
                    await self._keep_list(thread, ended.summary)
                return ended
            finally:  # while the lock is held: what is not confirmed yet is not reported by others
                await run.confirm()

    async def thread(self, given: str, own: str, *, used_last: bool) -> str:
        """Return the thread for a person who *given* one, by its title too, or none, or wants the last one.

        own: that of their terminal.
        """
        last = await (self._store.outbox or self._store.history).last_thread() if used_last else None
        titled = await self._store.threads.find(given) if given and not last else ""
        return last or titled or given or self.settings.thread or own

    async def rest(self) -> None:
        """Close the file of history, which the person may move now."""
        await (self._store.outbox or self._store.history).database.close()

    @asynccontextmanager
    async def _locked(self, turn: Turn, frontend: Frontend, *, resumes: bool) -> AsyncIterator[Lock]:
        """Hold the lock of the turn's thread. *frontend* gets the reason if the turn has to wait."""
        deadline = time.monotonic() + _BUSY_SECONDS + self._store.database.lock_lasts
        message = f"Another process is using the conversation {turn.thread}"
        with telling_late(frontend.tell, f"{message}: waiting"):
            while not (held := await self._store.lock(turn.thread, turn.id, resumes=resumes)):
                if time.monotonic() > deadline:
                    hint = "Wait for it, or use another: jarvis -t other …"
                    raise JarvisError(f"{message}.", hint=hint, code="thread_busy")
                await asyncio.sleep(_LOOK)
        async with held:
            yield held

    async def _settle(self, thread: str) -> None:
        """Bring plain commands to a server, with those left open in *thread*."""
        if outbox := self._store.outbox:
            await settle(outbox.database, thread, partial(file_lock, self.settings.folders.state))
        await self._store.arrive()

    async def _keep_list(self, thread: str, summary: Mapping[str, object]) -> None:
        """Keep the list last shown for plain commands, which don't ask the server what `open 2` means."""
        if outbox := self._store.outbox:
            with suppress(JarvisError):  # the turn has ended, and was told
                is_anew = summary["sources"] or summary["tables"]
                listed = await self._store.history.listed(thread) if is_anew else ((), ())
                await outbox.keep_list(thread, *listed)


@asynccontextmanager
async def opened_session(settings: Settings, log: Log) -> AsyncIterator[Session]:
    """Open what the turns of a session share, as long as the block lasts."""
    models = await in_thread(partial(Models, settings))  # as build.py imports
    budgets, search = settings.budgets, SerpApi(settings)
    try:
        async with (
            AsyncExitStack() as left,
            open_store(settings) as store,
            savers_for(store.database, settings.folders.inflight) as savers,
        ):
            await savers.sweep(store.history)
            packs = [PackContext(pack, settings, store) for pack in ready(settings)]
            for each in packs:
                await left.enter_async_context(aclosing(each))
            parts = _parts(settings, store, search, packs)
            ledger = Ledger(store.database, settings.daily)
            has_search = bool(settings.key(SERPAPI) or settings.key(BRAVE) or settings.searxng_url)

            def meter(turn: Turn, model: str) -> Meter:
                name, most = model or settings.model, budgets.credits
                return Meter(ledger, log, turn, name, most=most, has_search=has_search)

            graph, limiter = build_graph(parts, savers.make()), Limiter(budgets.turns_at_once)
            engine = Engine(graph, savers, parts, models, meter, limiter, store.lock)
            yield Session(engine, store, settings, log)
    finally:
        await search.close()
        await models.close()


def _parts(settings: Settings, store: Store, search: SerpApi, packs: Sequence[PackContext]) -> SessionParts:
    folders, where = settings.folders, market(settings)
    keys = [key.casefold() for key in settings.secrets() if len(key) >= _SHORTEST_KEY]
    contexts = {each.pack.name: each for each in packs}
    is_other = not settings.key(SERPAPI) and (settings.key(BRAVE) or settings.searxng_url)
    web = partial(other_search, settings) if is_other else search
    return SessionParts(
        history=store.history,
        services=Services(contexts, search=web, engines=search, read=read_page),
        open_actions=OpenActions(plannable(), [each.pack for each in packs], half_ready(settings)),
        budgets=settings.budgets,
        files=PersonsFiles(
            policy=partial(rules.load_rules, folders.policy),
            remember=partial(rules.remember, folders.policy),
            find_names=lambda words: named_in(words, aliases.load(folders.aliases)),
            look_up=partial(look_up, kept=partial(aliases.load, folders.aliases)),
            remember_choice=partial(aliases.remember_choice, folders.aliases),
        ),
        entries=GraphEntries(),
        facts=Facts(
            {},
            # Many keys are the same in capitals.
            holds_key=lambda text: any(key in text.casefold() for key in keys),
            country=where.country,
            currency=where.currency,
            settings={name: each.settings for name, each in contexts.items()},
        ),
    )
