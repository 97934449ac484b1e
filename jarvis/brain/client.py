"""A client of the brain: asks it for a turn, prints, acts and asks the person.

Where the brain dies or hangs, another one goes on with the turn, by its id and what the hands did so far.
"""

from __future__ import annotations

import _thread
import os
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from ..actions import Hands, time_and_place
from ..core.errors import BrainFailed, Interrupted, JarvisError, NeedsAnswer, foreseen
from ..core.types import Options, Outcome, Performed, Request, unknown
from ..output.screen import Screen
from .address import kill
from .connection import LOOK_SECONDS, Connection, HungUp, ProgressLine, Silent, connect, garbled
from .protocol import (
    WAYS_TO_PRINT,
    Act,
    Alive,
    Answer,
    Ask,
    Cancel,
    Confirm,
    Did,
    Ended,
    Message,
    Print,
    Query,
)

if TYPE_CHECKING:
    from ..core.events import Question

_END_SECONDS = 3.0  # for a turn that was cancelled to end
_BRAINS = 3  # that one turn may cost
_MAY_BE = ("done", "unknown")  # the states of what may have had an effect


class Client:
    """Has a brain do one turn; where that brain dies, another one goes on with it."""

    def __init__(
        self,
        ask: Ask,
        screen: Screen,
        hands: Hands,
        answer: Callable[[Question], str | None],
        env_file: str | None,
    ) -> None:
        """answer: returns the person's answer to the question; None where nobody can answer."""
        self._ask = ask
        self._screen = screen
        self._hands = hands
        self._answer = answer
        self._env_file = env_file
        self._progress = ProgressLine(screen)
        self._did: dict[int, Did] = {}  # by the hands; what they are at is not known yet
        self._answers: dict[str, str | None] = {}  # by their questions; None: nobody could answer
        self._acting: list[Act] = []  # each on a thread of its own
        self._asking: list[Question] = []  # as well
        self._output = Output(screen, ask)
        self._end_by: float | None = None  # when a cancelled turn is not waited for any longer

    def run(self) -> int | None:
        """Have the turn done and told; return its exit status. None, with nothing begun, without a brain.

        Raises BrainFailed where too many brains are lost, and the reason of a cancelled turn that does not
        end.
        """
        try:
            connection = self._connected()
        except Interrupted:
            raise Interrupted("Interrupted. Nothing was begun.") from None
        if connection is None:
            return None
        try:
            return self._done(connection)
        except JarvisError as error:
            while self._acting and not self._progress.reason:  # the hands are on threads of their own
                time.sleep(LOOK_SECONDS)
            if self._did or self._ask.resumes:
                error = with_deeds(error, [each.step for each in self._did.values()], self._ask)
            raise error from None

    def cancel(self, reason: JarvisError) -> None:
        """Cancel the turn. Another thread or a signal handler may call it."""
        self._progress.reason = self._progress.reason or reason

    def _connected(self) -> Connection | None:
        return connect(self._screen.environment, self._env_file, self._progress)

    def _done(self, connection: Connection) -> int:
        """Have the turn done by the brain at hand, or by those after it; return its exit status."""
        for _ in range(_BRAINS - 1):
            try:
                return self._served(connection)
            except (HungUp, Silent):
                self._progress.look()
            connection = self._another()
        return self._served(connection)

    def _served(self, connection: Connection) -> int:
        """Have the brain do the turn; return its exit status."""

        def look() -> None:
            self._look(connection)

        connection.send(self._ask)
        try:
            while not isinstance(message := connection.receive(look), Ended):
                self._heed(message, connection)
            self._output.end()
            return message.exit_status
        except JarvisError as error:  # of a turn that has not ended nothing more is read
            if isinstance(error, Silent):
                kill(connection.place)
            if not self._asking:  # its question stands
                self._screen.end_line()
            raise
        finally:
            connection.close()

    def _look(self, connection: Connection) -> None:
        """Pass on to the brain that the turn is cancelled, once. Raises the reason where it does not end."""
        if self._progress.reason is None:
            return
        if self._end_by is None:
            self._end_by = time.monotonic() + _END_SECONDS
            connection.send(Cancel(self._progress.reason.code))
        elif time.monotonic() > self._end_by:  # once we hang up it ends the turn
            raise self._progress.reason

    def _heed(self, message: Message, connection: Connection) -> None:
        """Do what the brain says. Raises BrainFailed for what no brain would say now."""
        match message:
            case Print():
                self._output.print(message)
            case Alive():
                self._screen.tick()
            case Confirm():
                connection.send(Confirm(not self._screen.has_lost_words))
            case Act():  # on a thread: the person may give the turn up meanwhile
                self._acting.append(message)
                self._note(message, unknown(message.action, message.target))
                _thread.start_new_thread(self._act, (message, connection))
            case Query():
                self._asking.append(question := message.question)
                _thread.start_new_thread(self._have_answered, (question, connection))
            case _:
                raise garbled()

    def _act(self, act: Act, connection: Connection) -> None:
        outcome = _performed(self._hands, act.request)
        if outcome.state != "approved":  # whether what the brain may keep was kept, it knows alone
            self._note(act, outcome)
        connection.send(Did.of(act, outcome))
        self._acting.remove(act)

    def _note(self, act: Act, outcome: Outcome) -> None:
        if act.n:
            self._did[act.n] = Did.of(act, outcome)

    def _have_answered(self, question: Question, connection: Connection) -> None:
        answers = self._answers
        try:
            if question.id not in answers:  # else it was answered, and its brain died
                answers[question.id] = self._answered(question)
        except JarvisError as reason:  # Ctrl-C, where it is typed
            self.cancel(reason)
        else:
            answer = answers[question.id]
            connection.send(Answer(question.id, answer or "", answer is not None))
        self._asking.remove(question)

    def _answered(self, question: Question) -> str | None:
        try:
            return self._answer(question)
        except NeedsAnswer:  # the terminal is gone
            return None

    def _another(self) -> Connection:
        """Return a connection to another brain, once hands and person are done with what they are at.

        Raises the reason where the person gives it up.
        """
        while self._acting or self._asking:
            self._progress.look()
            if not self._asking:
                self._progress.tell("Jarvis's own process ended: another one goes on…")
            time.sleep(LOOK_SECONDS)
        self._output.begin_again()
        self._ask = self._ask._replace(resumes=True, did=[each.performed for each in self._did.values()])
        if connection := self._connected():
            return connection
        raise BrainFailed("No other process that plans and searches can be started.")


