"""Writes down that a turn begins: gives it its number in its thread, and a new thread its title."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from ..core.processes import began
from ..core.text import one_line
from ..core.types import Address
from .addresses import named_id
from .database import Row, Transaction
from .untold import UNTOLD

# Why what goes by a name is its official address.
_BY_NAME = {"site": "a known site", "alias": "your alias"}
LONGEST_TITLE = 80  # characters
# Of an UPDATE: a thread that has a title keeps it.
TITLED = "title = CASE WHEN threads.title = '' THEN excluded.title ELSE threads.title END"
OPEN = "SELECT id, pid, pid_since, started_at FROM turns WHERE thread = ? AND status = 'open'"
# With the first id of its own addresses: others may have been given since.
_WRITTEN = (
    "SELECT turns.n, COALESCE((SELECT MIN(CAST(SUBSTR(addresses.id, 2) AS INTEGER)) FROM addresses"
    " WHERE addresses.thread = turns.thread AND turn = turns.n AND step = 0), typed + 1), offers"
    " FROM turns JOIN threads ON threads.id = turns.thread WHERE turns.id = ?"
)


def title_of(goal: str, own: int) -> str:
    """Return the title of a thread that begins with *goal*; empty where those are not the person's own words.

    own: as history has it, 1 or 0.
    """
    return one_line(goal, LONGEST_TITLE) if own else ""


class Begun(NamedTuple):
    """A turn that is written down."""

    n: int  # its number in the thread
    typed: int  # how many ids that has given: of the addresses in words,
    offers: int  # of offers
    open: tuple[Row, ...] = ()  # the turns that were open before it, as OPEN finds them
    untold: tuple[Row, ...] = ()  # as UNTOLD finds them


def named_in(sources: Sequence[tuple[str, str, str]], minted: int) -> tuple[Address, ...]:
    """Return the addresses that words name, each from (address, its source, the name).

    minted: how many ids their thread has given with theirs, which are the last ones.
    """
    first = minted - len(sources) + 1
    return tuple(
        Address(
            named_id(source, first + i),
            url,
            source=source,
            official=_BY_NAME.get(source, ""),
            official_name=name,
        )
        for i, (url, source, name) in enumerate(sources)
    )


async def insert_turn(
    transaction: Transaction,
    turn: str,
    thread: str,
    asked: Row,
    addresses: int,
    *,
    shared: bool,
    is_locked: bool,
) -> Begun:
    """Write *turn* down.

    asked: (goal, piped, intent, own). shared: whether the database is on a server.
    is_locked: whether the caller holds the lock of *thread*, and wants to know what was left there.
    """
    now = time.time()
    goal, _, _, own = asked
    # Changes nothing, but has whoever writes here wait: only then is it looked whether it is written already.
    await transaction.send(
        "INSERT INTO threads (id, created_at, used_at, title) VALUES (?, ?, ?, ?)"
        f" ON CONFLICT (id) DO UPDATE SET {TITLED}",
        thread,
        now,
        now,
        title_of(goal, own),
    )
    counted, *left = await transaction.run_all(
        # None, where the connection was lost after all was written.
        (
            "UPDATE threads SET used_at = ?, turns = turns + 1, typed = typed + ? WHERE id = ?"
            " AND NOT EXISTS (SELECT 1 FROM turns WHERE id = ?) RETURNING turns, typed, offers",
            now,
            addresses,
            thread,
            turn,
        ),
        *([(f"{OPEN} AND id != ?", thread, turn), (UNTOLD, thread)] if is_locked else []),
    )
    found = tuple(map(tuple, left))
    if not counted:
        n, first, offers = (await transaction.run(_WRITTEN, turn))[0]
        return Begun(n, first + addresses - 1, offers, *found)
    n, minted, offers = counted[0]
    pid = None if shared or is_locked else os.getpid()  # a lock is the better sign of life
    await transaction.send(
        "INSERT INTO turns (id, thread, n, goal, piped, intent, own, status, pid, pid_since,"
        " started_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)",
        turn,
        thread,
        n,
        *asked,
        pid,
        (began(pid) or None) if pid else None,
        now,
    )
    return Begun(n, minted, offers, *found)
