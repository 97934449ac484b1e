"""Answers without end or measure, as steps of a script: each notes that it was served, and how much of it.

They write until the client hangs up, which ends them; what a client that never does would be sent is bounded.
"""

from __future__ import annotations

import threading
import zlib
from typing import TYPE_CHECKING, Any

from .wire import JSON

if TYPE_CHECKING:
    from collections.abc import Callable

    from .wire import Exchange

EVENTS = "text/event-stream"
MOST = 400_000_000  # bytes that are sent at most
BOMB = 300_000_000  # bytes, unpacked


class Endless:
    """One of them. began: is set once it is being served."""

    def __init__(self, write: Callable[[Exchange], None]) -> None:
        self._write = write
        self.began = threading.Event()

    def send(self, exchange: Exchange, request: Any) -> None:
        self.began.set()
        self._write(exchange)
        exchange.cut()


def flood(
    piece: bytes,
    first: bytes = b"",
    *,
    content_type: str = JSON,
    status: int = 200,
    in_chunks: bool = True,
    length: int | None = None,
    delay: float = 0,
) -> Endless:
    """Send *first*, then *piece* again and again, as chunks or as they are. delay: seconds after each."""

    def write(exchange: Exchange) -> None:
        if in_chunks or length is not None:
            exchange.head(content_type, status, length=length)
        push = exchange.push if length is not None or not in_chunks else exchange.chunk
        if first:
            push(first)
        for _ in range(MOST // len(piece)):
            push(piece)
            if delay:
                exchange.wait(delay)

    return Endless(write)


def raw(piece: bytes, first: bytes, delay: float = 0) -> Endless:
    """Send what is no answer by any rule of HTTP, from its first byte on."""
    return flood(piece, first, in_chunks=False, delay=delay)


def packed(
    packing: str, body: bytes, content_type: str = JSON, status: int = 200, *, behind: bytes = b""
) -> Endless:
    """Send *body*, which is packed so. behind: what is sent again and again once it has ended."""

    def write(exchange: Exchange) -> None:
        exchange.send_response(status)
        exchange.send_header("Content-Type", content_type)
        exchange.send_header("Content-Encoding", packing)
        exchange.send_header("Content-Length", str(MOST if behind else len(body)))
        exchange.end_headers()
        exchange.push(body)
        for _ in range(MOST // len(behind) if behind else 0):
            exchange.push(behind)

    return Endless(write)


def bomb() -> bytes:
    """Return 300 MB, packed: a thousandth of that."""
    pack = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    pieces = [pack.compress(bytes(BOMB // 100)) for _ in range(100)]
    return b"".join([*pieces, pack.flush()])
