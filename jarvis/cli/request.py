"""One request from the command line: done by the brain that stays, or in this process. Imports little."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Sequence

from ..brain import resident
from ..brain.client import Client, Starting, ask_for
from ..config.paths import folders_of
from ..core.errors import Interrupted, JarvisError, Terminated
from ..core.stdlib import TYPE_CHECKING
from ..core.text import LONGEST_PIPED, piped_in, words_in
from ..core.types import Options
from ..launcher.command import is_name, meant_by
from ..output.screen import Screen
from ..turns import build
from .errors import guarded

if TYPE_CHECKING:
    from ..launcher.command import Meant


def ask(options: Options, words: Sequence[str], screen: Screen, *, tried: str = "") -> int:
    """Do what *words* ask, plain or not; the exit status. tried: words known not to be plain."""

    def work() -> int:
        own, piped = words_of(words, screen)
        meant = None if piped or own == tried else meant_by(own, options, screen.environment)
        if not piped and not meant:
            meant = _picked(own, options, screen)
        if not meant and resident.is_wanted(options, screen.environment):
            status = _by_brain(options, own, piped, screen)
            if status is not None:
                return status
        from .one_shot import here  # most are done by a brain that is there

        return here(options, own, piped, screen, meant)

    return guarded(options, screen, work)


def _by_brain(options: Options, own: str, piped: str, screen: Screen) -> int | None:
    """Return the exit status of what *own* asks; None, with nothing begun, where no brain can be had."""
    env_file = os.path.abspath(options.env_file) if options.env_file else None
    connection = resident.connect(screen.environment, env_file, Starting(screen))
    screen.clear()
    if connection is None:
        return None
    cache = folders_of(screen.environment, env_file).cache
    hands = build.hands(screen.environment, dry_run=options.dry_run, cache=cache)
    request = ask_for(options, screen, hands.pictures(), turn=1, own=own, piped=piped)
    client = Client(connection, request, screen, hands, lambda question: _answer(question, options, screen))
    with _signals(client.cancel):
        try:
            return client.run()
        finally:
            connection.close()


def _answer(question: str, options: Options, screen: Screen) -> str | None:
    """Return what the person says to the question of that id; None where stdin is closed."""
    from ..output.prompts import recorded_answer, typed_answer  # few are asked

    return recorded_answer(screen, question) if options.ndjson else typed_answer(screen)


@contextlib.contextmanager
def _signals(cancel: Callable[[JarvisError], None]) -> Iterator[None]:
    """Ctrl-C and the like are the turn's, not this process's."""
    reasons: dict[int, JarvisError] = {signal.SIGINT: Interrupted("Interrupted.")}
    ends = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]  # Windows has no SIGHUP
    reasons |= {number: Terminated("Terminated.") for number in ends if number}
    before = {
        number: signal.signal(number, lambda *_, reason=reason: cancel(reason))
        for number, reason in reasons.items()
        if signal.getsignal(number) != signal.SIG_IGN  # as nohup wants it, and scripts with an & do
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _picked(own: str, options: Options, screen: Screen) -> Meant | None:
    """What is plain now that they were asked what they mean by a name that only comes near."""
    if not screen.is_interactive or options.json or options.ndjson or options.yes or not is_name(own):
        return None
    from .suggestions import pick_one  # few have to

    return pick_one(own, options, screen)


def words_of(words: Sequence[str], screen: Screen) -> tuple[str, str]:
    """The person's own words, and what they piped in besides.

    stdin is read where the last word is `-`, or where there are no words and it is no terminal; never
    just because it is no terminal: nobody may ever write to it.
    """
    if (words and words[-1] != "-") or (len(words) != 1 and screen.stdin.isatty()):
        return words_in(" ".join(words)), ""
    raw = getattr(screen.stdin, "buffer", None)
    # One more than is allowed, so that too long is told as too long.
    piped = raw.read(4 * LONGEST_PIPED + 4).decode("utf-8", "replace") if raw else screen.stdin.read()
    own = " ".join(words[:-1])
    if own.strip():
        return words_in(own), piped_in(piped)
    # Down a pipe alone, a line is what they want; several are material, in which nobody asks for anything.
    is_line = "\n" not in piped.strip()
    return (piped_in(piped, alone=True), "") if is_line else ("", piped_in(piped))
