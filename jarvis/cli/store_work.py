"""What a command does on the store: opens it, finds a thread in it, and reads what `export` printed."""

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TypeVar

from ..config.settings import Settings
from ..core.errors import StoreFailed, UsageError
from ..core.events import Event, Notice, Waiting, listen
from ..core.text import clean
from ..output.records import json_in
from ..output.screen import Screen
from ..store.database import run_sync
from ..store.history import note_reported, settle
from ..store.open import Store, opened
from ..store.threads import Threads
from ..turns.plain import plain_history
from .material import STDIN

_T = TypeVar("_T")


def visit_store(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """Return the result of *work*, which waits for nothing but the store."""
    if not settings.database_url:
        return run_sync(on_store(settings, screen, work))
    screen.passing("starting…")  # importing what Postgres takes is slow, and connecting may be
    from ..core.concurrency import run_async  # asyncio, without which SQLite can be read

    try:
        return run_async(on_store(settings, screen, work))
    finally:
        screen.clear()


async def on_store(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """Return the result of *work*, whatever it waits for."""
    listen(partial(tell_waiting, screen))
    async with opened(settings) as store:
        await store.arrive()
        return await work(store)


def tell_waiting(screen: Screen, event: Event) -> None:
    """Tell what holds the work on a store up."""
    match event:
        case Notice(text):
            screen.err(text)
        case Waiting(text):
            screen.passing(text)


def chosen_thread(name: str | None, settings: Settings, screen: Screen) -> str:
    """Return the thread that *name* is the id of, or else the title; without one that which was used last."""
    history = plain_history(settings)
    if name is None:
        found = run_sync(history.last_thread()) or settings.thread
    else:
        found = run_sync(Threads(history.database).find(name))
    run_sync(history.database.close())
    if not found and name and settings.database_url and len(name.split()) > 1:
        # No plain command waits for the server but for a title.
        found = visit_store(settings, screen, lambda store: store.threads.find(name))
    return found or name or ""


async def tell_unreported(store: Store, thread: str, screen: Screen) -> None:
    """Tell what nobody has heard of yet in *thread*, also of a turn that a crash left open: it is closed."""
    with contextlib.suppress(StoreFailed):  # a role that may only read: it is told once more
        unreported = await settle(store.database, thread, store.lock)
        for unsure in unreported:
            screen.err(clean(unsure.text))
        if unreported and not screen.has_lost_words:
            await note_reported(store.database, [(unsure.turn, unsure.n) for unsure in unreported])


# Of what is moved by `export` and `import`: a line of JSON for each thread or thing.


def records_in(path: str, screen: Screen) -> Iterator[tuple[int, object]]:
    """Return the records in the export at *path*, each with the number of its line. `-` is stdin.

    Bytes that are no text become surrogates, as in no record. Raises UsageError.
    """
    try:
        if path == STDIN:
            text = screen.stdin.read()
        else:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} can't be read: {error}.") from None
    # not splitlines(): JSON may hold what that takes for an end
    return ((number, json_in(line)) for number, line in enumerate(text.split("\n"), 1) if line.strip())
