"""The arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from ..packs.console import Json as Json
from . import completion


def only(fits: Callable[[Any], bool], told: str) -> Callable[[Any], Any]:
    """Return the callback of an argument that is one only where it *fits*: any other line is a sentence."""

    def check(value: Any) -> Any:
        if value and not fits(value):
            raise typer.BadParameter(told)
        return value

    return check


InThread = Annotated[
    str | None,
    typer.Option(
        "--thread", "-t", metavar="NAME", help="In this thread.", autocompletion=completion.a_thread
    ),
]
ThreadName = Annotated[str, typer.Argument(metavar="NAME", autocompletion=completion.a_thread)]
File = Annotated[str, typer.Argument(metavar="FILE", help="A file; - is stdin.")]
Words = Annotated[list[str], typer.Argument(metavar="WORDS…", autocompletion=completion.a_word)]
