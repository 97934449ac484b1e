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
from typing import Any, NamedTuple

from ..core.types import Address, Turn
from .addresses import MOST_TURNS, Addresses, insert, named_id
from .database import Database, LocalDatabase, Row, Transaction
from .history import History
from .sqlite import at_once
from .tables import counting_offers, offers_in
from .turns import TITLED, title_of

# Those that are handed over as they are come after the first six.
_TURN = (
    "id, thread, started_at, question, shown, ended_at,"
    " goal, piped, intent, own, tables, status, reply, error, usage, asked"
)
_STEP = "n, action, arguments, target, state, outcome, started_at, ended_at, rule, why, untold"


_NEVER = 1e18  # seconds since the epoch
_LISTS = (
    "CREATE TABLE IF NOT EXISTS lists (thread TEXT PRIMARY KEY, used_at DOUBLE PRECISION NOT NULL,"
    " addresses TEXT NOT NULL)"  # with tables, the JSON is {"addresses": [...], "tables": HEX}
)
# What names a place in a DATABASE_URL; the rest says how to get there.
_PLACE = {"host", "hostaddr", "port", "dbname", "user", "service", "options"}
# Of each plain turn: the server that was set when it began. Those of earlier versions have none.
_DESTINATIONS = "CREATE TABLE IF NOT EXISTS destinations (turn TEXT PRIMARY KEY, server TEXT NOT NULL)"


class Parcel(NamedTuple):
    """A plain turn that has ended."""

    turn: Row  # as _TURN names them
    steps: list[Row]  # as _STEP names them
    typed: list[tuple[str, str, str]]  # (id, URL, source), under ids that count on this machine only


class Outbox(History):
    """The history of plain turns that were not delivered yet."""

    def __init__(self, file: LocalDatabase, server: str) -> None:
        """server: as `server_of` has it. What is meant for another one stays here until that is set again."""
        super().__init__(file)
        self._server = server
        for table in (_LISTS, _DESTINATIONS):
            at_once(file.make(table))
        self.addresses = LastLists(self.database)

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
        known_at: float | None = None,
    ) -> None:
        """Write down that *thread* was used now, and what it showed last; an empty list changes nothing.

        tables: those of the turn that showed it, as `Addresses.last_list` has them.
        known_at: as in `write_list`.
        """
        listed = (shown, tables) if shown else await read_list(self.database, thread)
        await write_list(self.database, thread, *listed, known_at)

    async def _list(
        self, transaction: Transaction, turn: Turn, shown: Sequence[str], tables: bytes | None
    ) -> None:
        lines, _ = await read_list(transaction, turn.thread)
        known = {address.id: address for address in (*turn.typed, *lines)} | offers_in(tables)
        await write_list(transaction, turn.thread, [known[id_] for id_ in shown if id_ in known], tables)

    async def forget(self, thread: str | None) -> None:
        """Delete what is kept of *thread*, or of all."""
        where, arguments = ("", ()) if thread is None else (" WHERE thread = ?", (thread,))

        async def work(transaction: Transaction) -> None:
            await transaction.run(
                f"DELETE FROM steps WHERE turn IN (SELECT id FROM turns{where})", *arguments
            )
            await transaction.run(
                f"DELETE FROM destinations WHERE turn IN (SELECT id FROM turns{where})", *arguments
            )
            for table in ("addresses", "turns", "lists"):
                await transaction.run(f"DELETE FROM {table}{where}", *arguments)
            await transaction.run(f"DELETE FROM threads{where.replace('thread', 'id')}", *arguments)

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
            await _adopt(server, await self._parcel(turn))
            await self._drop(str(turn[0]), str(turn[1]))

    async def _parcel(self, turn: Row) -> Parcel:
        steps = await self.database.run(f"SELECT {_STEP} FROM steps WHERE turn = ? ORDER BY n", turn[0])
        typed = await self.database.run(
            "SELECT addresses.id, url, source FROM addresses JOIN turns ON turns.thread = addresses.thread"
            " AND turns.n = addresses.turn WHERE turns.id = ? ORDER BY addresses.id",
            turn[0],
        )
        return Parcel(turn, steps, [(id_, url, source) for id_, url, source in typed])

    async def _drop(self, turn: str, thread: str) -> None:
        async def work(transaction: Transaction) -> None:
            n = await transaction.run("DELETE FROM turns WHERE id = ? RETURNING n", turn)
            await transaction.run("DELETE FROM steps WHERE turn = ?", turn)
            await transaction.run("DELETE FROM destinations WHERE turn = ?", turn)
            if n:
                await transaction.run("DELETE FROM addresses WHERE thread = ? AND turn = ?", thread, n[0][0])

        await self.database.atomically(work)


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


