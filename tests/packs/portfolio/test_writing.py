"""Nothing of the person's portfolio is changed but by a yes to exactly that, which counts once."""

from __future__ import annotations

import json
import time

import pytest

from jarvis.core.errors import UsageError
from jarvis.output.questions import nobody_answers
from tests.answering import answered
from tests.conftest import BOTH
from tests.packs.portfolio.buying import DAY, FIND, WORDS, adding, kept, sent, told, writes
from tests.twins.ghostfolio import GhostfolioTwin

STORED = [("BUY", 5.0, 112.3)]


def asked_by_nobody(house):
    """The question that is left, where nobody can answer it."""
    told(house)
    house.otherwise = nobody_answers
    return house.ask(WORDS)


def test_a_yes_sends_what_was_shown_once_and_it_is_read_back(house, portfolio):
    told(house)
    house.answers = ["y"]

    found = house.ask(WORDS)

    (question,) = house.questions
    host = portfolio.url.removeprefix("http://")
    assert (question.kind, question.host, question.text) == ("write", host, f"Send this to {host} ?")
    assert question.lines == (
        "BUY 5 VWCE.DE (FTSE All-World) at €112.30 = €561.50, fee €1.50",
        "Fri 21 Nov 2025, Broker A",
        "like it there already: none; Ghostfolio does not change the account's cash by it",
    )
    (body,) = sent(portfolio)
    assert [body] == question.body["activities"]
    assert body["comment"] == f"jarvis:{question.body['key']}"
    assert (body["quantity"], body["unitPrice"], body["fee"], body["date"][:10]) == (5, 112.3, 1.5, DAY)
    assert (found.status, kept(portfolio)) == (("done", 0), STORED)
    reply = "Stored and read back: 1 activity (batch 1). To undo it: jarvis portfolio undo 1"
    assert found.reply == reply
    assert house.cost == (2, 0)


# What is another body by the time of the yes


def _is_stored_by_another(house, ghost):
    account = ghost.accounts[0]["id"]
    ghost.booked("BUY", "VWCE.DE", "5", "112.30", DAY, fee="1.50", account=account)


def _has_another_account_of_that_name(house, ghost):
    ghost.accounts.remove(ghost.accounts[0])
    ghost.account("Broker A")


CHANGES = [_is_stored_by_another, _has_another_account_of_that_name]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("second", ["y", "n"])
def test_a_yes_to_what_has_changed_meanwhile_is_asked_for_again(house, portfolio, change, second):
    told(house)

    def meanwhile(question):
        if len(house.questions) > 1:
            return second
        change(house, portfolio)
        return "y"

    house.otherwise = meanwhile
    found = house.ask(WORDS)

    one, other = house.questions
    assert one.id != other.id
    assert (one.body, one.lines) != (other.body, other.lines)
    assert len(writes(portfolio)) == (second == "y")
    assert (kept(portfolio), found.status[0]) == ((STORED, "done") if second == "y" else ([], "refused"))
    for body in sent(portfolio):
        assert [body] == other.body["activities"]


@pytest.mark.parametrize("change", CHANGES)
def test_an_answer_that_comes_later_counts_for_the_same_alone(house, portfolio, change):
    first = asked_by_nobody(house)
    assert (first.status, first.summary["question"]["kind"]) == (("needs_answer", 3), "write")
    change(house, portfolio)

    again = answered(house, first, "y")

    assert (again.status, writes(portfolio)) == (("needs_answer", 3), [])
    assert again.summary["question"]["id"] != first.summary["question"]["id"]
    assert answered(house, again, "y").status == ("done", 0)
    assert len(writes(portfolio)) == 1


def test_it_counts_for_no_other_server(house, ghost):
    """Where nothing else in it is another."""
    ghost.quotes("VWCE.DE", "FTSE All-World", "112.37")
    told(house, FIND, adding(account=None))
    house.otherwise = nobody_answers
    first = house.ask(WORDS)
    with GhostfolioTwin(base="EUR") as other:
        other.quotes("VWCE.DE", "FTSE All-World", "112.37")
        house.environment["GHOSTFOLIO_URL"] = other.url

        again = answered(house, first, "y")

        assert (again.status, writes(ghost), writes(other)) == (("needs_answer", 3), [], [])
        assert again.summary["question"]["host"] == other.url.removeprefix("http://")
        assert {each.headers["host"] for each in other.requests} == {other.url.removeprefix("http://")}


def test_it_counts_for_no_other_day(shell, portfolio):
    """Today is meant, which is another one by the time of the yes."""
    told(shell, FIND, adding(day=None))
    first = shell.jarvis("--json", WORDS, environment={"TZ": "WEST+12"})
    question = json.loads(first.stdout)["question"]

    late = shell.jarvis("--json", f"--answer={question['id']}=y", environment={"TZ": "EAST-14"})

    assert (first.status, late.status, writes(portfolio)) == (3, 3, []), late
    days = [
        each["body"]["activities"][0]["date"][:10] for each in (question, json.loads(late.stdout)["question"])
    ]
    assert days == sorted({*days})


