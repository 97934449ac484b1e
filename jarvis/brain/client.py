"""The brain's client: requests a turn, shows it, acts, and asks the user.

If the brain dies or hangs, another one continues the turn by its id and the steps that the desktop did.
Blocking, and built on the lowest modules of the standard library: importing asyncio takes as long as five
bare starts.
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
from typing import TYPE_CHECKING

from ..config.settings import check_model_key, read_settings
from ..core.errors import Interrupted, JarvisError, NeedsAnswer, StoreFailed, Terminated, report_bugs
from ..core.events import Question, Tell, Words
from ..core.files import check_owner
from ..core.types import ActionRequest, Options, Outcome, Performed, unknown
from ..desktop.desktop import Desktop, time_and_place
from ..output.screen import Screen
from ..output.tellers import is_streamed
from . import protocol
from .address import Place, address_of, is_own_peer, kill, place_of

if TYPE_CHECKING:
    from ..desktop.running import Started

PATIENCE = 10.0  # seconds without a sign of life, which comes every second
_LOOK_SECONDS = 0.05  # between two looks whether the person has given it up
_START_SECONDS = 20.0  # for a new process to listen; it imports little before
_END_SECONDS = 6.0  # for a turn that was cancelled to end: what it sent may be looked for, for 5 s
_BRAINS = 3  # that are met just as they leave; or that one turn may cost
STARTING = "starting (first use takes a few seconds)…"
_ANEW = "Your progress is saved. Ask again, and a new one starts."


# Called many times a second with what is waited for (empty: nothing to show); raises to give up.
Wait = Callable[[str], None]


class BrainLost(JarvisError):
    """The brain has hung up, or hung and was killed."""

    code = "brain_failed"


class Connection:
    """A connection to a brain. One thread receives. Any thread may send."""

    def __init__(self, place: Place, opened: _socket.socket) -> None:
        self.place = place
        self.close = opened.close
        self._socket = opened
        self._sending = _thread.allocate_lock()
        self._buffer = bytearray()
        self._lines: list[bytes] = []

    def send(self, message: protocol.Message) -> None:
        # That nobody reads any more is told where the brain is listened to.
        with self._sending, contextlib.suppress(OSError):
            self._socket.sendall(protocol.encode(message))

    def receive(self, look: Callable[[], None]) -> protocol.Message:
        """Return the next message. look: is called many times a second meanwhile, and may raise.

        Raises BrainLost, or JarvisError with the brain's own failure. A brain that hangs is killed.
        """
        # Looks are counted, not seconds: a client that was itself stopped by Ctrl-Z has not listened.
        looks = round(PATIENCE / _LOOK_SECONDS)
        while looks:
            look()
            if self._lines:
                return _understood(self._lines.pop(0))
            if select.select([self._socket], [], [], _LOOK_SECONDS)[0]:
                self._take_in()
            else:
                looks -= 1
        kill(self.place)
        raise BrainLost("The process that plans and searches does not answer.", hint=_ANEW)

    def await_ready(self, wait: Wait) -> None:
        """Wait until the brain begins. Raises the same errors as `receive`, with nothing begun."""
        status = ""
        while not isinstance(self.receive(partial(wait, status)), protocol.Ready):
            status = "" if self._lines else STARTING  # it is still importing

    def _take_in(self) -> None:
        """Read what has come. Raises BrainLost."""
        piece = b""
        with contextlib.suppress(OSError):
            piece = self._socket.recv(65536)
        if not piece:
            raise BrainLost("The process that plans and searches has stopped.", hint=_ANEW)
        begun, *others = piece.split(b"\n")
        self._buffer += begun
        for each in others:
            self._lines.append(bytes(self._buffer))
            self._buffer = bytearray(each)
        if len(self._buffer) > protocol.LONGEST_TOLD:
            raise protocol.BadMessage("is too long")


def _understood(line: bytes) -> protocol.Message:
    """Return the message in *line*. Raises BadMessage, or JarvisError for a failure of the brain."""
    message = protocol.decode(line)
    if isinstance(message, protocol.Failed):
        kind = {each.code: each for each in (Interrupted, Terminated)}.get(message.code, JarvisError)
        error = kind(message.message, hint=message.hint)
        error.code, error.exit_status = message.code, message.exit_status
        raise error
    return message


def connect(
    environment: Mapping[str, str], env_file: str | None, wait: Wait, model: str = ""
) -> Connection | None:
    """Return a connection to a brain, which may not be ready yet, or None if none can start here.

    model: "" for the one in the settings. Raises NoKey if it could do nothing, or the reason for giving up.
    """
    env_file = os.path.abspath(env_file) if env_file else None
    try:
        place = place_of(environment, env_file)
        return _met(place) or _started(place, environment, env_file, wait, model)
    except OSError:  # a full disk
        return None


def _met(place: Place) -> Connection | None:
    """Return a connection to the brain at *place*, or None.

    Raises StoreFailed if its folder, its files, or the process that answers belong to another user.
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
    if not is_own_peer(opened):
        opened.close()
        problem = f"{place.socket} can't be used: another user answers there."
        raise StoreFailed(problem, hint=f"Remove it: rm {place.socket}")
    return Connection(place, opened)


