"""Keeps questions that nobody could answer when they were asked: for a day, to be answered once."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from json import loads
from typing import Any, NamedTuple

from .database import Database, Row

VALID = 86_400.0  # seconds for which a question may be answered: later, nobody knows what it was about
_TAKEN = "id, thread, goal, question, piped, own, n"


class Taken(NamedTuple):
    """A question that nobody could answer when it was asked, and that is being answered now."""

    turn: str
    thread: str
    goal: str
    question: Mapping[str, Any]  # as `end` was given it
    material: str = ""  # these two are as an Exchange has them
    is_own: bool = False
    n: int = 0  # the turn's number in its thread


async def kept_question(database: Database, id_: str) -> Taken | None:
    """Return the question of that id, if nobody has taken it and it is no older than a day."""
    rows = await database.run(
        f"SELECT {_TAKEN} FROM turns WHERE asked = ? AND ended_at > ?", id_, time.time() - VALID
    )
    return _taken(rows[0]) if rows else None


async def open_questions(database: Database, thread: str) -> dict[str, Mapping[str, Any]]:
    """Return the questions of *thread* that may be answered still, by turn."""
    rows = await database.run(
        "SELECT id, asked, question FROM turns WHERE thread = ? AND asked IS NOT NULL AND ended_at > ?",
        thread,
        time.time() - VALID,
    )
    questions = {turn: (asked, loads(question)) for turn, asked, question in rows}
    return {turn: question for turn, (asked, question) in questions.items() if asked == question["id"]}


async def is_void(database: Database, id_: str) -> bool:
    """Return whether the question of that id was asked, and nobody has answered it in a day."""
    aged = "SELECT 1 FROM turns WHERE asked = ? AND ended_at <= ?"
    return bool(await database.run(aged, id_, time.time() - VALID))


async def take_question(database: Database, id_: str) -> Taken | None:
    """Take the question, and return it; None where it is too old, or another process took it first."""
    ours = f"{id_} {os.urandom(8).hex()}"  # by which it is known again, if this is repeated
    rows = await database.run(
        f"UPDATE turns SET asked = ? WHERE asked IN (?, ?) AND ended_at > ? RETURNING {_TAKEN}",
        ours,
        id_,
        ours,
        time.time() - VALID,
    )
    return _taken(rows[0]) if rows else None


async def question_taken(database: Database, id_: str) -> Taken | None:
    """Return the question of that id, which was taken by somebody whose brain died."""
    rows = await database.run(f"SELECT {_TAKEN} FROM turns WHERE asked LIKE ?", f"{id_} %")
    return _taken(rows[0]) if rows else None


def _taken(row: Row) -> Taken:
    turn, thread, goal, question, piped, own, n = row
    return Taken(turn, thread, goal, loads(question), piped, own == 1, n)
