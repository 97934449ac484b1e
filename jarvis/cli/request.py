"""Does what a person asks for in words, here or in a chat: plainly, by the brain, or in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..actions import catalogue
from ..core.errors import NoKey, UsageError
from ..core.events import Event, Notice, TurnEnded
from ..core.text import clean, refuse_keys, words_in
from ..core.types import Facts, Options
from ..desktop import hands_for
from ..language.command_grammar import of_list
from ..launcher.command import Command, is_name, meant_by
from ..output.screen import Screen, as_typed_at, holds_material
from ..output.tellers import Logged, answer_teller, machine_teller
from ..store.sqlite import at_once
from ..turns.plain import PlainTurn, answering, plain_history, take
from .router import RequestLine, are_few, as_words
from .work import guarded, own_thread, settings_for, visit_store, wants_brain

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..core.events import Question, Tabled
    from ..core.tables import FollowUp, Table
    from ..store.history import History
    from ..store.open import Store

# Imported when first used: each way to do a request brings its own, and what is plain must cost no more.


def do_line(request: RequestLine, screen: Screen) -> int:
    """Do what a line of the command line asks; return the exit status."""
    do = _answer_question if request.options.answer is not None else _read_and_do
    return guarded(request.options, screen, lambda: do(request, screen))


def _read_and_do(request: RequestLine, screen: Screen) -> int:
    options, words = request.options, request.words
    if options.resume:
        from .resuming import resumed  # few pick a thread

        request = request._replace(options=resumed(options, screen))
    if words and words[-1] != "-" and not options.files:
        return do_request(request, words_in(" ".join(words)), screen)
    from .material import words_and_material  # what is plain does without

    own, piped = words_and_material(options, words, screen)
    return do_request(request, own, screen, piped)


def do_request(request: RequestLine, said: str, screen: Screen, piped: str = "") -> int:
    """Do what the person *said* by the cheapest way that can; return the exit status.

    request: what they typed, which may be mistyped. piped: material that they named.
    """
    options, own = request.options, said
    while not piped and (done := _do_plainly(request, own, screen)):
        status, instead = done
        if not instead:
            return status
        screen.ended = None  # what they say in its place is another turn
        own = words_in(instead)
    if not piped and holds_material(screen.stdin):
        from .material import piped_beside  # as above

        piped = piped_beside(own, options, screen)
    if own == said and not screen.is_chat:
        if are_few(request.words) and not request.are_words:
            from .did_you_mean import refuse_mistyped  # as above

            refuse_mistyped(request, screen.environment, has_material=bool(piped))
        if not (piped or options.files or options.ndjson or options.quiet):
            _tell_unread_files(own, screen)
    return _do_by_model(options, own, piped, screen)


def _tell_unread_files(own: str, screen: Screen) -> None:
    """Tell of the files that *own* only names: the answer may sound as if they had been read."""
    words = [] if is_name(own) else [each.rstrip(".,:;?!") for each in own.split() if "." in each]
    if names := [each for each in words if os.path.isfile(each)]:
        import shlex  # few words name a file

        options = " ".join(f"-f {shlex.quote(each)}" for each in names)
        screen.err(f"Not read, only named: {', '.join(names)}. To have it read: jarvis {options} …")


# Plainly: at once in this process, without the loop and its imports.


def _do_plainly(request: RequestLine, own: str, screen: Screen) -> tuple[int, str] | None:
    """Do what *own* plainly asks for; return the exit status, and what the person says to do instead.

    None, with nothing begun, where it is not plain.
    """
    options = request.options
    if of_list(own):
        settings, history = _opened(options, screen)
        if change := _follow_up(request, own, screen, settings, history):
            return run_plain(change, options, own, screen, settings, history)
        at_once(history.close())
    meant = meant_by(own, options, screen.environment)
    if meant is None and is_name(own):
        from .name_choice import picked_for  # as above

        meant = picked_for(own, options, screen)
    return run_plain(meant, options, own, screen, *_opened(options, screen)) if meant else None


def _opened(options: Options, screen: Screen) -> tuple[Settings, History]:
    settings = settings_for(options, screen)
    return settings, plain_history(settings)


def run_plain(
    meant: Command, options: Options, text: str, screen: Screen, settings: Settings, history: History
) -> tuple[int, str]:
    """Do *meant*, which *text* plainly asks for, and tell of it.

    Return the exit status, and what the person said to do instead.
    """
    refuse_keys(text, settings.keys())

    def asked(question: Question) -> str:
        from ..output.questions import answer_to  # few commands are asked about

        return answer_to(question, options, screen)

    turn = _plain_turn(options, screen, settings, history, asked)
    try:
        status = at_once(turn.run(text, meant)).exit_status
        return status, turn.approval.instead if turn.approval else ""
    finally:
        if screen.is_chat:  # which goes on; closing costs 11 ms, which a process that ends need not spend
            at_once(history.close())


def _plain_turn(
    options: Options, screen: Screen, settings: Settings, history: History, asked: Callable[[Question], str]
) -> PlainTurn:
    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    tell = _tell_on(options, screen, settings.folders.state)
    return PlainTurn(history, hands, settings, tell, asked, lambda: not screen.has_lost_words)


def _tell_on(options: Options, screen: Screen, state_folder: str) -> Callable[[Event], None]:
    """Return a function that tells of a plain turn: to the log, and to a program or a person."""
    machine, logged = machine_teller(options, screen), Logged(screen.log)
    teller = machine or answer_teller(options, screen, state_folder)

    def tell(event: Event) -> None:
        logged.tell(event)
        if isinstance(event, TurnEnded):
            screen.ended = event.exit_status
        elif isinstance(event, Notice) and not options.quiet and (event.must_know or not machine):
            screen.err(as_typed_at(screen, clean(event.text)))
        teller.tell(event)

    return tell


def _follow_up(
    request: RequestLine, text: str, screen: Screen, settings: Settings, history: History
) -> Command | None:
    """Return what *text* asks of the table last listed; None for nothing that it has.

    Raises UsageError where *text* can hardly be anything else, unless it is said to be words.
    """
    try:
        return at_once(_change_of(of_list(text), settings, history))
    except UsageError as error:
        at_once(history.close())
        if request.are_words:
            return None
        if not (error.hint or screen.is_chat):
            error.hint = as_words([text])
        raise


async def _change_of(said: str, settings: Settings, history: History) -> Command | None:
    """Return what *said* asks of the table last listed; None where there is none, or it is no such thing.

    Raises UsageError where that table has not what it takes, and *said* can hardly be anything else.
    """
    # Few words are about a list.
    from ..core.follow_ups import leading
    from ..language.follow_ups import asked_of, change_in
    from ..packs.pack import market
    from ..store.history import last_listed

    lines, tables = await history.listed(settings.thread)
    change, table, country = change_in(said), last_listed(tables), market(settings).country
    asked = asked_of(table, change, country) if change and table else None
    if change is None or table is None or asked is None:
        return None
    shown = tuple(address.id for address in lines)
    try:
        if change.opens:
            (row,) = leading(table, asked)
            return Command(catalogue()["open_website"], {"address": str(shown.index(row.id) + 1)})
        facts = Facts({}, shown=shown, country=country, tables=(_asked_about(table, asked, shown, tables),))
    except UsageError:
        if change.is_sure:
            raise
        return None
    return Command(catalogue()["arrange"], {"change": said}, facts=facts)


def _asked_about(table: Table, asked: FollowUp, shown: Sequence[str], tables: Iterable[Tabled]) -> Table:
    """Return the table that *asked* is about. Raises UsageError where it has nothing of the kind."""
    # As above.
    from ..core.follow_ups import SHOW, narrowed_to_some
    from ..core.tables import row_on

    if asked.verb != SHOW:
        narrowed_to_some(table, asked)
        return table
    line = {*shown[asked.number - 1 : asked.number]}
    listed = (each.table for each in tables if each.first)
    table = next((each for each in listed if line & {row.id for row in each.rows}), table)
    row_on(asked.number, shown, table)
    return table


def _answer_question(request: RequestLine, screen: Screen) -> int:
    """Do what `--answer ID=OPTION` allows: a question was asked where nobody could answer it."""
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
    return _do_by_model(options, "", "", screen) if ended is None else ended.exit_status


# By the model: the brain does it, or this process.


def _do_by_model(options: Options, own: str, piped: str, screen: Screen) -> int:
    """Do what takes the model, for which a key is asked where none is kept; return the exit status."""
    try:
        return _by_model(options, own, piped, screen)
    except NoKey:  # nothing was begun
        if not _is_given_key(options, screen):
            raise
    return _by_model(options, own, piped, screen)


def _by_model(options: Options, own: str, piped: str, screen: Screen) -> int:
    """Do what takes the model; return the exit status. Raises NoKey, with nothing begun."""
    status = None
    if wants_brain(options, screen.environment):
        status = _by_brain(options, own, piped, screen)
    if status is not None:
        return status
    # Importing the stack takes seconds, and silence is resented as much as the delay.
    screen.passing("starting…")
    settings = settings_for(options, screen, needs_model=True)
    from .in_process import do_in_process

    return do_in_process(options, own, piped, settings, screen)


def _is_given_key(options: Options, screen: Screen) -> bool:
    """Ask for the key of the model where somebody can answer; return whether one was kept."""
    if not screen.is_interactive or options.json or options.ndjson:
        return False
    from ..config.keys import GOOGLE, NEEDS_MODEL  # asked for once
    from .key_prompt import ask_for_key

    screen.err(NEEDS_MODEL)
    return ask_for_key(GOOGLE, options, screen)


def _by_brain(options: Options, own: str, piped: str, screen: Screen) -> int | None:
    """Have the brain do what *own* asks; return the exit status.

    None, with nothing begun, where no brain can be started.
    """
    from ..brain.client import Client, ask_for
    from ..config.sources import folders_of
    from ..core.errors import on_signals

    cache = folders_of(screen.environment, options.env_file).cache
    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=cache)
    wanted = ask_for(
        options, screen, hands.pictures(), own_thread(screen), own, piped, is_chat=screen.is_chat
    )
    client = Client(wanted, screen, hands, partial(_answer, options=options, screen=screen), options.env_file)
    with on_signals(client.cancel):
        return client.run()


def _answer(question: Question, options: Options, screen: Screen) -> str | None:
    """Return the person's answer to *question*; None where stdin is closed."""
    from ..output.questions import answer_at, recorded_answer  # few are asked

    return recorded_answer(screen, question.id) if options.ndjson else answer_at(screen, question)
