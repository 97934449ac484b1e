"""The layers in which a setting is looked up, and the files of two of them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..core.errors import SettingsError
from .permissions import check


class Layers:
    """Mappings of names, strongest first."""

    def __init__(self, *layers: Mapping[str, str]) -> None:
        self._layers = layers

    def __call__(self, *names: str) -> str:
        """The value of the first of *names* that the strongest layer has; empty where none has one."""
        values = (layer.get(name, "").strip() for layer in self._layers for name in names)
        return next((value for value in values if value), "")

    def above(self, *layers: Mapping[str, str]) -> Layers:
        """These, and *layers* below them."""
        return Layers(*self._layers, *layers)


def environment_and(env_file: str | None, environment: Mapping[str, str]) -> Layers:
    """The environment, and below it the file that --env-file names. Raises SettingsError."""
    return Layers(environment, assignments(env_file, must=True) if env_file else {})


def assignments(path: str, *, must: bool = False) -> dict[str, str]:
    """NAME=value lines; `export`, quotes and # comments as a shell has them, nothing expanded."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            check(os.fstat(file.fileno()), path, named=must)
            lines = file.read().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        if must:
            raise SettingsError(f"There is no file {path}.", hint="Check --env-file.") from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} can't be read: {error}.", hint="Check its owner and mode.") from None
    return dict(pair for line in lines if (pair := _assignment(line)))


def _assignment(line: str) -> tuple[str, str] | None:
    name, equals, raw = line.strip().removeprefix("export ").partition("=")
    if not equals or name.startswith("#"):
        return None
    value = raw.strip()
    if value[:1] in "'\"" and value[:1] and value.find(value[0], 1) > 0:
        return name.strip(), value[1 : value.index(value[0], 1)]
    comment = next((n for n, sign in enumerate(raw) if sign == "#" and raw[n - 1 : n].isspace()), len(raw))
    return name.strip(), raw[:comment].strip()
