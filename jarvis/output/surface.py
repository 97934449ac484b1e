"""Where a turn is told: what the screen of this process and that of a client have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Surface(Protocol):
    """Where a turn is told: the streams of this process, or those of a client."""

    @property
    def width(self) -> int:
        """Columns of the terminal."""

    @property
    def out_tty(self) -> bool: ...

    @property
    def err_tty(self) -> bool: ...

    @property
    def out_colour(self) -> bool: ...

    @property
    def err_colour(self) -> bool: ...

    def out(self, text: str, end: str = "\n") -> None:
        """Print to stdout: the answer, and nothing else."""

    def reply(self, text: str, links: Sequence[str] = ()) -> None:
        """Print the next piece of a reply to a terminal's stdout; out() ends the reply.

        links: with the first piece, the addresses that may become hyperlinks.
        """

    def err(self, text: str) -> None:
        """Print to stderr: everything else."""

    def passing(self, text: str) -> None:
        """Show a line until something else is printed; only where a person can see it."""

    def clear(self) -> None:
        """Remove the passing line."""
