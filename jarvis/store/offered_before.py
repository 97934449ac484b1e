"""Finds what a turn is offered of the addresses that its thread knew before it."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.types import Address, Turn
from .addresses import ADDRESS, COLUMNS, OFFERED_OPENED, OFFERED_SEARCHES, OLDEST_SEARCH, in_order, offer
from .database import Row, Statement


def finding_offered(turn: Turn) -> tuple[Statement, Statement, Statement]:
    """Return what finds the addresses of the last searches, those opened last, those of the turn before."""
    thread = turn.thread
    # By ranges: for these SQLite takes the index, and reads no more of a long thread.
    searches = f"{ADDRESS} WHERE thread = ? AND turn >= ({OLDEST_SEARCH}) AND step > 0"
    opened = f"{ADDRESS} WHERE thread = ? AND opened IS NOT NULL ORDER BY opened DESC LIMIT ?"
    before = f"{ADDRESS} WHERE thread = ? AND turn >= ? AND turn < ? AND step = 0"  # for “try again”
    return (
        (searches, thread, thread),
        (opened, thread, OFFERED_OPENED),
        (before, thread, turn.n - 1, turn.n),
    )


def offered_in(
    turn: Turn,
    shown: Sequence[Address],
    searches: Sequence[Row],
    opened: Sequence[Row],
    before: Sequence[Row],
) -> list[Address]:
    """Return the addresses that the model may choose from, in the order of their ids.

    shown: the list last shown in its thread. The others are what `finding_offered` found.
    """
    newest, *older = _by_search(searches) or [[]]
    rest = [address for found in older for address in found]
    return offer([*turn.typed, *in_order(before), *shown, *newest, *in_order(opened), *rest])


def _by_search(rows: Sequence[Row]) -> list[list[Address]]:
    """Return what each of the last searches found, the newest first."""
    found: dict[Row, list[Row]] = {}
    for row in rows:
        found.setdefault(row[COLUMNS:], []).append(row)
    return [in_order(found[search]) for search in sorted(found, reverse=True)[:OFFERED_SEARCHES]]
