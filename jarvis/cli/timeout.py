"""Reads the value of --timeout."""

from __future__ import annotations

from ..core.errors import UsageError

_SHORTEST, _LONGEST = 0.1, 86400  # seconds


def seconds_of(text: str) -> float:
    """Return the value of --timeout in seconds. Raises UsageError for one that makes no sense."""
    hint = "jarvis --timeout 90 …"
    try:
        seconds = float(text)
    except ValueError:
        raise UsageError("Invalid value for '--timeout': it must be a number.", hint=hint) from None
    if not _SHORTEST <= seconds <= _LONGEST:
        raise UsageError(f"--timeout must be from {_SHORTEST} to {_LONGEST} seconds.", hint=hint)
    return seconds
