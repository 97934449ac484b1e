"""A client of the brain: asks it for a turn, prints, acts and asks the person.

Where the brain dies or hangs, another one goes on with the turn, by its id and what the hands did so far.
Blocking, on the standard library's lowest modules: importing asyncio alone takes as long as five bare starts.
"""

from __future__ import annotations

import _socket
import _thread
import contextlib
import os
import select
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial

from ..actions import Hands, time_and_place
from ..core.errors import BrainFailed, Interrupted, JarvisError, NeedsAnswer, Terminated, foreseen
from ..core.events import Question, question_in
from ..core.files import check_owner
from ..core.types import Options, Outcome, unknown
from ..output.screen import Screen
from . import protocol
from .address import Place, address_of, kill, place_of

PATIENCE = 10.0  # seconds without a sign of life, which comes every second
_LOOK_SECONDS = 0.05  # between two looks whether the person has given it up
_START_SECONDS = 20.0  # for a new process to listen; it imports little before
_END_SECONDS = 3.0  # for a turn that was cancelled to end
_BRAINS = 3  # that are met just as they leave; or that one turn may cost
_MAY_BE = ("done", "unknown")  # the states of what may have had an effect
STARTING = "starting (first use takes a few seconds)…"
_ANEW = "What was done so far is kept. Ask again: a new one is started."


Wait = Callable[[str], None]  # is told many times a second what is waited for, if that is told; may raise


class BrainLost(BrainFailed):
    """The brain has hung up, or hung and was killed."""


class Connection:
    """A connection to a brain. One thread receives; any thread may send."""

    def __init__(self, place: Place, opened: _socket.socket) -> None:
        self.place = place
        self.close = opened.close
        self._socket = opened
        self._sending = _thread.allocate_lock()
        self._buffer = b""
        self._lines: list[bytes] = []

    def send(self, message: protocol.Message) -> None:
        # That nobody reads any more is told where the brain is listened to.
        with self._sending, contextlib.suppress(OSError):
            self._socket.sendall(protocol.encode(message))

    def receive(self, look: Callable[[], None]) -> protocol.Message:
        """Return the next message. look: is called many times a second meanwhile, and may raise.

        Raises BrainLost, or BrainFailed with the brain's own failure. A brain that hangs is killed.
        """
        # Looks are counted, not seconds: a client that was itself stopped by Ctrl-Z has not listened.
        for _ in range(round(PATIENCE / _LOOK_SECONDS)):
            look()
            if not self._lines and select.select([self._socket], [], [], _LOOK_SECONDS)[0]:
                self._take_in()
            if self._lines:
                return _understood(self._lines.pop(0))
        kill(self.place)
        raise BrainLost("The process that plans and searches does not answer.", hint=_ANEW)

    def await_ready(self, wait: Wait) -> None:
        """Wait until a turn may be asked for. Raises as `receive` does."""
        told = ""
        while not isinstance(self.receive(partial(wait, told)), protocol.Ready):
            told = "" if self._lines else STARTING  # it is still importing

    def _take_in(self) -> None:
        """Read what has come. Raises BrainLost."""
        piece = b""
        with contextlib.suppress(OSError):
            piece = self._socket.recv(65536)
        if not piece:
            raise BrainLost("The process that plans and searches has stopped.", hint=_ANEW)
        *lines, self._buffer = (self._buffer + piece).split(b"\n")
        self._lines += lines
        if len(self._buffer) > protocol.LONGEST:
            raise _garbled()


def _understood(line: bytes) -> protocol.Message:
    """Return the message in *line*. Raises BrainFailed for a failure of the brain, or for no message."""
    try:
        message = protocol.decode(line)
    except protocol.BadMessage:
        raise _garbled() from None
    if isinstance(message, protocol.Failed):
        kind = {each.code: each for each in (Interrupted, Terminated)}.get(message.code, BrainFailed)
        error = kind(message.message, hint=message.hint)
        error.code, error.exit_status = message.code, message.exit_status
        raise error
    return message


def _garbled() -> BrainFailed:
    told = "The process that plans and searches sent a message that makes no sense."
    return BrainFailed(told, hint="Start Jarvis again.")


def connect(environment: Mapping[str, str], env_file: str | None, wait: Wait) -> Connection | None:
    """Return a connection to a brain that is ready; None where none can be started here.

    Raises BrainFailed with what keeps the brain from starting, NoKey where it could do nothing, and the
    reason where it is given up.
    """
    env_file = os.path.abspath(env_file) if env_file else None
    for _ in range(_BRAINS):
        try:
            place = place_of(environment, env_file)
            connection = _met(place) or _started(place, environment, env_file, wait)
        except (OSError, NotImplementedError):  # a full disk; no posix_spawn with a session of its own
            return None
        with contextlib.suppress(BrainLost):  # it was about to leave
            if connection:
                connection.await_ready(wait)
            return connection
    return None