async def _adopt(server: Database, parcel: Parcel) -> None:
    """Append the turn to its thread on the server. Its addresses get new ids there."""
    id_, thread, started_at, question, shown, ended_at, *rest = parcel.turn
    goal, _, _, own, tables = rest[:5]

    async def work(transaction: Transaction) -> None:
        # Changes nothing, but has whoever delivers the same wait: only then is it looked whether it is there.
        await transaction.run(
            "INSERT INTO threads (id, created_at, used_at, title) VALUES (?, ?, ?, ?)"
            f" ON CONFLICT (id) DO UPDATE SET turns = threads.turns, {TITLED}",
            thread,
            started_at,
            started_at,
            title_of(goal, own),
        )
        if await transaction.run("SELECT 1 FROM turns WHERE id = ?", id_):
            return
        counted = await transaction.run(
            "UPDATE threads SET turns = turns + 1, typed = typed + ?,"
            " used_at = CASE WHEN used_at < ? THEN ? ELSE used_at END WHERE id = ? RETURNING turns, typed",
            len(parcel.typed),
            started_at,
            started_at,
            thread,
        )
        n, minted = counted[0]
        first = minted - len(parcel.typed) + 1
        names = {old: named_id(source, first + i) for i, (old, _, source) in enumerate(parcel.typed)}
        await transaction.run(
            f"INSERT INTO turns ({_TURN}, n) VALUES ({', '.join('?' * (len(parcel.turn) + 1))})",
            id_,
            thread,
            started_at,
            question and dumps(_renamed(loads(question), names)),
            shown if shown and not await _has_listed_since(transaction, thread, ended_at) else None,
            ended_at,
            *rest,
            n,
        )
        if tables:
            await transaction.send(*counting_offers(thread, tables))
        await insert(
            transaction, thread, n, 0, [Address(names[old], url, source=s) for old, url, s in parcel.typed]
        )
        for step in parcel.steps:
            await _adopt_step(transaction, str(id_), thread, n, step, names)

    await server.atomically(work)


async def _has_listed_since(transaction: Transaction, thread: str, moment: float) -> bool:
    """Return whether *thread* showed a list after that moment, such as on another machine.

    Then its lines are those that the person has before them, and not the older ones that arrive now.
    """
    since = "SELECT 1 FROM turns WHERE thread = ? AND shown IS NOT NULL AND ended_at > ? LIMIT 1"
    return bool(await transaction.run(since, thread, moment))


async def _adopt_step(
    transaction: Transaction, turn: str, thread: str, n: int, step: Row, names: Mapping[str, str]
) -> None:
    number, action, written, target, state, *rest = step
    arguments: dict[str, Any] = _renamed(loads(written), names)
    await transaction.run(
        f"INSERT INTO steps (turn, {_STEP}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        turn,
        number,
        action,
        dumps(arguments, ensure_ascii=False),
        target,
        state,
        *rest,
    )
    if state == "done":
        for opened in map(str, arguments.values()):
            # The list that was shown here may be older than what the server has under this id.
            await transaction.run(
                "UPDATE addresses SET opened = ? WHERE thread = ? AND id = ? AND url = ?",
                n,
                thread,
                opened,
                target,
            )


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
