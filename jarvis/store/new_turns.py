"""Writes down that a turn begins: gives it its number in its thread, and a new thread its title."""

from __future__ import annotations

import os
import time

from ..core.text import one_line
from .database import Row, Transaction

LONGEST_TITLE = 80  # characters
# Of an UPDATE: a thread that has a title keeps it.
TITLED = "title = CASE WHEN threads.title = '' THEN excluded.title ELSE threads.title END"


def title_of(goal: str, own: int) -> str:
    """Return the title of a thread that begins with *goal*; empty where those are not the person's own words.

    own: as history has it, 1 or 0.
    """
    return one_line(goal, LONGEST_TITLE) if own else ""


async def insert_turn(
    transaction: Transaction, turn: str, thread: str, asked: Row, addresses: int, *, shared: bool
) -> tuple[int, int, int]:
    """Return the turn's number in its thread, and how many ids that has given: of addresses, of offers.

    asked: (goal, piped, intent, own). shared: whether the database is on a server.
    """
    now = time.time()
    if shared:  # where the connection may have been lost after all was written
        written = await transaction.run(
            "SELECT turns.n, typed, offers FROM turns JOIN threads ON threads.id = turns.thread"
            " WHERE turns.id = ?",
            turn,
        )
        if written:
            return written[0][0], written[0][1], written[0][2]
    goal, _, _, own = asked
    row = await transaction.run(
        "INSERT INTO threads (id, created_at, used_at, turns, typed, title) VALUES (?, ?, ?, 1, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at, turns = threads.turns + 1,"
        f" typed = threads.typed + excluded.typed, {TITLED} RETURNING turns, typed, offers",
        thread,
        now,
        now,
        addresses,
        title_of(goal, own),
    )
    n, minted, offers = row[0]
    await transaction.run(
        "INSERT INTO turns (id, thread, n, goal, piped, intent, own, status, pid, started_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?)",
        turn,
        thread,
        n,
        *asked,
        None if shared else os.getpid(),
        now,
    )
    return n, minted, offers
