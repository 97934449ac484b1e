"""What a command works with: its settings, its screen, its store."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..config.settings import Settings
from ..core.types import Options
from ..output.records import show
from ..output.screen import Screen
from .line import settings_for, store_work

if TYPE_CHECKING:
    from ..packs.context import PackContext
    from ..search.serpapi import Engines
    from ..store.open import Store

_T = TypeVar("_T")


class Invocation(NamedTuple):
    """A command that is being run. Implements Console of packs/context.py, for the commands of packs."""

    screen: Screen
    options: Options  # of any command: the file of settings, and whether it prints JSON

    def settings(self, *, thread: str | None = None, needs_model: bool = False) -> Settings:
        """Read the settings, as `settings_for` does. thread: that the command names."""
        return settings_for(self.options._replace(thread=thread), self.screen, needs_model=needs_model)

    def with_store(self, work: Callable[[Store], Awaitable[_T]], settings: Settings | None = None) -> _T:
        """Return the result of *work* on the store that the settings name."""
        result: _T = store_work().visit_store(settings or self.settings(), self.screen, work)
        return result

    def with_engines(self, work: Callable[[Store, Engines], Awaitable[_T]], *, is_quiet: bool = False) -> _T:
        result: _T = _pack_work().with_engines(self.settings(), self.screen, work, is_quiet=is_quiet)
        return result

    def with_pack(self, name: str, work: Callable[[PackContext], Awaitable[_T]]) -> _T:
        result: _T = _pack_work().with_pack(name, self.settings(), self.screen, work)
        return result


def _pack_work() -> Any:
    """Return pack_work.py."""
    from . import pack_work  # asyncio and the web: few commands are a pack's

    return pack_work


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
    """Print *record* where JSON is asked for, else *lines*. none: told to a person where there are none."""
    screen, options = current()
    show(screen, record, *lines, as_json=options.json)
    if none and not (lines or options.json):
        screen.err(none)
