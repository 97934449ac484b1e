"""Reads the files of settings, config.toml and files of NAME=value lines, and writes into config.toml."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.errors import SettingsError
from ..core.files import check_private, private_folder, replace_file

KEYRING = "the system keyring"


class Source(NamedTuple):
    """Settings that come from one place."""

    place: str  # in words for the person
    values: Mapping[str, object]
    is_toml: bool = False  # it has the names of config.toml, not those of the environment
    is_ours: bool = False  # Jarvis writes there what it is told to keep


class Found(NamedTuple):
    """A setting, as one place has it."""

    name: str
    value: Any
    place: str
    is_ours: bool

    @property
    def origin(self) -> str:
        """Where it comes from, in words for the person."""
        return self.place if self.place == KEYRING else f"{self.name} in {self.place}"


class Sources:
    """The places that settings come from, the strongest first."""

    def __init__(self, *sources: Source) -> None:
        self._sources = sources

    def __call__(self, *variables: str) -> str:
        """Return the value of the first of *variables* in the strongest place; empty where none has one."""
        return next((str(found.value) for found in self.found(*variables)), "")

    def found(self, *variables: str, toml: str = "") -> Iterator[Found]:
        """Yield what sets the first of *variables*, or *toml* in config.toml, and then what that hides."""
        for place, values, is_toml, is_ours in self._sources:
            for name in (toml,) if is_toml else variables:
                value = values.get(name)
                value = value.strip() if isinstance(value, str) else value
                if value not in (None, ""):  # an empty one is unset
                    yield Found(name, value, place, is_ours)

    @property
    def toml(self) -> Mapping[str, object]:
        """What config.toml says."""
        return next((source.values for source in self._sources if source.is_toml), {})

    def above(self, *sources: Source) -> Sources:
        """Return these places, and *sources* below them."""
        return Sources(*self._sources, *sources)


def environment_and(env_file: str | None, environment: Mapping[str, str]) -> Sources:
    """Return the environment, and below it the file that --env-file names. Raises SettingsError."""
    given = Source(env_file or "", assignments(env_file, named=True) if env_file else {})
    return Sources(Source("the environment", environment), given)


def read_own(path: str, *, named: bool = False) -> str:
    """Return the text of a file of settings; empty where there is none. Raises SettingsError.

    named: the person named it, so it has to be there.
    """
    try:
        with open(path, encoding="utf-8-sig") as file:
            check_private(os.fstat(file.fileno()), path, named=named)
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        if named:
            raise SettingsError(f"There is no file {path}.", hint="Check --env-file.") from None
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} can't be read: {error}.", hint="Check its owner and mode.") from None


def assignments(path: str, *, named: bool = False) -> dict[str, str]:
    """Read NAME=value lines, with `export`, quotes and # comments as in a shell; nothing is expanded."""
    lines = read_own(path, named=named).splitlines()
    return dict(pair for line in lines if (pair := assignment(line)))


def assignment(line: str) -> tuple[str, str] | None:
    """Return the name and the value that *line* sets; None for any other line."""
    name, equals, raw = line.strip().removeprefix("export ").partition("=")
    if not equals or name.startswith("#"):
        return None
    value = raw.strip()
    if value[:1] in "'\"" and value[:1] and value.find(value[0], 1) > 0:
        return name.strip(), value[1 : value.index(value[0], 1)]
    comment = next((n for n, sign in enumerate(raw) if sign == "#" and raw[n - 1 : n].isspace()), len(raw))
    return name.strip(), raw[:comment].strip()


def config(path: str) -> dict[str, object]:
    """Return what config.toml at *path* says, by names such as `model` and `budgets.steps`.

    Raises SettingsError where it can't be read.
    """
    if not (text := read_own(path)):
        return {}
    import tomllib  # most have no such file

    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{path} can't be read: {error}.", hint=f"Correct it, or move it away: mv {path} {path}.broken"
        ) from None
    return dict(_flat(values))


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def write(path: str, names: Sequence[str], value: object) -> None:
    """Have config.toml at *path* set what these *names* lead to, tables before the last one, to *value*.

    The person's comments stay. Raises SettingsError for a file that can't be read or makes no sense,
    StoreFailed where it can't be written. Nothing is changed then.
    """
    import tomlkit  # a setting is seldom written

    private_folder(os.path.dirname(path))
    try:
        document: Any = tomlkit.parse(read_own(path))
        table = document
        for name in names[:-1]:
            table = table.setdefault(name, tomlkit.table())
        table[names[-1]] = value
    except (ValueError, TypeError, AttributeError) as error:
        raise SettingsError(f"{path} can't be changed: {error}.", hint="Correct it in an editor.") from None
    replace_file(path, tomlkit.dumps(document))
