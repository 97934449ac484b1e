"""Writes the log: JSON lines in a private file, each written whole by any number of processes.

It holds no words of the person, the model or the web, and no addresses: names, counts, times and codes.
Plain commands use it, so it does without the logging package, which is slow to import.
"""

import contextlib
import os
import time
from collections.abc import Callable
from contextvars import ContextVar
from json import dumps
from typing import Any

from ..config.settings import Settings
from ..core.errors import StoreFailed
from ..core.files import private_file
from ..core.text import redact

_LONGEST = 8000  # characters of one value: a traceback


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
        self._watch = watch
        self._is_made = chosen  # a folder that is deleted later, under a brain, stays so
        self.trouble = ""  # why it can't be written

    def write(self, event: str, **fields: Any) -> None:
        """Add a record. A failure here stops nothing else: `trouble` says why."""
        record = {name: self._redacted(v) if isinstance(v, str) else v for name, v in fields.items()}
        line = dumps({"time": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "event": event, **record})
        try:
            self._append(f"{line}\n".encode())
        except OSError as error:
            self.trouble = f"Can't write the log {self._path}: {error.strerror}."
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
        if not self._is_made:
            private_file(self._path)
            self._is_made = True
        # Two that do this at once may lose the older file; Windows refuses while another process writes.
        with contextlib.suppress(OSError):
            if os.stat(self._path).st_size + len(line) > self.largest:
                os.replace(self._path, f"{self._path}.1")
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with open(descriptor, "ab", buffering=0) as file:
            file.write(line)


# Where what libraries log goes. A turn's own: sessions of several people may be open in one process.
log_of_turn: ContextVar[Log] = ContextVar("log_of_turn")


def log_for(settings: Settings, watch: Callable[[str], None] | None = None) -> Log:
    chosen = settings.log_file
    return Log(chosen or settings.folders.log, settings.secrets(), chosen=bool(chosen), watch=watch)
