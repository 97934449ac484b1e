"""Makes an event stream regular: each event is one line of ASCII, `data: JSON`, with an empty line behind it.

Servers may write comments, names, numbers and line ends as they like, and proxies add their own. The model's
client knows one way, and takes U+2028 within a text for the end of a line.
"""

import json
import re
from contextvars import ContextVar
from typing import Any

last_event: ContextVar[Any] = ContextVar("last_event", default=None)  # of the stream that this task reads
_OF_NO_MATTER = (b"", b"event", b"id", b"retry")  # fields; one without a name is a comment


class EventLines:
    """The lines of one stream. What is no event, such as a page or an error as JSON, stays as it is."""

    def __init__(self) -> None:
        self._line = [b""]  # the pieces of the one that has not ended yet
        self._data: list[bytes] = []  # of the event that has not ended yet
        self._ends_in_cr = False
        self._is_first = True

    def feed(self, piece: bytes) -> bytes:
        """Return what is whole, with that *piece*."""
        if self._ends_in_cr:  # of CR and LF
            piece = piece.removeprefix(b"\n")
        self._ends_in_cr = piece.endswith(b"\r")
        begun, *others = re.split(rb"\r\n|\r|\n", piece)
        self._line.append(begun)
        whole = []
        for line in others:
            whole.append(self._told(b"".join(self._line)))
            self._line = [line]
        return b"".join(whole)

    def end(self) -> bytes:
        """Return what is left at the end."""
        return self._told(b"".join(self._line)) + self._event()

    def _told(self, line: bytes) -> bytes:
        line = line.removeprefix(b"\xef\xbb\xbf") if self._is_first else line
        self._is_first = False
        field, _, value = line.partition(b":")
        if not line:
            return self._event()
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
            # Some servers write no empty line. Only the first is tried: to try each would take the square.
            return self._event() if _read(self._data) is not None else b""
        return b"" if field in _OF_NO_MATTER else line + b"\n"

    def _event(self) -> bytes:
        """Return the event that ends here; nothing where there is none."""
        data, self._data = self._data, []
        read, text = _read(data, whole=True), b"\n".join(data)
        if text.strip() in (b"", b"[DONE]"):
            return b""
        return b"data: %b\n\n" % (text.replace(b"\n", b"\ndata: ") if read is None else read)


def _read(data: list[bytes], *, whole: bool = False) -> bytes | None:
    """Return the JSON object that the lines of *data* are, in ASCII; None: they are none, or not yet one."""
    if not (whole or len(data) == 1):
        return None
    try:
        value = json.loads(b"\n".join(data).decode(errors="replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    last_event.set(value)
    return json.dumps(value).encode() if isinstance(value, (dict, list)) else None
