"""`jarvis threads …`: list, show, search, delete, export and import threads. Imports no LangGraph."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import Interrupted, JarvisError, NeedsAnswer, Refused, StoreFailed, UsageError
from ...core.text import clean, counted, fitting, one_line
from ...core.types import TERMINALS
from ...output.records import dumped
from ...output.screen import fitted, show_failure
from ...store.addresses import tables_in
from ...store.history import LONGEST_TITLE
from ...store.kept import Kept
from ...store.sqlite import files_set_aside
from .. import completion
from ..json_lines import lines_in, record_in
from ..parameters import File, InThread, Json, ThreadName, Words
from ..work import current, tell_untold, with_store

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...core.tables import Table
    from ...core.types import Step
    from ...output.screen import Screen
    from ...store.open import Store
    from ...store.threads import Thread, Threads
    from ...store.turns import PastTurn


_AGAIN = "jarvis threads export > threads.jsonl"


app = typer.Typer(name="threads", help="What was asked, and what came of it.")


@app.command("list", help="List the threads, the one used last first.")
def list_threads(as_json: Json = False) -> None:
    screen = current().screen

    async def known(store: Store, settings: Settings) -> list[Thread]:
        return await store.threads.all()

    threads = with_store(known)
    if as_json:
        screen.out(dumped([thread._asdict() for thread in threads]))
    elif threads:
        told = _line if screen.out_tty else _row
        screen.out("\n".join(told(each, screen.width) for each in threads))  # at once: there may be thousands
    else:
        screen.err("No threads yet.")


def _line(thread: Thread, width: int) -> str:
    """Return the line of a thread for a person, who knows it by its title."""
    return fitting(f"{when(thread.used_at)} {thread.turns:>5}  {known_as(thread)}", width)


def _row(thread: Thread, _: int) -> str:
    """Return the line of a thread for a program, which knows it by its name."""
    told = one_line(thread.told, 50)
    return f"{one_line(thread.id):<20} {thread.turns:>5}  {when(thread.used_at)}  {told}"


def known_as(thread: Thread) -> str:
    """Return what a person knows *thread* by: its title, behind its name unless that is a terminal's."""
    name = "" if thread.id.startswith(TERMINALS) and thread.told else one_line(thread.id)
    return f"{name}  {one_line(thread.told, 200)}".strip()


@app.command("show", help="Show a thread: each turn, its steps and its reply.")
def show_thread(name: ThreadName = "", as_json: Json = False) -> None:
    screen = current().screen

    async def work(store: Store, settings: Settings) -> Sequence[PastTurn]:
        thread = name or settings.thread
        thread = await _existing(store.threads, thread)
        turns = await store.threads.turns(thread)
        await tell_untold(store, thread, screen)
        return turns

    turns = with_store(work)
    if as_json:
        screen.out(dumped([record_of_turn(turn) for turn in turns]))
        return
    for turn in turns:
        _print_turn(screen, turn)
        if turn.waits:
            _print_question(screen, turn.waits)


@app.command("search", help="Find the newest 20 turns with these words in them.")
def search_threads(words: Words, thread: InThread = None, as_json: Json = False) -> None:
    screen = current().screen

    async def work(store: Store, settings: Settings) -> Sequence[PastTurn]:
        named = await _existing(store.threads, thread) if thread else None
        return await store.threads.search(" ".join(words), named)

    found = with_store(work, thread=thread)
    if as_json:
        screen.out(dumped([_match_record(turn) for turn in found]))
        return
    for turn in found:
        told = f"{when(turn.started_at)}  {one_line(turn.thread)}  {one_line(turn.goal, 200)}"
        screen.out(fitted(told.rstrip(), screen))
        _print_piped(screen, turn.material)
        if reply := one_line(turn.reply, 200):
            screen.out(fitted(f"    {reply}", screen))
    if not found:
        screen.err("Nothing was found.")


def _match_record(turn: PastTurn) -> dict[str, Any]:
    said = {"goal": turn.goal, "reply": turn.reply, "piped": turn.material}
    return {"thread": turn.thread, "n": turn.n, "started_at": turn.started_at, **said}


