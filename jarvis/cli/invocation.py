"""The resources of a command line: settings, screen, store."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..config.settings import Settings, check_thread, read_settings, with_kept_keys
from ..core.errors import StoreFailed, UsageError
from ..core.events import Event, Notice, Waiting, listen
from ..core.text import clean
from ..core.types import Effect, Options
from ..output.records import json_in, show
from ..output.screen import Screen
from ..store.database import run_sync
from ..store.history import confirming, settle
from ..store.log import log_for
from ..store.threads import Threads
from .line import own_thread
from .material import STDIN

if TYPE_CHECKING:
    from ..packs.context import PackContext
    from ..search.serpapi import Engines
    from ..store.open import Store

_T = TypeVar("_T")


def settings_for(options: Options, screen: Screen, *, with_keys: bool = False) -> Settings:
    """Read the settings of this line. From then on no key is printed, and there is a log.

    with_keys: also keys in the keyring.
    """
    settings = read_settings(
        screen.environment,
        env_file=options.env_file,
        own_thread=own_thread(screen.environment, screen.has_terminal),
        seconds=options.timeout,
        log_file=options.log_file,
    )
    settings = settings._replace(model=options.model or settings.model)
    if with_keys:
        settings = with_kept_keys(settings)
    screen.secrets = settings.secrets()
    if options.thread or options.continue_last:
        settings = settings._replace(thread=chosen_thread(options.thread, settings, screen))
        check_thread(settings.thread)
    if not options.quiet:
        screen.warn(settings.warnings)
    screen.log = log_for(settings, watch=screen.aside if options.verbose > 1 else None)
    return settings


# Work on the store.


def visit_store(
    settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]], *, waits: bool = False
) -> _T:
    """Return the result of *work*. waits: for more than the store."""
    if not (waits or settings.database_url):
        return run_sync(_on_store(settings, screen, work))
    screen.passing("starting…")  # importing what Postgres takes is slow, and connecting may be
    from ..core.concurrency import run_async  # asyncio, without which SQLite can be read

    try:
        return run_async(_on_store(settings, screen, work))
    finally:
        screen.clear()


async def _on_store(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    from ..store.open import open_store  # what a plain line does without

    listen(partial(tell_waiting, screen))
    async with open_store(settings) as store:
        await store.arrive()
        return await work(store)


def tell_waiting(screen: Screen, event: Event) -> None:
    """Show why the work on a store waits."""
    match event:
        case Notice(text):
            screen.err(text)
        case Waiting(text, done, total):
            screen.show_progress(text, done, total)


def chosen_thread(name: str | None, settings: Settings, screen: Screen) -> str:
    """Return the thread with the id or else the title *name*. Without one, the thread used last."""
    from ..turns.plain import plain_history  # and the guard: few name a thread

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
    """Report results in *thread* that nobody has seen. Closes a turn that a crash left open."""
    with contextlib.suppress(StoreFailed):  # a role that may only read: it is reported again
        unreported = await settle(store.database, thread, store.lock)
        for each in unreported:
            screen.err(clean(each.text))
        if unreported and not screen.has_lost_words:
            await store.database.run_all(*confirming({each.turn for each in unreported}))


# Exports and imports: a line of JSON for each thread or saved item.


def records_in(path: str, screen: Screen) -> Iterator[tuple[int, object]]:
    """Return the records in the export at *path*, each with the number of its line. `-` is stdin.

    Bytes that aren't text become surrogates, which no record has. Raises UsageError.
    """
    try:
        if path == STDIN:
            text = screen.stdin.read()
        else:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
    except (OSError, ValueError) as error:
        raise UsageError(f"Can't read {path}: {error}.") from None
    # not splitlines(): JSON may hold what that takes for an end
    return ((number, json_in(line)) for number, line in enumerate(text.split("\n"), 1) if line.strip())


# A command.


class Invocation(NamedTuple):
    """A command that is being run. Implements Console of packs/context.py, for the commands of packs."""

    screen: Screen
    options: Options  # of any command: the file of settings, and whether it prints JSON

    def settings(self, *, thread: str | None = None, with_keys: bool = False) -> Settings:
        """Read the settings, as `settings_for` does. thread: that the command names."""
        return settings_for(self.options._replace(thread=thread), self.screen, with_keys=with_keys)

    def with_store(self, work: Callable[[Store], Awaitable[_T]], settings: Settings | None = None) -> _T:
        """Return the result of *work* on the store that the settings name."""
        return visit_store(settings or self.settings(), self.screen, work)

    def with_engines(self, work: Callable[[Store, Engines], Awaitable[_T]]) -> _T:
        from .pack_work import with_engines  # asyncio and the search: few commands are a pack's

        settings = self.settings(with_keys=True)
        return visit_store(settings, self.screen, with_engines(settings, self.screen, work), waits=True)

    def confirm(self, effect: Effect) -> None:
        from .pack_work import confirm  # the guard: few commands are a pack's

        confirm(effect, self.options, self.settings(), self.screen)

    def with_pack(self, name: str, work: Callable[[PackContext], Awaitable[_T]]) -> _T:
        from .pack_work import with_pack  # asyncio: few commands are a pack's

        settings = self.settings(with_keys=True)
        return visit_store(settings, self.screen, with_pack(name, settings, work), waits=True)


_CURRENT: ContextVar[Invocation] = ContextVar("_CURRENT")
current = _CURRENT.get


@contextlib.contextmanager
def invoked(screen: Screen, options: Options) -> Iterator[Invocation]:
    """Run this block as a command on *screen*."""
    before = _CURRENT.set(Invocation(screen, options))
    try:
        yield current()
    finally:
        _CURRENT.reset(before)


def ask_line(screen: Screen, label: str, *, is_hidden: bool = False) -> str:
    """Return the line that the user types after *label*, or "" for Ctrl-D."""
    from ..output.dialog import typed_line  # prompt_toolkit, which few commands need

    return typed_line(screen, label, is_hidden=is_hidden)


def report(record: object, *lines: str, none: str = "") -> None:
    """Show *record*, or *lines*, of the command that is being run, as `show` does."""
    screen, options = current()
    show(screen, record, *lines, as_json=options.json, none=none)
