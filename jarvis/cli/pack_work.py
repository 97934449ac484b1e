"""What a pack's command works with, beside the store: searches that are counted, the pack's own host."""

import contextlib
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..agent.meter import Meter
from ..config.settings import Settings
from ..core.concurrency import run_async
from ..core.types import Turn
from ..output.screen import Screen
from ..packs.context import PackContext
from ..packs.pack import known
from ..search.serpapi import Engines, SerpApi
from ..store.log import log_for
from ..store.open import Store
from ..store.usage import Ledger
from .store_work import on_store

_T = TypeVar("_T")


def with_engines(settings: Settings, screen: Screen, work: Callable[[Store, Engines], Awaitable[_T]]) -> _T:
    """Return the result of *work*, which searches, each time counted by the day's limit."""

    async def searched(store: Store) -> _T:
        search = SerpApi(settings)
        # Nothing here is a turn, which might go astray: only the day has a limit.
        ledger, turn = Ledger(store.database, settings.daily), Turn("", settings.thread, 0, ())
        meter = Meter(ledger, log_for(settings), turn, settings.model, most=sys.maxsize)
        try:
            result = await work(store, meter.engines(search))
        finally:
            screen.clear()
            await search.close()
        if meter.near:
            screen.err(meter.near)
        return result

    return run_async(on_store(settings, screen, searched))


def with_pack(
    name: str, settings: Settings, screen: Screen, work: Callable[[PackContext], Awaitable[_T]]
) -> _T:
    """Return the result of *work* on what the pack of that *name* has: its host, what it saved."""

    async def on(store: Store) -> _T:
        async with contextlib.aclosing(PackContext(known()[name], settings, store.database)) as context:
            return await work(context)

    return run_async(on_store(settings, screen, on))
