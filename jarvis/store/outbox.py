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
from typing import TYPE_CHECKING, Any

from ..core.types import Address, Turn
from .addresses import counting_offers, kept_tables, offers_in_rows, page_in, tables_in
from .database import Database, Sqlite, Transaction, marks
from .history import History

if TYPE_CHECKING:
    from ..core.events import TableShown

# Of a turn and its steps: what is handed over as it is.
_ENDED = "status, reply, error, usage, tables, private, asked, started_at, ended_at, confirmed, shown"
_ENDED += ", question, intent"
_STEP = "turn, n, action, target, state, outcome, started_at, ended_at, why, ends, part, confirmed"
_STEP += ", rule, arguments"
_LISTS = (
    "CREATE TABLE IF NOT EXISTS lists (thread TEXT PRIMARY KEY, used_at DOUBLE PRECISION NOT NULL,"
    " addresses TEXT NOT NULL)"  # with tables, the JSON is {"addresses": [...], "tables": HEX}
)
_LIST = (
    "INSERT INTO lists VALUES (?, ?, ?) ON CONFLICT (thread) DO UPDATE SET"
    " used_at = excluded.used_at, addresses = excluded.addresses"
)
_USED = (
    "INSERT INTO threads (id, created_at, used_at) VALUES (?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at"
)
# Of a thread that a turn was brought to.
_OPENED = (
    "UPDATE addresses SET opened = ? WHERE thread = ?"
    " AND url IN (SELECT target FROM steps WHERE turn = ? AND state = 'done')"
)
# What names a place in a DATABASE_URL; the rest says how to get there.
_PLACE = {"host", "hostaddr", "port", "dbname", "user", "service", "options"}
# Of each plain turn: the server that was set when it began.
_DESTINATIONS = "CREATE TABLE IF NOT EXISTS destinations (turn TEXT PRIMARY KEY, server TEXT NOT NULL)"
_BIND = "INSERT INTO destinations VALUES (?, ?) ON CONFLICT DO NOTHING"


