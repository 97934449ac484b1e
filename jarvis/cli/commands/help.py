"""`jarvis help`, `--help` and `--version`: the front page, and what a command takes."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import completion
from ..front_page import FRONT_PAGE, VERSION
from ..parameters import only
from ..router import COMMANDS
from ..work import current

single = typer.Typer()
_ALL = "all"


@single.command("help", help="This, what a command takes, or all commands: jarvis help all.")
def show_help(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMMAND]",
            callback=only(lambda words: words[0] in {*COMMANDS, _ALL}, "it is no command"),
            autocompletion=completion.words(sorted({*COMMANDS, _ALL})),
        ),
    ] = None,
) -> None:
    from ..app import ROOT, command, leaves  # which imports this

    if words in (None, []):
        current().screen.out(FRONT_PAGE)
    elif words == [_ALL]:
        rows = [
            (" ".join((name, *names)), each)
            for name in sorted(COMMANDS)
            for names, each in leaves(command(name))
        ]
        width = max(len(names) for names, _ in rows)
        told = (f"{names:<{width}}  {each.get_short_help_str(200)}" for names, each in rows)
        current().screen.out("\n".join(told))
    else:
        ROOT.main([*words, "--help"], prog_name="jarvis", standalone_mode=False)


@single.command("version", help="The version.")
def show_version() -> None:
    current().screen.out(VERSION)
