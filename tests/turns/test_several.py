"""`open A and B`: each is opened, as the steps of one turn."""

import pytest

from jarvis.core.errors import NoHandler
from jarvis.policy import rules
from tests.house import understood


def test_each_is_opened_in_order_as_steps_of_one_turn(house):
    house.install("Firefox")

    ended = house.plain("open github, firefox and a.example").ended

    assert (house.desktop.opened, house.desktop.launched) == (
        ["https://github.com", "https://a.example"],
        ["firefox"],
    )
    assert [(step["n"], step["action"], step["state"]) for step in ended.summary["steps"]] == [
        (1, "open_website", "done"),
        (2, "open_app", "done"),
        (3, "open_website", "done"),
    ]
    assert ended.summary["intent"] == ["open site github", "start firefox", "open u2"]
    assert house.rows("SELECT count(*) FROM turns") == [(1,)]
    assert house.rows("SELECT rule FROM steps ORDER BY n") == [
        ("you asked: open site github",),
        ("you asked: start firefox",),
        ("you asked: open u2",),
    ]


def test_one_that_fails_does_not_stop_the_others(house):
    house.desktop.fails["https://b.example"] = NoHandler("No browser is set up.")

    ended = house.plain("open a.example, b.example and c.example").ended

    assert house.desktop.opened == ["https://a.example", "https://c.example"]
    assert [step["state"] for step in ended.summary["steps"]] == ["done", "failed", "done"]
    assert (ended.status, ended.exit_status) == ("failed", 1)


def test_at_what_nobody_can_be_asked_about_it_stops_and_an_answer_goes_on_from_there(house):
    """What stands before it is done, and not once more; what stands behind it may have to wait again."""
    for host in ("b.example", "d.example"):
        rules.remember(house.settings.folders.policy, "ask", "opens", host)
    asked = house.plain("open a.example, b.example, c.example and d.example")
    opened = [*house.desktop.opened]
    second = house.answer(asked, "y")
    last = house.answer(second, "n")

    assert [asked.status, second.status, last.status] == [("needs_answer", 3)] * 2 + [("refused", 4)]
    assert "https://b.example" in asked.summary["question"]["text"]
    assert opened == ["https://a.example"]
    assert house.desktop.opened == [f"https://{name}.example" for name in "abc"]
    steps = [(step["n"], step["state"]) for step in last.summary["steps"]]
    assert steps == [(1, "done"), (2, "done"), (3, "done"), (4, "declined")]
    assert [(step["n"], step["state"]) for step in house.turns()[0]["steps"]] == steps


@pytest.mark.parametrize("words", ["open spotify and github", "open github and gimp", "open github and 9x"])
def test_where_one_is_not_plain_or_means_several_things_all_is_left_to_the_model(house, words):
    house.install("Spotify")

    assert understood(words, house.names) is None


def test_lines_of_the_list_are_opened_too_or_none_where_one_is_not_there(house):
    from tests.turns.test_plain import listed

    listed(house, "https://a.example/", "https://b.example/")

    house.plain("open 2 and 1")

    assert house.desktop.opened == ["https://b.example/", "https://a.example/"]


def test_a_name_with_and_in_it_is_one_name(house):
    house.install("Black and White")
    house.install("Black")
    house.install("White")

    house.plain("open black and white")

    assert house.desktop.launched == ["black and white"]