def _started(
    place: Place, environment: Mapping[str, str], env_file: str | None, wait: Wait, model: str
) -> Connection | None:
    """Start a brain and return a connection to it, or to one that another client started meanwhile."""
    check_model_key(read_settings(environment, env_file=env_file), model)
    brain = _spawned(place, environment, env_file)
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        has_ended = brain.poll() is not None
        connection = _met(place)  # or another's, to which ours left the place
        if connection or has_ended:
            return connection
        wait(STARTING)
        time.sleep(0.02)  # a socket that does not exist yet tells nobody when it does
    return None


def _spawned(place: Place, environment: Mapping[str, str], env_file: str | None) -> Started:
    """Start a brain that survives this terminal, folder and process."""
    from ..desktop.running import start_python  # most find one that was started

    arguments = [place.name, *([env_file] if env_file else [])]
    own = {name: value for name, value in environment.items() if name != "JARVIS_THREAD"}
    return start_python(str(__package__), *arguments, env=own)


class Client:
    """Lets a brain do one turn. If that brain dies, another one continues it."""

    def __init__(
        self,
        ask: protocol.Ask,
        screen: Screen,
        desktop: Desktop,
        answer: Callable[[Question], str | None],
        teller: Callable[[], Tell],
        env_file: str | None,
    ) -> None:
        """answer: returns the user's answer to a question, or None if nobody can answer.

        teller: makes the event handler that shows a turn.
        """
        self._ask = ask
        self._screen = screen
        self._desktop = desktop
        self._answer = answer
        self._teller = teller
        self._env_file = env_file
        self._reason: JarvisError | None = None  # why the turn is cancelled
        self._did: dict[int, Performed] = {}  # by the desktop; what it is at is not known yet
        self._answers: dict[str, str | None] = {}  # by their questions; None: nobody could answer
        self._wanted: list[protocol.Act | protocol.Query] = []  # of the desktop, on threads, and person
        # A pipe's stdout is whole, and one brain's: it is held until the turn has ended, but for records.
        self._holds = not (screen.out_tty or ask.options.ndjson)
        self._resumes = False  # whether a brain was at it, so that another goes on from where it stands
        self._end_by: float | None = None  # when a cancelled turn is not waited for any longer

    def run(self) -> int | None:
        """Do the turn, show it, and return its exit status, or None, with nothing begun, without a brain.

        Raises JarvisError after losing too many brains. Raises the reason for canceling if the turn doesn't
        end.
        """
        try:
            return self._do_turn()
        except JarvisError as error:
            while self._wanted and not self._reason:
                time.sleep(_LOOK_SECONDS)
            self._add_deeds(error)
            raise error from None

    def _add_deeds(self, error: JarvisError) -> None:
        """Add to *error* the steps that were begun or done, so that the user doesn't repeat them."""
        if error is self._reason and not self._resumes:
            error.message += " Nothing was begun."
        # Whether a brain did what the desktop let it do, that brain alone knows.
        texts = (each.outcome.text or unknown(each.action, each.target).text for each in self._did.values())
        if deeds := " ".join(texts):
            error.message = f"{deeds} {error.message}"
            error.hint = f"See what came of it: jarvis threads show {self._ask.thread}".rstrip()

    def cancel(self, reason: JarvisError) -> None:
        """Cancel the turn. Another thread or a signal handler may call it."""
        self._reason = self._reason or reason

    def _wait(self, what: str = "") -> None:
        """Show the reason for waiting. If the turn is canceled, raises its reason."""
        if self._reason:
            raise self._reason
        self._screen.passing(what)

    def _do_turn(self) -> int | None:
        """Let a brain do the turn, or the ones after it. Returns the same as `run`."""
        lost: BrainLost | None = None
        for _ in range(_BRAINS):
            try:
                environment, model = self._screen.environment, self._ask.words.model
                if (connection := connect(environment, self._env_file, self._wait, model)) is None:
                    break
                return self._served(connection)
            except BrainLost as error:
                lost = error
                self._await_wanted()
        if lost and self._resumes:
            raise lost
        return None

    def _served(self, connection: Connection) -> int:
        """Let the brain do the turn. Returns its exit status."""
        self._tell = self._teller()
        if self._holds:
            self._screen.hold()
        did = tuple(self._did.values()) if self._resumes else None
        connection.send(self._ask._replace(words=self._ask.words._replace(did=did)))
        try:
            connection.await_ready(self._wait)
            self._screen.clear()
            self._screen.expect_reply()
            self._resumes = True
            while not isinstance(
                message := connection.receive(lambda: self._look(connection)), protocol.Ended
            ):
                self._handle_message(message, connection)
            self._screen.release(is_whole=True)
            if not self._screen.has_lost_words:
                connection.send(protocol.Shown())
            return message.exit_status
        except JarvisError:  # of a turn that has not ended nothing more is read
            self._screen.reply("")
            raise
        finally:
            self._screen.release(is_whole=False)
            connection.close()

    def _look(self, connection: Connection) -> None:
        """Send the brain the reason for canceling, once. Raises it if the turn doesn't end."""
        if self._reason is None:
            return
        if self._end_by is None:
            self._end_by = time.monotonic() + _END_SECONDS
            connection.send(protocol.Cancel(self._reason.code))
        elif time.monotonic() > self._end_by:  # once we hang up it ends the turn
            raise self._reason

    def _handle_message(self, message: protocol.Message, connection: Connection) -> None:
        """Do what the brain says. Raises BadMessage for what no brain would say now."""
        match message:
            case protocol.Tell(event):
                self._tell(event)
            case protocol.Alive():
                self._screen.tick()
            case protocol.Act():  # on a thread: the person may give the turn up meanwhile
                self._wanted.append(message)
                self._note(message.request, unknown(message.request.action, message.request.effect.target))
                _thread.start_new_thread(self._bring, (message, connection))
            case protocol.Query():  # here: signals reach the main thread alone
                self._wanted.append(message)
                self._bring(message, connection)
            case _:
                raise protocol.BadMessage("makes no sense now")

    def _bring(self, wanted: protocol.Act | protocol.Query, connection: Connection) -> None:
        """Send what is *wanted* of the desktop, or of the person."""
        try:
            answer = self._acted(wanted) if isinstance(wanted, protocol.Act) else self._send_answer(wanted)
            connection.send(answer)
        except JarvisError as reason:  # Ctrl-C, where it is typed
            self.cancel(reason)
        self._wanted.remove(wanted)

    def _acted(self, act: protocol.Act) -> protocol.Did:
        """Have the desktop do *act*, and note what came of it."""
        request = act.request
        try:
            with report_bugs():
                outcome = self._desktop.perform(request)
        except JarvisError as error:  # a fault of ours: the brain waits for an outcome
            outcome = unknown(request.action, request.effect.target)
            outcome = outcome._replace(text=f"{outcome.text} ({error.message})")
        return protocol.Did(self._note(request, outcome))

    def _note(self, request: ActionRequest, outcome: Outcome) -> Performed:
        """Return *request* with its *outcome*, noted for a brain that may go on with the turn."""
        done = Performed(request.n, request.action, request.effect.target, outcome)
        if done.n:
            self._did[done.n] = done
        return done

    def _send_answer(self, query: protocol.Query) -> protocol.Answer:
        """Have the person answer, unless they did so before the brain died that asked it first."""
        question, answers = query.question, self._answers
        try:
            if question.id not in answers:
                answers[question.id] = self._answer(question)
        except NeedsAnswer:  # the terminal is gone
            answers[question.id] = None
        answer = answers[question.id]
        return protocol.Answer(question.id, answer or "", answer is not None)

    def _await_wanted(self) -> None:
        """Wait until the desktop is done with what it is at. Raises the reason where it is given up."""
        while self._wanted:
            self._wait("Jarvis's own process ended: another one goes on…")
            time.sleep(_LOOK_SECONDS)


def has_brains() -> bool:
    """Return whether this system supports brains. Only Linux was tested."""
    return sys.platform.startswith("linux")


def may_use_brain(options: Options, environment: Mapping[str, str]) -> bool:
    """Return whether a brain is to do it, which can neither tell details nor change its limits."""
    is_off = environment.get("JARVIS_BRAIN", "").strip().lower() in ("off", "0", "no", "false")
    is_ours = options.verbose or options.log_file or options.timeout
    return has_brains() and not (is_off or is_ours)


def ask_for(options: Options, screen: Screen, pictures: str, own_thread: str, words: Words) -> protocol.Ask:
    """Return the message that asks for a turn, by what is known here of the person and their screen.

    pictures: the folder for pictures. own_thread: that of the terminal.
    """
    return protocol.Ask(
        words=words._replace(turn=os.urandom(8).hex(), model=options.model or ""),
        thread=options.thread or screen.environment.get("JARVIS_THREAD", "").strip(),
        own_thread=own_thread,
        options=options._replace(continue_last=options.continue_last and not options.thread),
        place=time_and_place(),
        pictures=pictures,
        streams=is_streamed(options, screen),
        is_asked=options.ndjson or (screen.is_interactive and not options.json),
        asked_at=time.monotonic(),
    )
