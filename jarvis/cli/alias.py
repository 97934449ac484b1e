"""`jarvis alias …`: the person's own names for addresses, and what they picked for a name."""

from __future__ import annotations

import shlex

import typer

from ..config.settings import Settings
from ..core.options import Options
from ..core.text import one_line
from ..core.types import ALIAS, APP, SITE
from ..launcher import aliases
from ..launcher.aliases import QUERY, Alias
from ..output.screen import Screen
from ..output.summary import dumped
from .command_options import AsJson, EnvFile, command

_HELP = """Your own names for addresses: `jarvis open NAME`.

`jarvis alias add gh https://github.com`; with {query} in it, what follows the name is filled in:
`jarvis alias add gh 'https://github.com/search?q={query}'`, then `jarvis open gh langgraph interrupt`.
"""
app = typer.Typer(add_completion=False, rich_markup_mode=None, help=_HELP)


@app.command()
def add(
    context: typer.Context, name: str, address: str, json: AsJson = False, env_file: EnvFile = None
) -> None:
    """Let NAME stand for ADDRESS."""

    def work(screen: Screen, settings: Settings) -> None:
        before = aliases.load(settings.folders.aliases)
        alias = aliases.add(settings.folders.aliases, name, address)
        if json:
            screen.out(dumped({"saved": alias._asdict()}))
            return
        undo = f"jarvis alias rm {shlex.quote(alias.name)}"
        screen.out(f"Saved {_shown(alias)} (aliases.json)   undo: {undo}")
        if (old := before.get(alias.name)) and old != alias:
            screen.err(f"Before, it meant {one_line(old.target, 300)}.")

    command(context.obj, Options(json=json, env_file=env_file), work)


@app.command("list")
def list_(context: typer.Context, json: AsJson = False, env_file: EnvFile = None) -> None:
    """List the names."""

    def work(screen: Screen, settings: Settings) -> None:
        kept = sorted(aliases.load(settings.folders.aliases).values())
        if json:
            screen.out(dumped([alias._asdict() for alias in kept]))
            return
        for alias in kept:
            screen.out(_shown(alias))
        if not kept:
            screen.err("No aliases yet.")

    command(context.obj, Options(json=json, env_file=env_file), work)


@app.command()
def rm(context: typer.Context, name: list[str], json: AsJson = False, env_file: EnvFile = None) -> None:
    """Forget NAME."""

    def work(screen: Screen, settings: Settings) -> None:
        alias = aliases.remove(settings.folders.aliases, " ".join(name))
        if json:
            screen.out(dumped({"removed": alias._asdict()}))
            return
        again = f"   undo: jarvis alias add {shlex.quote(alias.name)} {shlex.quote(alias.target)}"
        screen.out(f"Removed {_shown(alias)} (aliases.json){again if alias.kind == ALIAS else ''}")

    command(context.obj, Options(json=json, env_file=env_file), work)


def _shown(alias: Alias) -> str:
    picked = {SITE: "   the site, as you picked", APP: "   the app, as you picked"}
    takes = "   takes words" if QUERY in alias.target else ""
    return f"{alias.name}  {one_line(alias.target, 300)}{picked.get(alias.kind, takes)}"
