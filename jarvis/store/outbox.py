"""Keeps plain commands whose history is on a server, until the next session delivers them.

So a plain command never waits for a network. The one thing that it needs of the server's side, the list last
shown in a thread, is kept here by the turn that showed it on this machine.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from json import dumps, loads
from typing import Any

from ..core.types import Address, Turn
from .addresses import MOST_TURNS, Addresses, insert, named_id
from .database import Database, Row, Transaction
from .history import TITLED, History, title_of
from .sqlite import Sqlite
from .tables import counting_offers, offers_in

# Those that are handed over as they are come after the first six.
_TURN = (
    "id, thread, started_at, question, shown, ended_at,"
    " goal, piped, intent, own, tables, status, reply, error, usage, asked"
)
_STEP = "n, action, arguments, target, state, outcome, started_at, ended_at, rule, why, untold"
_ALWAYS = 1e18  # seconds since the epoch
_LISTS = (
    "CREATE TABLE IF NOT EXISTS lists (thread TEXT PRIMARY KEY, used_at DOUBLE PRECISION NOT NULL,"
    " addresses TEXT NOT NULL)"  # with tables, the JSON is {"addresses": [...], "tables": HEX}
)
# What names a place in a DATABASE_URL; the rest says how to get there.
_PLACE = {"host", "hostaddr", "port", "dbname", "user", "service", "options"}
# Of each plain turn: the server that was set when it began. Those of earlier versions have none.
_DESTINATIONS = "CREATE TABLE IF NOT EXISTS destinations (turn TEXT PRIMARY KEY, server TEXT NOT NULL)"


class Outbox(History):
    """The history of plain turns that were not delivered yet."""

    def __init__(self, file: Sqlite, server: str) -> None:
        """server: as `server_of` has it. What is meant for another one stays here until that is set again."""
        super().__init__(file)
        self._server = server
        file.more = (_LISTS, _DESTINATIONS)
        self.addresses = _LastLists(self.database)

    async def begin(self, *arguments: Any, id_: str = "", **more: Any) -> Turn:
        """Write down that a turn begins, as `History.begin` does, and which server it is for."""
        turn = id_ or os.urandom(8).hex()
        # First: without it the turn would be taken for one of an earlier version.
        await self.database.run(
            "INSERT INTO destinations VALUES (?, ?) ON CONFLICT DO NOTHING", turn, self._server
        )
        return await super().begin(*arguments, id_=turn, **more)

    async def last_thread(self) -> str | None:
        rows = await self.database.run(
            "SELECT id FROM (SELECT id, used_at FROM threads UNION ALL SELECT thread, used_at FROM lists)"
            " ORDER BY used_at DESC LIMIT 1"
        )
        return rows[0][0] if rows else None

    async def listed_last(self) -> tuple[str, str] | None:
        rows = await self.database.run(
            "SELECT thread, COALESCE(title, '') FROM lists LEFT JOIN threads ON threads.id = thread"
            " WHERE addresses != '[]' ORDER BY lists.used_at DESC LIMIT 1"
        )
        return (rows[0][0], rows[0][1]) if rows else None

    async def keep_list(
        self,
        thread: str,
        shown: Sequence[Address],
        tables: bytes | None = None,
        *,
        known_at: float = _ALWAYS,
    ) -> None:
        """Write down that *thread* was used now, and what it showed last; an empty list changes nothing.

        tables: those of the turn that showed it, as `Addresses.last_list` has them.
        known_at: when that was read; what was written down since then stays.
        """
        listed = (shown, tables) if shown else await _read_list(self.database, thread)
        await _write_list(self.database, thread, *listed, known_at)

    async def _list(
        self, transaction: Transaction, turn: Turn, shown: Sequence[str], tables: bytes | None
    ) -> None:
        lines, _ = await _read_list(transaction, turn.thread)
        known = {address.id: address for address in (*turn.typed, *lines)} | offers_in(tables)
        lines = [known[id_] for id_ in shown if id_ in known]
        await _write_list(transaction, turn.thread, lines, tables, _ALWAYS)

    async def forget(self, thread: str | None) -> None:
        """Delete what is kept of *thread*, or of all."""
        where, arguments = ("", ()) if thread is None else ("WHERE thread = ?", (thread,))

        async def work(transaction: Transaction) -> None:
            await _delete(transaction, where, *arguments)
            await transaction.run(f"DELETE FROM lists {where}", *arguments)
            await transaction.run(f"DELETE FROM threads {where.replace('thread', 'id')}", *arguments)

        await self.database.atomically(work)
        await self.database.tidy()

    async def deliver(self, server: Database) -> None:
        """Copy every turn that has ended to *server*, if it is for that one, in their order.

        Done twice, the result is the same.
        """
        ended = await self.database.run(
            f"SELECT {_TURN} FROM turns LEFT JOIN destinations ON turn = id"
            " WHERE status != 'open' AND COALESCE(server, ?) = ? ORDER BY started_at",
            self._server,
            self._server,
        )
        for turn in ended:
            await self._hand_over(server, turn)

    async def _hand_over(self, server: Database, turn: Row) -> None:
        steps, typed = await self.database.run_all(
            (f"SELECT {_STEP} FROM steps WHERE turn = ? ORDER BY n", turn[0]),
            (
                "SELECT addresses.id, url, source FROM addresses JOIN turns ON turns.id = ?"
                " AND turns.thread = addresses.thread AND turns.n = turn ORDER BY addresses.id",
                turn[0],
            ),
        )
        await server.atomically(lambda transaction: _adopt(transaction, turn, steps, typed))
        await self.database.atomically(lambda transaction: _delete(transaction, "WHERE id = ?", turn[0]))


class _LastLists(Addresses):
    """The lists last shown, each as a whole: what is in their lines is on the server."""

    async def last_list(self, thread: str, before: int = MOST_TURNS) -> tuple[list[Address], bytes | None]:
        """Return it as Addresses does, but no list *before* it: none is kept."""
        return await _read_list(self._database, thread)


async def _delete(transaction: Transaction, where: str, *value: str) -> None:
    """Delete turns, with all that is theirs. where: of which rows of `turns`."""
    for table in ("steps", "destinations"):
        await transaction.run(f"DELETE FROM {table} WHERE turn IN (SELECT id FROM turns {where})", *value)
    of_turns = f"WHERE (thread, turn) IN (SELECT thread, n FROM turns {where})"
    await transaction.run(f"DELETE FROM addresses {of_turns}", *value)
    await transaction.run(f"DELETE FROM turns {where}", *value)


async def _read_list(transaction: Transaction, thread: str) -> tuple[list[Address], bytes | None]:
    """Return the list last shown in *thread*, and the tables of its turn as they are kept there."""
    rows = await transaction.run("SELECT addresses FROM lists WHERE thread = ?", thread)
    held: Any = loads(rows[0][0]) if rows else []
    lines, tables = (held["addresses"], held["tables"]) if isinstance(held, dict) else (held, None)
    return [Address(**record) for record in lines], bytes.fromhex(tables) if tables else None


async def _write_list(
    transaction: Transaction, thread: str, lines: Sequence[Address], tables: bytes | None, known_at: float
) -> None:
    """Write down that *thread* was used now, and its list, unless it showed another one after *known_at*."""
    addresses: Any = [address._asdict() for address in lines]
    await transaction.run(
        "INSERT INTO lists VALUES (?, ?, ?) ON CONFLICT (thread) DO UPDATE SET"
        " used_at = excluded.used_at, addresses = excluded.addresses WHERE lists.used_at <= ?",
        thread,
        time.time(),
        dumps({"addresses": addresses, "tables": tables.hex()} if tables else addresses),
        known_at,
    )


async def _adopt(transaction: Transaction, turn: Row, steps: Sequence[Row], typed: Sequence[Row]) -> None:
    """Append *turn* to its thread on the server, unless it is there. Its addresses get new ids."""
    id_, thread, started_at, question, shown, ended_at, *rest = turn
    goal, _, _, own, tables = rest[:5]
    # Changes nothing, but has whoever delivers the same wait: only then is it looked whether it is there.
    await transaction.send(
        "INSERT INTO threads (id, created_at, used_at, title) VALUES (?, ?, ?, ?)"
        f" ON CONFLICT (id) DO UPDATE SET turns = threads.turns, {TITLED}",
        thread,
        started_at,
        started_at,
        title_of(goal, own),
    )
    counted = await transaction.run(
        "UPDATE threads SET turns = turns + 1, typed = typed + ?, used_at = CASE WHEN used_at < ? THEN ?"
        " ELSE used_at END WHERE id = ? AND NOT EXISTS (SELECT 1 FROM turns WHERE id = ?)"
        " RETURNING turns, typed",
        len(typed),
        started_at,
        started_at,
        thread,
        id_,
    )
    if not counted:
        return
    n, minted = counted[0]
    first = minted - len(typed) + 1
    named = [
        Address(named_id(source, first + i), url, source=source) for i, (_, url, source) in enumerate(typed)
    ]
    names = {old: address.id for (old, _, _), address in zip(typed, named, strict=True)}
    # Another machine may have shown a list since: then its lines are those that the person has before them.
    since = "SELECT 1 FROM turns WHERE thread = ? AND shown IS NOT NULL AND ended_at > ? LIMIT 1"
    is_last = shown and not await transaction.run(since, thread, ended_at)
    question = question and dumps(_renamed(loads(question), names))
    row = (id_, thread, started_at, question, shown if is_last else None, ended_at, *rest, n)
    await transaction.send(f"INSERT INTO turns ({_TURN}, n) VALUES ({', '.join('?' * len(row))})", *row)
    if tables:
        await transaction.send(*counting_offers(thread, tables))
    await insert(transaction, thread, n, 0, named)
    for step in steps:
        await _adopt_step(transaction, turn, n, step, names)


async def _adopt_step(
    transaction: Transaction, turn: Row, n: int, step: Row, names: Mapping[str, str]
) -> None:
    """Append *step* of *turn*, which has number *n* on the server."""
    number, action, written, target, state, *rest = step
    arguments: dict[str, Any] = _renamed(loads(written), names)
    row = (turn[0], number, action, dumps(arguments, ensure_ascii=False), target, state, *rest)
    await transaction.send(f"INSERT INTO steps (turn, {_STEP}) VALUES ({', '.join('?' * len(row))})", *row)
    for opened in map(str, arguments.values()) if state == "done" else ():
        # The list that was shown here may be older than what the server has under this id.
        mark = "UPDATE addresses SET opened = ? WHERE thread = ? AND id = ? AND url = ?"
        await transaction.send(mark, n, turn[1], opened, target)


def _renamed(record: Any, names: Mapping[str, str]) -> Any:
    """Return *record*, which is JSON, with the ids of this machine replaced as *names* says."""
    if isinstance(record, dict):
        return {key: _renamed(value, names) for key, value in record.items()}
    if isinstance(record, list):
        return [_renamed(each, names) for each in record]
    return names.get(record, record) if isinstance(record, str) else record


def server_of(url: str) -> str:
    """Return what tells the place that a DATABASE_URL names from every other one. It holds no password.

    Without psycopg, which a plain command does not import.
    """
    whole = re.fullmatch(r"postgres(?:ql)?://(?:([^@/?]*)@)?([^/?]*)(?:/([^?]*))?(?:\?(.*))?", url)
    if whole is None:
        more = re.findall(r"(\w+)\s*=\s*('(?:\\.|[^'\\])*'|\S*)", url)
        return " ".join(sorted(f"{name}={value}" for name, value in more if name in _PLACE))
    user, host, database, query = (part or "" for part in whole.groups())
    more = [part for part in query.split("&") if part.partition("=")[0] in _PLACE]
    return f"{user.partition(':')[0]}@{host}/{database} {' '.join(sorted(more))}".strip()
