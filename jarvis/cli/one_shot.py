"""One request from the command line: a plain command at once, anything else through the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..config.settings import Settings, read_settings
from ..core.errors import not_installed
from ..core.events import Event, Notice, Question, TurnEnded
from ..core.text import clean
from ..core.types import Options
from ..launcher.command import Meant
from ..output.screen import Screen
from ..output.summary import InTheEnd, machine_teller
from ..output.tellers import Logged
from ..store.log import log_for
from ..store.sqlite import at_once
from ..turns import build
from ..turns.direct import DirectTurn
from .errors import guarded


def plainly(options: Options, words: Sequence[str], screen: Screen, meant: Meant) -> int:
    """Do what *words* ask, which is plain; the exit status."""
    return guarded(options, screen, lambda: do_plain(options, " ".join(words), screen, meant))


def here(options: Options, own: str, piped: str, screen: Screen, meant: Meant | None) -> int:
    """Do what *own* asks in this process; the exit status. meant: None where that isn't plain."""
    if meant:
        return do_plain(options, own, screen, meant)
    # Importing the stack takes seconds, and silence is resented as much as the delay.
    screen.passing("starting…")
    settings = settings_for(options, screen)
    try:
        # They bring the stack, which a plain command does without.
        from ..turns.session import Words
        from .in_process import run_in_process
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("jarvis"):
            raise
        raise not_installed(error) from None
    return run_in_process(options, Words(own, piped), settings, screen)


def settings_for(options: Options, screen: Screen) -> Settings:
    """The settings of this command; from here on no key is printed."""
    settings = read_settings(
        screen.environment,
        env_file=options.env_file,
        thread=options.thread,
        seconds=options.timeout,
        log_file=options.log_file,
    )
    screen.secrets = settings.secrets()
    screen.log = log_for(settings, watch=screen.aside if options.verbose > 1 else None)
    if options.continue_last and options.thread is None:
        history = build.plain_history(settings)
        settings = settings._replace(thread=at_once(history.last_thread()) or settings.thread)
        at_once(history.close())
    return settings


def do_plain(
    options: Options,
    text: str,
    screen: Screen,
    meant: Meant,
    ask: Callable[[Question], str] | None = None,
) -> int:
    """The exit status of the plain command that *text* was understood as. ask: how a chat asks."""
    settings = settings_for(options, screen)
    hands = build.hands(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    history = build.plain_history(settings)

    def asked(question: Question) -> str:
        from ..output.prompts import answer_of  # few are

        return (ask or answer_of(options, screen))(question)

    turn = DirectTurn(history, hands, settings, tell_on(options, screen), asked)
    try:
        return at_once(turn.run(text, meant)).exit_status
    finally:
        if ask:  # in a chat, which goes on; closing costs 11 ms, which a process that ends need not spend
            at_once(history.close())


def tell_on(options: Options, screen: Screen) -> Callable[[Event], None]:
    """Tells of a turn without the loop: the log, and a program or a person."""
    machine, logged = machine_teller(options, screen), Logged(screen.log)
    teller = machine or InTheEnd(screen)

    def tell(event: Event) -> None:
        logged.tell(event)
        if isinstance(event, TurnEnded):
            screen.ended = event.exit_status
        elif isinstance(event, Notice) and not (machine or options.quiet):  # in the loop, Steps tells it
            screen.err(clean(event.text))
        teller.tell(event)

    return tell
