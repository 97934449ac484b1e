"""Keeps the person's keys: in the system keyring, or where there is none, in `.env` in the config folder.

The only importer of keyring, which takes a quarter of a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ..core.errors import JarvisError, SettingsError, attempt
from ..core.files import private_folder, replace_file
from .file import KEYRING, assignment, read_own
from .keys import KEYS, Key, Secret, names_in_keyring
from .paths import Folders
from .settings import Settings

SECONDS = 2.0  # for all that is asked of the keyring at a time: a locked one may wait for its password
_OURS = "jarvis"  # the name of what our keys are for, in the keyring
_ABOUT = "# The keys that the system keyring holds for Jarvis, by their names. No key stands here."
_WHY = {"NoKeyringError": "there is none here", "KeyringLocked": "it is locked"}
_T = TypeVar("_T")


class KeyringFailed(JarvisError):
    """The keyring can't be used; its message says why."""

    code = "keyring_failed"


def keep(key: Key, value: str, folders: Folders) -> str:
    """Keep *value* as the person's *key*, in place of one kept before.

    Returns where, and why it is not in the keyring. Raises StoreFailed, SettingsError.
    """
    private_folder(folders.config)
    try:
        _ask_keyring(lambda keyring: _put(keyring, key, value))
    except KeyringFailed as failed:
        _set_line(key, value, folders.env_file)
        return f"{folders.env_file} ({KEYRING}: {failed.message})"
    _write_names(folders, names_in_keyring(folders.keyring) | {key.name})
    _set_line(key, "", folders.env_file)  # it would come before the keyring's
    return KEYRING


def forget(key: Key, folders: Folders) -> list[str]:
    """Forget what was kept as *key*; return the places where it was. Raises StoreFailed, SettingsError."""
    places = []
    names = names_in_keyring(folders.keyring)
    if key.name in names:
        try:
            _ask_keyring(lambda keyring: _delete(keyring, key))
        except KeyringFailed as failed:
            hint = f"Unlock it, then: jarvis keys rm {key.name}"
            raise SettingsError(f"The key is still in {KEYRING}: {failed.message}.", hint=hint) from None
        _write_names(folders, names - {key.name})
        places.append(KEYRING)
    if _set_line(key, "", folders.env_file):
        places.append(folders.env_file)
    return places


def with_kept_keys(settings: Settings) -> Settings:
    """Return *settings* with the keys that the keyring holds. Raises SettingsError where it fails."""
    names = [key.name for key in KEYS.values() if settings.key(key).is_in_keyring]
    if not names:
        return settings
    try:
        found = _ask_keyring(lambda keyring: {name: keyring.get_password(_OURS, name) for name in names})
    except KeyringFailed as failed:
        raise SettingsError(
            f"Your {' and '.join(names)} key is in {KEYRING}, and can't be read: {failed.message}.",
            hint=f"Unlock it and ask again, or: jarvis keys set {names[0]}",
        ) from None
    return settings._replace(
        **{  # type: ignore[arg-type]
            f"{name}_key": Secret(value, KEYRING) if value else Secret("") for name, value in found.items()
        }
    )


def _put(keyring: Any, key: Key, value: str) -> None:
    keyring.set_password(_OURS, key.name, value)
    if keyring.get_password(_OURS, key.name) != value:  # one that is disabled keeps nothing
        raise KeyringFailed("it does not keep what it is given")


def _delete(keyring: Any, key: Key) -> None:
    if keyring.get_password(_OURS, key.name) is not None:  # else the person took it out
        keyring.delete_password(_OURS, key.name)


def _ask_keyring(work: Callable[[Any], _T]) -> _T:
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
    if isinstance(error, KeyringFailed):
        raise error
    if error is not None:  # each backend has its own, whose words are left out: a key may be among them
        name = type(error).__name__
        raise KeyringFailed(_WHY.get(name, f"it failed with {name}")) from None
    return result  # type: ignore[return-value]


def _write_names(folders: Folders, names: frozenset[str]) -> None:
    """Write down which keys the keyring holds. Each time it is a new file: another brain is needed."""
    _write(folders.keyring, [_ABOUT, *sorted(names)])


def _set_line(key: Key, value: str, path: str) -> bool:
    """Have `.env` at *path* set *key* to *value*, or not at all where that is empty.

    Returns whether it was set there before.
    """
    lines = read_own(path).splitlines()
    others = [line for line in lines if (assignment(line) or ("", ""))[0] not in key.variables]
    wanted = [*others, f"{key.variables[0]}={value}"] if value else others
    if wanted != lines:
        _write(path, wanted)
    return others != lines


def _write(path: str, lines: list[str]) -> None:
    replace_file(path, "".join(f"{line}\n" for line in lines))
