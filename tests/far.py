"""A line between Jarvis and a Postgres server: as long as one likes, it counts what goes over it, and fails.

with Far(url, seconds=0.02) as far:    # that much longer takes a round trip
    …                                  # with far.url as DATABASE_URL
    counted = far.counted()            # since it was asked last
    far.swallow()
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
import threading
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, urlencode

from psycopg import conninfo

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

_PORT = "5432"


class Far:
    """A proxy on a thread of its own, with a socket of its own; a context manager."""

    def __init__(self, url: str, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self._server: dict[str, Any] = conninfo.conninfo_to_dict(url)
        self._log = Counted()
        self._until = 0  # that many round trips from now,
        self._fault: Callable[[], object] = lambda: None  # this is called
        self._lines: dict[asyncio.Task[Any], Line] = {}
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
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        shutil.rmtree(self._folder)

    def counted(self) -> Counted:
        """Return what went over the line since this was asked last."""

        async def taken() -> Counted:
            log, self._log = self._log, Counted()
            return log

        return self._do(taken())

    def swallow(self) -> int:
        """Deliver nothing more of the connections that there are, but keep them; return how many.

        New ones work. The server is not told when a client gives one up: the network is what fails.
        """

        async def muted() -> int:
            new = [line for line in self._lines.values() if not line.is_mute]
            for line in new:
                line.is_mute = True
            return len(new)

        return self._do(muted())

    def start(self) -> None:
        """Let connections be made."""
        self._listening = self._do(
            asyncio.start_unix_server(self._welcome, f"{self._folder}/.s.PGSQL.{_PORT}")
        )

    def stop(self) -> None:
        """End all connections at once, without a word, and let no new one be made."""

        async def cut() -> None:
            self._listening.close()
            for line in self._lines.values():
                if not line.is_mute:
                    line.abort()

        self._do(cut())

    def hold_trip(self, n: int, fault: Callable[[], object]) -> None:
        """Call *fault* as the *n*-th round trip from now begins; the line stands still until it returns."""
        self._until, self._fault = n, fault

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Return what *work* returns, done where the connections are."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _end(self) -> None:
        for line in self._lines.values():
            line.abort()
        await asyncio.gather(*self._lines)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = self._server.get("host", ""), self._server.get("port", _PORT)
        try:
            if host.startswith("/"):
                server = await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
            else:
                server = await asyncio.open_connection(host or "localhost", int(port))
        except OSError:
            writer.transport.abort()
            return
        line, task = Line(self.seconds / 2, (reader, writer), server), asyncio.current_task()
        assert task
        self._lines[task] = line
        await line.carry(Talk(self._note))
        del self._lines[task]

    def _note(self, event: str) -> None:
        self._log.append(event)
        self._until -= event == TRIP
        if event == TRIP and self._until == 0:
            self._fault()


class Line:
    """A client's connection and the one to the server that belongs to it."""

    def __init__(self, seconds: float, *ends: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
        """seconds: on the way, in each direction. ends: the client's and the server's."""
        self._seconds, self._ends = seconds, ends
        self.is_mute = False

    def abort(self) -> None:
        for _, writer in self._ends:
            writer.transport.abort()

    async def carry(self, talk: Talk) -> None:
        """Carry what is said to the other end, until both have ended.

        We stand beside the client: we hear at once what it says, and what it is told once that is there.
        """
        (from_client, to_client), (from_server, to_server) = self._ends
        await asyncio.gather(
            self._carry(from_client, to_server, talk.asked, lambda piece: None),
            self._carry(from_server, to_client, lambda piece: None, talk.answered),
        )

    async def _carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        heard: Callable[[bytes], None],
        delivered: Callable[[bytes], None],
    ) -> None:
        def deliver(piece: bytes) -> None:
            if self.is_mute or writer.is_closing():
                return
            delivered(piece)
            writer.write(piece)

        later = asyncio.get_running_loop().call_later
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(1 << 16):
                if not self.is_mute:
                    heard(piece)
                later(self._seconds, deliver, piece) if self._seconds else deliver(piece)
        if not self.is_mute:  # its end, after all else
            later(self._seconds, writer.close)


