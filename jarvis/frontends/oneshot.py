"""One request from the command line: a plain command at once, anything else through the loop."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from .. import build, phrases
from ..commandline import Options
from ..errors import Interrupted, JarvisError, SettingsError, Terminated, UsageError
from ..events import Event, Question, TurnEnded
from ..log import log_for
from ..plain import Meant, PlainTurn, understood
from ..settings import Settings, read
from ..store.database import at_once
from ..text import LONGEST_PIPED, one_line, piped_in, said
from .logged import Logged
from .screen import Screen
from .shown import InTheEnd, machine_teller, show_error


def plainly(options: Options, words: Sequence[str], screen: Screen) -> int | None:
    """Do what *words* ask, if that is plain; its exit status. None, with nothing done, where it isn't."""
    text = " ".join(words)
    try:
        meant = meant_by(text, options, screen.environment)
    except SettingsError as error:
        return _told(error, options, screen)
    return guarded(options, screen, lambda: do_plain(options, text, screen, meant)) if meant else None


def ask(options: Options, words: Sequence[str], screen: Screen) -> int:
    """Do what *words* ask, plain or not; the exit status."""

    def work() -> int:
        own, piped = _words(words, screen)
        if not piped and (meant := meant_by(own, options, screen.environment)):
            return do_plain(options, own, screen, meant)
        from ..session import Words
        from .loop import run

        return run(options, Words(own, piped), settings_for(options, screen), screen)

    return guarded(options, screen, work)


def meant_by(text: str, options: Options, environment: Mapping[str, str]) -> Meant | None:
    """What *text* plainly asks for on this machine; None where that isn't plain.

    Raises SettingsError where what it may name here can't be read.
    """
    if (meant := understood(text)) or not phrases.said(text).verb:
        return meant
    from ..names import Names  # few need it

    folders = read(environment, env_file=options.env_file).folders
    return understood(text, Names(environment, folders.aliases, folders.cache))


def settings_for(options: Options, screen: Screen) -> Settings:
    """The settings of this command; from here on no key is printed."""
    settings = read(
        screen.environment,
        env_file=options.env_file,
        thread=options.thread,
        seconds=options.timeout,
        log_file=options.log_file,
    )
    screen.secrets = settings.secrets()
    screen.log = log_for(settings, watch=screen.aside if options.verbose > 1 else None)
    if options.json and options.ndjson:
        raise UsageError("--json and --ndjson are two ways to print the same.", hint="Choose one.")
    if options.continue_last and options.thread is None:
        history = build.plain_history(settings)
        settings = settings._replace(thread=at_once(history.last_thread()) or settings.thread)
        at_once(history.close())
    return settings


def guarded(options: Options, screen: Screen, work: Callable[[], int]) -> int:
    """*work*'s exit status; its failures told, once, here."""
    sys.excepthook = lambda *raised: _note_fault(raised, screen, aloud=True)
    # As Ctrl-C does, so that what was done is told.
    for name in ("SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            signal.signal(number, _terminate)
    try:
        status = work()
    except KeyboardInterrupt:
        status = _told(Interrupted("Interrupted."), options, screen)
    except JarvisError as error:
        status = _told(error, options, screen)
    except Exception as fault:  # noqa: BLE001 (told in a line, not in forty)
        _note_fault(sys.exc_info(), screen, aloud=bool(options.verbose))
        said_of_it = f"A fault of Jarvis's own: {type(fault).__name__}: {fault}"
        ours = JarvisError(said_of_it, hint="Please report it, with what it prints with -v.")
        status = _told(ours, options, screen)
    _tell_trouble(options, screen)
    return status or int(screen.has_lost_output)


def _note_fault(raised: Any, screen: Screen, *, aloud: bool) -> None:
    """Where it came from: into the log, and for those who want to know on stderr; no key in either."""
    import traceback

    lines = "".join(traceback.format_exception(*raised))
    if screen.log:
        screen.log.write("error", code="fault", traceback=lines)
    if aloud:
        screen.aside(lines.rstrip())


def _tell_trouble(options: Options, screen: Screen) -> None:
    """A log that can't be written is no failure; who asked for one, or for more words, is told."""
    if screen.log and screen.log.trouble and (options.verbose or options.log_file):
        screen.err(f"jarvis: {one_line(screen.log.trouble)}")


def _terminate(*_: object) -> NoReturn:
    raise Terminated("Terminated.")


def _told(error: JarvisError, options: Options, screen: Screen) -> int:
    """Tell *error*, unless the turn's end was told already: a program waits for one object."""
    if screen.ended is not None:
        return screen.ended
    if screen.log:
        screen.log.write("error", code=error.code, exit_status=error.exit_status)
    return show_error(screen, error, as_json=options.json, as_records=options.ndjson)


def do_plain(
    options: Options,
    text: str,
    screen: Screen,
    meant: Meant,
    ask: Callable[[Question], str] | None = None,
) -> int:
    """The exit status of the plain command that *text* was understood as. ask: another way to ask."""
    settings = settings_for(options, screen)
    hands, pictures = build.hands(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    history = build.plain_history(settings)
    teller, logged = machine_teller(options, screen) or InTheEnd(screen), Logged(screen.log)

    def tell(event: Event) -> None:
        logged.tell(event)
        if isinstance(event, TurnEnded):
            screen.ended = event.exit_status
        teller.tell(event)

    def asked(question: Question) -> str:
        from .asking import answer_of  # few are

        return (ask or answer_of(options, screen))(question)

    turn = PlainTurn(history, hands, settings, pictures, tell, asked)
    return at_once(turn.run(text, *meant)).exit_status


def _words(words: Sequence[str], screen: Screen) -> tuple[str, str]:
    """The person's own words, and what they piped in besides.

    stdin is read where the last word is `-`, or where there are no words and it is no terminal; never
    just because it is no terminal: nobody may ever write to it.
    """
    if (words and words[-1] != "-") or (len(words) != 1 and screen.stdin.isatty()):
        return said(" ".join(words)), ""
    raw = getattr(screen.stdin, "buffer", None)
    # One more than is allowed, so that too long is told as too long.
    piped = raw.read(4 * LONGEST_PIPED + 4).decode("utf-8", "replace") if raw else screen.stdin.read()
    own = " ".join(words[:-1])
    # What comes down a pipe alone is what they want; beside words of theirs, it is material.
    return (said(own), piped_in(piped)) if own.strip() else (piped_in(piped, alone=True), "")