class Output:
    """Prints for a brain; where another one goes on, nothing twice."""

    def __init__(self, screen: Screen, ask: Ask) -> None:
        self._screen = screen
        # An answer on a pipe is whole, and one brain's: it is held until the turn has ended.
        self._is_held = not (ask.out_tty or ask.said.ndjson)
        self._held: list[Print] = []
        self._printed: list[Print] = []  # whole lines
        self._known: list[Print] = []  # of these, those that another brain is to print again

    def print(self, message: Print) -> None:
        """Print *message*. Raises BrainFailed for one that no screen knows."""
        if message.how not in WAYS_TO_PRINT:
            raise garbled()
        if message in self._known:
            self._known.remove(message)
        elif message.how == "out" and self._is_held:
            self._held.append(message)
        else:
            self._show(message)
            if message.how in ("out", "err"):
                self._printed.append(message)

    def begin_again(self) -> None:
        """Expect all of the turn anew, from another brain."""
        self._held = []
        self._known = [*self._printed]

    def end(self) -> None:
        """Print what is held."""
        for message in self._held:
            self._show(message)

    def _show(self, message: Print) -> None:
        getattr(self._screen, message.how)(*message.what)


def _performed(hands: Hands, request: Request) -> Outcome:
    """Return the outcome of *request*, even of a fault of ours: the brain waits for one."""
    try:
        with foreseen():
            return hands.perform(request)
    except JarvisError as error:
        outcome = unknown(request.action, request.effect.target)
        return outcome._replace(text=f"{outcome.text} ({error.message})")


def ask_for(
    options: Options,
    screen: Screen,
    pictures: str,
    own_thread: str,
    own: str,
    piped: str = "",
    *,
    is_chat: bool = False,
) -> Ask:
    """Return the message that asks for a turn, by what is known here of the person and their screen.

    pictures: the folder for pictures. own_thread: that of the terminal.
    """
    return Ask(
        id=os.urandom(8).hex(),
        own=own,
        piped=piped,
        thread=options.thread or screen.environment.get("JARVIS_THREAD", "").strip(),
        own_thread=own_thread,
        options=options._replace(continue_last=options.continue_last and not options.thread)._asdict(),
        place=time_and_place(),
        pictures=pictures,
        width=screen.width,
        out_tty=screen.out_tty,
        err_tty=screen.err_tty,
        out_colour=screen.out_colour,
        err_colour=screen.err_colour,
        is_chat=is_chat,
        is_asked=options.ndjson or is_chat or (screen.is_interactive and not options.json),
        resumes=False,
        did=[],
    )


def with_deeds(error: JarvisError, performed: Collection[Performed], ask: Ask) -> JarvisError:
    """Return *error*, telling what the hands *performed* before it: to ask again would do it twice."""
    steps = [
        {
            "n": each.n,
            "action": each.action,
            "arguments": {"target": each.target} if each.target else {},
            "state": each.outcome.state,
            "outcome": each.outcome.text,
        }
        for each in performed
    ]
    error.beside = {"goal": ask.own, "steps": steps, "thread": ask.thread or None, "turn": ask.id}
    if said := " ".join(each.outcome.text for each in performed if each.outcome.text):
        error.message = f"{said} {error.message}"
        if any(each.outcome.state in _MAY_BE for each in performed):
            error.hint = f"See what came of it: jarvis threads show {ask.thread}".rstrip()
    return error
