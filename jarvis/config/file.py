"""Reads the files of settings: config.toml, and files of NAME=value lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..core.errors import SettingsError
from ..core.files import check_private
from ..core.text import one_line

# Its names → the environment's.
NAMES = {
    "model": "JARVIS_MODEL",
    "fallback_model": "JARVIS_FALLBACK_MODEL",
    "thinking": "JARVIS_THINKING",
    "editing": "JARVIS_EDITING",
    "thread": "JARVIS_THREAD",
    "google_api_key": "GOOGLE_API_KEY",
    "serpapi_api_key": "SERPAPI_API_KEY",
    "database_url": "DATABASE_URL",
    "gemini_base_url": "GOOGLE_GEMINI_BASE_URL",
    "serpapi_base_url": "SERPAPI_BASE_URL",
}
_TABLES = ("budgets", "daily", "packs", "tracing")
_KNOWN = (*NAMES, *_TABLES, "bookmarks")


class Config(NamedTuple):
    """What config.toml says."""

    values: Mapping[str, object]

    @property
    def named(self) -> dict[str, str]:
        """What the environment can say as well, by its names there."""
        return {NAMES[name]: _text(name, value) for name, value in self.values.items() if name in NAMES}

    @property
    def bookmarks(self) -> str:
        """The file of a browser's bookmarks; empty where none is named."""
        return _text("bookmarks", self.values.get("bookmarks", ""))

    def warnings(self, limits: Sequence[str]) -> tuple[str, ...]:
        """Return a line on each unknown setting. Raises SettingsError for a table with any of *limits*."""
        unknown = {name: value for name, value in self.values.items() if name not in _KNOWN}
        tables = {name: value for name, value in unknown.items() if isinstance(value, dict)}
        check_names(
            "table", {name: 0 for name, table in tables.items() if table.keys() & set(limits)}, _TABLES
        )
        told = [one_line(name, 40) for name in unknown]
        strange = {*self.table("packs")} - {"on", *self.of_packs}
        told += [f"packs.{one_line(name, 40)}" for name in sorted(strange)]
        return tuple(map(unknown_setting, told))

    @property
    def packs(self) -> tuple[str, ...] | None:
        """The names of the packs that are to be on; None where it does not say. Raises SettingsError."""
        named = self.table("packs").get("on")
        if named is None:
            return None
        if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
            raise SettingsError(
                "on in config.toml's [packs] must be a list of names.", hint="jarvis packs list"
            )
        return tuple(dict.fromkeys(name.strip() for name in named))

    @property
    def of_packs(self) -> dict[str, Mapping[str, object]]:
        """What stands below [packs.NAME], by the name. Raises SettingsError."""
        return {name: table for name, table in self.table("packs").items() if isinstance(table, dict)}

    def table(self, name: str) -> Mapping[str, object]:
        """Return what stands below [name]; empty where there is no such line."""
        table = self.values.get(name, {})
        if not isinstance(table, dict):
            raise SettingsError(
                f"{name} in config.toml must be a table.",
                hint=f"Write a line [{name}], and its settings below it.",
            )
        return table

    @property
    def langsmith(self) -> bool:
        """Whether prompts may be sent to LangSmith. Raises SettingsError."""
        table = self.table("tracing")
        for name, value in table.items():
            if name not in ("langsmith", "opentelemetry") or not isinstance(value, bool):
                raise SettingsError(
                    f"{name} in config.toml's [tracing] is not understood.",
                    hint="Below [tracing]: langsmith = true",
                )
        if table.get("opentelemetry"):
            raise SettingsError(
                "Jarvis has no exporter for OpenTelemetry.", hint="In config.toml: opentelemetry = false"
            )
        return bool(table.get("langsmith"))


def config(path: str) -> Config:
    """Return what the file at *path* says. Raises SettingsError if it can't be read."""
    return Config(_values(path))


def unknown_setting(name: str) -> str:
    """Return a warning of a setting that nothing reads."""
    return f"config.toml has a setting that is not known and does nothing: {name}."


def check_names(kind: str, given: Mapping[str, object], known: Sequence[str]) -> None:
    """Raise SettingsError for a name that is not known: a misspelt limit would be no limit at all."""
    for name in given:
        if name not in known:
            hint = f"Known are: {', '.join(known)}."
            raise SettingsError(f"config.toml has an unknown {kind}: {one_line(name, 40)}.", hint=hint)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{name} in config.toml must be a text.", hint=f'In config.toml: {name} = "…"')
    return value


def _values(path: str) -> dict[str, object]:
    if not (text := read_own(path)):
        return {}
    import tomllib  # most have no such file

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{path} can't be read: {error}.", hint=f"Correct it, or move it away: mv {path} {path}.broken"
        ) from None


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


class Layer(NamedTuple):
    """Settings that come from one place."""

    origin: str  # in words for the person
    values: Mapping[str, str]
    is_ours: bool = False  # whether Jarvis writes there what it is told to keep


class FoundSetting(NamedTuple):
    """A setting, and where it comes from."""

    origin: str
    name: str
    value: str
    is_ours: bool

    @property
    def told(self) -> str:
        """Where it comes from, in words for the person."""
        is_toml = self.origin.endswith(".toml")
        named = {variable: name for name, variable in NAMES.items()} if is_toml else {}
        return f"{named.get(self.name, self.name)} in {self.origin}"


class Layers:
    """Looks a name up in several places, the strongest first."""

    def __init__(self, *layers: Layer) -> None:
        self._layers = layers

    def __call__(self, *names: str) -> str:
        """Return the value of the first of *names* that the strongest layer has; empty where none has one."""
        for found in self.found(*names):
            return found.value
        return ""

    def found(self, *names: str) -> Iterator[FoundSetting]:
        """Yield what sets the first of *names*, and then what that hides."""
        for origin, values, is_ours in self._layers:
            for name in names:
                if value := values.get(name, "").strip():
                    yield FoundSetting(origin, name, value, is_ours)

    def above(self, *layers: Layer) -> Layers:
        """Return these layers, and *layers* below them."""
        return Layers(*self._layers, *layers)


def environment_and(env_file: str | None, environment: Mapping[str, str]) -> Layers:
    """Return the environment, and below it the file that --env-file names. Raises SettingsError."""
    given = Layer(env_file or "", assignments(env_file, named=True) if env_file else {})
    return Layers(Layer("the environment", environment), given)


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
