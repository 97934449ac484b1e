"""Styles events as text for a width and colours. The only file that imports rich."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from ..core.events import Planned, Source
from ..core.text import clean, counted, one_line
from ..core.types import Outcome


class Renderer:
    """Renders for one stream. Foreign text is cleaned and never parsed as markup."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self._console = Console(
            file=io.StringIO(),
            width=width,
            force_terminal=colour,
            color_system="standard" if colour else None,
            no_color=not colour,
            legacy_windows=False,
            markup=False,
            highlight=False,
            emoji=False,
        )

    def plan(self, planned: Planned, *, reason: bool = False) -> str:
        """Return a planned step on a line; with its reason on the next, where *reason* is set."""
        plan = planned.plan
        line = Text.assemble(
            (f"{planned.n} ", "dim"),
            (plan.action.replace("_", " "), "bold"),
            " ",
            one_line(planned.target, 200),
        )
        line.truncate(self._console.width, overflow="ellipsis")
        if reason and plan.text:
            line.append(f"\n  {one_line(plan.text, 300)}", "dim")
        return self._text(line)

    def failure(self, text: str) -> str:
        return self._text(Text(clean(text), "yellow"))

    def dim(self, text: str) -> str:
        return self._text(Text(clean(text), "dim"))

    def outcome(self, outcome: Outcome) -> str:
        return clean(outcome.text) if outcome.is_good else self.failure(outcome.text)

    def source(self, number: int, source: Source) -> str:
        """Return a source on one line: its title is cut for its address, which never is."""
        address = clean(source.url)
        room = max(12, self._console.width - len(address) - 8)
        title = one_line(source.title, room) or "(no title)"
        return self._text(Text.assemble((f"[{number}] ", "bold"), title, "  ", (address, "cyan")))

    def footer(self, thread: str, usage: Mapping[str, Any]) -> str:
        """Return what the turn cost, in one dim line."""
        calls, searches = usage["model_calls"], usage["searches"]
        parts = [thread, f"{usage['seconds']:.1f} s", counted(calls, "model calls")]
        if searches:
            parts.append(counted(searches, "searches"))
        return self.dim(" · ".join(parts))

    def _text(self, text: Text) -> str:
        with self._console.capture() as capture:
            self._console.print(text, soft_wrap=True, end="")
        return capture.get()
