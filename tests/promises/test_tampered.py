"""What stands in the database when a late answer comes, or after a crash, adds nothing."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import closing

import pytest

from jarvis.core.types import Turn
from jarvis.policy import questions
from jarvis.policy.rules_file import load_rules
from jarvis.turns.answered_later import asked_in
from tests.attacking import ATTACKS, EVIL, GOALS, READINGS, opening_titled, searching
from tests.promises.test_attacked_program import Attacked, Case
from tests.shell import wait_until
from tests.twins.faults import Stall

OTHER = "https://other.example/"
BOTH = """[Desktop Entry]
Type=Application
Name=MIT
Exec=sh -c "echo started >> opened"
"""


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


def tamper(shell, id_, change, *, is_renamed):
    """Have *change* made to what is kept of the question; is_renamed: under the digest of what it is then."""
    with database(shell) as rows:
        turn, text = rows.execute("SELECT id, question FROM turns WHERE asked = ?", (id_,)).fetchone()
        record = json.loads(text)
        change(record)
        if is_renamed:
            digest = questions.digest(Turn(turn, "", 0, ()), asked_in(record, {}))
            record["id"] = f"q1-{digest}"
        rows.execute("UPDATE turns SET question = ? WHERE asked = ?", (json.dumps(record), id_))
        rows.commit()


def another_address(record):
    record["request"]["target"] = OTHER
    for address in record["addresses"]:
        address["url"] = OTHER


def a_private_address(record):
    record["request"]["target"] = "http://192.168.1.1/reset"
    for address in record["addresses"]:
        address.update(url="http://192.168.1.1/reset", source="alias")


def a_picture(record):
    record["request"].update(action="take_screenshot", effect="captures", target="/tmp/x.png", address="")


def an_app(record):
    record["request"].update(action="open_app", effect="launches", target="gimp", address="", title="Gimp")


def no_address(record):
    record["addresses"] = []


@pytest.mark.parametrize("is_renamed", [False, True], ids=["", "and its digest"])
@pytest.mark.parametrize("change", [another_address, a_private_address, a_picture, an_app, no_address])
def test_a_yes_is_to_what_was_asked_and_to_nothing_that_the_row_says_now(attacked, change, is_renamed):
    id_ = asked(attacked)
    tamper(attacked.shell, id_, change, is_renamed=is_renamed)

    done = attacked.shell.jarvis("--answer", f"{id_}=y")

    assert done.status == 0
    assert attacked.shell.opened == [EVIL]  # which is what they were asked about, with its host and the doubt
    assert done.stdout.startswith(f"{EVIL}\n")


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


def test_no_always_is_kept_for_a_name_that_the_row_says_now(attacked):
    id_ = asked(attacked)
    tamper(attacked.shell, id_, lambda row: row["request"].update(title="other.example"), is_renamed=True)
    attacked.shell.jarvis("--answer", f"{id_}=a")

    kept = [load_rules(str(path)).rules for path in (attacked.shell.home / "jarvis").rglob("policy.toml")]
    assert "other.example" not in str(kept)


@pytest.mark.parametrize("option", ["1", "2"])
@pytest.mark.parametrize("url", [OTHER, "file:///etc/passwd", "firefox", ""])
def test_of_a_choice_only_what_the_name_means_here_is_done(attacked, option, url):
    apps = attacked.shell.home / ".local" / "share" / "applications"
    (apps / "mit.desktop").write_text(BOTH)
    id_ = attacked.shell.json("open mit")["question"]["id"]

    def swap(record):
        chosen = record["request"]["choices"][int(option) - 1]
        for address in record["addresses"]:
            address["url"] = url if address["id"] == chosen else address["url"]

    if url:
        tamper(attacked.shell, id_, swap, is_renamed=False)
    done = attacked.shell.jarvis("--answer", f"{id_}={option}")

    if url:
        assert done.status == 4
        assert attacked.shell.opened == []
        assert not (attacked.shell.home / "jarvis" / "config" / "aliases.json").exists()
    elif option == "1":
        assert attacked.shell.opened == ["https://www.mit.edu"]
    else:
        assert "Did not start MIT: there is no screen" in done.stdout


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
