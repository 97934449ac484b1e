"""`jarvis threads …`: list, show, search, rename, delete, export, import threads."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from ...core.errors import JarvisError, NeedsAnswer, Refused, StoreFailed, UsageError
from ...core.text import LONGEST_TITLE, clean, counted, one_line
from ...core.types import TERMINALS, Step
from ...output.records import dumped
from ...output.screen import Screen, fitted, show_failure
from ...output.tables import table_lines
from ...store.addresses import tables_in
from ...store.open import Store
from ...store.threads import Thread
from ...store.turns import PastTurn
from .. import completion
from ..completion import File, InThread, Json, ThreadName, Words
from ..invocation import ask_line, current, records_in, report, tell_unreported
from ..thread_list import LONGEST, lines_of, no_thread, row_of, short_name, thread_meant, when

_Sure = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]

app = typer.Typer(name="threads", help="What was asked, and what came of it.")


@app.command("list", help="List the threads, the one used last first.")
def list_threads(as_json: Json = False) -> None:
    screen, threads, now = current().screen, _threads(), current().settings().thread
    lines = lines_of(threads, screen.width, now) if screen.out_tty else map(row_of, threads)
    report([thread._asdict() for thread in threads], *lines, none="No threads yet.")


@app.command("show", help="Show a thread: each turn, its steps and its reply.")
def show_thread(name: ThreadName = "", as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings()

    async def work(store: Store) -> Sequence[PastTurn]:
        thread = await (_picked(store, name) if name else _existing(store, settings.thread))
        turns = await store.threads.turns(thread)
        await tell_unreported(store, thread, screen)
        return turns

    turns = current().with_store(work, settings)
    if as_json:
        screen.out(dumped([record_of_turn(turn) for turn in turns]))
        return
    for turn in turns:
        _print_turn(screen, turn)


@app.command("search", help="Find the newest 20 turns with these words in them.")
def search_threads(words: Words, thread: InThread = None, as_json: Json = False) -> None:
    async def work(store: Store) -> tuple[Sequence[PastTurn], Sequence[Thread]]:
        named = await _existing(store, thread) if thread else None
        return await store.threads.search(" ".join(words), named), await store.threads.all()

    found, threads = current().with_store(work)
    names = {each.id: short_name(each) for each in threads}
    records = [{"thread": turn.thread, **said_in(turn), "reply": turn.reply} for turn in found]
    lines = (
        line for turn in found for line in (*_head(turn, names[turn.thread]), *_begun("   ", turn.reply))
    )
    report(records, *lines, none="Nothing was found.")


def _head(turn: PastTurn, about: str) -> Iterator[str]:
    """Yield when *turn* was, what tells *about* it, and what was asked."""
    yield f"{when(turn.started_at)}  {about}  {one_line(turn.goal, LONGEST)}".rstrip()
    yield from _begun("    piped in:", turn.material)


@app.command("rename", help="Give a thread another title; its name stays.")
def rename_thread(name: ThreadName, title: Words, as_json: Json = False) -> None:
    called = one_line(" ".join(title), LONGEST_TITLE)
    if not called:
        raise UsageError("A title needs words.", hint=f"jarvis threads rename {name} holidays in May")

    async def work(store: Store) -> None:
        await store.threads.rename(await _existing(store, name), called)

    current().with_store(work)
    report({"thread": name, "title": called}, f"The title of {name} is “{called}” now.")


@app.command("delete", help="Delete a thread and all that is in it; asks first, but for -y.")
def delete_thread(name: ThreadName, yes: _Sure = False, as_json: Json = False) -> None:
    # Unasked only by its whole name or title: a line of the list may be another's by now.
    id_ = current().with_store(lambda store: _existing(store, name) if yes else _picked(store, name))
    (thread,) = (each for each in _threads() if each.id == id_)
    if not yes:
        told = f"This deletes the thread {short_name(thread)} with {counted(thread.turns, 'turns')}."
        _check_sure(told, f"jarvis threads delete -y {shlex.quote(thread.id)}")
    _delete([thread], name, short_name(thread))


@app.command("prune", help="Delete the threads that were not used for long; asks first.")
def prune_threads(
    days: Annotated[int, typer.Option(metavar="N", min=1, max=36500, help="For how many days.")] = 90,
    yes: _Sure = False,
    as_json: Json = False,
) -> None:
    since = time.time() - days * 86400
    threads = [thread for thread in _threads() if thread.used_at < since]
    if threads and not yes:
        listed = lines_of(threads, current().screen.width)
        told = "\n".join([*listed, f"This deletes {counted(len(threads), 'threads')}."])
        _check_sure(told, f"jarvis threads prune --days {days} -y")
    _delete(threads, [each.id for each in threads], counted(len(threads), "threads"))


def _threads() -> list[Thread]:
    return current().with_store(lambda store: store.threads.all())


def _delete(threads: Sequence[Thread], names: object, told: str) -> None:
    """Delete *threads*, and report that. names: theirs, for a program; told: the same for a person."""

    async def work(store: Store) -> int:
        return sum([await store.delete(thread.id) for thread in threads])

    turns = current().with_store(work)
    lines = f"Deleted {told}: {counted(turns, 'turns')}."
    report({"deleted": names, "turns": turns}, lines)


def _check_sure(told: str, hint: str) -> None:
    """Raise Refused unless the person wants it deleted; NeedsAnswer where they can't be asked."""
    screen, options = current()
    if options.json or not screen.is_interactive:
        raise NeedsAnswer(f"{told} Nothing was deleted: there is nobody to ask.", hint=hint)
    screen.err(told)
    if ask_line(screen, "Type yes to go on: ").lower() != "yes":
        raise Refused("Nothing was deleted.")


