"""The socket and lock of a brain. Their name is a digest of everything that makes brains differ.

A client with other settings or another version of the package looks for another name. So nobody gets a brain
with settings of others. Imports next to nothing: each request comes here.
"""

import _socket
import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .. import __version__
from ..config.services import MODEL_SERVICES
from ..config.settings import country_of
from ..config.sources import ENVIRONMENT, folders_of, is_of_pack
from ..core.files import check_owner, own_uid
from ..core.text import digest

if sys.platform != "win32":
    import fcntl

_LONGEST = 100  # bytes of a socket's path, which the kernel keeps in 104 or 108
# Variables that a brain reads: its settings, and what finds a keyring, a way to the net or a database.
_BEGINNINGS = (
    *(service.url_variable for service in MODEL_SERVICES.values()),
    *("SERPAPI_", "BRAVE_", "SEARXNG_", "JARVIS_", "DATABASE_URL", "XDG_CONFIG_HOME"),
    *("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_", "PYTHON_KEYRING_", "KEYRING_"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_", "SSLKEYLOG", "REQUESTS_CA_"),
    *("CURL_CA_", "PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGPASS", "PGSERVICE", "PGSYSCONF"),
    *("PGOPTIONS", "PGSSL", "PGREQUIRE", "PGCHANNEL", "PGGSS", "PGKRB", "PGTARGET"),
)
_OF_PACKS = ("_TOKEN", "_URL")  # if one reads it: terminals have tokens of their own
# Set for one request, or read before a brain is met.
_EACH_TIME = ("JARVIS_THREAD", "JARVIS_BRAIN", "JARVIS_EDITING")


class Place(NamedTuple):
    folder: str
    name: str

    @property
    def socket(self) -> str:
        return os.path.join(self.folder, f"{self.name}.sock")

    @property
    def lock(self) -> str:
        """The file that the brain keeps locked while it lives. It contains its process id and version."""
        return os.path.join(self.folder, f"{self.name}.lock")


def place_of(environment: Mapping[str, str], env_file: str | None = None) -> Place:
    """Return the place of the brain for these settings. Raises SettingsError for a bad env_file."""
    folders = folders_of(environment, env_file)
    files = [folders.env_file, folders.toml, folders.keyring, *([env_file] if env_file else [])]
    # Where libraries are added and removed.
    files += [path for path in sys.path if path.endswith("-packages")]
    # One by one: the times of folders don't tell what is written in place.
    walked = os.walk(os.path.dirname(os.path.dirname(__file__)))
    modules = sorted(f"{path}/{name}" for path, _, names in walked for name in names if name.endswith(".py"))
    parts = [
        *(__version__, sys.executable, os.path.basename(os.path.realpath("/proc/self/ns/net"))),
        *(*time.tzname, str(time.timezone), country_of({ENVIRONMENT: environment})),  # whatever named them
        *sorted(f"{name}={value}" for name, value in environment.items() if _is_telling(name) and value),
        *map(_state, [*files, *modules]),
    ]
    return Place(folders.runtime, digest("\0".join(parts)))


def _is_telling(name: str) -> bool:
    upper = name.upper()
    is_known = upper == "HOME" or upper.startswith(_BEGINNINGS) or upper.endswith("_API_KEY")
    is_known = is_known or (upper.endswith(_OF_PACKS) and is_of_pack(upper))
    return is_known and not upper.startswith(_EACH_TIME)


def _state(path: str) -> str:
    """Return a text that changes when the file at *path* changes."""
    try:
        status = os.stat(path)
    except OSError:
        return path
    return f"{path} {status.st_uid} {status.st_mode} {status.st_ino} {status.st_mtime_ns} {status.st_size}"


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


def is_own_peer(connection: Any) -> bool:
    """Return whether the process at the other end of this socket is of this user, as the kernel has it."""
    credentials = getattr(_socket, "SO_PEERCRED", None)
    if credentials is None:  # not Linux, and no brain stays elsewhere
        return True
    answer = connection.getsockopt(_socket.SOL_SOCKET, credentials, 12)  # its process, user and group
    return int.from_bytes(answer[4:8], sys.byteorder) == own_uid()


def holder(place: Place) -> int:
    """Return the process that holds the lock of *place*, or 0.

    Raises StoreFailed if the file belongs to another user, who may have written anything there.
    """
    check_owner(place.lock)
    with contextlib.suppress(OSError), open(place.lock, "rb") as file:
        try:
            # Shared: otherwise two clients that look at once would take each other for a brain.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = (*file.read(200).split(), b"")[0]
            return int(pid) if pid.isdigit() else 0
    return 0


def kill(place: Place) -> None:
    """Kill a hung brain. The next request starts another one."""
    with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
        if pid := holder(place):
            os.kill(pid, 9)
