"""Edits config.toml, and leaves the person's comments as they are."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from ..core.errors import SettingsError, UsageError
from ..core.files import alone, private_folder, replace_file
from .file import NAMES, SHOP, read_own
from .keys import GOOGLE, KEYS, SERPAPI
from .market import market_of
from .settings import Budgets, Daily, Settings, read_settings

_TEXTS = ("bookmarks", "packs.shop.country", "packs.shop.currency")  # besides NAMES


def settable() -> Iterator[tuple[str, str]]:
    """Yield the name of each setting that can be kept, and what it is now without one."""
    keys = {variable for key in KEYS.values() for variable in key.variables}
    yield from ((name, "") for name, variable in NAMES.items() if variable not in keys)
    yield "bookmarks", ""
    yield from ((f"budgets.{name}", f"{value:g}") for name, value in Budgets()._asdict().items())
    yield from ((f"daily.{name}", str(value)) for name, value in Daily()._asdict().items())
    yield from ((f"packs.shop.{name}", "") for name in SHOP)
    yield "tracing.langsmith", "false"


def keep_setting(path: str, name: str, value: str) -> object:
    """Have the file at *path* say that the setting *name* is *value*; return it as it is written there.

    Raises UsageError for a setting that there is not, or can't be that; nothing is changed then.
    """
    _check_name(name)
    read = value if name in (*NAMES, *_TEXTS) else _read_value(value)
    write(path, name.split("."), read)
    return read


def write(path: str, names: Sequence[str], value: object) -> None:
    """Have the file at *path* set what these *names* lead to, tables before the last one, to *value*.

    Raises UsageError where that makes no sense, SettingsError for a file that can't be read, StoreFailed
    where it can't be written. Nothing is changed then.
    """
    import tomlkit  # a setting is seldom written

    with alone(os.path.join(private_folder(os.path.dirname(path)), ".config.lock")):
        try:
            document: Any = tomlkit.parse(read_own(path))
            table = document
            for name in names[:-1]:
                table = table.setdefault(name, tomlkit.table())
            table[names[-1]] = value
        except (ValueError, TypeError, AttributeError) as error:
            raise SettingsError(
                f"{path} can't be changed: {error}.", hint="Correct it in an editor."
            ) from None
        new = tomlkit.dumps(document)
        _check(new)
        replace_file(path, new)


def _check_name(name: str) -> None:
    known = [each for each, _ in settable()]
    for key in (GOOGLE, SERPAPI):
        if NAMES.get(name) in key.variables:
            raise UsageError("A key is asked for, hidden.", hint=f"jarvis keys set {key.name}")
    if name not in known:
        from difflib import get_close_matches  # few misspell

        near = get_close_matches(name, known, n=1)
        told = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."
        raise UsageError(f"There is no setting {name}. {told}", hint="jarvis config show")


def _read_value(text: str) -> object:
    """Return the number or the truth that *text* is; else the text."""
    import tomllib  # as above

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        return text


def _check(text: str) -> Settings:
    """Return the settings that *text* alone makes. Raises UsageError where it makes no sense."""
    with tempfile.TemporaryDirectory() as folder:
        place = private_folder(os.path.join(folder, "config"))
        replace_file(os.path.join(place, "config.toml"), text)
        try:
            settings = read_settings({"JARVIS_HOME": folder})
            market_of(settings)
        except SettingsError as error:
            raise UsageError(error.message, hint=error.hint) from None
    return settings
