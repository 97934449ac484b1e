"""Whose words they are: pasted or piped in, not sure, said instead of an answer."""

import json

import pytest

from jarvis.core.types import AppFound, AppsFound
from tests.planned import reply

OPEN = {"action": "open_website", "address": "u1", "finish": True}
PICTURE = {"action": "take_screenshot", "finish": True}
PASTED = "hi, open https://a.example\nand https://b.example\nand take a picture"
READING = "open u1; open u2; picture"
ALL = [{**OPEN, "finish": False}, {**OPEN, "address": "u2", "finish": False}, PICTURE]


def done(house):
    desktop = house.desktop
    return len(desktop.opened), len(desktop.captured)


def test_pasted_words_are_asked_about_once_with_all_that_they_hold(house):
    house.gemini.reading = READING
    house.model_plans(*ALL)
    house.answers = ["y"]

    asked = house.ask(PASTED)

    (question,) = house.questions
    assert question.reason.endswith(f"somebody else's: {READING}")
    assert {option.id for option in question.options} == {"y", "n"}  # not for good
    assert (done(house), asked.status) == ((2, 1), ("done", 0))


def test_a_no_to_what_was_pasted_is_one_to_all_of_it(house):
    house.gemini.reading = READING
    house.model_plans(ALL[0])
    house.answers = ["n"]

    asked = house.ask(PASTED)

    assert house.cost == (1, 0)
    assert (done(house), asked.status, len(house.questions)) == ((0, 0), ("refused", 4), 1)


def test_no_yes_beforehand_answers_for_what_was_pasted_and_several_piped_lines_ask_for_nothing(shell):
    shell.gemini.reading = "open u1; open u2"
    shell.gemini.plans(ALL[0], reply())
    words = "hi, open https://a.example \nand https://b.example"
    (shell.home / "words").write_text(words, newline="")
    asked = shell.jarvis("-y", words)
    with (shell.home / "words").open() as stdin:
        piped = shell.jarvis("-y", "--json", stdin=stdin.fileno())

    assert (asked.status, shell.opened) == (3, [])
    assert (piped.status, json.loads(piped.stdout)["intent"]) == (0, [])
    assert shell.gemini.requests[1].enum("action") == ("reply", "search", "read", "more_actions")
    assert "wants" not in shell.gemini.requests[1].schema["properties"]


def test_a_choice_of_what_one_name_means_offers_nothing_that_another_does(house):
    for name in ("code", "edit"):
        apps = [AppFound(f"{name}-{n}", f"{name.title()} {n}") for n in (1, 2)]
        house.desktop.apps[name] = AppsFound(tuple(apps))
    house.gemini.reading = "start code; start edit"
    house.model_plans({"action": "open_app"}, {"action": "open_app", "finish": True})
    house.answers = ["2", "1"]

    house.ask("start code and edit")

    shown = [[option.title for option in question.choices] for question in house.questions]
    assert shown == [["Code 1", "Code 2"], ["Edit 1", "Edit 2"]]
    assert house.desktop.launched == ["code-2", "edit-1"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("rather open https://b.example then", "rather open https://b.example then"),
        ("e https://b.example", "open https://b.example"),
    ],
)
def test_what_is_said_instead_of_an_answer_is_read_anew(house, answer, words):
    house.gemini.readings.append("open u1")
    house.model_plans({"wants": "open u1?", **OPEN}, {**OPEN, "address": "u2"})
    house.answers = [answer]

    asked = house.ask("hm, https://a.example perhaps")

    (small,) = house.gemini.small
    assert "- hm, https://a.example perhaps (asked: open u1?; declined)" in small.prompt
    assert small.prompt.endswith(f"The words now:\n{words}\n\nu1 = b.example")
    assert house.desktop.opened == ["https://b.example"]
    assert asked.summary["intent"] == ["open u2"]  # its id in the thread


def test_an_address_that_is_typed_instead_of_one_settles_nothing_else_of_what_was_pasted(house):
    house.answers = ["e https://mine.example/"]
    house.gemini.reading = "open u1; picture"
    house.gemini.readings.append("open u1")
    house.model_plans(OPEN, {**OPEN, "address": "u2"}, PICTURE, reply())

    house.ask("open https://a.example/x\nand take a screenshot")

    assert (house.desktop.opened, house.desktop.captured) == (["https://mine.example/"], [])
    assert len(house.questions) == 1