@app.command("export", help="Print threads, one a line, for threads import elsewhere.")
def export_threads(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", autocompletion=completion.a_thread)
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown, to read.")] = False,
) -> None:
    from ...output.transcript import as_markdown  # markdown-it
    from ...store.transfer import exported  # pydantic

    write = as_markdown if markdown else dumped

    async def work(store: Store) -> None:
        wanted = names or sorted(thread.id for thread in await store.threads.all())
        for name in [await _existing(store, name) for name in wanted]:
            current().screen.out(write(await exported(store.database, name)))

    current().with_store(work)


@app.command("import", help="Read threads from FILE; one that exists is left as it is.")
def import_threads(
    file: File,
    name: Annotated[
        str, typer.Option("--as", metavar="NAME", help="Under this name; FILE holds one thread.")
    ] = "",
) -> int:
    from ...store.transfer import imported  # pydantic

    screen, records = current().screen, records_in(file, current().screen)

    async def work(store: Store) -> int:
        status = 0
        for number, record in records:
            try:
                thread, turns = await imported(store.database, record, name or None)
            except (UsageError, StoreFailed) as error:
                show_failure(screen, f"Line {number}: {error.message}", error.hint)
                status = JarvisError.exit_status
            else:
                there = f"{thread} is here already. Nothing changed."
                screen.out(there if turns is None else f"Imported {thread}: {counted(turns, 'turns')}.")
        return status

    return current().with_store(work)


async def _existing(store: Store, name: str) -> str:
    """Return the id of the thread that has that *name* or title. Raises UsageError where none has."""
    if found := await store.threads.find(name):
        return found
    if name.startswith(TERMINALS) and name == current().settings().thread:
        raise UsageError("Nothing was asked in this terminal yet.", hint="jarvis threads list")
    raise no_thread(name)


async def _picked(store: Store, typed: str) -> str:
    """Return the id of the thread that *typed* means: its name or title, or as one is picked."""
    return await store.threads.find(typed) or thread_meant(typed, await store.threads.all()).id


def _print_turn(screen: Screen, turn: PastTurn) -> None:
    lines = [*_head(turn, f"{turn.status:<11}")]
    for n, _, outcome in turn.steps:
        said = one_line((outcome.text or outcome.value).replace("\n", " · "))
        lines.append(f"    {n} {outcome.state:<8} {said}")
    for line in lines:
        screen.out(fitted(line, screen))
    for table, first in tables_in(turn.tables):
        for line in table_lines(screen, table, first, screen.width - 4):
            screen.out(f"    {line}")
    for line in clean(turn.reply, tabs=True).splitlines():
        screen.out(f"    {line}")  # which may be code: it is not broken
    if turn.waits:
        answer = f"{turn.waits['id']}={turn.waits['options'][0]['id']}"
        told = one_line(f"{turn.waits['text']} To answer: jarvis --answer {answer}")
        screen.out(fitted(f"    {told}", screen))


def _begun(head: str, text: str) -> list[str]:
    """Return the beginning of *text* behind *head*, on one line; nothing where there is no text."""
    told = one_line(text, LONGEST)
    return [f"{head} {told}"] if told else []


def said_in(turn: PastTurn) -> dict[str, Any]:
    """Return what --json prints first of any *turn*."""
    return {"n": turn.n, "goal": turn.goal, "piped": turn.material, "started_at": turn.started_at}


def record_of_turn(turn: PastTurn) -> dict[str, Any]:
    """Return *turn* as --json prints it."""
    return {
        "turn": turn.id,
        **said_in(turn),
        "intent": turn.intent,
        "status": turn.status,
        "reply": turn.reply,
        "error": turn.error or None,
        "ended_at": turn.ended_at,
        "tables": [table.as_record(first) for table, first in tables_in(turn.tables)],
        "steps": [record_of_step(step) for step in turn.steps],
    }


def record_of_step(step: Step) -> dict[str, Any]:
    """Return *step* as --json prints it."""
    plan, outcome = step.plan, step.outcome
    did = {"target": outcome.value, "state": outcome.state, "outcome": outcome.text}
    return {"n": step.n, "action": plan.action, "arguments": plan.arguments, **did}
