"""`jarvis alias …`: list, add and remove the user's own names for addresses."""

import shlex
from typing import Annotated

import typer

from ...core.intent import SHORT_NAME
from ...core.text import one_line
from ...core.types import ALIAS, APP
from ...launcher import aliases
from ...launcher.aliases import CHOSEN, LAST, Alias
from .. import completion
from ..completion import Json, only
from ..invocation import current, report

# `alias rm to trash in my bashrc` is a sentence.
_a_name = only(lambda words: len(words) <= SHORT_NAME, "that is more than one name")
app = typer.Typer(
    name="alias",
    help="""Your own names for addresses: jarvis open NAME.

    After `jarvis alias add gh https://github.com`, `jarvis open gh` opens it. {query} takes more words:
    `jarvis alias add gh 'https://github.com/search?q={query}'`, then `jarvis open gh langgraph interrupt`.
    """,
)


@app.command("list", help="List your aliases.")
def list_aliases(as_json: Json = False) -> None:
    kept = sorted(aliases.load(_path()).values())
    records = [alias._asdict() for alias in kept]
    report(records, *map(_format_alias, kept), none="No aliases yet.")


@app.command("add", help="Make NAME open ADDRESS.")
def add_alias(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    address: Annotated[str, typer.Argument(metavar="ADDRESS")],
    as_json: Json = False,
) -> None:
    before = aliases.load(_path())
    alias = aliases.add(_path(), name, address)
    undo = _adding(before.get(alias.name)) or f"   undo: jarvis alias rm {shlex.quote(alias.name)}"
    report({"saved": alias._asdict()}, f"Saved {_format_alias(alias)} (aliases.json){undo}")


@app.command("rm", help="Remove an alias.")
def remove_alias(
    name: Annotated[
        list[str], typer.Argument(metavar="NAME…", callback=_a_name, autocompletion=completion.an_alias)
    ],
    as_json: Json = False,
) -> None:
    alias = aliases.remove(_path(), " ".join(name))
    message = f"Removed {_format_alias(alias)} (aliases.json){_adding(alias)}"
    report({"removed": alias._asdict()}, message)


def _path() -> str:
    return current().settings().folders.aliases


def _adding(alias: Alias | None) -> str:
    """Return the command that adds *alias* again, or "" if no command can."""
    if not alias or alias.kind != ALIAS:
        return ""
    return f"   undo: {shlex.join(('jarvis', 'alias', 'add', alias.name, alias.target))}"


def _format_alias(alias: Alias) -> str:
    picked = {CHOSEN: "   always, as you chose", LAST: "   chosen last", APP: "   the app you chose"}
    takes = "   takes words" if alias.takes_words else ""
    return f"{alias.name}  {one_line(alias.target, 300)}{picked.get(alias.kind, takes)}"
