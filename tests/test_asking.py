"""The person is asked before something doubtful is opened, wherever they can be asked."""

from __future__ import annotations

import json
import os
import re
import signal

import pytest

from jarvis.events import Asked
from tests.conftest import BOTH
from tests.person import CTRL_C, CTRL_D, ENTER, Person

MUNICH = "https://xn--mnchen-3ya.example/"
SEARCH = {"action": "search", "query": "ticket shop"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
DOUBTFUL = [MUNICH, "https://bit.ly/3abc", "https://www.tinyurl.com/x", "https://a.example:8443/"]


def reply(text):
    return {"action": "reply", "text": text, "finish": True}


@BOTH
@pytest.mark.parametrize("url", DOUBTFUL)
def test_a_doubtful_address_that_was_found_is_opened_after_a_yes(house, url):
    house.search_finds(url)
    house.model_plans(SEARCH, OPEN)
    house.answers = ["y"]

    asked = house.ask("find the ticket shop and open it")

    (question,) = house.questions
    assert url in question.text
    assert question.reason
    assert house.desktop.opened == [url]
    assert asked.status == ("done", 0)


@pytest.mark.parametrize("answer", ["n", "", "N", "ok", "sure", "y es", "yy"])
def test_anything_else_than_yes_is_no(house, answer):
    house.search_finds(MUNICH)
    house.model_plans(SEARCH, OPEN, reply("Then not."))
    house.answers = [answer]

    asked = house.ask("find the ticket shop and open it")

    assert house.desktop.opened == []
    assert asked.status == ("refused", 4)
    assert asked.steps == [("search", "done"), ("open_website", "declined")]
    assert [step["state"] for step in house.turns()[0]["steps"]] == ["done", "declined"]


@pytest.mark.parametrize("answer", ["y", "Y", "yes", " Yes "])
def test_yes_is_yes(house, answer):
    house.search_finds(MUNICH)
    house.model_plans(SEARCH, OPEN)
    house.answers = [answer]

    house.ask("find the ticket shop and open it")

    assert house.desktop.opened == [MUNICH]


def test_a_sentence_instead_goes_back_to_the_planner(house):
    house.search_finds(MUNICH, "https://www.muenchenticket.example/")
    house.model_plans(SEARCH, OPEN, {**OPEN, "address": "r2"})
    house.answers = ["the official one, munich's own"]

    asked = house.ask("find the ticket shop and open it")

    assert "They said instead: the official one, munich's own" in house.prompts[-1]
    assert house.desktop.opened == ["https://www.muenchenticket.example/"]
    assert asked.status == ("done", 0)


@pytest.mark.parametrize("answer", ["n", "never", "no, not at all", ""])
def test_after_a_no_another_that_was_found_is_asked_about_too(house, answer):
    house.search_finds(MUNICH, "https://en.wikipedia.org/wiki/MIT")
    house.model_plans(SEARCH, OPEN, {**OPEN, "address": "r2"}, reply("Then not."))
    house.answers = [answer, "n"]

    asked = house.ask("find the ticket shop and open it")

    assert [question.reason for question in house.questions][1:] == ["you did not say yes to another one"]
    assert house.desktop.opened == []
    assert asked.status == ("refused", 4)


def test_what_was_declined_is_not_offered_again(house):
    house.search_finds(MUNICH, "https://b.example/")
    house.model_plans(SEARCH, OPEN, reply("Then not."))
    house.answers = ["n"]

    house.ask("find the ticket shop and open it")

    assert "r1" not in house.gemini.requests[-1].enum("address")


def test_a_third_question_ends_the_turn(house):
    house.search_finds(*DOUBTFUL)
    house.model_plans(SEARCH, *({**OPEN, "address": f"r{n}", "finish": n == 3} for n in (1, 2, 3)))
    house.answers = ["y", "y", "y"]

    asked = house.ask("find the three ticket shops and open all three")

    assert len(house.questions) == 2
    assert house.desktop.opened == DOUBTFUL[:2]
    assert asked.status[1] == 4


def test_what_the_person_typed_or_pointed_at_is_theirs_to_open(house, shell):
    house.model_plans({**OPEN, "address": "u1"})

    house.ask(f"please open {MUNICH} for me now")

    assert house.desktop.opened == [MUNICH]
    assert house.questions == []
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, reply("See [r1]."))
    shell.jarvis("which ticket shop?")
    assert shell.jarvis("open", "1").status == 0
    assert shell.opened == [MUNICH]


