"""Does at once, in this process, what words plainly ask for: without the loop, a model and their imports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..actions import catalogue
from ..core.errors import UsageError
from ..core.events import Event, Notice, TurnEnded
from ..core.text import clean, refuse_keys
from ..core.types import Options, Outcome
from ..desktop import desktop_for
from ..language.command_grammar import of_list
from ..launcher import Command, meant_by
from ..output.screen import Screen, as_typed_at
from ..output.tellers import Logged, answer_teller, machine_teller
from ..store.sqlite import run_sync
from ..turns.plain import PlainTurn, answering, plain_history, take
from .router import RequestLine, as_words
from .work import settings_for, visit_store

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..core.events import Question, Tabled
    from ..core.tables import Table
    from ..store.history import History
    from ..store.open import Store


def do_command(meant: Command, options: Options, text: str, screen: Screen) -> tuple[int, str]:
    """Do *meant*, which *text* plainly asks for; return as `run_plain` does."""
    return run_plain(meant, options, text, screen, *_opened(options, screen))


def do_follow_up(request: RequestLine, text: str, screen: Screen) -> tuple[int, str] | None:
    """Do what *text* asks of the table last listed; return as `run_plain` does.

    None, with nothing begun, where it asks nothing that the table has.
    """
    settings, history = _opened(request.options, screen)
    meant = _follow_up(request, text, screen, settings, history)
    if meant:
        return run_plain(meant, request.options, text, screen, settings, history)
    run_sync(history.close())
    return None


def _opened(options: Options, screen: Screen) -> tuple[Settings, History]:
    settings = settings_for(options, screen)
    return settings, plain_history(settings)


def run_plain(
    meant: Command | Outcome,
    options: Options,
    text: str,
    screen: Screen,
    settings: Settings,
    history: History,
) -> tuple[int, str]:
    """Do *meant*, which *text* plainly asks for, and tell of it; or tell what came of a list.

    Return the exit status, and what the person said to do instead.
    """
    refuse_keys(text, settings.keys())

    def asked(question: Question) -> str:
        from ..output.questions import answer_to  # few commands are asked about

        return answer_to(question, options, screen)

    turn = _plain_turn(options, screen, settings, history, asked)
    try:
        if isinstance(meant, Command):
            work = turn.run(text, meant)
        else:
            work = turn.list_anew(text, of_list(text), meant)
        return run_sync(work).exit_status, turn.approval.instead if turn.approval else ""
    finally:
        if screen.is_chat:  # which goes on; closing costs 11 ms, which a process that ends need not spend
            run_sync(history.close())


def _plain_turn(
    options: Options, screen: Screen, settings: Settings, history: History, asked: Callable[[Question], str]
) -> PlainTurn:
    desktop = partial(desktop_for, screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    tell = _tell_on(options, screen, settings.folders.state)
    return PlainTurn(history, desktop, settings, tell, asked, lambda: not screen.has_lost_words)


def _tell_on(options: Options, screen: Screen, state_folder: str) -> Callable[[Event], None]:
    """Return a function that tells of a plain turn: to the log, and to a program or a person."""
    machine, logged = machine_teller(options, screen), Logged(screen.log)
    tell_answer = machine or answer_teller(options, screen, state_folder)

    def tell(event: Event) -> None:
        logged.tell(event)
        if isinstance(event, TurnEnded):
            screen.ended = event.exit_status
        elif isinstance(event, Notice) and not options.quiet and (event.must_know or not machine):
            screen.err(as_typed_at(screen, clean(event.text)))
        tell_answer(event)

    return tell


def _follow_up(
    request: RequestLine, text: str, screen: Screen, settings: Settings, history: History
) -> Command | Outcome | None:
    """Return what comes of what *text* asks of the table last listed; None for nothing that it has.

    Raises UsageError where *text* can hardly be anything else, unless it is said to be words.
    """
    try:
        return run_sync(_asked_of_list(of_list(text), settings, history))
    except UsageError as error:
        run_sync(history.close())
        if request.are_words:
            return None
        if not (error.hint or screen.is_chat):
            error.hint = as_words([text])
        raise


async def _asked_of_list(said: str, settings: Settings, history: History) -> Command | Outcome | None:
    """Return what comes of *said* with the table last listed, or the command to open a line of it.

    None where there is no table, or it is no such thing. Raises UsageError where the table has not what it
    takes, and *said* can hardly be anything else.
    """
    # Few words are about a list.
    from ..core.follow_ups import SHOW, arranged, leading
    from ..language.follow_ups import asked_of, change_in
    from ..packs.pack import market
    from ..store.history import last_listed

    lines, tables = await history.listed(settings.thread)
    change, table = change_in(said), last_listed(tables)
    asked = asked_of(table, change, market(settings).country) if change and table else None
    if change is None or table is None or asked is None:
        return None
    shown = tuple(address.id for address in lines)
    try:
        if change.opens:
            (row,) = leading(table, asked)
            return Command(catalogue()["open_website"], {"address": str(shown.index(row.id) + 1)})
        if asked.verb == SHOW:
            table = _with_line(asked.number, shown, tables) or table
        return arranged(table, asked, said, shown)
    except UsageError:
        if change.is_sure:
            raise
        return None


def _with_line(number: int, shown: Sequence[str], tables: Iterable[Tabled]) -> Table | None:
    """Return the table that has the line of this *number* of all that was listed; None where none has."""
    line = {*shown[number - 1 : number]}
    listed = (each.table for each in tables if each.first)
    return next((each for each in listed if line & {row.id for row in each.rows}), None)


def answer_question(request: RequestLine, screen: Screen) -> int | None:
    """Do what `--answer ID=OPTION` allows: a question was asked where nobody could answer it.

    Return the exit status; None where the turn is none of plain words.
    """
    from ..store.turns import find_asking  # few answer later

    options, said = request.options, request.options.answer or ""
    id_, equals, _ = said.partition("=")
    if request.words or options.files or not id_ or not equals:
        raise UsageError("--answer takes ID=OPTION and no words.", hint="jarvis --answer q2-0123456789ab=y")
    settings = settings_for(options, screen)

    async def work(store: Store) -> TurnEnded | None:
        open_ = await find_asking(store.database, id_)
        meant = meant_by(open_.goal, options, screen.environment) if open_ and open_.is_own else None
        if open_ and meant is None:
            return None
        taken = await take(store.database, said)
        turn = _plain_turn(options, screen, settings, store.history, answering(said))
        return await turn.answer(taken, meant, store.lock(taken.thread)) if meant else None

    ended = visit_store(settings, screen, work)
    return None if ended is None else ended.exit_status
