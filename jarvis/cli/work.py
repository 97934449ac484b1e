"""What a command works with: its settings, its screen, its store."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..config.settings import Settings, check_model_key, check_thread, read_settings, with_kept_keys
from ..core.errors import StoreFailed
from ..core.events import Event, Notice, Waiting, listener
from ..core.text import clean
from ..core.types import DEFAULT_THREAD, Options, Turn
from ..desktop.terminal import terminal_name
from ..output.records import show
from ..output.screen import Screen, is_tty
from ..store.log import log_for

if TYPE_CHECKING:
    from ..agent.meter import Meter
    from ..packs.context import PackContext
    from ..search.serpapi import Engines
    from ..store.open import Store

_T = TypeVar("_T")


class Invocation(NamedTuple):
    """A command that is being run."""

    screen: Screen
    options: Options  # of any command: the file of settings, and whether it prints JSON

    def settings(self, *, thread: str | None = None, needs_model: bool = False) -> Settings:
        """Read the settings, as `settings_for` does. thread: that the command names."""
        return settings_for(self.options._replace(thread=thread), self.screen, needs_model=needs_model)

    # What packs' commands work with besides: see Console in packs/console.py.
    def with_store(self, work: Callable[[Store], Awaitable[_T]]) -> _T:
        return visit_store(self.settings(), self.screen, work)

    def with_engines(self, work: Callable[[Store, Engines], Awaitable[_T]], *, is_quiet: bool = False) -> _T:
        from ..search.serpapi import SerpApi  # few commands search

        settings = with_kept_keys(self.settings())
        self.screen.secrets = settings.secrets()

        async def searched(store: Store) -> _T:
            meter, search = _meter(store, settings), SerpApi(settings)
            try:
                result = await work(store, meter.engines(search))
            finally:
                self.screen.clear()
                await search.close()
            if meter.near and not is_quiet:
                self.screen.err(meter.near)
            return result

        return on_store(settings, self.screen, searched)

    def with_pack(self, name: str, work: Callable[[PackContext], Awaitable[_T]]) -> _T:
        # Few commands are a pack's.
        from ..packs.context import PackContext
        from ..packs.pack import known

        settings = with_kept_keys(self.settings())
        self.screen.secrets = settings.secrets()

        async def on(store: Store) -> _T:
            async with contextlib.aclosing(PackContext(known()[name], settings, store.database)) as context:
                return await work(context)

        return on_store(settings, self.screen, on)


_CURRENT: ContextVar[Invocation] = ContextVar("_CURRENT")
current = _CURRENT.get


@contextlib.contextmanager
def invoked(screen: Screen, env_file: str | None = None) -> Iterator[Invocation]:
    """Have what is run in this block be a command on *screen*."""
    before = _CURRENT.set(Invocation(screen, Options(env_file=env_file)))
    try:
        yield current()
    finally:
        _CURRENT.reset(before)


def report(record: object, *lines: str, as_json: bool, none: str = "") -> None:
    """Print *record* for a program, else *lines*. none: told to a person where there are no lines."""
    screen = current().screen
    show(screen, record, *lines, as_json=as_json)
    if none and not (lines or as_json):
        screen.err(none)


def settings_for(options: Options, screen: Screen, *, needs_model: bool = False) -> Settings:
    """Read the settings of this command; from then on no key is printed, and there is a log.

    needs_model: with the keys that the keyring holds. Raises NoKey where there is none for the model.
    """
    settings = read_settings(
        screen.environment,
        env_file=options.env_file,
        own_thread=own_thread(screen),
        seconds=options.timeout,
        log_file=options.log_file,
    )
    settings = settings._replace(model=options.model or settings.model)
    screen.secrets = settings.secrets()
    if options.thread or options.continue_last:
        settings = settings._replace(thread=_chosen_thread(options.thread, settings, screen))
        check_thread(settings.thread)
    if needs_model:
        check_model_key(settings)
        settings = with_kept_keys(settings)
    screen.secrets = settings.secrets()
    if needs_model and not options.quiet:
        from ..packs.pack import warnings  # plain commands use none

        screen.warn(warnings(settings))
    elif not options.quiet:
        screen.warn(settings.warnings)
    screen.log = log_for(settings, watch=screen.aside if options.verbose > 1 else None)
    return settings


def _chosen_thread(name: str | None, settings: Settings, screen: Screen) -> str:
    """Return the thread that *name* is the id of, or else the title; without one that which was used last."""
    # Few name a thread, or go on with the one used last.
    from ..store.sqlite import run_sync
    from ..store.threads import Threads
    from ..turns import plain

    history = plain.plain_history(settings)
    if name is None:
        found = run_sync(history.last_thread()) or settings.thread
    else:
        found = run_sync(Threads(history.database).find(name))
    run_sync(history.close())
    if not found and name and settings.database_url and len(name.split()) > 1:
        # No plain command waits for the server but for a title.
        found = on_store(settings, screen, lambda store: store.threads.find(name))
    return found or name or ""


def own_thread(screen: Screen) -> str:
    """Return the thread of the terminal that this command is given on; without one, the default."""
    # `git log | jarvis what changed` is typed there as well.
    if not (screen.out_tty or is_tty(screen.stdin)):
        return DEFAULT_THREAD
    return terminal_name(screen.environment) or DEFAULT_THREAD


def wants_brain(options: Options, environment: Mapping[str, str]) -> bool:
    """Return whether a brain is to do it, which can neither tell details nor change its limits.

    It was tested on Linux; other systems with Unix sockets need JARVIS_BRAIN=on.
    """
    wanted = environment.get("JARVIS_BRAIN", "").strip().lower()
    if os.name == "nt" or wanted in ("off", "0", "no", "false"):
        return False
    if not (sys.platform.startswith("linux") or wanted == "on"):
        return False
    return not (options.verbose or options.log_file or options.timeout)


def with_store(work: Callable[[Store, Settings], Awaitable[_T]], *, thread: str | None = None) -> _T:
    """Return the result of *work* on the store that the settings name. thread: that the command names."""
    settings = current().settings(thread=thread)
    return visit_store(settings, current().screen, lambda store: work(store, settings))


def visit_store(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """Return the result of *work*, which waits for nothing but the store."""
    if not settings.database_url:
        from ..store.sqlite import run_sync  # the front door does without

        return run_sync(_opened(settings, screen, work))
    screen.passing("starting…")  # importing what Postgres takes is slow, and connecting may be
    try:
        return on_store(settings, screen, work)
    finally:
        screen.clear()


def _meter(store: Store, settings: Settings) -> Meter:
    """Return what counts searches by the day's limit alone: nothing here is a turn, which might go astray."""
    # As above.
    from ..agent.meter import Meter
    from ..store.usage import Ledger

    ledger, turn = Ledger(store.database, settings.daily), Turn("", settings.thread, 0, ())
    return Meter(ledger, log_for(settings), turn, settings.model, most=sys.maxsize)


def on_store(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    """Return the result of *work*, whatever it waits for."""
    from ..core.concurrency import run_async  # asyncio, without which SQLite can be read

    return run_async(_opened(settings, screen, work))


async def _opened(settings: Settings, screen: Screen, work: Callable[[Store], Awaitable[_T]]) -> _T:
    from ..store.open import opened  # plain words open no store of this kind

    listener.set(partial(tell_waiting, screen))
    async with opened(settings) as store:
        return await work(store)


def tell_waiting(screen: Screen, event: Event) -> None:
    """Tell what holds the work on a store up."""
    match event:
        case Notice(text):
            screen.err(text)
        case Waiting(text):
            screen.passing(text)


async def tell_unreported(store: Store, thread: str, screen: Screen) -> None:
    """Tell what nobody has heard of yet in *thread*, also of a turn that a crash left open: it is closed."""
    from ..store.turns import note_reported, settle  # two commands tell of turns

    with contextlib.suppress(StoreFailed):  # a role that may only read: it is told once more
        unreported = await settle(store.database, thread, store.lock(thread))
        for unsure in unreported:
            screen.err(clean(unsure.text))
        if unreported and not screen.has_lost_words:
            await note_reported(store.database, [(unsure.turn, unsure.n) for unsure in unreported])
