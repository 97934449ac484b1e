"""Styles events as text for a width and colours. The only file that imports rich."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from ..core.events import Planned, Source
from ..core.text import clean, counted, hyperlink, one_line
from ..core.types import TERMINALS, Outcome


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
            (f"  {planned.known}" if planned.known else "", "dim"),
        )
        line.truncate(self._console.width, overflow="ellipsis")
        if reason and plan.text:
            line.append(f"\n  {one_line(plan.text, 300)}", "dim")
        return self._text(line)

    def lookup(self, n: int, outcome: Outcome, seconds: float) -> str:
        """Return what came of the *n*-th step, which looked something up and took *seconds*, on a line."""
        text = one_line(outcome.text, self._console.width - 12).rstrip(".")
        return self._text(Text.assemble((f"{n} ", "dim"), text, (f", {seconds:.1f} s", "dim")))

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
        head = self._text(Text.assemble((f"[{number}] ", "bold"), title, "  "))
        return head + self._text(Text(address, "cyan")).replace(address, hyperlink(address))

    def footer(self, summary: Mapping[str, Any]) -> str:
        """Return what the turn cost, in one dim line, with its thread, unless that is a terminal's own.

        summary: the object that --json prints.
        """
        usage, steps, thread = summary["usage"], len(summary["steps"]), summary["thread"]
        calls, searches, left = usage["model_calls"], usage["credits"], usage["searches_left"]
        parts = [] if thread.startswith(TERMINALS) else [thread]
        parts += [counted(steps, "steps")] if steps else []
        parts += [f"{usage['seconds']:.1f} s", counted(calls, "model calls")]
        if searches:
            parts.append(counted(searches, "searches") + ("" if left is None else f" ({left:,} left today)"))
        return self.dim(" · ".join(parts))

    def _text(self, text: Text) -> str:
        with self._console.capture() as capture:
            self._console.print(text, soft_wrap=True, end="")
        return capture.get()
