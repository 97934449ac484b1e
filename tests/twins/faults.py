"""The ways in which any server can fail, as steps of a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .wire import JSON

if TYPE_CHECKING:
    from .wire import Exchange


class Raw:
    """Exactly these bytes."""

    def __init__(self, body: bytes, content_type: str = JSON, status: int = 200) -> None:
        self.body, self.content_type, self.status = body, content_type, status

    def send(self, exchange: Exchange, request: Any) -> None:
        exchange.reply(self.body, self.content_type, self.status)


class Stream:
    """Exactly these bytes, as a stream in pieces of a *size*."""

    def __init__(self, body: bytes, size: int = 1000) -> None:
        self.pieces = [body[at : at + size] for at in range(0, len(body), size)]

    def send(self, exchange: Exchange, request: Any) -> None:
        exchange.head("text/event-stream")
        for piece in (*self.pieces, b""):
            exchange.chunk(piece)


class Html(Raw):
    """The page of a proxy that stands in between."""

    def __init__(self, status: int = 502) -> None:
        page = f"<html><head><title>{status}</title></head><body><h1>Error {status}</h1></body></html>"
        super().__init__(page.encode(), "text/html; charset=UTF-8", status)


class Stall:
    """Accept the request, send nothing, and hang up after that many seconds."""

    def __init__(self, seconds: float = 3600) -> None:
        self.seconds = seconds

    def send(self, exchange: Exchange, request: Any) -> None:
        exchange.wait(self.seconds)
        exchange.cut()


class Reset:
    """Break the connection instead of an answer."""

    def send(self, exchange: Exchange, request: Any) -> None:
        exchange.reset()
