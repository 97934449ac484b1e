"""Writes the log: JSON lines in a private file, each written whole by any number of processes.

It holds no words of the person, the model or the web, and no addresses: names, counts, times and codes.
Plain commands use it, so it does without the logging package, which is slow to import.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable
from json import dumps
from typing import Any

from ..config.settings import Settings
from ..core.errors import StoreFailed
from ..core.files import private_folder
from ..core.owners import is_own
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
    largest = 1_000_000  # bytes of a file; then a new one is begun
    kept = 2  # older files beside it: .1 and .2

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
        self._folder = ""  # that it stands in, once that is known to be private
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
        descriptor = self._open()
        try:
            while os.fstat(descriptor).st_size + len(line) > self.largest and self._rotate(descriptor):
                full, descriptor = descriptor, self._open()
                os.close(full)
            os.write(descriptor, line)
        finally:
            os.close(descriptor)

    def _open(self) -> int:
        if self._chosen:
            return os.open(self._path, _FLAGS, 0o600)
        if not self._folder or not os.path.isdir(self._folder):
            self._folder = private_folder(os.path.dirname(self._path))
        descriptor = os.open(self._path, _FLAGS | getattr(os, "O_NOFOLLOW", 0), 0o600)
        status = os.fstat(descriptor)
        if not is_own(status):
            os.close(descriptor)
            raise OSError(errno.EPERM, "it belongs to another user")
        if sys.platform != "win32" and status.st_mode & 0o077:
            os.fchmod(descriptor, 0o600)
        return descriptor

    def _rotate(self, descriptor: int) -> bool:
        """Rename the full file, or see that another process did. Return whether there is another file now.

        The lock is on the full file: a process that waited for it finds another file under the name.
        """
        full = os.fstat(descriptor)
        if not stat.S_ISREG(full.st_mode) or not full.st_size:
            return False
        if sys.platform != "win32":
            import fcntl  # Windows has none

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.stat(self._path), full):
                for n in range(self.kept, 0, -1):
                    older = f"{self._path}.{n - 1}" if n > 1 else self._path
                    if os.path.lexists(older):
                        os.replace(older, f"{self._path}.{n}")
        except FileNotFoundError:
            return True
        except PermissionError:  # Windows, while another process writes; or a folder that is not ours
            return False
        return True


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
