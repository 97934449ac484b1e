"""History: what was asked and what came of it, per thread.

A turn's row exists before the first model call; a step's row says `started` before the hands act.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..turn import Address, Found, Outcome, unknown
from .sqlite import Database

OFFERED_SEARCHES = 3
OFFERED_OPENED = 10
OFFERED_MOST = 30  # larger enums are refused by the API
_WINDOW = 20  # turns the model sees: a question and an answer each
_BLOCK = 10  # it shrinks by this many at once, so that its beginning seldom changes


class Turn(NamedTuple):
    """A turn that has begun."""

    id: str
    thread: str
    n: int  # its number in the thread, from 1
    typed: tuple[Address, ...]  # the addresses in its own words


class Exchange(NamedTuple):
    """What was said and done in one earlier turn."""

    goal: str
    did: str  # its steps' outcomes, a line each
    reply: str
    status: str


class Abandoned(NamedTuple):
    """A step of a turn that stopped in the middle: it may or may not have happened."""

    turn: str
    n: int
    action: str
    target: str


class History:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, thread: str, goal: str, typed: Sequence[str] = (), piped: Sequence[str] = ()) -> Turn:
        """Write down that *goal* was asked in *thread*, and mint ids for the addresses in it.

        typed: those in the person's own words. piped: those in text that they piped in.
        """
        now, turn = time.time(), os.urandom(8).hex()
        sources = [(url, "typed") for url in typed] + [(url, "piped") for url in piped if url not in typed]
        with self._database.transaction():
            row = self._database.run(
                "INSERT INTO threads (id, created_at, used_at, turns, typed) VALUES (?, ?, ?, 1, ?)"
                " ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at, turns = threads.turns + 1,"
                " typed = threads.typed + excluded.typed RETURNING turns, typed",
                *(thread, now, now, len(sources)),
            )
            n, minted = row[0]
            self._database.run(
                "INSERT INTO turns (id, thread, n, goal, status, pid, started_at)"
                " VALUES (?, ?, ?, ?, 'open', ?, ?)",
                *(turn, thread, n, goal, os.getpid(), now),
            )
            first = minted - len(sources) + 1
            named = tuple(Address(f"u{first + i}", url, source=s) for i, (url, s) in enumerate(sources))
            self._keep(thread, n, 0, named)
        return Turn(turn, thread, n, named)

    def start_step(
        self, turn: Turn, n: int, action: str, arguments: Mapping[str, object], target: str
    ) -> None:
        self._database.run(
            "INSERT INTO steps (turn, n, action, arguments, target, state, started_at)"
            " VALUES (?, ?, ?, ?, ?, 'started', ?)",
            *(turn.id, n, action, json.dumps(arguments, ensure_ascii=False), target, time.time()),
        )

    def end_step(self, turn: Turn, n: int, outcome: Outcome, opened: str = "") -> None:
        """Write down what came of a step; *opened* is the id of the address that it opens."""
        with self._database.transaction():
            self._database.run(
                "UPDATE steps SET state = ?, outcome = ?, ended_at = ? WHERE turn = ? AND n = ?",
                *(outcome.state, outcome.text, time.time(), turn.id, n),
            )
            if opened and outcome.state == "done":
                self._database.run(
                    "UPDATE addresses SET opened = ? WHERE thread = ? AND id = ?",
                    turn.n,
                    turn.thread,
                    opened,
                )

    def keep_found(
        self, turn: Turn, step: int, found: Sequence[Found], known: Sequence[Address] = ()
    ) -> tuple[Address, ...]:
        """*found*, each under its id: that of *known* where it is known, else a newly minted one."""
        ids = {address.url: address.id for address in known if address.source == "found"}
        new = [f for f in found if f.url not in ids]
        with self._database.transaction():
            rows = self._database.run(
                "UPDATE threads SET found = found + ? WHERE id = ? RETURNING found", len(new), turn.thread
            )
            first = rows[0][0] - len(new) + 1
            ids |= {f.url: f"r{first + i}" for i, f in enumerate(new)}
            addresses = [Address(ids[f.url], f.url, f.title, f.snippet, "found", f.official) for f in found]
            self._keep(turn.thread, turn.n, step, addresses)
        return tuple(addresses)

    def end(
        self,
        turn: Turn,
        status: str,
        reply: str = "",
        *,
        shown: Sequence[str] = (),
        error: str | None = None,
        usage: Mapping[str, object] | None = None,
    ) -> None:
        """Close the turn. shown: the addresses' ids as they were listed to the person."""
        self._database.run(
            "UPDATE turns SET status = ?, reply = ?, shown = ?, error = ?, usage = ?, ended_at = ?"
            " WHERE id = ?",
            *(status, reply, json.dumps(shown) if shown else None, error),
            *(json.dumps(usage) if usage else None, time.time(), turn.id),
        )

    def transcript(self, turn: Turn) -> list[Exchange]:
        """The turns before *turn* that the model sees, oldest first: 11 to 20 of them, or all."""
        before = turn.n - 1
        size = before if before <= _WINDOW else _WINDOW - _BLOCK + 1 + (before - _WINDOW - 1) % _BLOCK
        rows = self._database.run(
            "SELECT goal, (SELECT group_concat(outcome, char(10)) FROM"
            " (SELECT outcome FROM steps WHERE turn = turns.id ORDER BY n)), reply, status"
            " FROM turns WHERE thread = ? AND n >= ? AND n < ? AND status != 'open' ORDER BY n",
            *(turn.thread, turn.n - size, turn.n),
        )
        return [Exchange(goal, did or "", reply, status) for goal, did, reply, status in rows]

    def offered(self, turn: Turn) -> list[Address]:
        """The addresses the model may choose from, in the order in which they were minted."""
        searches = self._database.run(
            "SELECT DISTINCT turn, step FROM addresses WHERE thread = ? AND step > 0"
            " ORDER BY turn DESC, step DESC LIMIT ?",
            *(turn.thread, OFFERED_SEARCHES),
        )
        found = [self._read("turn = ? AND step = ?", turn.thread, *search) for search in searches]
        newest, older = (found[0], [a for some in found[1:] for a in some]) if found else ([], [])
        opened = self._read("opened IS NOT NULL ORDER BY opened DESC LIMIT ?", turn.thread, OFFERED_OPENED)
        before = self._read("turn = ? AND step = 0", turn.thread, turn.n - 1)  # for “try again”
        return offer([*turn.typed, *before, *self.shown(turn.thread), *newest, *opened, *older])

    def shown(self, thread: str) -> list[Address]:
        """The list last shown in *thread*, in its order."""
        rows = self._database.run(
            "SELECT shown FROM turns WHERE thread = ? AND shown IS NOT NULL ORDER BY n DESC LIMIT 1", thread
        )
        ids = json.loads(rows[0][0]) if rows else []
        return [address for id_ in ids for address in self._read("id = ?", thread, id_)]

    def line(self, thread: str, number: int) -> Address | None:
        """What stands in line *number*, from 1, of the list last shown in *thread*."""
        shown = self.shown(thread)
        return shown[number - 1] if 1 <= number <= len(shown) else None

    def close_abandoned(self, thread: str) -> list[Abandoned]:
        """Close what a crash left open in *thread*, whose lock the caller holds.

        A step that had started becomes `unknown`: it is neither repeated nor called done.
        """
        rows = self._database.run(
            "SELECT id, pid, started_at FROM turns WHERE thread = ? AND status = 'open'", thread
        )
        return [left for id_, pid, at in rows if not alive(pid, at) for left in self._abandon(id_)]

    def _abandon(self, turn: str) -> list[Abandoned]:
        with self._database.transaction():
            # It may have ended since it was looked at.
            closed = self._database.run(
                "UPDATE turns SET status = 'interrupted', ended_at = ? WHERE id = ? AND status = 'open'"
                " RETURNING id",
                *(time.time(), turn),
            )
            if not closed:
                return []
            rows = self._database.run(
                "SELECT turn, n, action, target FROM steps WHERE turn = ? AND state = 'started'", turn
            )
            for _, n, action, target in rows:
                outcome = unknown(action, target)
                self._database.run(
                    "UPDATE steps SET state = ?, outcome = ? WHERE turn = ? AND n = ?",
                    *(outcome.state, outcome.text, turn, n),
                )
        return [Abandoned(*row) for row in rows]

    def has_open(self, thread: str) -> bool:
        """Whether a turn of *thread* is open: under way, or left so by a crash."""
        return bool(
            self._database.run("SELECT 1 FROM turns WHERE thread = ? AND status = 'open' LIMIT 1", thread)
        )

    def open_ids(self) -> set[str]:
        """The ids of all turns that are open."""
        return {row[0] for row in self._database.run("SELECT id FROM turns WHERE status = 'open'")}

    def last_thread(self) -> str | None:
        """The thread used last, by anybody."""
        rows = self._database.run("SELECT id FROM threads ORDER BY used_at DESC LIMIT 1")
        return rows[0][0] if rows else None

    def close(self) -> None:
        self._database.close()

    def _keep(self, thread: str, n: int, step: int, addresses: Sequence[Address]) -> None:
        self._database.run_many(
            "INSERT INTO addresses (thread, id, url, title, source, official, turn, step)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread, id) DO UPDATE SET title = excluded.title,"
            " official = excluded.official, turn = excluded.turn, step = excluded.step",
            [(thread, a.id, a.url, a.title, a.source, a.official, n, step) for a in addresses],
        )

    def _read(self, where: str, thread: str, *arguments: object) -> list[Address]:
        rows = self._database.run(
            f"SELECT id, url, title, source, official FROM addresses WHERE thread = ? AND {where}",  # noqa: S608
            *(thread, *arguments),
        )
        addresses = [
            Address(id_, url, title, "", source, official) for id_, url, title, source, official in rows
        ]
        return sorted(addresses, key=_minted)


def offer(addresses: Sequence[Address]) -> list[Address]:
    """At most 30 of *addresses*, the first ones counting most, each URL once, by minting order.

    One that was typed keeps its id, and takes on what a search knows of it.
    """
    once: dict[str, Address] = {}
    for address in addresses:
        kept = once.setdefault(address.url, address)
        once[address.url] = kept._replace(
            title=kept.title or address.title,
            snippet=kept.snippet or address.snippet,
            official=kept.official or address.official,
        )
    return sorted(list(once.values())[:OFFERED_MOST], key=_minted)


def _minted(address: Address) -> tuple[str, int]:
    return address.id[:1], int(address.id[1:])


def alive(pid: int | None, started: float) -> bool:
    """Whether a plain command, which takes no lock, is still at it: such a one takes seconds."""
    if not pid or pid == os.getpid() or time.time() - started > 60:
        return False
    if os.name == "nt":
        return True  # there, os.kill(pid, 0) would end it
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
