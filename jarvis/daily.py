"""How much one day may use up, over all threads: a fuse against costs that nobody meant."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import SettingsError
from .typed import NamedTuple

UNLIMITED = "unlimited"


class Daily(NamedTuple):
    """Enforced by Python, before the call is made. None: as many as one likes."""

    model_calls: int | None = 500
    searches: int | None = 100


def daily(table: Mapping[str, object]) -> Daily:
    """What config.toml's table [daily] says. Raises SettingsError."""
    return Daily(**{name: _limit(name, table[name]) for name in Daily._fields if name in table})


def _limit(name: str, value: object) -> int | None:
    if value == UNLIMITED:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1e9:
        raise SettingsError(
            f"The daily limit {name} must be a whole number from 0, or “{UNLIMITED}”.",
            hint=f"In config.toml, below [daily]: {name} = {getattr(Daily(), name)}",
        )
    return value
