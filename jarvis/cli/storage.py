"""Work on the store without a turn, such as listing threads."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ..core.errors import StoreFailed, not_installed
from ..core.events import Event, Notice, Waiting
from ..core.frontend import listener
from ..core.text import clean
from ..output.screen import Screen
from ..store.open import Store, opened
from ..store.sqlite import at_once
from ..store.turns import note_reported, settle
from .work import current

if TYPE_CHECKING:
    from ..config.settings import Settings

_T = TypeVar("_T")


def with_store(work: Callable[[Store, Settings], Awaitable[_T]], *, thread: str | None = None) -> _T:
    """Return the result of *work* on the store that the settings name. thread: that the command names."""
    settings = current().settings(thread=thread)
    return visit_store(settings, current().screen, lambda store: work(store, settings))


def visit_store(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """Return the result of *work*, which waits for nothing but the store."""
    if settings.database_url:
        return _visit_server(settings, screen, work)
    return at_once(_opened(settings, screen, work))


def _visit_server(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """Do *work* on Postgres, and show a sign: importing its libraries takes long, and connecting may."""
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
    """Return the result of *work*, whatever it waits for."""
    from ..core.concurrency import run_async  # asyncio, without which SQLite can be read

    return run_async(_opened(settings, screen, work))


def hear(screen: Screen, event: Event) -> None:
    """Tell what holds the work on a store up."""
    match event:
        case Notice(text):
            screen.err(text)
        case Waiting(text):
            screen.passing(text)


async def _opened(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    listener.set(partial(hear, screen))
    async with opened(settings) as store:
        return await work(store)


async def tell_untold(store: Store, thread: str, screen: Screen) -> None:
    """Tell what nobody has heard of yet in *thread*, also of a turn that a crash left open: it is closed."""
    with contextlib.suppress(StoreFailed):  # a role that may only read: it is told once more
        unreported = await settle(store.database, thread, store.lock(thread))
        for unsure in unreported:
            screen.err(clean(unsure.text))
        if unreported and not screen.has_lost_words:
            await note_reported(store.database, [(unsure.turn, unsure.n) for unsure in unreported])
