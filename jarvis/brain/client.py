"""The client's side of a turn that a brain does: print what it says, act, ask, and pass on Ctrl-C.

Imports next to nothing, as the person waits for it.
"""

from __future__ import annotations

import _thread
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..actions import Hands
from ..core.errors import BrainFailed, JarvisError, NeedsAnswer, attempt, foreseen
from ..core.types import Outcome, Request, unknown
from ..output.screen import Screen
from .client_turn import ClientTurn
from .connection import END_SECONDS, Connection, Gone, Silent, garbled
from .protocol import (
    Act,
    Alive,
    Answer,
    Ask,
    Begun,
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
    Told,
)

if TYPE_CHECKING:
    from ..core.events import Question


_LOOK_SECONDS = 0.05  # between two looks whether what is waited for has come


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


class Client:
    """Has a brain do one turn, over a connection; where that brain dies, another goes on with it."""

    def __init__(
        self,
        connection: Connection,
        ask: Ask,
        screen: Screen,
        hands: Hands,
        answer: Callable[[Question], str | None],
        connect: Callable[[], Connection],
    ) -> None:
        """answer: returns the person's answer to the question; None where nobody can answer.

        connect: connects to another brain; it is called on a thread.
        """
        self.connection = connection
        self._ask = ask
        self._turn = ClientTurn(ask)
        self._screen = screen
        self._hands = hands
        self._answer = answer
        self._connect = connect
        self._acting: list[Act] = []
        self._asking: list[Query] = []
        self._is_waiting = False  # for another brain, which was told
        self._reason: JarvisError | None = None  # why the turn is cancelled
        self._end_by: float | None = None  # when a cancelled turn is not waited for any longer

    def run(self) -> int:
        """Have the turn done and told; return its exit status.

        Raises BrainFailed where two brains are lost, and the reason of a cancelled turn that does not end.
        """
        try:
            try:
                return self._served(self._ask)
            except (Gone, Silent):
                if self._reason:
                    raise
            self.connection = self._another()
            return self._served(self._turn.asked_again)
        except JarvisError as error:
            self._await_hands()
            raise self._turn.telling(error) from None

    def _served(self, ask: Ask) -> int:
        """Have the brain at hand do the turn; return its exit status."""
        self.connection.send(ask)
        try:
            while True:
                match message := self._received():
                    case Ended(turn, exit_status) if turn == self._ask.turn:
                        return exit_status
                    case Act(turn) if turn == self._ask.turn:
                        self._turn.begins(message)
                        self._acting.append(message)
                        _thread.start_new_thread(self._act, (message,))
                    case Query(turn) if turn == self._ask.turn:
                        self._asking.append(message)
                        _thread.start_new_thread(self._have_answered, (message,))
                    case Confirm(turn):
                        self.connection.send(Confirm(turn, not self._screen.has_lost_words))
                    case Begun(turn, thread) if turn == self._ask.turn:
                        self._turn.thread = thread
                    case Told(turn, what) if turn == self._ask.turn:
                        self._turn.told.append(what)
                    case None:  # cancelled, or something was sent
                        pass
                    case _:
                        _show(message, self._screen)
        except BaseException as error:  # handed on: of a turn that has not ended nothing more is read
            if isinstance(error, Silent):
                self.connection.kill()
            self.connection.close(patience=0)
            if not self._asking:  # its question stands
                self._screen.end_line()
            raise

    def _another(self) -> Connection:
        """Return a connection to another brain, once hands and person are done with what they are at.

        Raises the reason where the person gives it up.
        """
        made: list[tuple[Connection | None, BaseException | None]] = []
        _thread.start_new_thread(lambda: made.append(attempt(self._connect)), ())
        while not made or self._acting or self._asking:
            if self._reason:
                raise self._reason
            if not self._asking:
                self._wait_told()
            time.sleep(_LOOK_SECONDS)
        self._screen.clear()
        connection, error = made[0]
        if connection is None:
            raise error or BrainFailed("No other process that plans and searches can be started.")
        return connection

    def _await_hands(self) -> None:
        """Wait until the hands are done with what they are at, unless the person gives it up."""
        while self._acting and not self._reason:
            time.sleep(_LOOK_SECONDS)

    def cancel(self, reason: JarvisError) -> None:
        """Cancel the turn. Another thread or a signal handler may call it."""
        self._reason = self._reason or reason
        self.connection.wake()

    def _received(self) -> Message | None:
        """Return the brain's next message; None where the client itself has something to do first."""
        if self._reason is None:
            return self.connection.receive(self.connection.patience)
        if self._end_by is None:
            self._end_by = time.monotonic() + END_SECONDS
            self.connection.send(Cancel(self._ask.turn, self._reason.code))
        left = self._end_by - time.monotonic()
        if left <= 0:
            return self._given_up(self._reason)
        try:
            return self.connection.receive(left)
        except Silent:
            return None

    def _given_up(self, reason: JarvisError) -> Message | None:
        """Kill a brain that does not end its turn, and return what it still said.

        A brain that others may need ends the turn once the client hangs up: raise *reason*.
        """
        if not self.connection.is_own:
            raise reason
        self.connection.kill()
        return self.connection.receive(None)

    def _act(self, act: Act) -> None:
        """Act, on a thread: the person may give the turn up meanwhile."""
        did = Did.of(act, _performed(self._hands, act.request))
        self._turn.has_done(did)
        self.connection.send(did)
        self._acting.remove(act)

    def _have_answered(self, query: Query) -> None:
        """Ask the person, on a thread: the brain may have more to say meanwhile."""
        question = query.question
        answers = self._turn.answers
        try:
            if question.id not in answers:  # else it was answered, and its brain died
                answers[question.id] = self._answered(question)
        except JarvisError as reason:  # Ctrl-C, where it is typed
            self.cancel(reason)
        else:
            answer = answers[question.id]
            no_answer = NoAnswer(query.turn, question.id)
            self.connection.send(no_answer if answer is None else Answer(query.turn, question.id, answer))
        self._asking.remove(query)

    def _answered(self, question: Question) -> str | None:
        """Return the person's answer; None where nobody can answer."""
        try:
            return self._answer(question)
        except NeedsAnswer:  # the terminal is gone
            return None

    def _wait_told(self) -> None:
        """Tell what is waited for, and for how long."""
        if self._is_waiting:
            self._screen.tick()
        else:
            self._screen.passing("Jarvis's own process ended: another one goes on…")
        self._is_waiting = True


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
