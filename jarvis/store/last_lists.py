"""Keeps on this machine what was listed last in each thread of a server, for plain commands."""

from __future__ import annotations

import time
from collections.abc import Sequence
from json import dumps, loads
from typing import Any

from ..core.types import Address
from .addresses import MOST_TURNS, Addresses
from .database import Transaction

_NEVER = 1e18  # seconds since the epoch
LISTS = (
    "CREATE TABLE IF NOT EXISTS lists (thread TEXT PRIMARY KEY, used_at DOUBLE PRECISION NOT NULL,"
    " addresses TEXT NOT NULL)"  # with tables, the JSON is {"addresses": [...], "tables": HEX}
)


class LastLists(Addresses):
    """The lists last shown, each as a whole: what is in their lines is on the server."""

    async def last_list(self, thread: str, before: int = MOST_TURNS) -> tuple[list[Address], bytes | None]:
        """Return it as Addresses does, but no list *before* it: none is kept."""
        return await read_list(self._database, thread)


async def read_list(transaction: Transaction, thread: str) -> tuple[list[Address], bytes | None]:
    """Return the list last shown in *thread*, and the tables of its turn as they are kept there."""
    rows = await transaction.run("SELECT addresses FROM lists WHERE thread = ?", thread)
    held: Any = loads(rows[0][0]) if rows else []
    lines, tables = (held["addresses"], held["tables"]) if isinstance(held, dict) else (held, None)
    return [Address(**record) for record in lines], bytes.fromhex(tables) if tables else None


async def write_list(
    transaction: Transaction,
    thread: str,
    lines: Sequence[Address],
    tables: bytes | None,
    known_at: float | None = None,
) -> None:
    """Write down that *thread* was used now, and what it showed last.

    known_at: when that was read; what was written down since then stays. None: it was shown just now.
    """
    addresses: Any = [address._asdict() for address in lines]
    now = time.time()
    await transaction.run(
        "INSERT INTO lists VALUES (?, ?, ?) ON CONFLICT (thread) DO UPDATE SET"
        " used_at = excluded.used_at, addresses = excluded.addresses WHERE lists.used_at <= ?",
        thread,
        now,
        dumps({"addresses": addresses, "tables": tables.hex()} if tables else addresses),
        _NEVER if known_at is None else known_at,
    )