class Outbox(History):
    """The history of plain turns that were not delivered yet."""

    def __init__(self, file: Sqlite, server: str) -> None:
        """server: from `server_of`. Rows for another server stay here until that one is set again."""
        super().__init__(file)
        self.server = server
        file.more = (_LISTS, _DESTINATIONS)

    async def begin(self, *words: Any, id_: str = "", **options: Any) -> Turn:
        id_ = id_ or os.urandom(8).hex()
        await self.database.run(_BIND, id_, self.server)  # first: a turn without it would go nowhere
        return await super().begin(*words, id_=id_, **options)

    async def keep_list(
        self, thread: str, shown: Sequence[Address], tables: Sequence[TableShown] = ()
    ) -> None:
        """Record that *thread* was used now, and its last list. An empty list changes nothing.

        tables: of the turn that showed it. Only they hold the ids of their rows, packed.
        """
        now, rows = time.time(), offers_in_rows(tables)
        listed = [(Address(each.id, "") if each.id in rows else each)._asdict() for each in shown]
        packed = dumps({"addresses": listed, "tables": kept_tables(tables).hex()} if tables else listed)
        used = (_USED, thread, now, now)
        await self.database.run_all(used, *([(_LIST, thread, now, packed)] if shown else []))

    async def listed(self, thread: str) -> tuple[list[Address], tuple[TableShown, ...]]:
        rows = await self.database.run("SELECT addresses FROM lists WHERE thread = ?", thread)
        held: Any = loads(rows[0][0]) if rows else []
        lines, tables = (held["addresses"], held["tables"]) if isinstance(held, dict) else (held, None)
        kept = tables_in(tables and bytes.fromhex(tables))
        offers = offers_in_rows(kept)
        return [offers.get(record["id"]) or page_in(Address(**record)) for record in lines], kept

    async def _list(
        self, transaction: Transaction, turn: Turn, shown: Sequence[str], tables: Sequence[TableShown]
    ) -> None:
        lines, _ = await self.listed(turn.thread)
        by_id = {address.id: address for address in (*turn.typed, *lines)} | offers_in_rows(tables)
        await self.keep_list(turn.thread, [by_id[id_] for id_ in shown if id_ in by_id], tables)

    async def forget(self, thread: str | None) -> None:
        """Delete what is kept of *thread*, or of all."""
        where, arguments = ("", ()) if thread is None else ("WHERE thread = ?", (thread,))
        await self._delete(where, *arguments)
        await self.database.run(f"DELETE FROM lists {where}", *arguments)
        await self.database.run(f"DELETE FROM threads {where.replace('thread', 'id')}", *arguments)
        await self.database.tidy()

    async def _delete(self, where: str, *value: str) -> None:
        """Delete turns and all that belongs to them. where: the condition on rows of `turns`."""
        await self.database.run_all(
            (f"DELETE FROM steps WHERE turn IN (SELECT id FROM turns {where})", *value),
            (f"DELETE FROM destinations WHERE turn IN (SELECT id FROM turns {where})", *value),
            (f"DELETE FROM addresses WHERE (thread, turn) IN (SELECT thread, n FROM turns {where})", *value),
            (f"DELETE FROM turns {where}", *value),
        )

    async def deliver(self, server: Database) -> None:
        """Bring every turn that has ended to *server*, if it is for that one, in their order.

        Done twice, the result is the same.
        """
        ended = await self.database.run(
            f"SELECT id, thread, n, goal, piped, {_ENDED} FROM turns"
            " JOIN destinations ON turn = id WHERE status != 'open' AND server = ? ORDER BY started_at",
            self.server,
        )
        for id_, thread, n, goal, piped, *end in ended:
            find = "SELECT id, url, source, official_name FROM addresses WHERE thread = ? AND turn = ?"
            rows = await self.database.run(f"{find} ORDER BY id", thread, n)
            turn = await History(server).begin(
                thread,
                goal,
                by_name=[(url, source, name) for _, url, source, name in rows],
                material=piped,
                id_=id_,
            )
            names = {row[0]: address.id for row, address in zip(rows, turn.typed, strict=True)}
            await self._hand_over(server, turn, names, dict(zip(_ENDED.split(", "), end, strict=True)))
            await self._delete("WHERE id = ?", id_)

    async def _hand_over(
        self, server: Database, turn: Turn, names: Mapping[str, str], end: dict[str, Any]
    ) -> None:
        """End *turn*, begun on *server*, as it ended here. names: the ids of its addresses there, by ours."""

        def renamed(text: str) -> str:
            ids = r'(?:(?<=")|(?<=open ))[us]\d+(?=\??(?:"|$))'
            return re.sub(ids, lambda id_: names.get(id_[0], id_[0]), text)

        # Another machine may have shown a list since: its lines are those that the person has before them.
        since = "SELECT 1 FROM turns WHERE thread = ? AND shown IS NOT NULL AND ended_at > ? LIMIT 1"
        if end["shown"] and await server.run(since, turn.thread, end["ended_at"]):
            end["shown"] = None
        for name in ("question", "intent"):
            end[name] = end[name] and renamed(end[name])
        steps = await self.database.run(f"SELECT {_STEP} FROM steps WHERE turn = ?", turn.id)
        # Not again: on the server it may have been answered meanwhile.
        close = f"UPDATE turns SET ({_ENDED}) = ({marks(end)}) WHERE id = ? AND usage IS NULL"
        add = f"INSERT INTO steps ({_STEP}) VALUES ({marks(_STEP.split())}) ON CONFLICT (turn, n) DO NOTHING"
        await server.run_all(
            (close, *end.values(), turn.id),
            *((add, *step, renamed(rule), renamed(arguments)) for *step, rule, arguments in steps),
            (_OPENED, turn.n, turn.thread, turn.id),
            *([counting_offers(turn.thread, tables_in(end["tables"]))] if end["tables"] else []),
        )


def server_of(url: str) -> str:
    """Return an id for the server and database of a DATABASE_URL. It holds no password.

    Works without psycopg, which a plain command doesn't import.
    """
    where, _, query = re.sub(r"^\w+://(([^@/?:]*)(:[^@/?]*)?@)?", r"\2@", url).partition("?")
    if "://" not in url:
        where, query = "", url
    more = re.findall(r"(\w+)\s*=\s*('(?:\\.|[^'\\])*'|[^\s&]*)", query)
    return " ".join([where, *sorted(f"{name}={value}" for name, value in more if name in _PLACE)]).strip()
