"""`jarvis threads list|show|delete`: what was asked and what came of it. Imports no LangGraph."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Annotated, Any

import typer

from ..commandline import Options
from ..errors import UsageError
from ..settings import Settings, check_thread
from ..store.sqlite import Database
from ..store.threads import Threads
from ..text import clean, one_line
from .listing import when
from .oneshot import guarded, settings_for
from .screen import Screen
from .shown import dumped

app = typer.Typer(add_completion=False, rich_markup_mode=None, help="What was asked and what came of it.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
EnvFile = Annotated[str | None, typer.Option("--env-file", help="Read NAME=value settings from this file.")]


@app.command("list")
def list_(context: typer.Context, json: AsJson = False, env_file: EnvFile = None) -> None:
    """List the threads, the one used last first."""

    def work(threads: Threads, screen: Screen, settings: Settings) -> None:
        known = threads.all()
        if json:
            screen.out(dumped([thread._asdict() for thread in known]))
            return
        for thread in known:
            asked = one_line(thread.last, 50)
            screen.out(f"{thread.id:<20} {thread.turns:>5}  {when(thread.used_at)}  {asked}")
        if not known:
            screen.err("No threads yet.")

    _run(context.obj, Options(json=json, env_file=env_file), work)


@app.command()
def show(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument()] = None,
    json: AsJson = False,
    env_file: EnvFile = None,
) -> None:
    """Show a thread: each turn, its steps and its reply."""

    def work(threads: Threads, screen: Screen, settings: Settings) -> None:
        turns = threads.turns(_existing(threads, name or settings.thread))
        if json:
            screen.out(dumped(turns))
            return
        for turn in turns:
            _print_turn(screen, turn)

    _run(context.obj, Options(json=json, env_file=env_file), work)


@app.command()
def delete(context: typer.Context, name: str, json: AsJson = False, env_file: EnvFile = None) -> None:
    """Delete a thread: its turns, steps and addresses."""

    def work(threads: Threads, screen: Screen, settings: Settings) -> None:
        thread = _existing(threads, name)
        count = threads.delete(thread)
        screen.out(
            dumped({"deleted": thread, "turns": count}) if json else f"Deleted {thread}: {count} turns."
        )

    _run(context.obj, Options(json=json, env_file=env_file), work)


def _run(screen: Screen, options: Options, work: Callable[[Threads, Screen, Settings], None]) -> None:
    def guarded_work() -> int:
        settings = settings_for(options, screen)
        with contextlib.closing(Database(settings.folders.history)) as database:
            work(Threads(database, settings.folders), screen, settings)
        return 0

    raise typer.Exit(guarded(options, screen, guarded_work))


def _existing(threads: Threads, name: str) -> str:
    check_thread(name)
    if not threads.exists(name):
        raise UsageError(f"There is no thread {name}.", hint="jarvis threads list")
    return name


def _print_turn(screen: Screen, turn: dict[str, Any]) -> None:
    screen.out(f"{when(turn['started_at'])}  {turn['status']:<11}  {one_line(turn['goal'])}")
    for step in turn["steps"]:
        screen.out(f"    {step['n']} {step['state']:<8} {one_line(step['outcome'] or step['target'])}")
    for line in clean(turn["reply"]).splitlines():
        screen.out(f"    {line}")