@app.command("rename", help="Give a thread another title; its name stays.")
def rename_thread(name: ThreadName, title: Words, as_json: Json = False) -> None:
    called = one_line(" ".join(title), LONGEST_TITLE)
    if not called:
        raise UsageError("A title needs words.", hint=f"jarvis threads rename {name} holidays in May")

    async def work(store: Store, settings: Settings) -> None:
        await store.threads.rename(await _existing(store.threads, name), called)

    with_store(work)
    told = f"The title of {name} is “{called}” now."
    current().screen.out(dumped({"thread": name, "title": called}) if as_json else told)


_Sure = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@app.command("delete", help="Delete a thread and all that is in it; asks first, but for -y.")
def delete_thread(name: ThreadName, yes: _Sure = False, as_json: Json = False) -> int:
    if not yes:
        turns = with_store(lambda store, settings: _turns_in(store, name))
        told = f"This deletes the thread {name} with {counted(turns, 'turns')}."
        if not _is_sure(told, f"jarvis threads delete -y {name}", as_json):
            return Refused.exit_status
    (count,) = _deleted([name])
    told = f"Deleted {name}: {counted(count, 'turns')}."
    current().screen.out(dumped({"deleted": name, "turns": count}) if as_json else told)
    return 0


@app.command("prune", help="Delete the threads that were not used for long; asks first.")
def prune_threads(
    days: Annotated[int, typer.Option(metavar="N", min=1, max=36500, help="For how many days.")] = 90,
    yes: _Sure = False,
    as_json: Json = False,
) -> int:
    screen, since = current().screen, time.time() - days * 86400

    async def unused(store: Store, settings: Settings) -> list[Thread]:
        return [thread for thread in await store.threads.all() if thread.used_at < since]

    threads = with_store(unused)
    if threads and not yes:
        listed = [_line(each, screen.width) for each in threads]
        told = "\n".join([*listed, f"This deletes {counted(len(threads), 'threads')}."])
        if not _is_sure(told, f"jarvis threads prune --days {days} -y", as_json):
            return Refused.exit_status
    names = [thread.id for thread in threads]
    turns = sum(_deleted(names)) if names else 0
    done = f"Deleted {counted(len(names), 'threads')} with {counted(turns, 'turns')}."
    nothing = f"Every thread was used within {counted(days, 'days')}: nothing was deleted."
    screen.out(dumped({"deleted": names, "turns": turns}) if as_json else done if names else nothing)
    return 0


async def _turns_in(store: Store, name: str) -> int:
    found = await _existing(store.threads, name)
    return next(thread.turns for thread in await store.threads.all() if thread.id == found)


def _deleted(names: Sequence[str]) -> list[int]:
    """Delete the threads of these *names*; return how many turns each had. Tell what stays."""

    async def work(store: Store, settings: Settings) -> tuple[list[int], int, list[str]]:
        counts = [await store.delete(await _existing(store.threads, name)) for name in names]
        return counts, len(await Kept(store.database).items()), files_set_aside(settings.folders.history)

    screen = current().screen
    counts, kept, files = with_store(work)
    if kept:
        screen.err(f"What you keep is in no thread, and stays: {counted(kept, 'things')}.")
    for file in files:
        screen.err(f"Its words may also be in {file}, which was set aside.")
    return counts


def _is_sure(told: str, hint: str, as_json: bool) -> bool:
    """Return whether the person wants it deleted. Raises NeedsAnswer where they can't be asked."""
    screen = current().screen
    if as_json or not screen.is_interactive:
        raise NeedsAnswer(f"{told} Nothing was deleted: there is nobody to ask.", hint=hint)
    from ...output.questions import is_sure  # few commands ask

    screen.err(told)
    try:
        if is_sure(screen):
            return True
    except Interrupted:
        raise Interrupted("Interrupted. Nothing was deleted.") from None
    screen.err("Nothing was deleted.")
    return False


