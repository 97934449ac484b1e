"""Reads what a client and a Postgres server say to each other, and counts it.

A round trip: the client says something after the server said something. So what it sends without waiting
for an answer in between is one, however much it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

OPENED, TRIP, STATEMENT, COMMIT = "opened", "trip", "statement", "commit"
_STARTS = 196608  # the protocol's version 3.0, where a connection begins
_ENCRYPTION = (80877103, 80877104)  # asked for before: the answer is a letter by itself
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
            case b"" if int.from_bytes(body[:4], "big") in _ENCRYPTION:
                self._server.letters += 1
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
        self.letters = 0  # that come by themselves, before anything else
        self._rest = bytearray()

    def cut(self, piece: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield (kind, body) of each message that is complete."""
        self._rest += piece
        while self._rest and self.letters:
            self.letters -= 1
            del self._rest[:1]
        while (head := 4 + self.is_begun) <= len(self._rest):
            end = self.is_begun + int.from_bytes(self._rest[head - 4 : head], "big")
            if len(self._rest) < end:
                return
            kind, body = bytes(self._rest[: head - 4]), bytes(self._rest[head:end])
            del self._rest[:end]
            yield kind, body


def _head(sql: bytes) -> str:
    return " ".join(sql.decode(errors="replace").split())[:110]
