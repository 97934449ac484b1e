"""`jarvis demo`: list recorded sessions, or play one. It needs no account."""

from __future__ import annotations

from typing import Annotated

import typer

from ...core.errors import UsageError
from ...core.text import one_line
from ..completion import words as completing
from ..invocation import current
from ..recordings import BANNER, sessions

app = typer.Typer()


_Words = typer.Argument(
    metavar="[WORDS…]", help="A request from its list.", autocompletion=completing(sessions())
)


@app.command("demo", help="See Jarvis work on recorded answers, without a key.")
def show_demo(words: Annotated[list[str] | None, _Words] = None) -> int:
    screen = current().screen
    text = " ".join(words or ())
    for first, lines in sessions().items():
        if text.casefold().rstrip(" ?.!") == first.casefold().rstrip("?"):
            from ..demo import play  # asyncio and httpx: what lists them does without

            return play(lines, screen)
    if words:
        hint = "jarvis demo lists its requests. For your own, set a key: jarvis setup"
        raise UsageError(f"The demo has no answers for “{one_line(text, 60)}”.", hint=hint)
    screen.err(BANNER)
    for first in sessions():
        screen.out(f'jarvis demo "{first}"')
    screen.err("Your own requests need a key: jarvis setup")
    return 0
