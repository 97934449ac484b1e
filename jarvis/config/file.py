"""config.toml: what may stand there, and what does."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ..core.errors import SettingsError
from ..core.stdlib import NamedTuple
from ..core.text import one_line
from . import toml
from .limits import Budgets, Daily
from .permissions import check

# Its names → the environment's.
_NAMES = {
    "model": "JARVIS_MODEL",
    "thinking": "JARVIS_THINKING",
    "thread": "JARVIS_THREAD",
    "google_api_key": "GOOGLE_API_KEY",
    "serpapi_api_key": "SERPAPI_API_KEY",
    "database_url": "DATABASE_URL",
    "gemini_base_url": "GOOGLE_GEMINI_BASE_URL",
    "serpapi_base_url": "SERPAPI_BASE_URL",
}
_TABLES = ("budgets", "daily", "tracing")


class Config(NamedTuple):
    """What config.toml says."""

    values: Mapping[str, object]

    @property
    def named(self) -> dict[str, str]:
        """What the environment could have said as well, by its names there."""
        return {_NAMES[name]: _text(name, value) for name, value in self.values.items() if name in _NAMES}

    @property
    def bookmarks(self) -> str:
        """The file of a browser's bookmarks; empty where none is named."""
        return _text("bookmarks", self.values.get("bookmarks", ""))

    def table(self, name: str) -> Mapping[str, object]:
        """What stands below [name]; empty where there is no such line."""
        table = self.values.get(name, {})
        if not isinstance(table, dict):
            raise SettingsError(
                f"{name} in config.toml must be a table.",
                hint=f"Write a line [{name}] and, below it, what it is to hold.",
            )
        return table


def config(path: str) -> Config:
    """Raises SettingsError for a file that can't be read, and for names that are not known."""
    found = Config(_values(path))
    _check_names("setting", found.values, (*_NAMES, *_TABLES, "bookmarks"))
    _check_names("budget", found.table("budgets"), Budgets._fields)
    _check_names("daily limit", found.table("daily"), Daily._fields)
    return found


def _check_names(kind: str, given: Mapping[str, object], known: Sequence[str]) -> None:
    """Raises SettingsError for one that is not known: a limit that is misspelt would be none at all."""
    for name in given:
        if name not in known:
            hint = f"There are: {', '.join(known)}."
            raise SettingsError(f"There is no {kind} {one_line(name, 40)} (config.toml).", hint=hint)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{name} in config.toml must be a text.", hint="Put it in quotes.")
    return value


def _values(path: str) -> dict[str, object]:
    if not os.path.exists(path):
        return {}
    try:
        with open(path, "rb") as file:
            check(os.fstat(file.fileno()), path)
            return toml.loads(file.read().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"{path} can't be read: {error}.", hint="Mend it or move it away.") from None
