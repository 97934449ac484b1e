"""`jarvis alias …`: list, add and remove the person's own names for addresses."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from ...core.text import one_line
from ...core.types import ALIAS, APP, SITE
from ...launcher import aliases
from ...launcher.aliases import Alias
from ...output.records import show
from .. import completion
from ..parameters import Json, only
from ..work import current

# `alias rm to trash in my bashrc` is a sentence.
_a_name = only(lambda words: len(words) <= 3, "that is more than a name")
app = typer.Typer(
    name="alias",
    help="""Your own names for addresses: jarvis open NAME.

    `jarvis alias add gh https://github.com`; with {query} in it, what follows the name is filled in:
    `jarvis alias add gh 'https://github.com/search?q={query}'`, then `jarvis open gh langgraph interrupt`.
    """,
)


@app.command("list", help="List the names.")
def list_aliases(as_json: Json = False) -> None:
    screen = current().screen
    kept = sorted(aliases.load(current().settings().folders.aliases).values())
    show(screen, [alias._asdict() for alias in kept], *map(_shown, kept), as_json=as_json)
    if not (kept or as_json):
        screen.err("No aliases yet.")


@app.command("add", help="Let NAME stand for ADDRESS.")
def add_alias(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    address: Annotated[str, typer.Argument(metavar="ADDRESS")],
    as_json: Json = False,
) -> None:
    path = current().settings().folders.aliases
    before = aliases.load(path)
    alias = aliases.add(path, name, address)
    old = before.get(alias.name)
    undo = _adding(old) if old and old.kind == ALIAS else f"jarvis alias rm {shlex.quote(alias.name)}"
    told = f"Saved {_shown(alias)} (aliases.json)   undo: {undo}"
    show(current().screen, {"saved": alias._asdict()}, told, as_json=as_json)


@app.command("rm", help="Forget NAME.")
def remove_alias(
    name: Annotated[
        list[str], typer.Argument(metavar="NAME…", callback=_a_name, autocompletion=completion.an_alias)
    ],
    as_json: Json = False,
) -> None:
    alias = aliases.remove(current().settings().folders.aliases, " ".join(name))
    again = f"   undo: {_adding(alias)}" if alias.kind == ALIAS else ""
    told = f"Removed {_shown(alias)} (aliases.json){again}"
    show(current().screen, {"removed": alias._asdict()}, told, as_json=as_json)


def _adding(alias: Alias) -> str:
    return shlex.join(("jarvis", "alias", "add", alias.name, alias.target))


def _shown(alias: Alias) -> str:
    picked = {SITE: "   the site, as you picked", APP: "   the app, as you picked"}
    takes = "   takes words" if alias.takes_words else ""
    return f"{alias.name}  {one_line(alias.target, 300)}{picked.get(alias.kind, takes)}"
