"""A plain command, done at once in this process, without the loop and its imports."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.events import Event, Notice, Question, TurnEnded
from ..core.text import clean, refuse_keys
from ..core.types import Options
from ..desktop import hands_for
from ..launcher.meant import Meant
from ..output.screen import Screen, as_typed_at
from ..output.tellers import Logged, answer_teller, machine_teller
from ..store.sqlite import at_once
from ..turns import plain
from ..turns.plain import PlainTurn
from .work import settings_for

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..store.history import History


def do_plain(meant: Meant, options: Options, text: str, screen: Screen) -> tuple[int, str]:
    """Do *meant*, the plain command that *text* was understood as.

    Return the exit status, and what the person said to do instead.
    """
    settings = settings_for(options, screen)
    return run_plain(meant, options, text, screen, settings, plain.plain_history(settings))


def run_plain(
    meant: Meant, options: Options, text: str, screen: Screen, settings: Settings, history: History
) -> tuple[int, str]:
    """Do what `do_plain` does, with these *settings* on this *history*."""
    refuse_keys(text, settings.keys())

    def asked(question: Question) -> str:
        from ..output.questions import answer_to  # few commands are asked about

        return answer_to(question, options, screen)

    def has_shown() -> bool:
        return not screen.has_lost_words

    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    tell = tell_on(options, screen, settings.folders.state)
    turn = PlainTurn(history, hands, settings, tell, asked, has_shown)
    try:
        status = at_once(turn.run(text, meant)).exit_status
        return status, turn.approval.instead if turn.approval else ""
    finally:
        if screen.is_chat:  # which goes on; closing costs 11 ms, which a process that ends need not spend
            at_once(history.close())


def tell_on(options: Options, screen: Screen, state_folder: str) -> Callable[[Event], None]:
    """Return a function that tells of a turn without the loop: to the log, and to a program or a person."""
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
