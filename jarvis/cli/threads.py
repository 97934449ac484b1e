"""`jarvis threads …`: what was asked and what came of it. Imports no LangGraph."""

from __future__ import annotations

import json as json_
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from ..config.settings import Settings, check_thread
from ..core.errors import Interrupted, JarvisError, Refused, UsageError
from ..core.options import Options
from ..core.text import clean, counted, one_line
from ..output.prompts import is_sure
from ..output.screen import Screen
from ..output.summary import dumped, show_failure
from ..store.open import Store
from ..store.threads import Threads
from ..store.transfer import exported, imported
from .command_options import AsJson, EnvFile, command
from .storage import on_store
from .thread_list import when

app = typer.Typer(add_completion=False, rich_markup_mode=None, help="What was asked and what came of it.")


@app.command("list")
def list_(context: typer.Context, json: AsJson = False, env_file: EnvFile = None) -> None:
    """List the threads, the one used last first."""

    async def work(store: Store, screen: Screen, settings: Settings) -> None:
        known = await store.threads.all()
        if json:
            screen.out(dumped([thread._asdict() for thread in known]))
            return
        for thread in known:
            asked = one_line(thread.last, 50)
            screen.out(f"{one_line(thread.id):<20} {thread.turns:>5}  {when(thread.used_at)}  {asked}")
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

    async def work(store: Store, screen: Screen, settings: Settings) -> None:
        turns = await store.threads.turns(await _existing(store.threads, name or settings.thread))
        if json:
            screen.out(dumped(turns))
            return
        for turn in turns:
            _print_turn(screen, turn)

    _run(context.obj, Options(json=json, env_file=env_file), work)


@app.command()
def search(
    context: typer.Context,
    words: list[str],
    thread: Annotated[str | None, typer.Option("-t", "--thread", help="Only in this thread.")] = None,
    json: AsJson = False,
    env_file: EnvFile = None,
) -> None:
    """Find turns by words of the request, the reply or what was done; the newest 20."""

    async def work(store: Store, screen: Screen, settings: Settings) -> None:
        if thread:
            await _existing(store.threads, thread)
        found = await store.threads.search(" ".join(words), thread)
        if json:
            screen.out(dumped([match._asdict() for match in found]))
            return
        for match in found:
            told = f"{when(match.started_at)}  {one_line(match.thread)}  {one_line(match.goal, 200)}"
            screen.out(told.rstrip())
            _print_piped(screen, match.piped)
            if reply := one_line(match.reply, 200):
                screen.out(f"    {reply}")
        if not found:
            screen.err("Nothing was found.")

    _run(context.obj, Options(json=json, env_file=env_file), work)


@app.command()
def delete(
    context: typer.Context,
    name: str,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
    json: AsJson = False,
    env_file: EnvFile = None,
) -> None:
    """Delete a thread: its turns, steps and addresses. Asks first, on a terminal."""

    def work(screen: Screen, settings: Settings) -> int:
        # A script has named the thread, and has nobody to ask.
        if not (yes or json) and screen.is_interactive and not _is_sure(name, settings, screen):
            screen.err("Nothing was deleted.")
            return Refused.exit_status
        count = on_store(settings, screen, lambda store: _deleted(store, name))
        said = f"Deleted {name}: {counted(count, 'turns')}."
        screen.out(dumped({"deleted": name, "turns": count}) if json else said)
        return 0

    command(context.obj, Options(json=json, env_file=env_file), work)


async def _deleted(store: Store, name: str) -> int:
    """How many turns were deleted."""
    return await store.threads.delete(await _existing(store.threads, name))


def _is_sure(name: str, settings: Settings, screen: Screen) -> bool:
    async def turns(store: Store) -> int:
        await _existing(store.threads, name)
        return next(thread.turns for thread in await store.threads.all() if thread.id == name)

    count = on_store(settings, screen, turns)
    screen.err(f"This deletes the thread {name} with {counted(count, 'turns')}.")
    try:
        return is_sure(screen)
    except KeyboardInterrupt:
        screen.end_line()
        raise Interrupted("Interrupted. Nothing was deleted.") from None


@app.command("export")
def export_(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument()] = None,
    env_file: EnvFile = None,
) -> None:
    """Print threads, all or those named, one a line, for `threads import` elsewhere."""

    async def work(store: Store, screen: Screen, settings: Settings) -> None:
        wanted = names or sorted(thread.id for thread in await store.threads.all())
        for name in [await _existing(store.threads, name) for name in wanted]:
            screen.out(dumped(await exported(store.database, name)))

    _run(context.obj, Options(env_file=env_file), work)


@app.command("import")
def import_(
    context: typer.Context,
    file: str,
    name: Annotated[str | None, typer.Option("--as", help="Under this name; FILE holds one thread.")] = None,
    env_file: EnvFile = None,
) -> None:
    """Read threads from FILE, or from stdin where it is `-`. A thread that exists is left as it is."""

    async def work(store: Store, screen: Screen, settings: Settings) -> int:
        status = 0
        lines = [(number, line) for number, line in enumerate(_lines(screen, file), 1) if line.strip()]
        if name and len(lines) > 1:
            raise UsageError("--as names one thread.", hint="jarvis threads export NAME > one.jsonl")
        for number, line in lines:
            try:
                thread, turns = await imported(store.database, _record(line), name)
            except UsageError as error:
                show_failure(screen, f"Line {number}: {error.message}", error.hint)
                status = JarvisError.exit_status
            else:
                screen.out(f"Imported {thread}: {counted(turns, 'turns')}.")
        return status

    _run(context.obj, Options(env_file=env_file), work)


def _run(
    screen: Screen, options: Options, work: Callable[[Store, Screen, Settings], Awaitable[int | None]]
) -> None:
    def on(screen: Screen, settings: Settings) -> int | None:
        return on_store(settings, screen, lambda store: work(store, screen, settings))

    command(screen, options, on)


async def _existing(threads: Threads, name: str) -> str:
    check_thread(name)
    if not await threads.exists(name):
        raise UsageError(f"There is no thread {name}.", hint="jarvis threads list")
    return name


def _lines(screen: Screen, path: str) -> list[str]:
    """The lines of the file at *path*. Bytes that are no text become surrogates: no record has them."""
    try:
        if path == "-":
            return screen.stdin.read().split("\n")
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().split("\n")  # not splitlines(): JSON may hold what that takes for an end
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path} can't be read: {error}.", hint="jarvis threads export > threads.jsonl"
        ) from None


def _record(line: str) -> object:
    try:
        return json_.loads(line)
    except (ValueError, RecursionError):
        raise UsageError(
            "That is no thread that was exported.", hint="jarvis threads export > threads.jsonl"
        ) from None


def _print_piped(screen: Screen, piped: str) -> None:
    if told := one_line(piped, 200):
        screen.out(f"    piped in: {told}")


def _print_turn(screen: Screen, turn: dict[str, Any]) -> None:
    told = f"{when(turn['started_at'])}  {turn['status']:<11}  {one_line(turn['goal'])}"
    screen.out(told.rstrip())
    _print_piped(screen, turn["piped"])
    for step in turn["steps"]:
        screen.out(f"    {step['n']} {step['state']:<8} {one_line(step['outcome'] or step['target'])}")
    for line in clean(turn["reply"]).splitlines():
        screen.out(f"    {line}")
