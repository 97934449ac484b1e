"""A line between Jarvis and a Postgres server: as long as one likes, it counts what goes over it, and fails.

with Far(url, seconds=0.02) as far:    # that much longer takes a round trip
    …                                  # with far.url as DATABASE_URL
    counted = far.counted()            # since it was asked last
    far.cut()
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import quote, urlencode

from psycopg import conninfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PORT = "5432"


class Far:
    """A proxy on a thread of its own, with a socket of its own; a context manager."""

    def __init__(self, url: str, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self._server = conninfo.conninfo_to_dict(url)
        self._log = Counted()
        self._number = 0
        self._until = 0  # that many round trips from now,
        self._fault: Callable[[], object] = lambda: None  # this is called
        self._connections: set[Connection] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="far", daemon=True)

    def __enter__(self) -> Self:
        # Not pytest's: a socket's path has room for a hundred characters.
        self._folder = tempfile.mkdtemp(prefix="jarvis-far-", dir="/tmp")
        ours = {**self._server, "host": self._folder, "port": _PORT}
        self.url = "postgresql:///?" + urlencode(ours, quote_via=quote)
        self._thread.start()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._do(lambda: [connection.abort() for connection in list(self._connections)])  # swallowed ones too
        self._do(lambda: None)  # what was aborted ends in the loop's next round
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        shutil.rmtree(self._folder)

    def counted(self) -> Counted:
        """Return what went over the line since this was asked last."""
        return self._do(self._taken)

    def cut(self) -> int:
        """End all connections at once, without a word; return how many there were."""
        return self._do(lambda: sum(connection.cut() for connection in list(self._connections)))

    def swallow(self) -> int:
        """Deliver nothing more of the connections that there are, but keep them; return how many.

        New ones work. The server is not told when a client gives one up: the network is what fails.
        """
        return self._do(lambda: sum(connection.swallow() for connection in self._connections))

    def refuse(self) -> None:
        """Let no new connection be made; those that there are go on."""
        self._do(self._listening.close)

    def start(self) -> None:
        """Let connections be made."""
        listening = self._loop.create_unix_server(self._welcome, f"{self._folder}/.s.PGSQL.{_PORT}")
        self._listening = asyncio.run_coroutine_threadsafe(listening, self._loop).result(10)

    def stop(self) -> None:
        """End all connections, and let no new one be made."""
        self.refuse()
        self.cut()

    def at_trip(self, n: int, fault: Callable[[], object]) -> threading.Event:
        """Call *fault*, on a thread of its own, as soon as the *n*-th round trip from now begins.

        Return what is set when it was called and is done.
        """
        done = threading.Event()
        self.hold_trip(n, threading.Thread(target=lambda: (fault(), done.set())).start)
        return done

    def hold_trip(self, n: int, fault: Callable[[], object]) -> None:
        """Call *fault* as the *n*-th round trip from now begins; the line stands still until it returns."""
        self._until, self._fault = n, fault

    def _do(self, work: Callable[[], Any]) -> Any:
        """Return what *work* returns, done where the connections are."""

        async def done() -> Any:
            return work()

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result(10)

    def _taken(self) -> Counted:
        taken, self._log = self._log, Counted()
        return taken

    def _welcome(self) -> asyncio.Protocol:
        self._number += 1
        number = self._number
        talk = Talk(lambda kind, text="": self._note(number, kind, text))
        connection = Connection(self._server, self.seconds / 2, talk, self._connections.discard)
        self._connections.add(connection)
        return connection.client

    def _note(self, number: int, kind: str, text: str) -> None:
        self._log.note(number, kind, text)
        self._until -= kind == TRIP
        if self._until == 0 and kind == TRIP:
            self._fault()


class Connection:
    """A client's connection and the one to the server that belongs to it."""

    def __init__(
        self,
        server: dict[str, Any],
        seconds: float,
        talk: Talk,
        ended: Callable[[Connection], None],
    ) -> None:
        """seconds: on the way, in each direction."""
        self._at = server
        self._ended = ended
        self._is_swallowed = False
        # We stand beside the client: we hear at once what it says, and what it is told once that is there.
        self.client = End(seconds, self._closed, made=self._reach_server, heard=talk.asked)
        self.server = End(seconds, self._closed, delivered=talk.answered)
        self.client.other, self.server.other = self.server, self.client

    def cut(self) -> int:
        """Return how many it ended: one or none."""
        if self._is_swallowed:
            return 0
        self.abort()
        return 1

    def abort(self) -> None:
        for end in (self.client, self.server):
            end.close(at_once=True)

    def swallow(self) -> int:
        is_new = not self._is_swallowed
        self._is_swallowed = self.client.is_mute = self.server.is_mute = True
        return int(is_new)

    def _reach_server(self) -> None:
        self._reaching = asyncio.ensure_future(self._reached())

    async def _reached(self) -> None:
        loop, host, port = asyncio.get_running_loop(), self._at.get("host", ""), self._at.get("port", _PORT)
        try:
            if host.startswith("/"):
                await loop.create_unix_connection(lambda: self.server, f"{host}/.s.PGSQL.{port}")
            else:
                await loop.create_connection(lambda: self.server, host or "localhost", int(port))
        except OSError:
            self.client.close(at_once=True)

    def _closed(self) -> None:
        if self.client.is_closed and self.server.is_closed:
            self._ended(self)


