"""Runs plain commands at once in this process, without the loop, a model, and their imports."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..actions.base import desktop_for
from ..config.settings import Settings
from ..core.errors import UsageError
from ..core.events import Event, Notice, TurnEnded, listen
from ..core.text import clean, refuse_keys
from ..core.types import Options, Outcome, ParsedWords
from ..language.command_grammar import parse_name, parse_words
from ..launcher import Command, parse_command
from ..output.questions import answer_to
from ..output.screen import Screen, as_typed_at
from ..output.tellers import answer_teller, log_teller
from ..store.database import run_sync
from ..store.history import History
from ..store.turns import find_asking
from ..turns.plain import PlainTurn, plain_history
from .invocation import settings_for, visit_store
from .line import RequestLine

if TYPE_CHECKING:
    from ..store.open import Store


def do_plainly(
    request: RequestLine, own: ParsedWords, listed: str, command: Command | None, screen: Screen
) -> tuple[int, str] | None:
    """Run the user's *own* words as a plain command. Returns the exit status, and words to do instead.

    listed: a follow-up on a list. command: None for a follow-up or an unknown name. None, with nothing
    begun, if it isn't plain after all.
    """
    options = request.options
    if listed:
        from .follow_up import result_for  # tables: few words are about one

        settings = settings_for(options, screen)
        history = plain_history(settings)
        if result := result_for(listed, request, screen, settings, history):
            return run_plain(result, options, own.as_typed, screen, settings, history, listed)
        run_sync(history.database.close())
        command = parse_command(own, options, screen.environment)
    if command is None and parse_name(own):
        from .name_choice import picked_for  # rapidfuzz: few names are not known

        command = picked_for(own, options, screen)
    if command is None:
        return None
    settings = settings_for(options, screen)
    return run_plain(command, options, own.as_typed, screen, settings, plain_history(settings))


def run_plain(
    command: Command | Outcome,
    options: Options,
    text: str,
    screen: Screen,
    settings: Settings,
    history: History,
    listed: str = "",
) -> tuple[int, str]:
    """Run *command*, the meaning of *text*, or show the result *listed*.

    Returns the same as `do_plainly`.
    """
    refuse_keys(text, settings.keys())
    turn = _plain_turn(options, screen, settings, history)
    try:
        work = (
            turn.run(text, command)
            if isinstance(command, Command)
            else turn.list_again(text, listed, command)
        )
        return run_sync(work).exit_status, turn.approval.instead
    finally:
        if screen.is_chat:  # which goes on; closing costs 11 ms, which a process that ends need not spend
            run_sync(history.database.close())


def _plain_turn(options: Options, screen: Screen, settings: Settings, history: History) -> PlainTurn:
    """Return a plain turn that reports to the log, and to a program or the user."""
    desktop = partial(desktop_for, screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    log, tell_answer = log_teller(screen.log), answer_teller(options, screen, settings.folders.state)
    is_for_person = not (options.json or options.ndjson)

    def tell(event: Event) -> None:
        log(event)
        if isinstance(event, TurnEnded):
            screen.ended = event.exit_status
        elif isinstance(event, Notice) and not options.quiet and (event.must_know or is_for_person):
            screen.err(as_typed_at(screen, clean(event.text)))
        tell_answer(event)

    listen(tell)
    ask = partial(answer_to, options=options, screen=screen)
    return PlainTurn(history, desktop, settings, tell, ask, lambda: not screen.has_lost_words)


def answer_question(request: RequestLine, screen: Screen) -> tuple[int, str] | None:
    """Answer an earlier question with `--answer ID=OPTION`.

    Returns the same as `do_plainly`, or None if its turn wasn't plain.
    """
    options, answer = request.options, request.options.answer or ""
    id_, equals, _ = answer.partition("=")
    if request.words or options.files or not id_ or not equals:
        raise UsageError("--answer takes only ID=OPTION.", hint="jarvis --answer q2-0123456789ab=y")
    settings = settings_for(options, screen)

    async def work(store: Store) -> tuple[int, str] | None:
        asks = await find_asking(store.database, id_)
        command = parse_command(parse_words(asks.goal), options, screen.environment) if asks.is_own else None
        if command is None:
            return None
        turn = _plain_turn(options, screen, settings, store.history)
        ended = await turn.answer(answer, command, store.lock)
        return ended.exit_status, turn.approval.instead

    return visit_store(settings, screen, work)
