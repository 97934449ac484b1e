"""What the commands of a pack work with: the command line hands it over as `ctx.obj`.

A pack's commands.py has an `app`, a `typer.Typer(name=NAME, help=…)`, which is imported once a line names it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..output.screen import Screen
    from ..search.serpapi import Engines
    from ..store.open import Store
    from .context import PackContext

_T = TypeVar("_T")
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]  # its parameter is called `as_json`


class Console(Protocol):
    """The line that was typed, and what may be done for it. Failures are JarvisErrors, which it tells."""

    @property
    def screen(self) -> Screen: ...

    def settings(self) -> Settings:
        """Read the settings; from then on no key is printed."""

    def with_pack(self, name: str, work: Callable[[PackContext], Awaitable[_T]]) -> _T:
        """Return the result of *work* on what the pack of that *name* has: its host, what it saved."""

    def with_store(self, work: Callable[[Store], Awaitable[_T]]) -> _T:
        """Return the result of *work* on what is kept."""

    def with_engines(self, work: Callable[[Store, Engines], Awaitable[_T]], *, is_quiet: bool = False) -> _T:
        """Return the result of *work* that searches, each counted in the day's limit.

        is_quiet: without a word on that limit when it comes near.
        """