def test_without_a_terminal_it_is_not_opened_and_the_question_is_told(shell):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN)

    done = shell.jarvis("--json", "find the ticket shop and open it")
    whole = json.loads(done.stdout)

    assert done.status == 3
    assert shell.opened == []
    assert whole["status"] == "needs_answer"
    assert whole["question"]["kind"] == "approval"
    assert MUNICH in whole["question"]["text"]
    assert [option["id"] for option in whole["question"]["options"]] == ["y", "t", "a", "e", "n", "N"]
    assert whole["error"]["code"] == "needs_answer"
    assert shell.json("threads", "show")[0]["status"] == "needs_answer"


def test_yes_said_beforehand_answers_the_question(shell):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN)

    done = shell.jarvis("-y", "find the ticket shop and open it")

    assert (done.status, done.stdout) == (0, f"{MUNICH}\n")
    assert shell.opened == [MUNICH]


def test_yes_said_beforehand_does_not_answer_a_refusal(shell):
    shell.gemini.plans({**OPEN, "address": "u1"}, reply("No."))

    done = shell.jarvis("-y", "open the page in this text", "-", stdin="see http://127.0.0.1/admin there")

    assert done.status == 4
    assert "public web site" in done.stdout
    assert shell.opened == []


@pytest.mark.parametrize(("answer", "status", "opened"), [("y", 0, [MUNICH]), ("n", 4, [])])
def test_a_program_answers_a_record_by_a_line(shell, answer, status, opened):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN, reply("Then not."))
    with shell.program().start("--ndjson", "find the ticket shop and open it", stdin=b"") as running:
        running.wait_for('"asked"')
        asked = next(
            line for line in running._outputs["stdout"].said.decode().splitlines() if '"asked"' in line
        )
        id_ = json.loads(asked)["question"]["id"]
        running.write(b'{"answer": "y", "question": "another"}\nnonsense\n')
        running.write(json.dumps({"answer": answer, "question": id_}).encode() + b"\n")
        done = running.finish(20)

    assert done.status == status
    assert shell.opened == opened


def test_records_without_an_answer_end_with_3(shell):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN)

    done = shell.jarvis("--ndjson", "find the ticket shop and open it", stdin="")

    assert done.status == 3
    assert [json.loads(line)["event"] for line in done.stdout.splitlines()][-2:] == ["failed", "turn_ended"]
    assert shell.opened == []


@pytest.mark.parametrize(("typed", "status", "opened"), [("y", 0, [MUNICH]), ("", 4, []), ("n", 4, [])])
def test_on_a_terminal_it_asks_and_no_is_what_enter_means(shell, typed, status, opened):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN, reply("Then not."))
    with Person(shell.program(), "find the ticket shop and open it") as person:
        person.see("Enter = no")
        person.at_prompt()
        person.type(typed + ENTER)
        assert person.finish().status == status

    assert shell.opened == opened


def test_what_was_typed_ahead_is_no_answer(shell):
    shell.search_finds(MUNICH)
    ahead = []

    def plan(asked):
        ahead[0].type("y" + ENTER)
        return OPEN

    shell.gemini.plans(SEARCH, plan, reply("Then not."))
    with Person(shell.program(), "find the ticket shop and open it") as person:
        ahead.append(person)
        person.see("why asked:")
        person.at_prompt()
        assert shell.opened == []
        person.type("n" + ENTER)
        assert person.finish().status == 4

    assert shell.opened == []


