"""The arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from ..packs.console import Json as Json
from . import completion

InThread = Annotated[
    str | None,
    typer.Option(
        "--thread", "-t", metavar="NAME", help="In this thread.", autocompletion=completion.a_thread
    ),
]
ThreadName = Annotated[str, typer.Argument(metavar="NAME", autocompletion=completion.a_thread)]
File = Annotated[str, typer.Argument(metavar="FILE", help="A file; - is stdin.")]
Words = Annotated[list[str], typer.Argument(metavar="WORDS…", autocompletion=completion.a_word)]
