"""Where a brain's socket is: its name is a digest of everything that makes a brain differ from another.

A client with other settings, or of a package that was replaced, looks for another name; so nobody is served
by settings that are not theirs. Imports next to nothing: each request asks here.
"""

from __future__ import annotations

import _socket
import os
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .. import __version__
from ..config.paths import folders_of
from ..core.processes import began, digest

_LONGEST = 100  # bytes of a socket's path, which the kernel keeps in 104 or 108
# Variables that change how a brain works, or for whom, and how others begin; but for those of each request.
_TELLING = {
    *("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"),
    *("DATABASE_URL", "TZ", "TZDIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "LC_ALL", "LC_MESSAGES", "LANG"),
}
_BEGINNINGS = (
    *("GOOGLE_", "GEMINI_", "SERPAPI_", "JARVIS_", "LANGSMITH_", "LANGCHAIN_", "PG", "PYTHON", "SSL_CERT_"),
)
_NONE = "none"  # the state of what is not there
_EACH_TIME = ("JARVIS_THREAD", "JARVIS_BRAIN", "JARVIS_EDITING")


class Place(NamedTuple):
    folder: str
    name: str

    @property
    def socket(self) -> str:
        return os.path.join(self.folder, f"{self.name}.sock")

    @property
    def lock(self) -> str:
        """The file that the brain keeps locked while it lives.

        It holds the brain's process id, its version, and when the process began.
        """
        return os.path.join(self.folder, f"{self.name}.lock")


def place_of(environment: Mapping[str, str], env_file: str | None = None) -> Place:
    """Return the place of the brain for these settings. Raises SettingsError for a bad env_file."""
    folders = folders_of(environment, env_file)
    files = [folders.config, folders.env_file, folders.toml, folders.keyring]
    told = [
        *(__version__, sys.executable, str(_own_uid())),
        *sorted(f"{name}={value}" for name, value in environment.items() if _is_telling(name) and value),
        *(f"{path} {_state(path)}" for path in [*files, *([env_file] if env_file else [])]),
        *(f"{path} {_state(path)}" for path in sys.path if path.endswith("-packages")),
        *_package(os.path.dirname(os.path.dirname(__file__))),
    ]
    return Place(folders.runtime, digest("\0".join(told)))


def address_of(place: Place) -> tuple[str, int | None]:
    """Return what connect() and bind() take, and a descriptor to close after them.

    Raises OSError where the folder is missing.
    """
    if len(os.fsencode(place.socket)) <= _LONGEST:
        return place.socket, None
    # By way of the open folder, the path is short, on Linux.
    folder = os.open(place.folder, os.O_RDONLY | os.O_DIRECTORY)
    return f"/proc/self/fd/{folder}/{place.name}.sock", folder


def holder(place: Place) -> int:
    """Return the process of this person that holds *place*'s lock, and may be ended; 0 where none does."""
    import fcntl  # Windows has none

    try:
        descriptor = os.open(place.lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return 0
    try:
        if os.fstat(descriptor).st_uid != os.getuid():  # then anything may stand there
            return 0
        # Shared: otherwise two clients that look at once would take each other for a brain.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        pid, _, since = (*os.read(descriptor, 200).decode("ascii", "replace").split(), "", "", "")[:3]
        return int(pid) if pid.isdigit() and _is_ours(int(pid), since) else 0
    except OSError:
        return 0
    finally:
        os.close(descriptor)
    return 0


def _is_ours(pid: int, since: str) -> bool:
    """Return whether *pid* is this person's process that began at *since*: numbers are used again.

    In another container the number may be another process's. Without /proc the lock has to do.
    """
    if not os.path.isdir("/proc/self"):
        return True
    try:
        return os.stat(f"/proc/{pid}").st_uid == os.getuid() and began(pid) == since
    except OSError:
        return False


def peer_of(connection: object) -> int:
    """Return the user at the other end. Where the system can't tell, trust the mode of the folder."""
    if not hasattr(_socket, "SO_PEERCRED"):
        return os.getuid()
    said: bytes = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # type: ignore[attr-defined]
    return int.from_bytes(said[4:8], sys.byteorder)


def _own_uid() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _is_telling(name: str) -> bool:
    upper = name.upper()
    return (upper in _TELLING or upper.startswith(_BEGINNINGS)) and not upper.startswith(_EACH_TIME)


def _package(folder: str) -> Iterator[str]:
    """Yield what tells whether each module of the package is still the same.

    The times of its folders would not do: an editor that writes in place leaves them, and Python changes
    them when it first keeps bytecode there, so that the first brain would leave. They would save 0.5 ms.
    """
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith(".py"):
                status = entry.stat()
                yield f"{entry.name} {status.st_mtime_ns} {status.st_size}"
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _package(entry.path)


def _state(path: str) -> str:
    """Return what tells whether the file at *path* is still the same."""
    try:
        status = os.stat(path)
    except OSError:
        return _NONE
    whose = f"{status.st_uid} {status.st_mode}"
    if path.endswith("-packages"):  # a library was added, removed or replaced
        return str(status.st_mtime_ns)
    if os.path.isdir(path):  # whatever is written into it changes its times
        # One of our own that nobody else can write to is as good as one that is not there yet.
        return _NONE if status.st_uid == _own_uid() and not status.st_mode & 0o022 else whose
    return f"{whose} {status.st_ino} {status.st_mtime_ns} {status.st_size}"