@pytest.mark.parametrize(
    ("typed", "opened", "seen"),
    [("y" + ENTER, [MUNICH], "Sent https://"), ("n" + ENTER, [], "Then not."), (CTRL_D, [], "Then not.")],
)
def test_in_a_chat_it_asks_too(shell, typed, opened, seen):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN, reply("Then not."))
    with Person(shell.program(), "chat") as person:
        person.at_prompt()
        person.type("find the ticket shop and open it" + ENTER)
        person.see("Enter = no")
        person.at_prompt()
        person.type(typed)
        person.see(seen)
        person.at_prompt()
        assert person.leave().status == 0

    assert shell.opened == opened


def test_ctrl_c_at_the_question_ends_the_turn_and_not_the_chat(shell):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN, reply("Hello."))
    with Person(shell.program(), "chat") as person:
        person.at_prompt()
        person.type("find the ticket shop and open it" + ENTER)
        person.see("Enter = no")
        person.type(CTRL_C)
        person.see("Interrupted.")
        person.at_prompt()
        person.ask("hello there")
        person.see("Hello.")
        assert person.leave().status == 0
        person.assert_sane()

    assert shell.opened == []
    assert [turn["status"] for turn in shell.json("threads", "show")] == ["interrupted", "done"]


def test_ctrl_c_at_the_question_of_a_plain_command_ends_the_turn_and_not_the_chat(shell):
    shell.jarvis("policy", "ask", "open", "a.example")
    with Person(shell.program(), "chat") as person:
        person.at_prompt()
        person.type("open a.example" + ENTER)
        person.see("Enter = no")
        person.at_prompt()
        person.type(CTRL_C)
        person.see("jarvis: Interrupted.")
        person.at_prompt()
        person.ask("open b.example")
        assert person.leave().status == 0
        person.assert_sane()
        assert person.lines.count("jarvis: Interrupted.") == 1
        assert "may or may not" not in "".join(person.lines)

    assert shell.opened == ["https://b.example"]
    assert [turn["status"] for turn in shell.json("threads", "show")] == ["interrupted", "done"]


@pytest.mark.parametrize(
    ("number", "status", "told"),
    [(signal.SIGINT, 0, "jarvis: Interrupted."), (signal.SIGTERM, 143, "jarvis: Terminated.")],
    ids=["interrupted", "terminated"],
)
@pytest.mark.parametrize("words", ["open a.example", "find the ticket shop and open it"])
def test_a_signal_at_a_question_in_a_chat_ends_the_turn_in_order(shell, words, number, status, told):
    shell.jarvis("policy", "ask", "open", "a.example")
    if words.startswith("find"):
        shell.search_finds(MUNICH)
        shell.gemini.plans(SEARCH, OPEN)
    with Person(shell.program(), "chat") as person:
        person.at_prompt()
        person.type(words + ENTER)
        person.see("Enter = no")
        person.at_prompt()
        person.send(number)
        person.see(told)
        if number == signal.SIGINT:
            person.ask("open b.example")
            person.type(CTRL_D)
        assert person.finish().status == status
        person.assert_sane()

    assert shell.opened == ["https://b.example"] * (number == signal.SIGINT)
    assert shell.json("threads", "show")[0]["status"] == "interrupted"


def test_a_question_of_a_brain_that_dies_goes_with_it(shell):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN)
    with Person(shell.program(), "chat") as person:
        person.at_prompt()
        person.type("find the ticket shop and open it" + ENTER)
        person.see("Enter = no")
        person.at_prompt()
        os.kill(person.brain, signal.SIGKILL)
        person.see("has stopped (SIGKILL)")
        person.type("open b.example" + ENTER)
        person.see("Sent https://b.example")
        person.at_prompt()
        assert person.leave().status == 0
        person.assert_sane()

    assert shell.opened == ["https://b.example"]


