"""What stands in the database when a late answer comes adds nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

# What a row may say instead, of a plain command whose question waits.
ROWS = {
    "other words": "goal = 'open other.example'",
    "more words": "goal = 'open a.example and open other.example'",
    "words that no command is": "goal = 'find a page and open it'",
    "another step": "question = replace(question, '\"step\": 1', '\"step\": 2')",
    "another part": "question = replace(question, '\"part\": 1', '\"part\": 2')",
}


@pytest.mark.parametrize("row", ROWS)
def test_a_yes_opens_nothing_but_what_was_asked_whatever_the_row_says_now(shell, row):
    shell.jarvis("policy", "ask", "open", "a.example")
    shell.jarvis("policy", "ask", "open", "other.example")
    id_ = shell.json("open a.example")["question"]["id"]
    with closing(sqlite3.connect(shell.settings.folders.history)) as rows:
        assert rows.execute(f"UPDATE turns SET {ROWS[row]} WHERE asked = ?", (id_,)).rowcount == 1
        rows.commit()

    done = shell.jarvis("--answer", f"{id_}=y")

    assert set(shell.opened) <= {"https://a.example"}, done.stderr
    assert done.status in (0, 2, 3), done.stderr
