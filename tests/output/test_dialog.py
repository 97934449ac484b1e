"""What each key does at a question, and what is shown of it."""

from __future__ import annotations

import io

import pytest

from jarvis.core.events import Option, Question
from jarvis.core.types import Address, Effect, Request, Turn
from jarvis.output.dialog import Dialog, show_question
from jarvis.output.keyboard import CTRL_D, DOWN, ENTER, ESCAPE, TAB, UP
from jarvis.output.screen import Screen
from jarvis.policy import questions

TURN = Turn("t1", "work", 1, ())
PAGE = "https://xn--mnchen-3ya.example/"
A_PAGE = Effect("opens", PAGE, address=Address("r1", PAGE))
OPENING = Request(2, "open_website", A_PAGE, ask="odd letters", doubts=("odd letters",))
APOLLOS = {
    "r1": Address("r1", "https://www.apollo.io/", "Apollo"),
    "r2": Address("r2", "https://www.apollo.io/team/of/a/page/whose/address/is/long?and=more", "Apollo"),
    "a1": Address("a1", "apollo", "Apollo", source="app"),
}
CHOOSING = OPENING._replace(choices=("r1", "r2", "a1"), ask="“apollo” can mean each of these")
YES_OR_NO = questions.approval(TURN, OPENING)
ONE_OF_THREE = questions.choice(TURN, CHOOSING, APOLLOS)
ONE_OF_TEN = Question("q", "choice", "Which?", tuple(Option(str(n), f"Site {n}") for n in range(1, 11)))
NEAR = Question("", "name", "Which?", (Option("1", "Spotify", "app", "app"), Option("n", "none")))


def at(question, keys, width=80):
    """The dialog after those *keys*, and all that it wrote."""
    screen = Screen({}, stdin=io.StringIO(), stdout=io.StringIO(), stderr=io.StringIO())
    screen.err_tty = True
    dialog = Dialog(screen, question)
    dialog.prompt()
    for key in keys:
        dialog.press(key)
    return dialog, screen._err.getvalue()


# The question, the keys: the answer, None where there is none yet.
ANSWERS = [
    *((YES_OR_NO, [key], key) for key in ("y", "t", "a", "n", "N")),
    *((YES_OR_NO, ["Y"], "y"), (NEAR, ["N"], "n")),
    *((YES_OR_NO, [key], "n") for key in (ENTER, ESCAPE, CTRL_D)),
    *((YES_OR_NO, [key], None) for key in ("", "x", "A", "T", "1", "!", UP, DOWN, "?", " ")),
    (YES_OR_NO, ["x", "", UP, "?", "y"], "y"),
    *((ONE_OF_THREE, [key], "n") for key in (ENTER, ESCAPE, CTRL_D, "n")),
    *((ONE_OF_THREE, [key], None) for key in ("1", "3", UP, DOWN, "y", "!", "0", "4")),
    *((ONE_OF_THREE, keys, "2") for keys in (["2", ENTER], ["1", "2", ENTER], [DOWN, DOWN, ENTER])),
    *((ONE_OF_THREE, keys, "3!") for keys in (["3", "!"], [UP, "!"], [DOWN, UP, "!"])),
    (ONE_OF_THREE, ["4", ENTER], "n"),
    (ONE_OF_THREE, ["2", "4", ENTER], "2"),
    (ONE_OF_THREE, [UP, DOWN, ENTER], "1"),
    (ONE_OF_THREE, ["2", ESCAPE], "n"),
    (ONE_OF_TEN, ["1", "0", ENTER], "10"),
    (ONE_OF_TEN, ["1", "1", ENTER], "1"),
    (NEAR, ["1", "!"], "1!"),
]


@pytest.mark.parametrize(("question", "keys", "answer"), ANSWERS)
def test_a_key_answers_or_does_nothing(question, keys, answer):
    assert at(question, keys)[0].answer == answer


@pytest.mark.parametrize("key", [TAB, "e"])
def test_they_may_say_what_to_do_instead_where_something_was_begun(key):
    dialog = at(YES_OR_NO, [key])[0]
    assert dialog.wants_words
    dialog.say("")
    assert (dialog.answer, dialog.wants_words) == (None, False)
    dialog.say("the official one")

    heard = questions.hear(YES_OR_NO, dialog.answer)

    assert (heard.option, heard.text) == (questions.EDIT, "the official one")
    assert not at(NEAR, [key])[0].wants_words


@pytest.mark.parametrize("words", ["y", "yes", "always", "2!", "n"])
def test_no_word_said_instead_is_a_key(words):
    dialog = at(YES_OR_NO, [TAB])[0]
    dialog.say(words)

    assert questions.hear(YES_OR_NO, dialog.answer) == questions.Heard(questions.EDIT, words)


def test_what_an_answer_keeps_is_explained_with_where_it_stands_and_how_it_is_undone():
    told = " ".join(at(YES_OR_NO, ["?"])[1].split())

    kept = "open host=xn--mnchen-3ya.example"
    assert f"in this thread about: {kept}, for: odd letters. It stands in consents.json until" in told
    assert "jarvis threads delete work" in told
    assert f"a rule is saved in policy.toml: allow {kept}, for: odd letters. To undo it: jarvis" in told
    assert f"a rule is saved in policy.toml: deny {kept}. To undo it: jarvis policy rm NUMBER" in told
    assert told.endswith(">")


def test_a_pick_list_has_whole_addresses_and_no_two_lines_alike():
    lines = at(ONE_OF_THREE, [])[1].splitlines()

    assert lines[2:6] == [
        "  1  Apollo  https://www.apollo.io/",
        "  2  Apollo",
        f"     {APOLLOS['r2'].url}",
        "  3  Apollo  app",
    ]


def test_the_line_below_a_list_shows_what_is_marked_and_what_was_taken():
    shown = at(ONE_OF_THREE, [DOWN, "3", "!"])[1].split("\n> ")[1]

    assert shown.split("\r\x1b[K> ") == [
        *("", "1  Apollo  https://www.apollo.io/", "3  Apollo  app", "3!  Apollo  app\n"),
    ]


@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_address_is_cut_or_broken_however_narrow_the_screen(width):
    class Narrow(Screen):
        @property
        def width(self):
            return width

    screen = Narrow({}, stdin=io.StringIO(), stdout=io.StringIO(), stderr=io.StringIO())
    show_question(screen, ONE_OF_THREE)
    lines = screen._err.getvalue().splitlines()

    assert APOLLOS["r2"].url in "\n".join(lines)
    assert [line for line in lines if len(line) >= width and "://" not in line] == []