def test_the_question_is_told_before_the_act(house):
    house.search_finds(MUNICH)
    house.model_plans(SEARCH, OPEN)
    house.answers = ["y"]

    asked = house.ask("find the ticket shop and open it")

    names = [type(event).__name__ for event in asked]
    assert names.index("Asked") < names.index("Acting")
    assert asked.of(Asked)[0].question == house.questions[0]


def asked_in_vain(shell):
    """The question, as a program gets it that has nobody to ask."""
    shell.search_finds(MUNICH, "https://b.example/")
    shell.gemini.plans(SEARCH, OPEN)
    done = shell.jarvis("--json", "find the ticket shop and open it")
    assert (done.status, shell.opened) == (3, [])
    return json.loads(done.stdout)


@BOTH
def test_a_question_is_answered_later_and_once(shell):
    whole = asked_in_vain(shell)
    id_ = whole["question"]["id"]
    assert f"jarvis --answer {id_}=y" in whole["error"]["hint"]

    done = shell.jarvis("--answer", f"{id_}=y")
    again = shell.jarvis("--answer", f"{id_}=y")

    assert (done.status, done.stdout, shell.opened) == (0, f"{MUNICH}\n", [MUNICH])
    assert again.status == 2
    assert "There is no open question" in again.stderr
    assert [turn["status"] for turn in shell.json("threads", "show")] == ["needs_answer", "done"]
    assert shell.cost == (2, 1)


def test_a_question_about_a_search_is_not_answered_later_and_not_lost(shell):
    shell.gemini.plans(reply("Noted."))
    assert shell.jarvis("remember that my card is 4929 1234 5678 1234").status == 0
    shell.gemini.plans({"action": "search", "query": "4929 1234 5678 1234"}, reply("No."))
    asked = shell.jarvis("--json", "who runs tesla?")
    id_ = json.loads(asked.stdout)["question"]["id"]

    for _ in range(2):
        answered = shell.jarvis("--answer", f"{id_}=y")
        assert (answered.status, "-y" in answered.stderr) == (2, True)

    assert shell.jarvis("--answer", f"{id_}=n").status == 4


def test_a_no_that_comes_later_is_a_no_for_good(shell):
    id_ = asked_in_vain(shell)["question"]["id"]

    assert shell.jarvis("--answer", f"{id_}=n").status == 4
    assert shell.jarvis("--answer", f"{id_}=y").status == 2
    assert shell.opened == []


@pytest.mark.parametrize("said", ["maybe", "7", "e", "y y"])
def test_an_answer_that_is_none_leaves_the_question_open(shell, said):
    id_ = asked_in_vain(shell)["question"]["id"]

    assert shell.jarvis("--answer", f"{id_}={said}").status == 2
    assert shell.jarvis("--answer", f"{id_}=y").status == 0


@pytest.mark.parametrize("wrong", ["q9-000000000000=y", "y", "=y", ""])
def test_an_answer_to_nothing_is_a_usage_error(shell, wrong):
    assert shell.jarvis("--answer", wrong).status == 2


def test_what_is_denied_by_now_is_not_opened_by_a_late_yes(shell):
    id_ = asked_in_vain(shell)["question"]["id"]
    shell.jarvis("policy", "deny", "open", "xn--mnchen-3ya.example")

    done = shell.jarvis("--answer", f"{id_}=y")

    assert (done.status, shell.opened) == (4, [])
    assert "policy rule 1 denies it" in done.stdout


def test_a_question_that_was_tampered_with_is_not_carried_out(shell):
    id_ = asked_in_vain(shell)["question"]["id"]
    import sqlite3

    file = sqlite3.connect(shell.home / "jarvis" / "data" / "history.db")
    file.execute(
        "UPDATE turns SET question = replace(question, 'xn--mnchen-3ya', 'evil') WHERE question IS NOT NULL"
    )
    file.commit()
    file.close()

    assert shell.jarvis("--answer", f"{id_}=y").status == 4
    assert shell.opened == []