class End(asyncio.Protocol):
    """One end of a line: what it hears the other one says, some time later."""

    other: End

    def __init__(
        self,
        seconds: float,
        closed: Callable[[], None],
        *,
        made: Callable[[], None] = lambda: None,
        heard: Callable[[bytes], None] = lambda piece: None,
        delivered: Callable[[bytes], None] = lambda piece: None,
    ) -> None:
        self._seconds = seconds
        self._closed = closed
        self._made = made
        self._heard = heard
        self._delivered = delivered
        self._under_way: deque[bytes] = deque()
        self._early: list[bytes] = []  # to be said here, before there is a connection
        self._transport: asyncio.Transport | None = None
        self.is_mute = False
        self.is_closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self.is_closed:  # the client has left meanwhile
            transport.abort()
            return
        self._made()
        for piece in self._early:
            transport.write(piece)

    def data_received(self, data: bytes) -> None:
        if not self.is_mute:
            self._heard(data)
        self._send(data)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_closed = True
        self._send(b"")  # its end, after all else
        self._closed()

    def close(self, *, at_once: bool = False) -> None:
        self.is_closed = True
        if self._transport is not None and at_once:
            self._transport.abort()
        elif self._transport is not None:
            self._transport.close()
        else:
            self._closed()

    def _send(self, piece: bytes) -> None:
        # No pause for each piece, one after the other: all that is said together arrives together.
        self._under_way.append(piece)
        if self._seconds:
            asyncio.get_running_loop().call_later(self._seconds, self._deliver)
        else:
            self._deliver()

    def _deliver(self) -> None:
        piece = self._under_way.popleft()
        if self.is_mute or self.other.is_closed:
            return
        if not piece:
            self.other.close()
            return
        self._delivered(piece)
        self.other.say(piece)

    def say(self, piece: bytes) -> None:
        if self._transport is None:
            self._early.append(piece)
        else:
            self._transport.write(piece)


# A round trip: the client says something after the server said something. So what it sends without waiting
# for an answer in between is one, however much it is.
OPENED, TRIP, STATEMENT, COMMIT = "opened", "trip", "statement", "commit"
_STARTS = 196608  # the protocol's version 3.0, where a connection begins
_GOODBYE = b"X\0\0\0\4"  # for which nobody waits
_WRITES = (b"INSERT", b"UPDATE", b"DELETE", b"MERGE", b"COPY", b"CREATE", b"ALTER", b"DROP", b"TRUNCATE")
_IDLE = b"I"  # outside of a transaction


class Event(NamedTuple):
    connection: int
    kind: str
    text: str = ""  # of a statement


