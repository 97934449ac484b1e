"""`jarvis threads …`: list, show, search, rename, delete, export, and import threads."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from ...core.errors import JarvisError, NeedsAnswer, Refused, StoreFailed, UsageError
from ...core.text import LONGEST_TITLE, clean, one_line, pluralize
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
from ..thread_list import LONGEST, find_thread, lines_of, no_thread, row_of, short_name, when

_Sure = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask for confirmation.")]

app = typer.Typer(name="threads", help="Your conversations.")


@app.command("list", help="List conversations, most recent first.")
def list_threads(as_json: Json = False) -> None:
    screen, threads, now = current().screen, _threads(), current().settings().thread
    lines = lines_of(threads, screen.width, now) if screen.out_tty else map(row_of, threads)
    report([thread._asdict() for thread in threads], *lines, none="No conversations yet.")


@app.command("show", help="Show a conversation: requests, steps, and replies.")
def show_thread(name: ThreadName = "", as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings()

    async def work(store: Store) -> Sequence[PastTurn]:
        thread = await (_resolve_thread(store, name) if name else _existing(store, settings.thread))
        turns = await store.threads.turns(thread)
        await tell_unreported(store, thread, screen)
        return turns

    turns = current().with_store(work, settings)
    if as_json:
        screen.out(dumped([record_of_turn(turn) for turn in turns]))
        return
    for turn in turns:
        _print_turn(screen, turn)


@app.command("search", help="Search past requests and replies (latest 20 matches).")
def search_threads(words: Words, thread: InThread = None, as_json: Json = False) -> None:
    async def work(store: Store) -> tuple[Sequence[PastTurn], Sequence[Thread]]:
        thread_id = await _existing(store, thread) if thread else None
        return await store.threads.search(" ".join(words), thread_id), await store.threads.all()

    found, threads = current().with_store(work)
    names = {each.id: short_name(each) for each in threads}
    records = [{"thread": turn.thread, **request_record(turn), "reply": turn.reply} for turn in found]
    lines = (
        line for turn in found for line in (*_head(turn, names[turn.thread]), *_begun("   ", turn.reply))
    )
    report(records, *lines, none="No matches.")


def _head(turn: PastTurn, about: str) -> Iterator[str]:
    """Yield the time of *turn*, *about* it, and the request."""
    yield f"{when(turn.started_at)}  {about}  {one_line(turn.goal, LONGEST)}".rstrip()
    yield from _begun("    piped in:", turn.material)


@app.command("rename", help="Rename a conversation.")
def rename_thread(name: ThreadName, title: Words, as_json: Json = False) -> None:
    words = one_line(" ".join(title), LONGEST_TITLE)
    if not words:
        raise UsageError("No title given.", hint=f"jarvis threads rename {name} holidays in May")

    async def work(store: Store) -> None:
        await store.threads.rename(await _existing(store, name), words)

    current().with_store(work)
    report({"thread": name, "title": words}, f"Renamed {name} to “{words}”.")


@app.command("delete", help="Delete a conversation (asks first, unless -y).")
def delete_thread(name: ThreadName, yes: _Sure = False, as_json: Json = False) -> None:
    # With -y only by its whole name or title: numbers in the list change.
    id_ = current().with_store(lambda store: _existing(store, name) if yes else _resolve_thread(store, name))
    (thread,) = (each for each in _threads() if each.id == id_)
    if not yes:
        question = f"Delete the conversation {short_name(thread)} ({pluralize(thread.turns, 'requests')})?"
        _check_sure(question, f"jarvis threads delete -y {shlex.quote(thread.id)}")
    _delete([thread], name, short_name(thread))


@app.command("prune", help="Delete conversations unused for 90 days or --days (asks first).")
def prune_threads(
    days: Annotated[int, typer.Option(metavar="N", min=1, max=36500, help="Days without use.")] = 90,
    yes: _Sure = False,
    as_json: Json = False,
) -> None:
    since = time.time() - days * 86400
    threads = [thread for thread in _threads() if thread.used_at < since]
    if threads and not yes:
        listed = lines_of(threads, current().screen.width)
        question = "\n".join([*listed, f"Delete {pluralize(len(threads), 'conversations')}?"])
        _check_sure(question, f"jarvis threads prune --days {days} -y")
    _delete(threads, [each.id for each in threads], pluralize(len(threads), "conversations"))


def _threads() -> list[Thread]:
    return current().with_store(lambda store: store.threads.all())


def _delete(threads: Sequence[Thread], names: object, summary: str) -> None:
    """Delete *threads*, and report it. names: for programs. summary: for people."""

    async def work(store: Store) -> int:
        return sum([await store.delete(thread.id) for thread in threads])

    turns = current().with_store(work)
    report({"deleted": names, "turns": turns}, f"Deleted {summary} ({pluralize(turns, 'requests')}).")


def _check_sure(question: str, hint: str) -> None:
    """Raise Refused unless the user confirms *question*. NeedsAnswer if nobody can answer."""
    screen, options = current()
    if options.json or not screen.is_interactive:
        raise NeedsAnswer(f"{question} Nothing deleted: can't ask without a terminal.", hint=hint)
    screen.err(question)
    if ask_line(screen, "Type yes to delete: ").lower() != "yes":
        raise Refused("Nothing deleted.")


@app.command("export", help="Export conversations, one per line, for jarvis threads import.")
def export_threads(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", autocompletion=completion.a_thread)
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Export as Markdown, to read.")] = False,
) -> None:
    from ...output.transcript import as_markdown  # markdown-it
    from ...store.transfer import exported  # pydantic

    async def work(store: Store) -> None:
        wanted = names or sorted(thread.id for thread in await store.threads.all())
        for n, name in enumerate([await _existing(store, name) for name in wanted], 1):
            current().screen.show_progress("exporting conversations", n, len(wanted))
            record = await exported(store.database, name)
            current().screen.out(as_markdown(record) if markdown else dumped(record))

    current().with_store(work)


@app.command("import", help="Import conversations from FILE. Existing ones are kept.")
def import_threads(
    file: File,
    name: Annotated[
        str, typer.Option("--as", metavar="NAME", help="Import the one conversation in FILE under this name.")
    ] = "",
) -> int:
    from ...store.transfer import imported  # pydantic

    screen, records = current().screen, [*records_in(file, current().screen)]

    async def work(store: Store) -> int:
        status = 0
        for n, (number, record) in enumerate(records, 1):
            screen.show_progress("importing conversations", n, len(records))
            try:
                thread, turns = await imported(store.database, record, name or None)
            except (UsageError, StoreFailed) as error:
                show_failure(screen, f"Line {number}: {error.message}", error.hint)
                status = JarvisError.exit_status
            else:
                kept = f"{thread} already exists. Nothing changed."
                screen.out(kept if turns is None else f"Imported {thread} ({pluralize(turns, 'requests')}).")
        return status

    return current().with_store(work)


async def _existing(store: Store, name: str) -> str:
    """Return the id of the thread with that *name* or title. Raises UsageError if there is none."""
    if found := await store.threads.find(name):
        return found
    if name.startswith(TERMINALS) and name == current().settings().thread:
        raise UsageError("No conversation in this terminal yet.", hint="jarvis threads")
    raise no_thread(name)


async def _resolve_thread(store: Store, typed: str) -> str:
    """Return the id of the thread with the name, title, number, or part of a title that was *typed*."""
    return await store.threads.find(typed) or find_thread(typed, await store.threads.all()).id


def _print_turn(screen: Screen, turn: PastTurn) -> None:
    for line in _head(turn, f"{turn.status:<11}"):
        screen.out(fitted(line, screen))
    for n, _, outcome in turn.steps:
        text = one_line((outcome.text or outcome.value).replace("\n", " · "))
        screen.out(fitted(f"    {n} {outcome.state:<8} {text}", screen))
    for table, first in tables_in(turn.tables):
        for line in table_lines(screen, table, first, screen.width - 4):
            screen.out(f"    {line}")
    for line in clean(turn.reply, tabs=True).splitlines():
        screen.out(f"    {line}")  # not wrapped: it may be code
    if turn.waits:
        answer = f"{turn.waits['id']}={turn.waits['options'][0]['id']}"
        question = one_line(f"{turn.waits['text']} To answer: jarvis --answer {answer}")
        screen.out(fitted(f"    {question}", screen))


def _begun(head: str, text: str) -> list[str]:
    """Return *head* and the beginning of *text* on one line, or nothing without text."""
    beginning = one_line(text, LONGEST)
    return [f"{head} {beginning}"] if beginning else []


def request_record(turn: PastTurn) -> dict[str, Any]:
    """Return the first fields of any *turn* that --json prints."""
    return {"n": turn.n, "goal": turn.goal, "piped": turn.material, "started_at": turn.started_at}


def record_of_turn(turn: PastTurn) -> dict[str, Any]:
    """Return *turn* as --json prints it."""
    return {
        "turn": turn.id,
        **request_record(turn),
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
    result = {"target": outcome.value, "state": outcome.state, "outcome": outcome.text}
    return {"n": step.n, "action": plan.action, "arguments": plan.arguments, **result}
