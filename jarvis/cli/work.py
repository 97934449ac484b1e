"""What a line works with: its settings, its screen, its store."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..config.settings import Settings, check_thread, read_settings, with_kept_keys
from ..core.types import DEFAULT_THREAD, Effect, Options
from ..desktop.terminal import terminal_name
from ..output.screen import Screen, is_tty
from ..store.log import log_for

if TYPE_CHECKING:
    from ..packs.context import PackContext
    from ..search.serpapi import Engines
    from ..store.open import Store

_T = TypeVar("_T")


def settings_for(options: Options, screen: Screen, *, with_keys: bool = False) -> Settings:
    """Read the settings of this line; from then on no key is printed, and there is a log.

    with_keys: also those that the keyring holds.
    """
    settings = read_settings(
        screen.environment,
        env_file=options.env_file,
        own_thread=own_thread(screen),
        seconds=options.timeout,
        log_file=options.log_file,
    )
    settings = settings._replace(model=options.model or settings.model)
    if with_keys:
        settings = with_kept_keys(settings)
    screen.secrets = settings.secrets()
    if options.thread or options.continue_last:  # few name a thread, or go on with the one used last
        from .store_work import chosen_thread  # history

        settings = settings._replace(thread=chosen_thread(options.thread, settings, screen))
        check_thread(settings.thread)
    if not options.quiet:
        screen.warn(settings.warnings)
    screen.log = log_for(settings, watch=screen.aside if options.verbose > 1 else None)
    return settings


def own_thread(screen: Screen) -> str:
    """Return the thread of the terminal that this line is given on; without one, the default."""
    # `git log | jarvis what changed` is typed there as well.
    if not (screen.out_tty or is_tty(screen.stdin)):
        return DEFAULT_THREAD
    return terminal_name(screen.environment) or DEFAULT_THREAD


def has_brains() -> bool:
    """Return whether a brain may stay running on this system: that was tested on Linux alone."""
    return sys.platform.startswith("linux")


def wants_brain(options: Options, environment: Mapping[str, str]) -> bool:
    """Return whether a brain is to do it, which can neither tell details nor change its limits."""
    is_off = environment.get("JARVIS_BRAIN", "").strip().lower() in ("off", "0", "no", "false")
    is_ours = options.verbose or options.log_file or options.timeout
    return has_brains() and not (is_off or is_ours)


class Invocation(NamedTuple):
    """A command that is being run. Implements Console of packs/context.py, for the commands of packs."""

    screen: Screen
    options: Options  # of any command: the file of settings, and whether it prints JSON

    def settings(self, *, thread: str | None = None, with_keys: bool = False) -> Settings:
        """Read the settings, as `settings_for` does. thread: that the command names."""
        return settings_for(self.options._replace(thread=thread), self.screen, with_keys=with_keys)

    def with_store(self, work: Callable[[Store], Awaitable[_T]], settings: Settings | None = None) -> _T:
        """Return the result of *work* on the store that the settings name."""
        from .store_work import visit_store  # history, which help and many commands do without

        return visit_store(settings or self.settings(), self.screen, work)

    def with_engines(self, work: Callable[[Store, Engines], Awaitable[_T]]) -> _T:
        from .pack_work import with_engines  # asyncio and the search: few commands are a pack's

        return with_engines(self.settings(with_keys=True), self.screen, work)

    def confirm(self, effect: Effect) -> None:
        from .pack_work import confirm  # the guard: few commands are a pack's

        confirm(effect, self.options, self.settings(), self.screen)

    def with_pack(self, name: str, work: Callable[[PackContext], Awaitable[_T]]) -> _T:
        from .pack_work import with_pack  # asyncio: few commands are a pack's

        return with_pack(name, self.settings(with_keys=True), self.screen, work)


_CURRENT: ContextVar[Invocation] = ContextVar("_CURRENT")
current = _CURRENT.get


@contextlib.contextmanager
def invoked(screen: Screen, options: Options) -> Iterator[Invocation]:
    """Have what is run in this block be a command on *screen*."""
    before = _CURRENT.set(Invocation(screen, options))
    try:
        yield current()
    finally:
        _CURRENT.reset(before)


def ask_line(screen: Screen, label: str, *, is_hidden: bool = False) -> str:
    """Return the line that the person types behind *label*; empty for Ctrl-D."""
    from ..output.dialog import typed_line  # prompt_toolkit, which few commands need

    return typed_line(screen, label, is_hidden=is_hidden)


def report(record: object, *lines: str, none: str = "") -> None:
    """Show *record*, or *lines*, of the command that is being run, as `show` does."""
    from ..output.records import show  # JSON, which a plain line does without

    screen, options = current()
    show(screen, record, *lines, as_json=options.json, none=none)