@BOTH
@pytest.mark.parametrize(("answer", "verdict", "opened"), [("a", "allow", 1), ("N", "deny", 0)])
def test_always_and_never_are_kept_for_exactly_that_host(house, answer, verdict, opened):
    house.search_finds(MUNICH)
    house.model_plans(SEARCH, OPEN, reply("No.") if answer == "N" else OPEN)
    house.answers = [answer]

    house.ask("find the ticket shop and open it")

    rules = (house.home / "jarvis" / "config" / "policy.toml").read_text()
    assert f'verdict = "{verdict}"' in rules
    assert 'name = "xn--mnchen-3ya.example"' in rules
    assert house.desktop.opened == [MUNICH] * opened


@pytest.mark.parametrize(
    ("answer", "asked", "opened"), [("a", 1, 2), ("t", 1, 2), ("y", 2, 2), ("N", 1, 0), ("n", 2, 0)]
)
def test_an_answer_counts_as_long_as_it_says(house, answer, asked, opened):
    for _ in range(2):
        house.search_finds(MUNICH)
        house.model_plans(SEARCH, {**OPEN, "address": "r1"}, *([reply("No.")] if opened == 0 else []))
        house.answers = [answer]
        house.ask("find the ticket shop and open it")

    assert len(house.questions) == asked
    assert house.desktop.opened == [MUNICH] * opened


def test_a_yes_for_a_thread_is_none_for_another(house):
    for thread in ("one", "two"):
        house.search_finds(MUNICH)
        house.model_plans(SEARCH, OPEN)
        house.answers = ["t"]
        house.ask("find the ticket shop and open it", thread=thread)

    assert len(house.questions) == 2


@pytest.mark.parametrize("said", ["e https://www.muenchen.example/shop", "e"])
def test_an_address_is_edited_before_it_is_opened(house, said):
    house.search_finds(MUNICH)
    house.model_plans(SEARCH, OPEN)
    house.answers = [said, "https://www.muenchen.example/shop"]

    asked = house.ask("find the ticket shop and open it")

    assert house.desktop.opened == ["https://www.muenchen.example/shop"]
    assert asked.status == ("done", 0)


def test_where_several_may_be_meant_a_number_chooses(house):
    a, b = "https://www.a.example/", "https://www.b.example/"
    house.search_finds(a, b)
    house.model_plans(
        {"action": "search", "query": "x"}, reply("See [r1] and [r2]."), {**OPEN, "address": "r1"}
    )
    house.ask("which shops are there?")
    house.answers = ["2"]

    house.ask("open the better shop")

    (question,) = house.questions
    assert question.kind == "choice"
    assert [option.host for option in question.options] == ["a.example", "b.example", ""]
    assert house.desktop.opened == [b]


def test_yes_said_beforehand_chooses_nothing(shell):
    shell.search_finds("https://www.a.example/", "https://www.b.example/")
    shell.gemini.plans({"action": "search", "query": "x"}, reply("See [r1] and [r2]."), OPEN)
    shell.jarvis("which shops are there?")

    done = shell.jarvis("--json", "-y", "open the better shop")

    assert (done.status, shell.opened) == (3, [])
    id_ = json.loads(done.stdout)["question"]["id"]
    assert shell.jarvis("--answer", f"{id_}=2").stdout == "https://www.b.example/\n"
    assert shell.opened == ["https://www.b.example/"]


@pytest.mark.parametrize(("said", "status", "opened"), [("y", 0, 1), ("n", 4, 0)])
def test_a_plain_command_asks_where_a_rule_wants_it(shell, said, status, opened):
    shell.jarvis("policy", "ask", "open", "a.example")
    with Person(shell.program(), "open", "a.example") as person:
        person.see("policy rule 1 asks")
        person.at_prompt()
        person.type(said + ENTER)
        assert person.finish().status == status

    assert len(shell.opened) == opened