class Counted(list[Event]):
    """What happened on a line, in its order."""

    def note(self, connection: int, kind: str, text: str = "") -> None:
        self.append(Event(connection, kind, text))

    @property
    def opened(self) -> int:
        """Connections."""
        return self._count(OPENED)

    @property
    def trips(self) -> int:
        return self._count(TRIP)

    @property
    def commits(self) -> int:
        """Those that the server confirmed: also of statements that write outside of a transaction."""
        return self._count(COMMIT)

    @property
    def statements(self) -> list[str]:
        return [event.text for event in self if event.kind == STATEMENT]

    def told(self) -> str:
        """Return it for people: a line for each round trip, and what was sent with it below."""
        lines = [f"{self.trips} round trips, {self.commits} commits, {len(self.statements)} statements"]
        lines += [f"{event.connection:>3} {_told(event)}" for event in self]
        return "\n".join(lines)

    def _count(self, kind: str) -> int:
        return sum(event.kind == kind for event in self)


def _told(event: Event) -> str:
    return f"      {event.text}" if event.kind == STATEMENT else f"-- {event.kind}"


class Talk:
    """One connection, as it is overheard."""

    def __init__(self, note: Callable[..., None]) -> None:
        """note: is called with the kind of an event, and its text."""
        self._note = note
        self._client, self._server = Frames(is_begun=False), Frames(is_begun=True)
        self._waits = True  # the server had the last word, or nothing was said so far
        self._wrote = False  # since the last commit
        self._prepared: dict[bytes, str] = {}
        self._bound: dict[bytes, str] = {}

    def asked(self, piece: bytes) -> None:
        """Read what the client says, as it reaches the server."""
        if self._waits and piece != _GOODBYE:
            self._note(TRIP)
            self._waits = False
        for kind, body in self._client.cut(piece):
            self._ask(kind, body)

    def answered(self, piece: bytes) -> None:
        """Read what the server says, as it reaches the client."""
        self._waits = True
        for kind, body in self._server.cut(piece):
            self._answer(kind, body)

    def _ask(self, kind: bytes, body: bytes) -> None:
        match kind:
            case b"" if int.from_bytes(body[:4], "big") == _STARTS:
                self._note(OPENED)
                self._client.is_begun = True
            case b"P":  # Parse: a name, its SQL
                name, sql, *_ = body.split(b"\0", 2)
                self._prepared[name] = _head(sql)
            case b"B":  # Bind: a portal, the name of what was parsed
                portal, name, *_ = body.split(b"\0", 2)
                self._bound[portal] = self._prepared.get(name, "?")
            case b"E":  # Execute: a portal
                self._note(STATEMENT, self._bound.get(body.split(b"\0", 1)[0], "?"))
            case b"Q":  # Query: SQL
                self._note(STATEMENT, _head(body[:-1]))

    def _answer(self, kind: bytes, body: bytes) -> None:
        if kind == b"C":  # CommandComplete: a tag
            verb = body.split(b"\0")[0].split(b" ")[0]
            self._wrote = (self._wrote or verb in _WRITES) and verb not in (b"COMMIT", b"ROLLBACK")
            if verb == b"COMMIT":
                self._note(COMMIT)
        elif kind == b"Z" and body == _IDLE and self._wrote:  # ReadyForQuery
            self._note(COMMIT)  # of a statement that was its own transaction
            self._wrote = False


class Frames:
    """One side's messages, cut out of pieces of any length."""

    def __init__(self, *, is_begun: bool) -> None:
        self.is_begun = is_begun  # before, a message has no letter for its kind
        self._rest = bytearray()

    def cut(self, piece: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield (kind, body) of each message that is complete."""
        self._rest += piece
        while (head := 4 + self.is_begun) <= len(self._rest):
            end = self.is_begun + int.from_bytes(self._rest[head - 4 : head], "big")
            if len(self._rest) < end:
                return
            kind, body = bytes(self._rest[: head - 4]), bytes(self._rest[head:end])
            del self._rest[:end]
            yield kind, body


def _head(sql: bytes) -> str:
    return " ".join(sql.decode(errors="replace").split())[:110]