def _met(place: Place) -> Connection | None:
    """Return a connection to the brain at *place*; None where there is none.

    Raises StoreFailed where its folder or its files are another user's.
    """
    check_owner(place.socket)
    check_owner(place.lock)
    opened = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    opened.settimeout(PATIENCE)  # to connect, and to take what is sent
    try:
        with address_of(place) as address:
            opened.connect(address)
    except OSError:
        opened.close()
        return None
    return Connection(place, opened)


def _started(
    place: Place, environment: Mapping[str, str], env_file: str | None, wait: Wait
) -> Connection | None:
    """Start a brain and return a connection to it, or to one that another client started meanwhile."""
    from ..config.settings import check_model_key  # who is served by a brain that is there does without

    check_model_key(environment, env_file)
    pid = _spawned(place, environment, env_file)
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        has_ended = bool(os.waitpid(pid, os.WNOHANG)[0])
        connection = _met(place)  # or another's, to which ours left the place
        if connection and not has_ended:  # or it would stay a zombie for as long as we live
            _thread.start_new_thread(os.waitpid, (pid, 0))
        if connection or has_ended:
            return connection
        wait(STARTING)
        time.sleep(0.02)  # a socket that does not exist yet tells nobody when it does
    return None


def _spawned(place: Place, environment: Mapping[str, str], env_file: str | None) -> int:
    """Start a brain that survives this terminal, folder and process; return its process id."""
    argv = [sys.executable, "-P", "-m", __package__, place.name, *([env_file] if env_file else [])]
    own = {name: value for name, value in environment.items() if name != "JARVIS_THREAD"}
    null = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    # The brain would inherit which signals are ignored or blocked here.
    return os.posix_spawn(
        sys.executable, argv, own, file_actions=null, setsid=True, setsigmask=(), setsigdef=(1, 2, 3, 13, 15)
    )