def test_a_yes_after_a_quarter_of_an_hour_is_asked_for_again(house, portfolio, monkeypatch):
    told(house)
    now, sent_by = time.time, []

    def late(question):
        sent_by.append(len(writes(portfolio)))
        monkeypatch.setattr(time, "time", lambda: now() + 901)  # from then on: once
        return "y"

    house.otherwise = late
    found = house.ask(WORDS)

    assert (found.status, sent_by) == (("done", 0), [0, 0])
    assert kept(portfolio) == STORED


def _came_too_late(house, first):
    asking = house.rows("SELECT id, question FROM turns WHERE asked IS NOT NULL")
    ((turn, question),) = asking
    record = json.loads(question) | {"expires_at": 1.0}
    house.rows("UPDATE turns SET question = ? WHERE id = ?", json.dumps(record), turn)


def _was_given_before(house, first):
    assert answered(house, first, "n").status == ("refused", 4)


def _names_another(house, first):
    first.summary["question"]["id"] = f"{first.summary['question']['id'][:-1]}g"


@BOTH
@pytest.mark.parametrize("wrong", [_came_too_late, _was_given_before, _names_another])
def test_an_answer_that_is_late_second_or_to_no_question_does_nothing(house, portfolio, wrong):
    first = asked_by_nobody(house)
    wrong(house, first)

    with pytest.raises(UsageError, match="There is no open question"):
        answered(house, first, "y")

    assert writes(portfolio) == []


def test_it_counts_for_no_other_turn(house, portfolio):
    """Whoever writes in history gives the question of one turn to another."""
    first = asked_by_nobody(house)
    told(house)
    house.ask(WORDS, thread="another")
    house.rows("UPDATE turns SET asked = NULL WHERE thread = 'default'")
    id_ = first.summary["question"]["id"]
    (other,) = house.rows("SELECT question FROM turns WHERE thread = 'another'")
    question = json.dumps(json.loads(other[0]) | {"id": id_})
    house.rows("UPDATE turns SET asked = ?, question = ? WHERE thread = 'another'", id_, question)

    again = answered(house, first, "y")

    assert (again.status, writes(portfolio)) == (("needs_answer", 3), [])


# Who says yes, and who does not

SAID = {  # to the question: what it comes to, and the last status
    **dict.fromkeys(["n", "no", "", "N", "a", "1", "yy", "nope, not today"], ("refused", 4)),
    **dict.fromkeys(["y", "Yes", " y "], ("done", 0)),
}


def test_anything_else_than_yes_sends_nothing(house, portfolio):
    with house.staying():
        for n, (said, status) in enumerate(SAID.items()):
            before = len(writes(portfolio))
            told(house)
            house.answers = [said]

            found = house.ask(WORDS, thread=f"t{n}")

            assert (len(house.questions), found.status) == (n + 1, status), said
            assert len(writes(portfolio)) - before == (status[0] == "done"), said


@pytest.mark.parametrize(
    ("how", "words", "stdin", "statuses"),
    [
        ([], WORDS, None, [3]),
        (["-y"], WORDS, None, [3]),
        (["--json", "-y"], WORDS, None, [3]),
        (["--ndjson"], WORDS, "", [3]),
        (["-y"], "put this into my portfolio", f"{WORDS}\n", [1, 3, 4]),
    ],
)
def test_nobody_says_yes_beforehand_or_by_a_pipe(shell, portfolio, how, words, stdin, statuses):
    told(shell)

    done = shell.jarvis(*how, words, stdin=stdin)

    assert (done.status in statuses, writes(portfolio)) == (True, []), done


def test_a_record_with_the_id_of_the_question_answers_it(shell, portfolio):
    told(shell)
    with shell.program().start("--ndjson", WORDS, stdin="") as running:
        running.wait_for('"asked"')
        running.write(b'{"question": "q2-0123456789abcdef", "answer": "y"}\n')
        running.wait_for("was no answer")
        assert writes(portfolio) == []
        asked = json.loads(bytes(running._outputs["stdout"].said).splitlines()[-1])["question"]
        assert asked["body"]["activities"][0]["quantity"] == 5
        running.write(json.dumps({"question": asked["id"], "answer": "y"}).encode() + b"\n")
        done = running.finish()

    assert (done.status, kept(portfolio)) == (0, STORED)


@pytest.mark.parametrize("later", [False, True], ids=["at once", "by an answer that comes later"])
@pytest.mark.parametrize("name", ["Broker B", "Broker A"], ids=["another name", "the same name"])
def test_of_several_accounts_they_choose_one_by_number_and_then_see_all_of_it(house, portfolio, name, later):
    portfolio.accounts[1]["name"] = name
    told(house, FIND, adding(account=None))
    house.answers = ["n"]
    assert (house.ask(WORDS, thread="none").status, writes(portfolio)) == (("refused", 4), [])

    told(house, FIND, adding(account=None))
    house.answers = [] if later else ["2", "y"]
    house.otherwise = nobody_answers

    done = house.ask(WORDS)
    for answer in ("2", "y") if later else ():
        assert writes(portfolio) == []
        done = answered(house, done, answer)

    _, which, whole = house.questions
    assert [(each.id, each.title) for each in which.options[:2]] == [("1", "Broker A"), ("2", name)]
    assert (which.kind, whole.kind) == ("choice", "write")
    assert f"Fri 21 Nov 2025, {name}" in whole.lines
    (body,) = sent(portfolio)
    assert (done.status, body["accountId"]) == (("done", 0), portfolio.accounts[1]["id"])
