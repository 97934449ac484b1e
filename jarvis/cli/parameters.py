"""What several commands share: their arguments and options, and how they print what they tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from ..output.records import show
from ..packs.console import Json as Json
from . import completion
from .work import current


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


def report(record: object, *lines: str, as_json: bool, none: str = "") -> None:
    """Print *record* for a program, else *lines*. none: told to a person where there are no lines."""
    screen = current().screen
    show(screen, record, *lines, as_json=as_json)
    if none and not (lines or as_json):
        screen.err(none)
