"""Looks at what is kept on this machine, at the brains that run on it, and at the versions of all parts."""

from __future__ import annotations

import os
import platform
import shlex
import sqlite3
import sys
from collections.abc import Iterator
from functools import partial

from ... import __version__
from ...core.errors import StoreFailed
from ...core.files import check_owner
from ...core.text import counted
from ...store.open import condition_of
from .finding import WRONG, Finding, Patient, finding

_LIBRARIES = (
    *("google-search-results", "keyring", "langchain-google-genai", "langgraph", "pillow", "prompt-toolkit"),
    *("psycopg", "publicsuffixlist", "rapidfuzz", "rich"),
)
_LEAST_FREE = 50_000_000  # bytes
_UNITS = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))


def database(patient: Patient) -> Iterator[Finding]:
    yield finding("history", lambda: condition_of(patient.settings))


def brains(patient: Patient) -> Iterator[Finding]:
    if sys.platform != "win32":
        from ..commands.brain import running  # Windows can't import it

        found = list(running(patient.settings.folders.runtime))
        for brain in found:
            minutes = counted(int(brain.seconds // 60), "minutes")
            yield Finding("brains", f"process {brain.pid}, Jarvis {brain.version}, running for {minutes}")
        if not found:
            yield Finding("brains", "none is running; the next request that needs one starts it")
    else:
        yield Finding("brains", "none stays running on Windows")


def folders(patient: Patient) -> Iterator[Finding]:
    for name, path in patient.settings.folders._asdict().items():
        yield finding(name, partial(_folder, path))


def _folder(path: str) -> str:
    """Return how large the folder at *path* is. Raises StoreFailed where it can't be used."""
    check_owner(path)
    if not os.path.lexists(path):
        return f"{path}; it is made when it is needed"
    hint = f"ls -ld {shlex.quote(path)}"
    if not os.path.isdir(path) or not os.access(path, os.W_OK | os.X_OK):
        raise StoreFailed(f"{path} is no folder that can be written to.", hint=hint)
    if hasattr(os, "statvfs"):
        status = os.statvfs(path)
        free = status.f_bavail * status.f_frsize
        if free < _LEAST_FREE:
            told = f"Only {_size(free)} are free for {path}."
            raise StoreFailed(told, hint=f"df -h {shlex.quote(path)}")
    return f"{path}, {_size(_bytes(path))}"


def _bytes(path: str) -> int:
    """Return how many bytes the files below *path* have."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            file = os.path.join(folder, name)
            total += os.lstat(file).st_size if os.path.lexists(file) else 0
    return total


def _size(count: int) -> str:
    for unit, each in _UNITS:
        if count >= each:
            return f"{count / each:.1f} {unit}"
    return counted(count, "bytes")


def versions() -> Iterator[Finding]:
    from importlib.metadata import PackageNotFoundError, version  # a tenth of a second

    yield Finding("jarvis", __version__)
    yield Finding("python", f"{platform.python_version()} on {platform.system()} {platform.release()}")
    yield Finding("sqlite", sqlite3.sqlite_version)
    for name in _LIBRARIES:
        try:
            yield Finding(name, version(name))
        except PackageNotFoundError:
            yield Finding(name, "not installed", "scripts/jarvis --version", WRONG)
