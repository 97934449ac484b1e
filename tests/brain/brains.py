"""A home where requests are served by the brain that stays."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from pathlib import Path

from jarvis.brain.address import address_of, place_of
from jarvis.brain.client import PATIENCE
from jarvis.brain.protocol import Act, Ask, Did, Ended, Failed, Ready, Shown, Tell, decode, encode
from jarvis.brain.server import ServedClient
from jarvis.core.events import Words
from jarvis.core.types import Options, Outcome, Performed
from tests.shell import Shell, alive, wait_until

PACKAGE = Path(__file__).parents[2] / "jarvis"
MIT = "https://web.mit.edu/"
MUNICH = "https://xn--mnchen-3ya.example/"
SEARCH = {"action": "search", "query": "MIT official website"}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
OPEN = {"action": "open_website", "address": "u1", "finish": True}
FIRST = {"action": "open_website", "address": "r1", "finish": True}
ON = {"JARVIS_BRAIN": "on"}
READY = encode(Ready())
ASK = Ask(
    words=Words("what is one?"),
    thread="default",
    own_thread="tty-1",
    options=Options(),
    place="Sunday",
    pictures="/pictures",
    streams=True,
    is_asked=True,
)
JSON = Options(json=True)
RECORDS = Options(ndjson=True)
LONG = 3 * PATIENCE  # seconds: a machine with other work to do may take that, and no hang is that short


class Resident(Shell):
    """A home where requests are served by the brain that stays."""

    def program(self, **environment):
        return super().program(**{**ON, **environment})

    @property
    def runtime(self) -> Path:
        return self.home / "jarvis" / "runtime"

    @property
    def socket(self) -> Path:
        (path,) = self.runtime.glob("*.sock")
        return path

    @property
    def brains(self) -> list[int]:
        """Their processes: those that hold a lock."""
        said = [lock.read_text().split() for lock in self.runtime.glob("*.lock")]
        pids = [int(words[0]) for words in said if words]
        return [pid for pid in pids if alive(pid) and b"jarvis.brain" in command_of(pid)]

    def start_brain(self) -> int:
        """The brain, once it has served a turn."""
        self.gemini.plans(HELLO)
        assert self.jarvis("are you there now?", timeout=60).stdout == "Hello.\n"
        (pid,) = self.brains
        return pid

    def stop(self) -> None:
        """End its brains, also one that is only about to begin, or waits for another's lock."""

        def end() -> list[int]:
            pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
            ours = [pid for pid in pids if b"jarvis.brain" in command_of(pid) and self._is_of(pid)]
            for pid in ours:
                os.kill(pid, signal.SIGKILL)
            return ours

        wait_until(lambda: not end())

    def _is_of(self, pid: int) -> bool:
        try:
            return bytes(self.home) in Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False


def in_thread(name):
    """What has to be asked about, in a thread of its own: there the first address that is found is r1."""
    return "-t", name, "find the ticket shop and open it"


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def did(request, outcome):
    return Did(Performed(request.n, request.action, request.effect.target, outcome))


class Talk:
    """A client without a person, that speaks the protocol itself."""

    def __init__(self, shell, ask=None):
        """ask: to be sent once the brain is ready."""
        self.heard = b""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(LONG)
        with address_of(place_of(shell.program().env)) as address:
            self._socket.connect(address)
        self._said = self._socket.makefile("rb")
        self.next(Ready)
        if ask:
            self.send(ask)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._said.close()
        self._socket.close()

    def send(self, *messages):
        """Messages, or bytes as they are."""
        lines = [each if isinstance(each, bytes) else encode(each) for each in messages]
        with contextlib.suppress(ConnectionError):  # a brain that hung up said why
            self._socket.sendall(b"".join(lines))

    def next(self, kind):
        """The next message of *kind*; what comes before it is passed over."""
        while line := self._line():
            self.heard += line
            message = decode(line)
            if isinstance(message, kind):
                return message
        raise AssertionError(f"No {kind} came: {self.heard!r}")

    def done(self, request, text="Sent it."):
        self.send(did(request, Outcome("done", text, request.effect.target)))

    def act(self):
        return self.next(Act).request

    def ended(self):
        """The turn's exit status."""
        status = self.next(Ended).exit_status
        self.send(Shown())
        return status

    def failed(self):
        """What keeps the brain from doing the turn."""
        return self.next(Failed)

    def told(self, kind):
        """The events of that *kind* so far."""
        return told(map(decode, self.heard.splitlines(keepends=True)), kind)

    def is_hung_up(self):
        """Whether nothing more comes."""
        while line := self._line():
            self.heard += line
        return True

    def _line(self):
        try:
            return self._said.readline()
        except ConnectionError:
            return b""


def told(messages, kind):
    """The events of that *kind* in *messages*."""
    events = [each.event for each in messages if isinstance(each, Tell)]
    return [each for each in events if isinstance(each, kind)]


class Near:
    """A client of a session in this process: it hears each message, and says what it is told to."""

    def __init__(self, session, hear=lambda _: None):
        """hear: is given each message, as it comes."""
        self.heard = []
        self._hear = hear
        self._reader = asyncio.StreamReader()
        self._opened = asyncio.get_running_loop().create_future()
        self._opened.set_result(session)

    def say(self, *messages):
        for message in messages:
            self._reader.feed_data(encode(message))

    def hang_up(self):
        self._reader.feed_eof()

    async def serve(self, ask):
        """Have the turn done that is asked for."""
        self.say(ask)
        await ServedClient(self._reader, self).serve(self._opened)

    def told(self, kind):
        return told(self.heard, kind)

    def is_closing(self):
        return False

    def write(self, line):
        """What the brain writes."""
        self.heard.append(decode(line))
        self._hear(self.heard[-1])
        if isinstance(self.heard[-1], Ended):
            self.say(Shown())


class Impostor:
    """Listens where a home's brain would, and says what it is told to."""

    def __init__(self, home):
        self.home = home
        home.runtime.mkdir(parents=True, mode=0o700)
        self._socket = socket.socket(socket.AF_UNIX)
        with address_of(place_of(home.program().env)) as address:
            self._socket.bind(address)
        self._socket.listen()
        self._socket.settimeout(60)

    def says(self, *said):
        """What the program tells that hears all of this, and what it asked."""
        with self.home.program().start("what is all this?") as running:
            client, _ = self._socket.accept()
            with client, client.makefile("rb") as heard:
                client.sendall(said[0])
                asked = heard.readline()
                with contextlib.suppress(BrokenPipeError):
                    client.sendall(b"".join(said[1:]))
                return running.finish(), asked

    def close(self):
        self._socket.close()