class Client:
    """Has a brain do one turn; where that brain dies, another one goes on with it."""

    def __init__(
        self,
        ask: protocol.Ask,
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
        self._reason: JarvisError | None = None  # why the turn is cancelled
        self._did: dict[int, protocol.Did] = {}  # by the hands; what they are at is not known yet
        self._answers: dict[str, str | None] = {}  # by their questions; None: nobody could answer
        self._acting: list[protocol.Act] = []  # each on a thread of its own
        self._asking: list[protocol.Query] = []  # as well
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
            while self._acting and not self._reason:  # the hands are on threads of their own
                time.sleep(_LOOK_SECONDS)
            if self._did or self._ask.resumes:
                self._add_deeds(error)
            raise error from None

    def _add_deeds(self, error: JarvisError) -> None:
        """Have *error* tell what the hands did before it: to ask again would do it twice."""
        done, ask = [each.step for each in self._did.values()], self._ask
        steps = [
            {
                "n": each.n,
                "action": each.action,
                "arguments": {"target": each.target} if each.target else {},
                "state": each.outcome.state,
                "outcome": each.outcome.text,
            }
            for each in done
        ]
        error.beside = {"goal": ask.own, "steps": steps, "thread": ask.thread or None, "turn": ask.id}
        if said := " ".join(each.outcome.text for each in done if each.outcome.text):
            error.message = f"{said} {error.message}"
            if any(each.outcome.state in _MAY_BE for each in done):
                error.hint = f"See what came of it: jarvis threads show {ask.thread}".rstrip()

    def cancel(self, reason: JarvisError) -> None:
        """Cancel the turn. Another thread or a signal handler may call it."""
        self._reason = self._reason or reason

    def _wait(self, what: str = "") -> None:
        """Tell *what* is waited for. Raises the reason where the turn is cancelled."""
        if self._reason:
            raise self._reason
        self._screen.passing(what)

    def _connected(self) -> Connection | None:
        try:
            return connect(self._screen.environment, self._env_file, self._wait)
        finally:
            self._screen.clear()

    def _done(self, connection: Connection) -> int:
        """Have the turn done by the brain at hand, or by those after it; return its exit status."""
        for _ in range(_BRAINS - 1):
            try:
                return self._served(connection)
            except BrainLost:
                connection = self._another()
        return self._served(connection)

    def _served(self, connection: Connection) -> int:
        """Have the brain do the turn; return its exit status."""
        connection.send(self._ask)
        try:
            while not isinstance(
                message := connection.receive(lambda: self._look(connection)), protocol.Ended
            ):
                self._heed(message, connection)
            self._output.end()
            return message.exit_status
        except JarvisError:  # of a turn that has not ended nothing more is read
            if not self._asking:  # its question stands
                self._screen.end_line()
            raise
        finally:
            connection.close()

    def _look(self, connection: Connection) -> None:
        """Pass on to the brain that the turn is cancelled, once. Raises the reason where it does not end."""
        if self._reason is None:
            return
        if self._end_by is None:
            self._end_by = time.monotonic() + _END_SECONDS
            connection.send(protocol.Cancel(self._reason.code))
        elif time.monotonic() > self._end_by:  # once we hang up it ends the turn
            raise self._reason

    def _heed(self, message: protocol.Message, connection: Connection) -> None:
        """Do what the brain says. Raises BrainFailed for what no brain would say now."""
        match message:
            case protocol.Print(how) if how in protocol.WAYS_TO_PRINT:
                self._output.print(message)
            case protocol.Alive():
                self._screen.tick()
            case protocol.Confirm():
                connection.send(protocol.Confirm(not self._screen.has_lost_words))
            case protocol.Act():  # on a thread: the person may give the turn up meanwhile
                self._acting.append(message)
                self._note(message, unknown(message.action, message.target))
                _thread.start_new_thread(self._act, (message, connection))
            case protocol.Query():
                self._asking.append(message)
                _thread.start_new_thread(self._have_answered, (message, connection))
            case _:
                raise _garbled()

    def _act(self, act: protocol.Act, connection: Connection) -> None:
        try:
            with foreseen():
                outcome = self._hands.perform(act.request)
        except JarvisError as error:  # a fault of ours: the brain waits for an outcome
            outcome = unknown(act.action, act.target)
            outcome = outcome._replace(text=f"{outcome.text} ({error.message})")
        if outcome.state != "approved":  # whether what the brain may keep was kept, it knows alone
            self._note(act, outcome)
        connection.send(protocol.Did.of(act, outcome))
        self._acting.remove(act)

    def _note(self, act: protocol.Act, outcome: Outcome) -> None:
        if act.n:
            self._did[act.n] = protocol.Did.of(act, outcome)

    def _have_answered(self, query: protocol.Query, connection: Connection) -> None:
        question, answers = question_in(query.asked), self._answers
        try:
            if question.id not in answers:  # else it was answered, and its brain died
                answers[question.id] = self._answer(question)
        except NeedsAnswer:  # the terminal is gone
            answers[question.id] = None
        except JarvisError as reason:  # Ctrl-C, where it is typed
            self.cancel(reason)
        if question.id in answers:
            answer = answers[question.id]
            connection.send(protocol.Answer(question.id, answer or "", answer is not None))
        self._asking.remove(query)

    def _another(self) -> Connection:
        """Return a connection to another brain, once hands and person are done with what they are at.

        Raises the reason where the person gives it up.
        """
        while self._acting or self._asking:
            self._wait("" if self._asking else "Jarvis's own process ended: another one goes on…")
            time.sleep(_LOOK_SECONDS)
        self._output.begin_again()
        self._ask = self._ask._replace(resumes=True, did=[each.performed for each in self._did.values()])
        if connection := self._connected():
            return connection
        raise BrainFailed("No other process that plans and searches can be started.")


class Output:
    """Prints for a brain; where another one goes on, what that one prints as well.

    A pipe's stdout is whole, and one brain's: it is held until the turn has ended. Records come as it
    happens; of those, another brain's are left out that were printed before.
    """

    def __init__(self, screen: Screen, ask: protocol.Ask) -> None:
        self._screen = screen
        self._is_held = not (ask.out_tty or ask.said.ndjson)
        self._is_for_program = ask.said.ndjson
        self._held: list[protocol.Print] = []
        self._printed: list[protocol.Print] = []  # for a program
        self._known: list[protocol.Print] = []  # of these, those that another brain is to print again

    def print(self, message: protocol.Print) -> None:
        if message.how == "out" and self._is_held:
            self._held.append(message)
        elif message in self._known:
            self._known.remove(message)
        else:
            getattr(self._screen, message.how)(*message.what)
            self._printed += [message] if self._is_for_program else []

    def begin_again(self) -> None:
        """Expect all of the turn anew, from another brain."""
        self._held, self._known = [], [*self._printed]

    def end(self) -> None:
        """Print what is held."""
        for message in self._held:
            self._screen.out(*message.what)


def ask_for(
    options: Options,
    screen: Screen,
    pictures: str,
    own_thread: str,
    own: str,
    piped: str = "",
    *,
    is_chat: bool = False,
) -> protocol.Ask:
    """Return the message that asks for a turn, by what is known here of the person and their screen.

    pictures: the folder for pictures. own_thread: that of the terminal.
    """
    return protocol.Ask(
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