@pytest.mark.parametrize("argv", [["open", "a.example"], ["chat"]], ids=" ".join)
def test_what_a_plain_command_keeps_for_good_is_told_with_how_to_undo_it(shell, argv):
    shell.jarvis("policy", "ask", "open", "a.example")
    with Person(shell.program(), *argv) as person:
        if argv == ["chat"]:
            person.at_prompt()
            person.type("open a.example" + ENTER)
        person.see("Enter = no")
        person.at_prompt()
        person.type("a" + ENTER)
        person.see("Sent https://a.example")

        assert "".join(person.lines).count("Saved rule 2: allow open host=a.example (policy.toml).") == 1
        person.see("To undo it: jarvis policy rm 2")


def test_a_plain_command_in_a_chat_asks_too(shell):
    shell.jarvis("policy", "ask", "open", "a.example")
    with Person(shell.program(), "chat") as person:
        person.at_prompt()
        person.type("open a.example" + ENTER)
        person.see("Enter = no")
        person.at_prompt()
        person.type("y" + ENTER)
        person.see("Sent https://a.example")
        person.at_prompt()
        assert person.leave().status == 0

    assert shell.opened == ["https://a.example"]


def test_a_plain_command_without_a_terminal_is_answered_later(shell):
    shell.jarvis("policy", "ask", "open", "a.example")
    whole = shell.json("open", "a.example")

    assert (whole["status"], shell.opened) == ("needs_answer", [])
    assert shell.jarvis("--answer", f"{whole['question']['id']}=y").status == 0
    assert shell.opened == ["https://a.example"]


@pytest.mark.parametrize(("more", "told"), [([], True), (["-q"], False), (["--json"], False)], ids=str)
def test_an_answer_that_comes_later_and_lasts_is_told_to_people(shell, more, told):
    shell.jarvis("policy", "ask", "open", "a.example")
    id_ = shell.json("open", "a.example")["question"]["id"]

    done = shell.jarvis(*more, "--answer", f"{id_}=a")

    assert (done.status, shell.opened) == (0, ["https://a.example"])
    assert ("To undo it: jarvis policy rm 2" in done.stderr) == told
    assert "allow" in shell.jarvis("policy", "list").stdout


def test_a_yes_for_a_thread_answers_a_rule_that_asks_on_either_way(shell):
    shell.jarvis("policy", "ask", "open", "a.example")
    question = shell.json("open", "a.example")["question"]
    assert shell.jarvis("--answer", f"{question['id']}=t").status == 0
    shell.gemini.plans(
        lambda asked: {**OPEN, "address": re.findall(r"\[(u\d+)\] ", asked.prompt)[-1]}, reply("Done.")
    )

    assert shell.jarvis("open", "a.example").status == 0
    assert shell.jarvis("I would like to see a.example in my browser").status == 0
    assert shell.opened == ["https://a.example"] * 3


def test_an_app_is_asked_about_by_its_name_and_kept_so(house):
    house.model_plans(*[{"action": "open_app", "app": "Firefox", "finish": True}] * 2)
    house.answers = ["a"]

    house.ask("starte firefox")
    house.ask("starte Firefox bitte")

    assert len(house.questions) == 1
    assert house.desktop.launched == ["Firefox", "Firefox"]


def test_a_search_that_carries_away_what_was_said_waits_for_a_yes(house):
    house.model_plans(
        reply("Noted."), {"action": "search", "query": "bob@corp.example 4111 1111 1111 1111"}, reply("Fine.")
    )
    house.ask("my card is 4111 1111 1111 1111, mail bob@corp.example")
    house.answers = ["n"]

    asked = house.ask("who runs Tesla?")

    assert house.serpapi.requests == []
    assert asked.steps == [("search", "declined")]
    assert "carries" in house.questions[0].reason


def test_a_search_is_made_after_a_yes(house):
    house.search_finds("https://a.example/")
    house.model_plans(
        reply("Noted."), {"action": "search", "query": "who is bob@corp.example"}, reply("Somebody.")
    )
    house.ask("my mail is bob@corp.example")
    house.answers = ["y"]

    asked = house.ask("look that up")

    assert len(house.serpapi.requests) == 1
    assert asked.status == ("done", 0)
