"""The client's side of a turn that a brain does: print what it says, act, ask, and pass on Ctrl-C.

Imports next to nothing, as the person waits for it.
"""

from __future__ import annotations

import _thread
import time
from collections.abc import Callable

from ..actions import Hands, time_and_place
from ..core.errors import JarvisError, NeedsAnswer, foreseen
from ..core.stdlib import TYPE_CHECKING
from ..core.types import Options, Outcome, Request, unknown
from ..output.screen import Screen
from .connection import END_SECONDS, Connection, Silent, garbled
from .protocol import (
    Act,
    Alive,
    Answer,
    Ask,
    Cancel,
    Clear,
    Confirm,
    Did,
    Ended,
    Err,
    Message,
    NoAnswer,
    Out,
    Passing,
    Piece,
    Query,
)

if TYPE_CHECKING:
    from ..core.events import Question


class Starting:
    """Tells that the brain is starting, and for how long: silence is resented as much as the delay."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._is_told = False

    def __call__(self) -> None:
        if self._is_told:
            self._screen.tick()
        else:
            self._screen.passing("starting (first use takes a few seconds)…")
        self._is_told = True


def ask_for(
    options: Options,
    screen: Screen,
    pictures: str,
    own_thread: str,
    *,
    turn: int,
    own: str,
    piped: str = "",
    is_chat: bool = False,
) -> Ask:
    """Return the message that asks for a turn.

    pictures: the folder for pictures. own_thread: that of the terminal.
    """
    return Ask(
        turn=turn,
        own=own,
        piped=piped,
        thread=options.thread or screen.environment.get("JARVIS_THREAD", "").strip(),
        own_thread=own_thread,
        continue_last=options.continue_last and not options.thread,
        place=time_and_place(),
        pictures=pictures,
        width=screen.width,
        out_tty=screen.out_tty,
        err_tty=screen.err_tty,
        out_colour=screen.out_colour,
        err_colour=screen.err_colour,
        quiet=options.quiet,
        verbose=options.verbose,
        json=options.json,
        ndjson=options.ndjson,
        csv=options.csv,
        yes=options.yes,
        is_chat=is_chat,
        asks=_how_to_ask(options, screen, is_chat=is_chat),
        model=options.model or "",
    )


class Client:
    """Has a brain do one turn, over a connection."""

    def __init__(
        self,
        connection: Connection,
        ask: Ask,
        screen: Screen,
        hands: Hands,
        answer: Callable[[Question], str | None],
    ) -> None:
        """answer: returns the person's answer to the question; None where nobody can answer."""
        self._connection = connection
        self._ask = ask
        self._screen = screen
        self._hands = hands
        self._answer = answer
        self._reason: JarvisError | None = None  # why the turn is cancelled
        self._end_by: float | None = None  # when a cancelled turn is not waited for any longer

    def run(self) -> int:
        """Have the turn done and told; return its exit status.

        Raises BrainFailed where the brain is lost, and the reason of a cancelled turn that does not end.
        """
        self._connection.send(self._ask)
        try:
            while True:
                match message := self._received():
                    case Ended(turn, exit_status) if turn == self._ask.turn:
                        return exit_status
                    case Act(turn) if turn == self._ask.turn:
                        _thread.start_new_thread(self._act, (message,))
                    case Query(turn) if turn == self._ask.turn:
                        _thread.start_new_thread(self._have_answered, (message,))
                    case Confirm(turn):
                        self._connection.send(Confirm(turn, not self._screen.has_lost_words))
                    case None:  # cancelled, or something was sent
                        pass
                    case _:
                        _show(message, self._screen)
        except BaseException as error:  # handed on: of a turn that has not ended nothing more is read
            if isinstance(error, Silent):
                self._connection.kill()
            self._connection.close(patience=0)
            self._screen.end_line()
            raise

    def cancel(self, reason: JarvisError) -> None:
        """Cancel the turn. Another thread or a signal handler may call it."""
        self._reason = self._reason or reason
        self._connection.wake()

    def _received(self) -> Message | None:
        """Return the brain's next message; None where the client itself has something to do first."""
        if self._reason is None:
            return self._connection.receive(self._connection.patience)
        if self._end_by is None:
            self._end_by = time.monotonic() + END_SECONDS
            self._connection.send(Cancel(self._ask.turn, self._reason.code))
        left = self._end_by - time.monotonic()
        if left <= 0:
            return self._given_up(self._reason)
        try:
            return self._connection.receive(left)
        except Silent:
            return None

    def _given_up(self, reason: JarvisError) -> Message | None:
        """Kill a brain that does not end its turn, and return what it still said.

        A brain that others may need ends the turn once the client hangs up: raise *reason*.
        """
        if not self._connection.is_own:
            raise reason
        self._connection.kill()
        return self._connection.receive(None)

    def _act(self, act: Act) -> None:
        """Act, on a thread: the person may give the turn up meanwhile."""
        self._connection.send(Did.of(act, _performed(self._hands, act.request)))

    def _have_answered(self, query: Query) -> None:
        """Ask the person, on a thread: the brain may have more to say meanwhile."""
        question = query.question
        answer: str | None
        try:
            answer = self._answer(question)
        except NeedsAnswer:  # the terminal is gone
            answer = None
        except JarvisError as reason:  # Ctrl-C, where it is typed
            self.cancel(reason)
            return
        if answer is None:
            self._connection.send(NoAnswer(query.turn, question.id))
        else:
            self._connection.send(Answer(query.turn, question.id, answer))


def _how_to_ask(options: Options, screen: Screen, *, is_chat: bool) -> str:
    """Return how the person can be asked: one of Ask.asks."""
    if options.ndjson:
        return "records"
    return "typed" if is_chat or (screen.is_interactive and not options.json) else "nobody"


def _performed(hands: Hands, request: Request) -> Outcome:
    """Return the outcome of *request*, even of a fault of ours: the brain waits for one."""
    try:
        with foreseen():
            return hands.perform(request)
    except JarvisError as error:
        outcome = unknown(request.action, request.effect.target)
        return outcome._replace(text=f"{outcome.text} ({error.message})")


def _show(message: Message, screen: Screen) -> None:
    """Print *message*. Raises BrainFailed for one that no brain would send now."""
    match message:
        case Out(text):
            screen.out(text, end="")
        case Piece(text, links):
            screen.reply(text, links)
        case Err(text):
            screen.err(text)
        case Passing(text):
            screen.passing(text)
        case Clear():
            screen.clear()
        case Alive():
            screen.tick()
        case _:
            raise garbled()
