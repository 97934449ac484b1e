"""Edits config.toml, and leaves the person's comments as they are."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.errors import SettingsError, UsageError
from ..core.files import alone, private_folder, replace_file
from .file import NAMES, read_own
from .keys import GOOGLE, KEYS, SERPAPI
from .settings import Budgets, Daily, read_settings

_TEXTS = (*NAMES, "bookmarks")


def settable(of_packs: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield the name of each setting that can be kept, and what it is now without one.

    of_packs: the names of those that packs have.
    """
    keys = {variable for key in KEYS.values() for variable in key.variables}
    yield from ((name, "") for name, variable in NAMES.items() if variable not in keys)
    yield "bookmarks", ""
    yield from ((f"budgets.{name}", f"{value:g}") for name, value in Budgets()._asdict().items())
    yield from ((f"daily.{name}", str(value)) for name, value in Daily()._asdict().items())
    yield from ((name, "") for name in of_packs)
    yield "tracing.langsmith", "false"


def keep_setting(
    path: str, name: str, value: str, of_packs: Mapping[str, Callable[[object], object]]
) -> object:
    """Have the file at *path* say that the setting *name* is *value*; return it as it is written there.

    of_packs: what reads each setting of a pack, by its name.
    Raises UsageError for a setting that there is not, or can't be that; nothing is changed then.
    """
    _check_name(name, of_packs)
    read = value if name in _TEXTS else _read_value(value)
    if name in of_packs:
        _told_as_misuse(lambda: of_packs[name](read))
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


def _check_name(name: str, of_packs: Iterable[str]) -> None:
    known = [each for each, _ in settable(of_packs)]
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


def _check(text: str) -> None:
    """Read the settings that *text* alone makes. Raises UsageError where it makes no sense."""
    with tempfile.TemporaryDirectory() as folder:
        place = private_folder(os.path.join(folder, "config"))
        replace_file(os.path.join(place, "config.toml"), text)
        _told_as_misuse(lambda: read_settings({"JARVIS_HOME": folder}))


def _told_as_misuse(read: Callable[[], object]) -> None:
    """Have *read* read a setting. Raises UsageError where it makes no sense."""
    try:
        read()
    except SettingsError as error:
        raise UsageError(error.message, hint=error.hint) from None
