"""`jarvis demo`: list recorded sessions, or play one. It needs no account."""

from __future__ import annotations

from typing import Annotated

import typer

from ...core.errors import UsageError
from ...core.text import one_line
from ..completion import words as completing
from ..recordings import BANNER, DemoLine, sessions
from ..work import current

app = typer.Typer()


_Words = typer.Argument(
    metavar="[WORDS…]", help="A request that it lists.", autocompletion=completing(sessions())
)


@app.command("demo", help="See what Jarvis does, on recorded answers: needs no key.")
def show_demo(words: Annotated[list[str] | None, _Words] = None) -> int:
    screen = current().screen
    if words:
        session = _session_of(" ".join(words))
        from ..demo import play  # asyncio and httpx: what lists them does without

        return play(session, screen)
    screen.err(BANNER)
    for first in sessions():
        screen.out(f'jarvis demo "{first}"')
    screen.err("Your own requests need a key: jarvis setup")
    return 0


def _session_of(words: str) -> list[DemoLine]:
    """Return the session that begins with *words*. Raises UsageError if none does."""
    for first, lines in sessions().items():
        if words.casefold().rstrip(" ?.!") == first.casefold().rstrip("?"):
            return lines
    hint = "jarvis demo lists its requests. For your own, set a key: jarvis keys set google"
    raise UsageError(f"The demo has no answers for “{one_line(words, 60)}”.", hint=hint)
