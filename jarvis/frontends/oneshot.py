"""One request from the command line: a plain command at once, anything else through the loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from .. import build
from ..commandline import Options
from ..errors import Interrupted, JarvisError, UsageError
from ..plain import PlainTurn, understood
from ..settings import Settings, read
from ..text import LONGEST_WORDS, said
from .screen import Screen
from .shown import InTheEnd, machine_teller, show_error

if TYPE_CHECKING:
    from ..actions.base import Action


def plainly(options: Options, words: Sequence[str], screen: Screen) -> int | None:
    """Do what *words* ask, if that is plain; its exit status. None, with nothing done, where it isn't."""
    text = " ".join(words)
    meant = understood(text)
    return guarded(options, screen, lambda: _plain(options, text, screen, *meant)) if meant else None


def ask(options: Options, words: Sequence[str], screen: Screen) -> int:
    """Do what *words* ask, plain or not; the exit status."""

    def work() -> int:
        text = said(_with_stdin(words, screen))
        if meant := understood(text):
            return _plain(options, text, screen, *meant)
        from .loop import run

        return run(options, text, settings_for(options, screen), screen)

    return guarded(options, screen, work)


def settings_for(options: Options, screen: Screen) -> Settings:
    """The settings of this command; from here on no key is printed."""
    settings = read(
        screen.environment, env_file=options.env_file, thread=options.thread, seconds=options.timeout
    )
    screen.secrets = settings.secrets()
    if options.json and options.ndjson:
        raise UsageError("--json and --ndjson are two ways to print the same.", hint="Choose one.")
    if options.continue_last and options.thread is None:
        history = build.history(settings)
        settings = settings._replace(thread=history.last_thread() or settings.thread)
        history.close()
    return settings


def guarded(options: Options, screen: Screen, work: Callable[[], int]) -> int:
    """*work*'s exit status; its failures told, once, here."""
    try:
        return work()
    except JarvisError as error:
        return show_error(screen, error, as_json=options.json, as_records=options.ndjson)
    except KeyboardInterrupt:
        return show_error(
            screen, Interrupted("Interrupted."), as_json=options.json, as_records=options.ndjson
        )
    except BrokenPipeError:
        # Whoever read our output has left: nothing more can be said to them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1


def _plain(options: Options, text: str, screen: Screen, action: Action, arguments: Mapping[str, str]) -> int:
    settings = settings_for(options, screen)
    hands, pictures = build.hands(screen.environment, dry_run=options.dry_run)
    history = build.history(settings)
    teller = machine_teller(options, screen) or InTheEnd(screen)
    return PlainTurn(history, hands, settings, pictures, teller).run(text, action, arguments).exit_status


def _with_stdin(words: Sequence[str], screen: Screen) -> str:
    """The words; where one of them is `-`, or there are none and stdin is no terminal, what stdin holds."""
    if words and "-" not in words:
        return " ".join(words)
    if not words and screen.stdin.isatty():
        return ""
    raw = getattr(screen.stdin, "buffer", None)
    # One more than is allowed, so that too long is told as too long.
    piped = raw.read(4 * LONGEST_WORDS + 4).decode("utf-8", "replace") if raw else screen.stdin.read()
    return " ".join(piped if word == "-" else word for word in words or ["-"])
