"""`open A and B`: each is opened, as the steps of one turn."""

from __future__ import annotations

import pytest

from jarvis.core.errors import NoHandler
from jarvis.launcher.command import understood
from jarvis.output.prompts import nobody_answers
from jarvis.policy import rules_file


def test_each_is_opened_in_order_as_steps_of_one_turn(quick):
    quick.install("Firefox")

    ended = quick.run("open github, firefox and a.example")

    assert (quick.desktop.opened, quick.desktop.launched) == (
        ["https://github.com", "https://a.example"],
        ["firefox"],
    )
    assert [(step["n"], step["action"], step["state"]) for step in ended.summary["steps"]] == [
        (1, "open_website", "done"),
        (2, "open_app", "done"),
        (3, "open_website", "done"),
    ]
    assert ended.summary["intent"] == ["open site github", "start firefox", "open u1"]
    assert quick.rows("SELECT count(*) FROM turns") == [(1,)]
    assert quick.rows("SELECT rule FROM steps ORDER BY n") == [
        ("you asked: open site github",),
        ("you asked: start firefox",),
        ("you asked: open u1",),
    ]


def test_one_that_fails_does_not_stop_the_others(quick):
    quick.desktop.fails["https://b.example"] = NoHandler("No browser is set up.")

    ended = quick.run("open a.example, b.example and c.example")

    assert quick.desktop.opened == ["https://a.example", "https://c.example"]
    assert [step["state"] for step in ended.summary["steps"]] == ["done", "failed", "done"]
    assert (ended.status, ended.exit_status) == ("failed", 1)


def test_one_that_is_denied_does_not_stop_the_others(quick):
    rules_file.remember(quick.settings.folders.policy, "deny", "opens", "github.com")

    ended = quick.run("open github and gitlab")

    assert quick.desktop.opened == ["https://gitlab.com"]
    assert (ended.status, ended.exit_status) == ("refused", 4)


def test_what_nobody_can_be_asked_about_waits_and_the_rest_is_done(quick):
    for host in ("a.example", "c.example"):
        rules_file.remember(quick.settings.folders.policy, "ask", "opens", host)
    rules_file.remember(quick.settings.folders.policy, "deny", "opens", "d.example")
    quick.answer = nobody_answers

    ended = quick.run("open a.example, b.example, c.example and d.example")

    assert quick.desktop.opened == ["https://b.example"]
    assert (ended.status, ended.exit_status) == ("needs_answer", 3)
    assert "https://a.example" in ended.summary["question"]["text"]
    told = [step["outcome"] for step in ended.summary["steps"]]
    assert told[1:] == [
        "Did not open https://c.example: it needs an answer, too.",
        "Did not open https://d.example: policy rule 3 denies it.",
    ]
    assert quick.rows("SELECT n, state FROM steps ORDER BY n") == [(2, "done"), (3, "failed"), (4, "refused")]


@pytest.mark.parametrize("words", ["open spotify and github", "open github and gimp", "open github and 9x"])
def test_where_one_is_not_plain_or_means_several_things_all_is_left_to_the_model(quick, words):
    quick.install("Spotify")

    assert understood(words, quick.names) is None


def test_lines_of_the_list_are_opened_too_or_none_where_one_is_not_there(quick):
    from tests.turns.test_direct import listed

    listed(quick, "https://a.example/", "https://b.example/")

    quick.run("open 2 and 1")

    assert quick.desktop.opened == ["https://b.example/", "https://a.example/"]


def test_a_name_with_and_in_it_is_one_name(quick):
    quick.install("Black and White")
    quick.install("Black")
    quick.install("White")

    quick.run("open black and white")

    assert quick.desktop.launched == ["black and white"]
