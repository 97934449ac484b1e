"""Starts a resident brain: alone under its name, on a socket that only its person can use."""

from __future__ import annotations

import contextlib
import os
import socket
import time

from .. import __version__
from ..core.files import private_file
from ..core.processes import began
from .socket_path import Place, address_of

_PATIENCE = 3.0  # seconds, for one that is about to leave
# Clients that connect while the brain is at something else: one that finds no room would start another brain.
BACKLOG = 1024


def hold(place: Place) -> int | None:
    """Lock *place* until this process ends, and return the lock; None where another brain holds it.

    Raises OSError and StoreFailed where the lock file can't be used.
    """
    import fcntl  # Windows has none

    descriptor = os.open(private_file(place.lock), os.O_RDWR | os.O_NOFOLLOW)
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if _answers(place) or time.monotonic() > deadline:
                return None
            time.sleep(0.02)  # while waiting for the lock itself, we could not see whether a brain answers
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()} {__version__} {began(os.getpid())}\n".encode())
    return descriptor


def listening(place: Place) -> socket.socket:
    """Open the socket for its owner alone, and return it. A stale one is replaced, as we hold the lock."""
    address, folder = address_of(place)
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place.socket)
        opened.bind(address)
    finally:
        os.umask(before)
        if folder is not None:
            os.close(folder)
    opened.listen(BACKLOG)
    return opened


def _answers(place: Place) -> bool:
    address, folder = address_of(place)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        trial.settimeout(1)
        try:
            trial.connect(address)
        except OSError:
            return False
        finally:
            if folder is not None:
                os.close(folder)
    return True
