"""Where a brain is: its socket and its lock, under a name that is a digest of what makes brains differ.

A client with other settings, or of a package that was replaced, looks for another name; so nobody is served
by settings that are not theirs. Imports next to nothing: each request asks here.
"""

from __future__ import annotations

import _socket
import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .. import __version__
from ..config.paths import folders_of
from ..core.files import private_file
from ..core.processes import began, digest

_LONGEST = 100  # bytes of a socket's path, which the kernel keeps in 104 or 108
_LOCK_SECONDS = 3.0  # for a brain that is about to leave
_DEATH_SECONDS = 1.0  # for a brain that was killed
# Clients that connect while the brain is at something else: one that finds no room would start another brain.
BACKLOG = 1024
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


@contextlib.contextmanager
def address_of(place: Place) -> Iterator[str]:
    """Give what connect() and bind() take, while the block lasts. Raises OSError without a folder."""
    if len(os.fsencode(place.socket)) <= _LONGEST:
        yield place.socket
        return
    # By way of the open folder, the path is short, on Linux.
    folder = os.open(place.folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{place.name}.sock"
    finally:
        os.close(folder)


def hold(place: Place) -> int | None:
    """Lock *place* until this process ends, and return the lock; None where another brain holds it.

    Raises OSError and StoreFailed where the lock file can't be used.
    """
    import fcntl  # Windows has none

    descriptor = os.open(private_file(place.lock), os.O_RDWR | os.O_NOFOLLOW)
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                return None
            time.sleep(0.02)  # a lock that is waited for has no time limit
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()} {__version__} {began(os.getpid())}\n".encode())
    return descriptor


def listen(place: Place) -> _socket.socket:
    """Listen at *place*, for its owner alone. A stale socket is replaced, as the lock is held."""
    opened = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place.socket)
        with address_of(place) as address:
            opened.bind(address)
    finally:
        os.umask(before)
    opened.listen(BACKLOG)
    return opened


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


def kill(place: Place) -> None:
    """Kill a brain that hangs; the next request starts another one."""
    if pid := holder(place):
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(pid, 9)
        deadline = time.monotonic() + _DEATH_SECONDS
        while holder(place) == pid and time.monotonic() < deadline:
            time.sleep(0.01)  # it is no child of ours: nothing tells when it has ended


def is_same_user(connection: _socket.socket) -> bool:
    """Return whether this person is at the other end. Where the system can't tell, the folder's mode does."""
    if not hasattr(_socket, "SO_PEERCRED"):
        return True
    said = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(said[4:8], sys.byteorder) == os.getuid()


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
