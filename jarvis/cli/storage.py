"""Work on what outlives a turn, beside any turn: what there is to know of the store is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..config.settings import Settings
from ..core.concurrency import listener, run
from ..output.screen import Screen
from ..store.open import Store, opened

_T = TypeVar("_T")


def on_store(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """What *work* returns, on the store that the settings name."""

    async def whole() -> _T:
        listener.set(screen.err)
        async with opened(settings) as store:
            if store.warning:  # it is given once, and nobody else would tell it
                screen.err(store.warning)
            return await work(store)

    return run(whole())
