"""Files and folders that only their owner can read."""

from __future__ import annotations

import contextlib
import os

from ..errors import StoreFailed


def private_folder(path: str) -> str:
    """*path*, with mode 0700, made if it was missing; so are the folders above it."""
    if not os.path.isdir(parent := os.path.dirname(path)):
        private_folder(parent)  # makedirs would make these readable for all
    try:
        with contextlib.suppress(FileExistsError):  # by another process, just now
            os.mkdir(path, 0o700)
        if os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o700)
    except OSError as error:
        raise StoreFailed(
            f"The folder {path} can't be used: {error.strerror}.",
            hint="Make it writable, or choose another: export JARVIS_HOME=~/jarvis",
        ) from None
    return path


def private_file(path: str) -> str:
    """*path*, made empty if it was missing, with mode 0600, in a private folder."""
    private_folder(os.path.dirname(path))
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600))
        if os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o600)
    except OSError as error:
        raise StoreFailed(
            f"The file {path} can't be used: {error.strerror}.",
            hint="Make it writable, or choose another folder: export JARVIS_HOME=~/jarvis",
        ) from None
    return path