# A round trip: the client says something after the server said something. So what it sends without waiting
# for an answer in between is one, however much it is.
TRIP, COMMIT = "-- trip", "-- commit"
_GOODBYE = b"X\0\0\0\4"  # for which nobody waits
_WRITES = (b"INSERT", b"UPDATE", b"DELETE", b"MERGE", b"COPY", b"CREATE", b"ALTER", b"DROP", b"TRUNCATE")
_IDLE = b"I"  # outside of a transaction


class Counted(list[str]):
    """What happened on a line, in its order: round trips, commits, and the beginnings of statements."""

    @property
    def trips(self) -> int:
        return self.count(TRIP)

    @property
    def commits(self) -> int:
        """Those that the server confirmed: also of statements that write outside of a transaction."""
        return self.count(COMMIT)

    @property
    def statements(self) -> list[str]:
        return [event for event in self if event not in (TRIP, COMMIT)]

    def told(self) -> str:
        """Return it for people."""
        return "\n".join([f"{self.trips} round trips, {self.commits} commits", *self])


class Talk:
    """One connection, as it is overheard."""

    def __init__(self, note: Callable[[str], None]) -> None:
        """note: is called with each event."""
        self._note = note
        self._of_client, self._of_server = bytearray(), bytearray()  # what is not whole yet
        self._is_begun = False  # the first message of a client has no letter for its kind
        self._waits = True  # the server had the last word, or nothing was said so far
        self._wrote = False  # since the last commit
        self._prepared: dict[bytes, str] = {}
        self._bound: dict[bytes, str] = {}

    def asked(self, piece: bytes) -> None:
        """Read what the client says, as it reaches the server."""
        if self._waits and piece != _GOODBYE:
            self._note(TRIP)
            self._waits = False
        if self._is_begun:
            for kind, body in _messages(self._of_client, piece):
                self._ask(kind, body)
        self._is_begun = True

    def answered(self, piece: bytes) -> None:
        """Read what the server says, as it reaches the client."""
        self._waits = True
        for kind, body in _messages(self._of_server, piece):
            self._answer(kind, body)

    def _ask(self, kind: bytes, body: bytes) -> None:
        match kind:
            case b"P":  # Parse: a name, its SQL
                name, sql, *_ = body.split(b"\0", 2)
                self._prepared[name] = _head(sql)
            case b"B":  # Bind: a portal, the name of what was parsed
                portal, name, *_ = body.split(b"\0", 2)
                self._bound[portal] = self._prepared.get(name, "?")
            case b"E":  # Execute: a portal
                self._note(self._bound.get(body.split(b"\0", 1)[0], "?"))
            case b"Q":  # Query: SQL
                self._note(_head(body[:-1]))

    def _answer(self, kind: bytes, body: bytes) -> None:
        if kind == b"C":  # CommandComplete: a tag
            verb = body.split(b"\0")[0].split(b" ")[0]
            self._wrote = (self._wrote or verb in _WRITES) and verb not in (b"COMMIT", b"ROLLBACK")
            if verb == b"COMMIT":
                self._note(COMMIT)
        elif kind == b"Z" and body == _IDLE and self._wrote:  # ReadyForQuery
            self._note(COMMIT)  # of a statement that was its own transaction
            self._wrote = False


def _messages(rest: bytearray, piece: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield (kind, body) of each message that is whole with *piece*; what is left stays in *rest*."""
    rest += piece
    while len(rest) >= 5 and len(rest) > (end := int.from_bytes(rest[1:5], "big")):
        yield bytes(rest[:1]), bytes(rest[5 : end + 1])
        del rest[: end + 1]


def _head(sql: bytes) -> str:
    return " ".join(sql.decode(errors="replace").split())[:110]
