"""Writes the log: JSON lines in a private file, each written whole by any number of processes.

It holds no words of the person, the model or the web, and no addresses: names, counts, times and codes.
Plain commands use it, so it does without the logging package, which is slow to import.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from json import dumps
from typing import Any

from ..config.settings import Settings
from ..core.errors import StoreFailed
from ..core.files import private_file
from ..core.text import redact

_LONGEST = 8000  # characters of one value: a traceback
_FLAGS = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that nobody reads holds nobody up
)


class Log:
    largest = 1_000_000  # bytes of a file; then a new one is begun, and the old one kept beside it as .1

    def __init__(
        self,
        path: str,
        secrets: tuple[str, ...] = (),
        *,
        chosen: bool = False,
        watch: Callable[[str], None] | None = None,
    ) -> None:
        """chosen: the person named this file. watch: is shown each record, and what `show` is given."""
        self._path = path
        self._secrets = secrets
        self._chosen = chosen
        self._watch = watch
        self.trouble = ""  # why it can't be written

    def write(self, event: str, **fields: Any) -> None:
        """Add a record. Where that fails nothing else fails: `trouble` says why."""
        record = {"time": _now(), "event": event}
        for name, value in fields.items():
            record[name] = self._redacted(value) if isinstance(value, str) else value
        line = dumps(record)
        try:
            self._append(f"{line}\n".encode())
        except OSError as error:
            self.trouble = f"The log {self._path} can't be written: {error.strerror}."
        except StoreFailed as error:
            self.trouble = error.message
        if self._watch:
            self._watch(line)

    def show(self, title: str, text: str) -> None:
        """Show words to the one who watches. They are not written down."""
        if self._watch:
            self._watch(f"--- {title}\n{self._redacted(text)}\n---")

    def _redacted(self, text: str) -> str:
        # Even a short password: unlike an answer, a log can do without a word.
        for secret in filter(None, self._secrets):
            text = text.replace(secret, "[key]")
        return redact(text)[:_LONGEST]

    def _append(self, line: bytes) -> None:
        if not self._chosen:
            private_file(self._path)
        # Two that do this at once may lose the older file; Windows refuses while another process writes.
        with contextlib.suppress(OSError):
            if os.stat(self._path).st_size + len(line) > self.largest:
                os.replace(self._path, f"{self._path}.1")
        descriptor = os.open(self._path, _FLAGS, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)


def log_for(settings: Settings, watch: Callable[[str], None] | None = None) -> Log:
    path, chosen = settings.log_file, bool(settings.log_file)
    return Log(path or settings.folders.log, settings.secrets(), chosen=chosen, watch=watch)


def _now() -> str:
    """Return the time as ISO 8601 writes it, with milliseconds, in the person's own zone."""
    now = time.time()
    local = time.localtime(now)
    sign, minutes = "-" if local.tm_gmtoff < 0 else "+", abs(local.tm_gmtoff) // 60
    day, rest = time.strftime("%Y-%m-%dT%H:%M:%S", local), int(now % 1 * 1000)
    return f"{day}.{rest:03}{sign}{minutes // 60:02}:{minutes % 60:02}"
