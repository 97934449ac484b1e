"""A request done by the resident brain: prints what it is sent, acts in the person's session, asks, and
hands on Ctrl-C. Imports next to nothing, as the person waits for it.
"""

from __future__ import annotations

import _thread
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..actions.hands import Hands, here
from ..config.paths import folders_of
from ..core.errors import BrainFailed, Interrupted, JarvisError, Terminated
from ..core.options import Options
from ..core.stdlib import signal
from ..output.screen import Screen
from ..turns import build
from .connection import PATIENCE, Connection, Gone, Silent, kill, met, readable
from .messages import ANEW, did, show
from .protocol import Act, Answer, Ask, Cancel, Did, Ended, Message, NoAnswer, Query

_END_SECONDS = 3.0  # for a turn to end that was cancelled


def is_for_brain(options: Options, screen: Screen) -> bool:
    """Whether the brain that stays can do it: what is told in detail, or has other limits, is done here.

    It has been tried on Linux; on other systems with Unix sockets it is for those who ask for it.
    """
    wanted = screen.environment.get("JARVIS_BRAIN", "").strip().lower()
    if sys.platform == "win32" or wanted in ("off", "0", "no", "false"):
        return False
    if not (sys.platform.startswith("linux") or wanted == "on"):
        return False
    return not (options.verbose or options.log_file or options.timeout)


def by_brain(options: Options, own: str, piped: str, screen: Screen) -> int | None:
    """The exit status of what *own* asks; None, with nothing begun, where no brain can be had."""
    environment = screen.environment
    env_file = os.path.abspath(options.env_file) if options.env_file else None

    connection = met(environment, env_file, Starting(screen))
    screen.clear()
    if connection is None:
        return None
    cache = folders_of(environment, env_file).cache
    hands, pictures = build.hands(environment, dry_run=options.dry_run, cache=cache)
    ask = Ask(
        turn=1,
        own=own,
        piped=piped,
        thread=options.thread or environment.get("JARVIS_THREAD", "").strip(),
        continue_last=options.continue_last and not options.thread,
        place=here(),
        pictures=pictures,
        width=screen.width,
        out_tty=screen.out_tty,
        err_tty=screen.err_tty,
        out_colour=screen.out_colour,
        err_colour=screen.err_colour,
        quiet=options.quiet,
        verbose=0,
        json=options.json,
        ndjson=options.ndjson,
        yes=options.yes,
        is_chat=False,
        asks=_asks(options, screen),
    )
    client = ThinClient(connection, ask, screen, hands)
    with client.signals():
        try:
            return client.run()
        except Silent:
            kill(connection.place)
            screen.end_line()
            raise BrainFailed("The process that plans and searches does not answer.", hint=ANEW) from None
        except Gone:
            screen.end_line()
            raise BrainFailed("The process that plans and searches has stopped.", hint=ANEW) from None
        finally:
            connection.close()


class Starting:
    """Says once that the brain is starting: silence is resented as much as the delay."""

    def __init__(self, screen: Screen) -> None:
        self._screen: Screen | None = screen

    def __call__(self) -> None:
        screen, self._screen = self._screen, None
        if screen:
            screen.passing("starting (first use takes a few seconds)…")


def _asks(options: Options, screen: Screen) -> str:
    """How the person can be asked."""
    if options.ndjson:
        return "records"
    return "typed" if screen.is_interactive and not options.json else "nobody"


class ThinClient:
    """One turn on one connection."""

    def __init__(self, connection: Connection, ask: Ask, screen: Screen, hands: Hands) -> None:
        self._connection = connection
        self._ask = ask
        self._screen = screen
        self._hands = hands
        self._done, self._tell_done = os.pipe()  # a byte comes when the hands are done
        self._outcomes: list[Did] = []
        self._query: Query | None = None  # what the person is asked
        self._typed = b""
        self._give_up = 0.0  # when the end of a cancelled turn is not waited for any longer
        self._reason: JarvisError = Interrupted("Interrupted.")

    def run(self) -> int:
        """The exit status of the turn, all of which has been told. Raises Silent, Gone and Interrupted."""
        self._connection.send(self._ask)
        while True:
            while (message := self._connection.waiting()) is not None:
                if isinstance(message, Ended):
                    return message.exit_status
                self._heed(message)
            for ready in self._something():
                if ready is self._connection:
                    self._connection.take_in()
                elif ready == self._done:
                    os.read(self._done, 1)
                    self._connection.send(self._outcomes.pop(0))
                else:
                    self._hear()

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Ctrl-C and the like are the turn's, not this process's."""
        reasons: dict[int, JarvisError] = {signal.SIGINT: Interrupted("Interrupted.")}
        reasons |= {number: Terminated("Terminated.") for number in (signal.SIGTERM, signal.SIGHUP)}
        before = {
            number: signal.signal(number, lambda *_, reason=reason: self._cancel(reason))
            for number, reason in reasons.items()
            if signal.getsignal(number) != signal.SIG_IGN  # as nohup wants it, and scripts with an & do
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _cancel(self, reason: JarvisError) -> None:
        if not self._give_up:
            self._reason, self._give_up = reason, time.monotonic() + _END_SECONDS
            self._connection.send(Cancel(self._ask.turn, reason.code))

    def _something(self) -> list[Connection | int]:
        """What has something for us; the brain gives a sign of life at least every second."""
        sources: list[Connection | int] = [self._connection, self._done]
        if self._query:
            sources.append(self._screen.stdin.fileno())
        ready = readable(sources, PATIENCE)
        if self._give_up and time.monotonic() > self._give_up:
            raise self._reason
        if not ready:
            raise Silent
        return ready

    def _heed(self, message: Message) -> None:
        match message:
            case Act():
                _thread.start_new_thread(self._act, (message,))
            case Query():
                self._query = message
                if self._ask.asks == "typed":
                    from ..output.prompts import begin_to_ask

                    begin_to_ask(self._screen)
                self._answer()  # what is there already
            case _:
                show(message, self._screen)

    def _act(self, act: Act) -> None:
        """On a thread: the turn may be given up meanwhile."""
        self._outcomes.append(did(self._hands, act))
        os.write(self._tell_done, b".")

    def _hear(self) -> None:
        """What was typed or written for a question."""
        piece = os.read(self._screen.stdin.fileno(), 65536)
        self._typed += piece or b"\n"  # the last line may lack its end; on a terminal, no line is a no
        self._answer()
        if not piece and self._query:
            self._connection.send(NoAnswer(self._query.turn, self._query.question))
            self._query = None

    def _answer(self) -> None:
        while self._query and b"\n" in self._typed:
            line, _, self._typed = self._typed.partition(b"\n")
            said = self._understood(line.decode("utf-8", "replace"), self._query.question)
            if said is not None:
                self._connection.send(Answer(self._query.turn, self._query.question, said))
                self._query = None

    def _understood(self, line: str, question: str) -> str | None:
        """The answer to *question* in *line*; None for a record that is none, which is told."""
        if self._ask.asks == "typed":
            return line.strip()
        from ..output.prompts import in_record, no_answer  # few are asked

        if (answer := in_record(line, question)) is None and line.strip():
            self._screen.err(no_answer(question))
        return answer
