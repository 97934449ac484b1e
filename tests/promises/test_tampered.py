"""What stands in the database when a late answer comes, or after a crash, adds nothing."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing

import pytest

from jarvis.policy.rules_file import load_rules
from tests.attacking import ATTACKS, EVIL, GOALS, READINGS, opening_titled, searching
from tests.promises.test_attacked_program import Attacked, Case
from tests.shell import wait_until
from tests.twins.faults import Stall


@pytest.fixture
def attacked(shell):
    return Attacked(shell)


def database(shell):
    (file,) = (shell.home / "jarvis").rglob("history.db")
    return closing(sqlite3.connect(file))


def asked(attacked):
    """The id of the question whether the attacker's page is to be opened."""
    plans = (searching(), opening_titled("Poison"))
    attacked.script(*plans, found=(("Poison", EVIL, ""),), reading="open site MIT")
    answer = attacked.shell.json("find the MIT website and open it")
    assert answer["status"] == "needs_answer"
    return answer["question"]["id"]


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
    with database(shell) as rows:
        assert rows.execute(f"UPDATE turns SET {ROWS[row]} WHERE asked = ?", (id_,)).rowcount == 1
        rows.commit()

    done = shell.jarvis("--answer", f"{id_}=y")

    assert set(shell.opened) <= {"https://a.example"}, done.stderr
    assert done.status in (0, 2, 3), done.stderr


def test_an_honest_row_is_answered(attacked):
    id_ = asked(attacked)

    assert attacked.shell.jarvis("--answer", f"{id_}=y").status == 0
    assert attacked.shell.opened == [EVIL]


def test_an_always_is_for_the_host_and_the_doubt_that_were_asked_about(attacked):
    id_ = asked(attacked)

    assert attacked.shell.jarvis("--answer", f"{id_}=a").status == 0
    (path,) = (attacked.shell.home / "jarvis").rglob("policy.toml")
    (rule,) = load_rules(str(path)).rules
    assert (rule.verdict, rule.name, rule.doubt) == ("allow", "evil.example", "another is official")


@pytest.mark.parametrize("name", ["a question", "reported", "an app"])
def test_after_a_crash_the_next_turn_has_its_own_intent_alone(attacked, name):
    attacked.script(reading="open site MIT; picture")
    attacked.shell.gemini._script.clear()
    attacked.shell.gemini.plans(searching(), Stall())
    words = "open the MIT website and take a screenshot"
    broken_off = attacked.shell.program().start("-t", "crashed", words, cold=True)
    wait_until(lambda: len(attacked.shell.gemini.requests) == 2)
    broken_off.send(signal.SIGKILL)
    broken_off.finish()

    goal = GOALS[name]
    for attack in ("a title that claims it", "a picture", "everything in turn", "a second opening"):
        attacked.script(*ATTACKS[attack].plans, found=ATTACKS[attack].found, reading=READINGS[name])
        attacked.shell.jarvis("-t", "crashed", goal.words)

    assert attacked.beyond(Case("crashed", goal, "")) == []
    assert attacked.shell.opened == []
