"""Asks the system's keyring, within two seconds: one that is locked may wait for ever for its password.

The only importer of keyring, which takes a quarter of a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ..core.errors import JarvisError, SettingsError, attempt
from .keys import KEYRING, Secret
from .settings import Settings

SECONDS = 2.0  # for all that is asked of it at a time
_OURS = "jarvis"  # the name of what our keys are for, in the keyring
_T = TypeVar("_T")


class KeyringFailed(JarvisError):
    """The keyring can't be used; its message says why."""

    code = "keyring_failed"


def with_kept_keys(settings: Settings) -> Settings:
    """Return *settings* with the keys that the keyring holds. Raises SettingsError where it fails."""
    wanted = {"google": settings.google_key, "serpapi": settings.serpapi_key}
    names = [name for name, secret in wanted.items() if secret.is_in_keyring]
    if not names:
        return settings
    try:
        found = _in_time(lambda keyring: {name: keyring.get_password(_OURS, name) for name in names})
    except KeyringFailed as failed:
        raise SettingsError(
            f"Your {' and '.join(names)} key is in {KEYRING}, and can't be read: {failed.message}.",
            hint=f"Unlock it and ask again, or: jarvis keys set {names[0]}",
        ) from None
    for name, value in found.items():
        wanted[name] = Secret(value, KEYRING, is_kept=True) if value else Secret("")
    return settings._replace(google_key=wanted["google"], serpapi_key=wanted["serpapi"])


def keep(name: str, value: str) -> None:
    """Put a key into the keyring, and make sure that it is there. Raises KeyringFailed."""

    def work(keyring: Any) -> bool:
        keyring.set_password(_OURS, name, value)
        return bool(keyring.get_password(_OURS, name) == value)  # one that is disabled keeps nothing

    if not _in_time(work):
        raise KeyringFailed("it does not keep what it is given")


def forget(name: str) -> bool:
    """Take a key out of the keyring; return whether there was one. Raises KeyringFailed."""

    def work(keyring: Any) -> bool:
        if keyring.get_password(_OURS, name) is None:
            return False
        keyring.delete_password(_OURS, name)
        return True

    return _in_time(work)


def _in_time(work: Callable[[Any], _T]) -> _T:
    """Return what *work* returns, given the library. Raises KeyringFailed.

    It is done on a thread that nobody waits for in the end: the program can leave all the same.
    """
    said: list[tuple[_T | None, BaseException | None]] = []

    def ask() -> _T:
        import keyring  # the reason for this file

        return work(keyring)

    thread = threading.Thread(target=lambda: said.append(attempt(ask)), name="keyring", daemon=True)
    thread.start()
    thread.join(SECONDS)
    if not said:
        raise KeyringFailed(f"it did not answer within {SECONDS:g} s (is it locked?)")
    result, error = said[0]
    if error is not None:  # each backend has errors of its own
        raise KeyringFailed(_why(error)) from None
    return result  # type: ignore[return-value]


def _why(error: BaseException) -> str:
    """Return why the keyring failed. Its own words are left out: a key may be among them."""
    name = type(error).__name__
    told = {"NoKeyringError": "there is none here", "KeyringLocked": "it is locked"}
    return told.get(name, f"it failed with {name}")
