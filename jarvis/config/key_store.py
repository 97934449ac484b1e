"""Keeps the person's keys: in the system keyring, or where there is none, in `.env` in the config folder."""

from __future__ import annotations

import os
from typing import NamedTuple

from ..core.errors import SettingsError
from ..core.files import alone, private_folder, replace_file
from . import system_keyring
from .file import assignment, assignments
from .keys import KEYRING, Key, names_in_keyring
from .paths import Folders
from .system_keyring import KeyringFailed

_NO_SIGNS = " \"'\\"  # a file of settings would need quotes for them
_ABOUT = "# The keys that the system keyring holds for Jarvis, by their names. No key stands here."


class Kept(NamedTuple):
    """Where a key was kept."""

    place: str
    why: str  # it is not in the keyring; empty: it is


def checked_key(key: Key, typed: str) -> str:
    """Return the key that a person *typed*. Raises SettingsError where no key looks like that."""
    value = typed.strip()
    if value and value.isascii() and value.isprintable() and not any(sign in value for sign in _NO_SIGNS):
        return value
    raise SettingsError(
        f"This is no {key.service} key.", hint=f"Copy it again from {key.page}, and nothing else."
    )


def keep(key: Key, value: str, folders: Folders) -> Kept:
    """Keep *value* as the person's *key*, in place of one kept before. Raises StoreFailed, SettingsError."""
    with alone(_lock(folders)):
        lines = _lines(folders.env_file)
        try:
            system_keyring.keep(key.name, value)
        except KeyringFailed as failed:
            _write(folders.env_file, [*_without(lines, key), f"{key.variables[0]}={value}"])
            return Kept(folders.env_file, failed.message)
        _name(key, folders, is_held=True)
        if _without(lines, key) != lines:  # it would come before the keyring's
            _write(folders.env_file, _without(lines, key))
        return Kept(KEYRING, "")


def forget(key: Key, folders: Folders) -> list[str]:
    """Forget what was kept as *key*; return the places where it was. Raises StoreFailed, SettingsError."""
    with alone(_lock(folders)):
        places = []
        if _is_forgotten_by_keyring(key, folders):
            places.append(KEYRING)
        lines = _lines(folders.env_file)
        if _without(lines, key) != lines:
            _write(folders.env_file, _without(lines, key))
            places.append(folders.env_file)
        return places


def _is_forgotten_by_keyring(key: Key, folders: Folders) -> bool:
    """Take *key* out of the keyring, named or not: an attempt that was given up may have been kept late."""
    is_named = key.name in names_in_keyring(folders.keyring)
    try:
        was_there = system_keyring.forget(key.name)
    except KeyringFailed as failed:
        if is_named:
            hint = f"Unlock it, then: jarvis keys rm {key.name}"
            raise SettingsError(f"The key is still in {KEYRING}: {failed.message}.", hint=hint) from None
        return False
    if is_named:
        _name(key, folders, is_held=False)
    return was_there


def _lock(folders: Folders) -> str:
    return os.path.join(private_folder(folders.config), ".keys.lock")


def _name(key: Key, folders: Folders, *, is_held: bool) -> None:
    """Write down whether the keyring holds *key*. Each time it is a new file: another brain is needed."""
    names = set(names_in_keyring(folders.keyring)) - {key.name} | ({key.name} if is_held else set())
    _write(folders.keyring, [_ABOUT, *sorted(names)])


def _lines(path: str) -> list[str]:
    assignments(path)  # tells what is wrong with it
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []


def _without(lines: list[str], key: Key) -> list[str]:
    """Return *lines* but for those that set *key*."""
    return [line for line in lines if (assignment(line) or ("", ""))[0] not in key.variables]


def _write(path: str, lines: list[str]) -> None:
    replace_file(path, "".join(f"{line}\n" for line in lines))
