"""How much one turn and one day may use up. Enforced by Python, never by asking the model."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.errors import SettingsError
from ..core.stdlib import NamedTuple

UNLIMITED = "unlimited"


class Budgets(NamedTuple):
    """Of one turn."""

    steps: int = 6
    searches: int = 2
    model_calls: int = 8
    seconds: float = 60.0  # our own time: waiting for the person does not count
    first_token_seconds: float = 20.0  # also between two pieces of a stream
    search_seconds: float = 10.0
    database_seconds: float = 45.0  # that a turn waits for a database which went away


class Daily(NamedTuple):
    """Of a day, over all threads: a fuse against costs that nobody meant. None: as many as one likes."""

    model_calls: int | None = 500
    searches: int | None = 100


def budgets(table: Mapping[str, object], seconds: float | None) -> Budgets:
    """What config.toml's table [budgets] says, but for the *seconds* of an option. Raises SettingsError."""
    wanted = table if seconds is None else {**table, "seconds": seconds}
    for name, value in wanted.items():
        kind = (int, float) if isinstance(getattr(Budgets(), name), float) else int
        if isinstance(value, bool) or not isinstance(value, kind) or not 0 < value < 1e6:
            raise SettingsError(f"The budget {name} must be a number above 0.", hint="See config.toml.")
    return Budgets()._replace(**wanted)  # type: ignore[arg-type]


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
