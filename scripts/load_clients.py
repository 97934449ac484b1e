"""Many clients of one brain in one process: they speak its protocol, open nothing, and say that they did.

They take next to no time of their own, as two programs share a small machine here.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from typing import NamedTuple

from jarvis.actions import FIND_APPS
from jarvis.brain.client import PATIENCE
from jarvis.brain.protocol import (
    LONGEST,
    Act,
    Ask,
    Did,
    Ended,
    Failed,
    Message,
    Print,
    Ready,
    decode,
    encode,
)
from jarvis.core.types import Options, Outcome, Performed

_NO_ROOM = 0.02  # seconds until a socket with no room for one more to wait may have some


class Told(NamedTuple):
    """What one client was told of its turn."""

    thread: str
    status: int  # the turn's exit status; -1: its end was never told
    seconds: float
    error: str  # the last line on stderr, but for hints
    acts: int  # that it did


async def all_at_once(path: str, words: str, count: int, seconds: float) -> tuple[list[Told], float]:
    """Have *count* clients ask, each in its own thread; return what they were told, and how long all took.

    Each asks again until *seconds* have passed; 0: once.
    """
    met = [await _met(path) for _ in range(count)]
    began = time.perf_counter()
    clients = [_client(path, one, words, f"client-{n}", began + seconds) for n, one in enumerate(met, 1)]
    told = await asyncio.gather(*clients)
    return list(itertools.chain(*told)), time.perf_counter() - began


async def _client(path: str, met: Brain | Told, words: str, thread: str, until: float) -> list[Told]:
    told = []
    while True:
        told.append(met._replace(thread=thread) if isinstance(met, Told) else await met.turn(words, thread))
        if time.perf_counter() >= until:
            return told
        met = await _met(path)


async def _met(path: str) -> Brain | Told:
    """Return a brain that is ready to be asked, or what the client is told where there is none."""
    try:
        brain = Brain(*await _connected(path))
        while not isinstance(message := await brain.heard(), Ready):
            if isinstance(message, Failed):
                brain.hang_up()
                return Told("", message.exit_status, 0, message.message, 0)
        return brain
    except (OSError, EOFError) as error:
        return Told("", -1, 0, f"no brain: {error!r}", 0)


async def _connected(path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    ours = socket.socket(socket.AF_UNIX)
    ours.setblocking(False)
    while True:
        try:
            ours.connect(path)  # at once or not at all; asyncio takes "no room" for "in a moment"
            return await asyncio.open_unix_connection(sock=ours, limit=LONGEST)
        except BlockingIOError:
            await asyncio.sleep(_NO_ROOM)


class Brain:
    """The brain, as one client meets it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._acts = 0
        self._error = ""

    async def turn(self, words: str, thread: str) -> Told:
        """Ask for a turn, and hang up."""
        began = time.perf_counter()
        try:
            self._writer.write(encode(_ask(words, thread)))
            status = await self._ended()
        except (OSError, EOFError) as error:
            status, self._error = -1, self._error or f"no answer: {error!r}"
        self.hang_up()
        return Told(thread, status, time.perf_counter() - began, self._error, self._acts)

    async def _ended(self) -> int:
        while True:
            match message := await self.heard():
                case Ended():
                    return message.exit_status
                case Failed():
                    self._error = message.message
                    return message.exit_status
                case Print("err", [text]) if not text.lstrip().startswith("hint:"):
                    self._error = text
                case Act():
                    done = Performed(message.n, message.action, message.target, self._did(message))
                    self._writer.write(encode(Did(done.as_record())))

    def _did(self, act: Act) -> Outcome:
        if act.action == FIND_APPS:  # asks for nothing to be done: there are none
            return Outcome("done", "", value="[[], true]")
        self._acts += 1
        return Outcome("done", "Sent to the browser.", part=act.part)

    async def heard(self) -> Message:
        """Return its next message. Raises EOFError and OSError, also where it is silent for too long."""
        async with asyncio.timeout(PATIENCE):
            line = await self._reader.readuntil(b"\n")
        return decode(line)

    def hang_up(self) -> None:
        self._writer.close()


def _ask(words: str, thread: str) -> Ask:
    """Return the request of a program's pipe."""
    values = dict.fromkeys(Ask._fields, "")
    values |= {name: False for name, kind in Ask.__annotations__.items() if kind is bool}
    more = {"own": words, "thread": thread, "width": 80, "options": Options()._asdict(), "did": []}
    return Ask(**values | more)
