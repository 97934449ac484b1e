"""Keyrings for keyring itself to load, named by PYTHON_KEYRING_BACKEND: what a person's system may have."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

if TYPE_CHECKING:
    from typing import NoReturn

OPEN, LOCKED, SILENT = (f"{__name__}.{name}" for name in ("Open", "Locked", "Silent"))
NONE, DISABLED = "keyring.backends.fail.Keyring", "keyring.backends.null.Keyring"  # keyring's own


def using(backend: str) -> dict[str, str]:
    """The environment of a program that uses *backend*: some library brings a `tests` of its own."""
    return {"PYTHON_KEYRING_BACKEND": backend, "PYTHONPATH": str(Path(__file__).parents[2])}


class Open(KeyringBackend):
    """One that was unlocked: a file in HOME."""

    priority = 1

    def get_password(self, service: str, username: str) -> str | None:
        return self._kept().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write({**self._kept(), f"{service}/{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        kept = self._kept()
        del kept[f"{service}/{username}"]
        self._write(kept)

    @property
    def _file(self) -> Path:
        return Path(os.environ["HOME"]) / "keyring.json"

    def _kept(self) -> dict[str, str]:
        return json.loads(self._file.read_text()) if self._file.exists() else {}

    def _write(self, kept: dict[str, str]) -> None:
        self._file.write_text(json.dumps(kept))


class Locked(KeyringBackend):
    """One whose password the person did not give."""

    priority = 1

    def get_password(self, service: str, username: str) -> NoReturn:
        raise KeyringLocked("Failed to unlock the collection!")

    def set_password(self, service: str, username: str, password: str) -> NoReturn:
        raise KeyringLocked("Failed to unlock the collection!")

    delete_password = get_password


class Silent(KeyringBackend):
    """One that waits for its password for ever."""

    priority = 1

    def get_password(self, service: str, username: str) -> None:
        threading.Event().wait()

    def set_password(self, service: str, username: str, password: str) -> None:
        threading.Event().wait()

    delete_password = get_password
