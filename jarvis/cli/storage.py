"""Work on what outlives a turn, beside any turn: what there is to know of the store is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..core.errors import not_installed
from ..core.frontend import listener
from ..core.stdlib import TYPE_CHECKING, TypeVar
from ..output.screen import Screen
from ..store.open import Store, opened
from ..store.sqlite import at_once
from .work import with_settings

if TYPE_CHECKING:
    from ..config.settings import Settings
    from .grammar import Call

_T = TypeVar("_T")


def with_store(call: Call, screen: Screen, work: Callable[[Store, Settings], Awaitable[int | None]]) -> int:
    """Do *work* on the store that the settings name; its exit status, of which None is 0."""
    return with_settings(
        call, screen, lambda settings: visit_store(settings, screen, lambda store: work(store, settings))
    )


def visit_store(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """Return what *work* does, which waits for nothing but the store."""
    if settings.database_url:
        return _visit_server(settings, screen, work)
    return at_once(_opened(settings, screen, work))


def _visit_server(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """Importing what talks to Postgres takes long, and connecting may: the person gets a sign."""
    screen.passing("starting…")
    try:
        return on_store(settings, screen, work)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("jarvis"):
            raise
        raise not_installed(error) from None
    finally:
        screen.clear()


def on_store(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """Return what *work* does on the store that the settings name, whatever it waits for."""
    from ..core.concurrency import run_async  # asyncio, without which SQLite can be read

    return run_async(_opened(settings, screen, work))


async def _opened(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    listener.set(screen.err)
    async with opened(settings) as store:
        if store.warning:  # it is given once, and nobody else would tell it
            screen.err(store.warning)
        return await work(store)
