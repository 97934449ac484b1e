"""Makes an event stream regular: each event is one line of ASCII, `data: JSON`, with an empty line behind it.

Servers may write comments, names, numbers and line ends as they like, and proxies add their own. The model's
client knows one way, and takes U+2028 within a text for the end of a line.
"""

import json
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

last_event: ContextVar[Any] = ContextVar("last_event", default=None)  # of the stream that this task reads
_OF_NO_MATTER = (b"", b"event", b"id", b"retry")  # fields; one without a name is a comment


async def regular(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the events of *body*. What is none, such as a page or an error as JSON, stays as it is."""
    data: list[bytes] = []
    async for line in _lines(body):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value)
        elif field not in _OF_NO_MATTER:
            yield line + b"\n"
        # Some servers write no empty line. Only the first is tried: to try each would take the square.
        if not line or (field == b"data" and len(data) == 1):
            event = _event(b"\n".join(data), is_all=not line)
            data = [] if event or not line else data
            if event:
                yield event


async def _lines(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of *body* without a byte-order mark, and an empty one behind the last."""
    last = b""  # may go on, or its end may
    async for piece in body:
        *others, last = (last + piece).splitlines(keepends=True) or [b""]
        for line in others:
            yield line.rstrip(b"\r\n").removeprefix(b"\xef\xbb\xbf")
    yield last.rstrip(b"\r\n")
    yield b""


def _event(text: bytes, *, is_all: bool) -> bytes:
    """Return *text* as an event; nothing where it says nothing, or may go on."""
    try:
        value = json.loads(text.decode(errors="replace"), strict=False)
        told = json.dumps(value).encode()
        last_event.set(value)
    except (ValueError, RecursionError):
        told = text.replace(b"\n", b" ").strip() if is_all else b""
    return b"" if told in (b"", b"[DONE]") else b"data: %b\n\n" % told
