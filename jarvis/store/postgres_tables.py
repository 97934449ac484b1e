"""Checks that a schema is ours, and brings its tables up to date."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from psycopg import AsyncConnection, IsolationLevel

from ..core.errors import SettingsError
from .database import Row
from .schema import NAMES, VERSION, is_ours, statements

SetUp = Callable[[AsyncConnection[Row]], Awaitable[None]]

_COLUMNS = (
    "SELECT relname::text, attname::text FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
    " WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
    f" AND relname IN ({', '.join(repr(name) for name in NAMES)}) AND attnum > 0 AND NOT attisdropped"
)


class Found(NamedTuple):
    """What there is at a server."""

    schema: str  # for our tables
    version: int  # of the tables in it; 0: there are none
    is_pooled: bool  # whether a pooler stands before it


async def look(connection: AsyncConnection[Row], name: str) -> Found:
    """Return what there is at the server *name*.

    Raises SettingsError where there is no schema that will do, or another program's tables are in it.
    """
    schema, version = await _own_schema(connection, name), await _version(connection, name)
    # A pooler makes numbers up: the connection is not always to the same process of the server.
    is_pooled = connection.info.backend_pid != await first(connection, "SELECT pg_backend_pid()")
    return Found(schema, version, is_pooled)


async def _own_schema(connection: AsyncConnection[Row], name: str) -> str:
    schema = await first(connection, "SELECT current_schema()")
    if schema is None:
        hint = "Make it first (CREATE SCHEMA jarvis), or name another in DATABASE_URL."
        raise SettingsError(f"{name} has no schema that its search_path names.", hint=hint)
    encoding = str(await first(connection, "SHOW server_encoding"))
    if encoding not in ("UTF8", "SQL_ASCII"):
        hint = "Make one for Jarvis: CREATE DATABASE jarvis ENCODING 'UTF8' TEMPLATE template0"
        raise SettingsError(f"{name} keeps text as {encoding}, which can't hold all letters.", hint=hint)
    return str(schema)


async def _version(connection: AsyncConnection[Row], name: str) -> int:
    # Not to_regclass: a server connection may remember that there was none, and behind a pooler it
    # is not a new one. To read from pg_class has it look again; and only in our own schema.
    cursor = await connection.execute(_COLUMNS)
    found: dict[str, set[str]] = {}
    for table, column in await cursor.fetchall():
        found.setdefault(table, set()).add(column)
    if not found:
        return 0
    if not is_ours(found):
        hint = "Give Jarvis a schema of its own: CREATE SCHEMA jarvis, then …?options=-csearch_path%3Djarvis"
        raise SettingsError(
            f"{name} has tables of another program in the schema for Jarvis: {', '.join(sorted(found))}.",
            hint=hint,
        )
    return int(await first(connection, "SELECT max(version) FROM schema_version") or 0)


async def migrate(connection: AsyncConnection[Row], name: str) -> None:
    """Bring the tables up to date. The caller holds the lock by a transaction: it is all or nothing."""
    version = await _version(connection, name)
    for statement in statements(version) if version < VERSION else []:
        await connection.execute(statement)


async def if_alone(connection: AsyncConnection[Row], work: SetUp) -> bool:
    """Do *work*, unless another process is setting the schema up. Return whether it was done.

    The lock belongs to a transaction, so it is good behind a pooler too.
    """
    # Whatever the role's default: one that keeps its snapshot is waited for by the building of an index.
    await connection.set_isolation_level(IsolationLevel.READ_COMMITTED)
    async with connection.transaction():
        key = "hashtext('jarvis set-up ' || current_schema())"
        if not await first(connection, f"SELECT pg_try_advisory_xact_lock({key})"):
            return False
        await work(connection)
        return True


async def first(connection: AsyncConnection[Row], sql: str) -> Any:
    row = await (await connection.execute(sql)).fetchone()
    return row[0] if row else None
