"""Translates a server's errors for a person."""

from __future__ import annotations

import psycopg
from psycopg import conninfo

from ..core.errors import JarvisError, ServiceUnreachable, SettingsError, StoreFailed

# What a server says while it goes down or comes up: 08 connection, 57P01-57P05 shut down or starting.
_AWAY = ("08", "57P0")
# Invalid authorization, no such database: nothing that waiting mends.
_REFUSED = ("28", "3D")
# The same while a connection is made: then there are words only.
_REFUSALS = (
    *("authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry"),
    *("certificate verify failed", "does not support SSL", "root certificate file", "invalid sslmode"),
)
# While a connection is made, again there are words only: of a server, and of a pooler.
_NO_ROOM = (
    *("too many clients", "too many connections", "remaining connection slots"),
    *("no more connections allowed", "max_client_conn"),
)
_EXAMPLE = "It looks like this: DATABASE_URL=postgresql://me@localhost/jarvis"


class NoConnectionLeft(ServiceUnreachable):
    """The server answers, and has no connection to give away."""


def translated(error: Exception, name: str) -> JarvisError:
    """Return what *error* of the server *name* means to a person. libpq's own words name no password."""
    state = getattr(error, "sqlstate", None) or ""
    said = _said(error)
    if isinstance(error, psycopg.ProgrammingError) and not state:
        return SettingsError("DATABASE_URL can't be read.", hint=_EXAMPLE)
    if state.startswith(_REFUSED) or (not state and any(words in said for words in _REFUSALS)):
        return SettingsError(f"{name} refused the connection: {said}.", hint="Check DATABASE_URL.")
    if is_full(error):
        return NoConnectionLeft(
            f"{name} has no connection left: {said}.",
            hint="Close another program that uses it, or have it allow more: max_connections.",
        )
    is_lost = isinstance(error, (OSError, TimeoutError, psycopg.InterfaceError, psycopg.OperationalError))
    if is_lost and (not state or state.startswith(_AWAY)):
        return ServiceUnreachable(
            f"{name} can't be reached{f': {said}' if said else ''}.",
            hint="Start the server, or check DATABASE_URL; then ask again.",
        )
    return StoreFailed(f"History can't be written to {name}: {said}.", hint=_hint(state))


def is_full(error: Exception) -> bool:
    """Return whether a server, or a pooler, has no connection left to give away."""
    state = getattr(error, "sqlstate", None)
    return state == "53300" or (not state and any(words in str(error) for words in _NO_ROOM))


def is_passing(error: Exception) -> bool:
    """Return whether the server gave up a transaction because of another one, and would do it now."""
    return getattr(error, "sqlstate", None) in ("40001", "40P01")


def name_of(url: str) -> str:
    """Return server and database, for people. Raises SettingsError for a *url* that can't be read."""
    try:
        known = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # whose words may quote a part of a password
        raise SettingsError("DATABASE_URL can't be read.", hint=_EXAMPLE) from None
    if "@" in str(known.get("host") or ""):
        hint = "Write an @ in the password as %40."
        raise SettingsError("DATABASE_URL can't be read: it has more than one @.", hint=hint)
    if not str(known.get("port") or "0").replace(",", "").isdigit():
        raise SettingsError("DATABASE_URL can't be read: its port is not a number.", hint=_EXAMPLE)
    host = str(known.get("host") or "localhost")
    return f"Postgres ({'local' if host.startswith('/') else host}, {known.get('dbname') or 'default'})"


def _said(error: Exception) -> str:
    """Return the first line of *error*, without a full stop."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else "").split("FATAL:")[-1].strip().rstrip(".")


def _hint(state: str) -> str:
    if state.startswith("53"):  # insufficient resources
        return "Make room on the server's disk, then ask again."
    if state in ("25006", "42501"):
        return "Point DATABASE_URL at a server, and a role, that may write."
    return "See the server's log."