@app.command("export", help="Print threads, one a line, for threads import elsewhere.")
def export_threads(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", autocompletion=completion.a_thread)
    ] = None,
) -> None:
    screen = current().screen

    async def work(store: Store, settings: Settings) -> None:
        from ...store.transfer import exported  # pydantic, which the rest here does without

        wanted = names or sorted(thread.id for thread in await store.threads.all())
        for name in [await _existing(store.threads, name) for name in wanted]:
            screen.out(dumped(await exported(store.database, name)))

    with_store(work)


@app.command("import", help="Read threads from FILE; one that exists is left as it is.")
def import_threads(
    file: File,
    name: Annotated[
        str, typer.Option("--as", metavar="NAME", help="Under this name; FILE holds one thread.")
    ] = "",
) -> int:
    screen = current().screen

    async def work(store: Store, settings: Settings) -> int:
        from ...store.transfer import imported  # as above

        status = 0
        lines = list(lines_in(screen, file, _AGAIN))
        if name and len(lines) > 1:
            raise UsageError(
                "--as names one thread; FILE holds more.", hint="jarvis threads export NAME > one.jsonl"
            )
        for number, line in lines:
            try:
                record = record_in(line, "an exported thread", _AGAIN)
                thread, turns = await imported(store.database, record, name or None)
            except (UsageError, StoreFailed) as error:
                show_failure(screen, f"Line {number}: {error.message}", error.hint)
                status = JarvisError.exit_status
            else:
                screen.out(f"Imported {thread}: {counted(turns, 'turns')}.")
        return status

    return with_store(work)


async def _existing(threads: Threads, name: str) -> str:
    """Return the id of the thread that has that *name* or title. Raises UsageError where none has."""
    if found := await threads.find(name):
        return found
    raise UsageError(f"There is no thread {one_line(name, 64)}.", hint="jarvis threads list")


def _print_piped(screen: Screen, piped: str) -> None:
    if told := one_line(piped, 200):
        screen.out(fitted(f"    piped in: {told}", screen))


def _print_turn(screen: Screen, turn: PastTurn) -> None:
    told = f"{when(turn.started_at)}  {turn.status:<11}  {one_line(turn.goal)}"
    screen.out(fitted(told.rstrip(), screen))
    _print_piped(screen, turn.material)
    for step in turn.steps:
        outcome = step.outcome
        said = one_line((outcome.text or outcome.value).replace("\n", " · "))
        screen.out(fitted(f"    {step.n} {outcome.state:<8} {said}", screen))
    for table, first in tables_in(turn.tables):
        from ...output.tables import told_again  # few turns have tables

        for line in told_again(screen, table, first, screen.width - 4):
            screen.out(f"    {line}")
    for line in clean(turn.reply, tabs=True).splitlines():
        screen.out(f"    {line}")  # which may be code: it is not broken


def _print_question(screen: Screen, question: Mapping[str, Any]) -> None:
    """Tell how a question that waits is answered."""
    answer = f"{question['id']}={question['options'][0]['id']}"
    told = f"{question['text']} To answer: jarvis --answer {answer}"
    screen.out(fitted(f"    {one_line(told)}", screen))


def record_of_turn(turn: PastTurn) -> dict[str, Any]:
    """Return *turn* as --json prints it."""
    return {
        "turn": turn.id,
        "n": turn.n,
        "goal": turn.goal,
        "piped": turn.material,
        "intent": turn.intent,
        "status": turn.status,
        "reply": turn.reply,
        "error": turn.error or None,
        "started_at": turn.started_at,
        "ended_at": turn.ended_at,
        "tables": [_table_record(table, first) for table, first in tables_in(turn.tables)],
        "steps": [_step_record(step) for step in turn.steps],
    }


def _table_record(table: Table, first: int) -> dict[str, Any]:
    from ...core.table_records import record_of  # as above

    return record_of(table, first)


def _step_record(step: Step) -> dict[str, Any]:
    plan, outcome = step.plan, step.outcome
    did = {"target": outcome.value, "state": outcome.state, "outcome": outcome.text}
    return {"n": step.n, "action": plan.action, "arguments": plan.arguments, **did}


def when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
