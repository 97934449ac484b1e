"""`jarvis threads …`: list, show, search, delete, export and import threads. Imports no LangGraph."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...config.settings import check_thread
from ...core.errors import Interrupted, JarvisError, NeedsAnswer, Refused, StoreFailed, UsageError
from ...core.text import cells, clean, counted, fitting, one_line
from ...output.results import dumped, fitted, show_failure
from ...store.addresses import tables_in
from ...store.history import LONGEST_TITLE
from ...store.kept import Kept
from ...store.sqlite import files_set_aside
from ..json_lines import lines_in, record_in
from ..storage import tell_untold, visit_store, with_store
from ..work import with_settings

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...core.tables import Table
    from ...core.types import Step
    from ...output.screen import Screen
    from ...store.open import Store
    from ...store.threads import Thread, Threads
    from ...store.turns import PastTurn
    from ..grammar import Call


_AGAIN = "jarvis threads export > threads.jsonl"


def list_threads(call: Call, screen: Screen) -> int:
    async def work(store: Store, settings: Settings) -> None:
        known = await store.threads.all()
        if call.options.json:
            screen.out(dumped([thread._asdict() for thread in known]))
            return
        if known:
            room = screen.width if screen.out_tty else 0
            screen.out("\n".join(_line(each, room) for each in known))  # at once: there may be thousands
        else:
            screen.err("No threads yet.")

    return with_store(call, screen, work)


def _line(thread: Thread, room: int) -> str:
    """Return the line of a thread, or three where a terminal has no room for it. room: columns; 0: any."""
    name, told, used = one_line(thread.id), one_line(thread.told, 50), when(thread.used_at)
    line = f"{name:<20} {thread.turns:>5}  {used}  {told}"
    if not room or sum(map(cells, line)) <= room:
        return line
    return f"{name}\n  {counted(thread.turns, 'turns')}, {used}\n  {fitting(told, room - 2)}"


def show_thread(call: Call, screen: Screen) -> int:
    async def work(store: Store, settings: Settings) -> None:
        name = next(iter(call.words), settings.thread)
        turns = await store.threads.turns(await _existing(store.threads, name))
        await tell_untold(store, name, screen)
        if call.options.json:
            screen.out(dumped([record_of_turn(turn) for turn in turns]))
            return
        for turn in turns:
            _print_turn(screen, turn)
            if turn.waits:
                _print_question(screen, turn.waits)

    return with_store(call, screen, work)


def search_threads(call: Call, screen: Screen) -> int:
    async def work(store: Store, settings: Settings) -> None:
        thread = call.options.thread
        if thread:
            await _existing(store.threads, thread)
        found = await store.threads.search(" ".join(call.words), thread)
        if call.options.json:
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

    return with_store(call, screen, work)


def _match_record(turn: PastTurn) -> dict[str, Any]:
    said = {"goal": turn.goal, "reply": turn.reply, "piped": turn.material}
    return {"thread": turn.thread, "n": turn.n, "started_at": turn.started_at, **said}


def rename_thread(call: Call, screen: Screen) -> int:
    name, *words = call.words

    async def work(store: Store, settings: Settings) -> None:
        title = one_line(" ".join(words), LONGEST_TITLE)
        if not title:
            raise UsageError("A title needs words.", hint=f"jarvis threads rename {name} holidays in May")
        await store.threads.rename(await _existing(store.threads, name), title)
        told = f"The title of {name} is “{title}” now."
        screen.out(dumped({"thread": name, "title": title}) if call.options.json else told)

    return with_store(call, screen, work)


def delete_thread(call: Call, screen: Screen) -> int:
    (name,), options = call.words, call.options

    async def delete(store: Store) -> tuple[int, int]:
        turns = await store.delete(await _existing(store.threads, name))
        return turns, len(await Kept(store.database).items())

    def work(settings: Settings) -> int:
        if not options.yes and not _is_sure(call, settings, screen):
            screen.err("Nothing was deleted.")
            return Refused.exit_status
        count, kept = visit_store(settings, screen, delete)
        told = f"Deleted {name}: {counted(count, 'turns')}."
        screen.out(dumped({"deleted": name, "turns": count}) if options.json else told)
        if kept:
            screen.err(f"What you keep is in no thread, and stays: {counted(kept, 'things')}.")
        for file in files_set_aside(settings.folders.history):
            screen.err(f"Its words may also be in {file}, which was set aside.")
        return 0

    return with_settings(call, screen, work)


def _is_sure(call: Call, settings: Settings, screen: Screen) -> bool:
    """Return whether the person wants it deleted. Raises NeedsAnswer where they can't be asked."""
    (name,) = call.words

    async def turns(store: Store) -> int:
        await _existing(store.threads, name)
        return next(thread.turns for thread in await store.threads.all() if thread.id == name)

    count = visit_store(settings, screen, turns)
    told = f"This deletes the thread {name} with {counted(count, 'turns')}."
    if call.options.json or not screen.is_interactive:
        raise NeedsAnswer(
            f"{told} Nothing was deleted: there is nobody to ask.", hint=f"jarvis threads delete -y {name}"
        )
    from ...output.prompts import is_sure  # asyncio, which nothing else here needs

    screen.err(told)
    try:
        return is_sure(screen)
    except KeyboardInterrupt:
        screen.end_line()
        raise Interrupted("Interrupted. Nothing was deleted.") from None


def export_threads(call: Call, screen: Screen) -> int:
    async def work(store: Store, settings: Settings) -> None:
        from ...store.transfer import exported  # pydantic, which the rest here does without

        wanted = call.words or sorted(thread.id for thread in await store.threads.all())
        for name in [await _existing(store.threads, name) for name in wanted]:
            screen.out(dumped(await exported(store.database, name)))

    return with_store(call, screen, work)


def import_threads(call: Call, screen: Screen) -> int:
    (file,), name = call.words, call.values.get("name")

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
                thread, turns = await imported(store.database, record, name)
            except (UsageError, StoreFailed) as error:
                show_failure(screen, f"Line {number}: {error.message}", error.hint)
                status = JarvisError.exit_status
            else:
                screen.out(f"Imported {thread}: {counted(turns, 'turns')}.")
        return status

    return with_store(call, screen, work)


async def _existing(threads: Threads, name: str) -> str:
    check_thread(name)
    if not await threads.exists(name):
        raise UsageError(f"There is no thread {name}.", hint="jarvis threads list")
    return name


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
