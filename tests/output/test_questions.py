"""Which keys answer a question, on the terminals there are: the whole program, and a person before it."""

from __future__ import annotations

import itertools
import time

import pytest

from tests.person import CTRL_C, CTRL_D, DOWN, END_OF_PASTE, ENTER, ESC, PASTE, TAB, UP, Person

pytestmark = pytest.mark.slow

A, B = "https://a.example", "https://b.example"
SIZES = itertools.cycle([(80, 24), (40, 20)])
LONG_PASTE = f"{PASTE}yes{ENTER}y{ENTER}{END_OF_PASTE}"

# What is pressed where a rule has them asked about a.example, what is opened, and the exit status.
APPROVAL = [
    *((key, [A], 0) for key in ("y", "Y", "t", "a", "yes" + ENTER, "y" + ENTER)),
    *((key, [], 4) for key in ("n", "N", ENTER, ESC, CTRL_D, "no" + ENTER, "never" + ENTER)),
    *((key + "y", [A], 0) for key in ("x", "", " ", "1", "!", "0", UP, DOWN, "A", "T", "\x1b[C", "ü")),
    *((key, [], 130) for key in (CTRL_C, "x" + CTRL_C, TAB + CTRL_C, TAB + "open b" + CTRL_C)),
    *((f"{PASTE}{text}{END_OF_PASTE}n", [], 4) for text in ("y", "a", "yes", f"yes{ENTER}")),
    (LONG_PASTE + "y", [A], 0),
    (TAB + "open b.example" + ENTER, [B], 0),
    ("e" + "open b.example" + ENTER, [B], 0),
    ("/" + "open b.example" + ENTER, [B], 0),
    (TAB + B + ENTER, [B], 0),
]
# Where “spotify” may be a site, or an app: what would be done, empty for nothing, and the exit status.
SITE, APP = "Would open https://open.spotify.com", "Would start Spotify."
CHOICE = [
    *((keys, SITE, 0) for keys in ("1" + ENTER, DOWN + ENTER, UP + UP + ENTER, "21" + ENTER, "1!")),
    *((keys, APP, 0) for keys in ("2" + ENTER, DOWN + DOWN + ENTER, UP + ENTER, "2!", "9" + UP + "!")),
    *((keys, "", 4) for keys in (ENTER, ESC, CTRL_D, "n", "9" + ENTER, "2" + ESC, "0" + ENTER, "!y" + ESC)),
    (DOWN + DOWN + DOWN + ENTER, SITE, 0),
    (f"{PASTE}1{END_OF_PASTE}{ENTER}", "", 4),
    ("2" + CTRL_C, "", 130),
]
# On a terminal that has lines alone: what is typed.
DUMB = [
    *((line + ENTER, [A], 0) for line in ("y", "yes", "a", "always", "t", "Y")),
    *((line + ENTER, [], 4) for line in ("n", "no", "", "never", "x")),
    *((keys, [], status) for keys, status in ((CTRL_D, 4), (CTRL_C, 130), ("half" + CTRL_C, 130))),
    ("e" + ENTER + "open b.example" + ENTER, [B], 0),
]


def asked(shell, *argv, size=(80, 24), **environment):
    """The person who is asked before a.example is opened."""
    shell.jarvis("policy", "ask", "open", "a.example")
    return Person(shell.program(**environment), *(argv or ("open", "a.example")), size=size)


@pytest.mark.parametrize(("keys", "opened", "status"), APPROVAL)
def test_a_key_answers_or_does_nothing(shell, keys, opened, status):
    with asked(shell, size=next(SIZES)) as person:
        person.at_prompt()
        person.type(keys)
        assert person.finish().status == status
        person.assert_sane()

    assert shell.opened == opened
    rules = shell.jarvis("policy", "list").stdout
    assert ("allow" in rules, "deny" in rules) == (keys == "a", keys[0] == "N")


@pytest.mark.parametrize(("keys", "told", "status"), CHOICE)
def test_a_choice_is_marked_by_arrows_and_numbers_and_taken_once_or_from_now_on(shell, keys, told, status):
    program = shell.program(**shell.installed("Spotify"))
    with Person(program, "-n", "open", "spotify", size=next(SIZES)) as person:
        person.see("2  Spotify  app")
        person.at_prompt()
        person.type(keys)
        assert person.finish().status == status
        person.assert_sane()
        assert (told in " ".join(person.lines)) if told else "Would" not in " ".join(person.lines)

    assert (shell.home / "jarvis/config/aliases.json").exists() == ("!" in keys and bool(told))


@pytest.mark.parametrize(("keys", "opened", "status"), DUMB)
def test_answers_are_typed_where_the_terminal_has_lines_alone(shell, keys, opened, status):
    with asked(shell, TERM="dumb") as person:
        for part in keys.split(ENTER):
            person.until(lambda: person.line.endswith((">", "instead:")) or person._output.ended())
            before = len(person.said)
            person.type(part if part[-1:] in (CTRL_C, CTRL_D) else part + ENTER)
            person.until(lambda: len(person.said) > before or person._output.ended())  # noqa: B023
            if person._output.ended(0.5):
                break
        assert person.finish().status == status

    assert b"\x1b" not in person.said
    assert shell.opened == opened


def test_a_question_mark_explains_each_key_and_asks_again(shell):
    with asked(shell, size=(40, 20)) as person:
        person.at_prompt()
        person.type("?")
        person.until(lambda: sum("Enter = no" in line for line in person.lines) == 2)
        person.at_prompt()
        told = " ".join(" ".join(person.lines).split())
        person.type("y")
        assert person.finish().status == 0

    kept = "open host=a.example"
    assert "this thread about: open host=a.example" in told
    assert "It stands in consents.json until this is done: jarvis threads delete" in told
    assert f"a rule is saved in policy.toml: allow {kept}" in told
    assert f"a rule is saved in policy.toml: deny {kept}. To undo it: jarvis policy rm NUMBER" in told


@pytest.mark.parametrize("redirected", ["> answer", "> answer 2> errors", "| cat"])
def test_who_pipes_the_answer_is_asked_on_their_terminal(shell, redirected):
    shell.jarvis("policy", "ask", "open", "a.example")
    program = shell.program()
    program.within, program.always_cold = ("/bin/sh", "-c", f'"$@" {redirected}', "sh"), True
    with Person(program, "open", "a.example") as person:
        person.see("Enter = no")
        person.at_prompt()
        person.type("y")
        assert person.finish().status == 0
        person.assert_sane()

    assert shell.opened == [A]
    if "|" not in redirected:
        assert (shell.home / "answer").read_text() == f"{A}\n"


@pytest.mark.parametrize("option", ["--json", "--ndjson"])
def test_a_program_is_asked_by_a_record_even_on_a_terminal(shell, option):
    with asked(shell, option, "open", "a.example") as person:
        if option == "--ndjson":
            person.see('"asked"')
            person.type("no record" + ENTER)
            person.see("A line on stdin was no answer.")
            person.type(CTRL_C)
        assert person.finish().status == (130 if option == "--ndjson" else 3)
        assert "Enter = no" not in "".join(person.lines)

    assert shell.opened == []


@pytest.mark.parametrize("typed", ["y", "a" + ENTER, "yes" + ENTER, ENTER])
def test_what_was_typed_before_a_question_does_not_answer_it(shell, typed):
    with asked(shell) as person:
        person.type(typed)
        person.at_prompt()
        time.sleep(0.1)
        assert person.line == ">"
        person.type(TAB + "open b.example" + ENTER)
        assert person.finish().status == 0

    assert shell.opened == [B]


def test_no_letter_answers_of_a_line_that_is_being_typed_while_the_question_comes_up(shell):
    with asked(shell) as person:
        for letter in "jarvis why is the sky":
            person.type(letter)
            time.sleep(0.08)
        person.at_prompt()
        person.type(ESC)
        assert person.finish().status == 4

    assert shell.opened == []


@pytest.mark.parametrize("keys", ["yy", "yes" + ENTER, "yyyy", "y" + ENTER])
def test_a_tap_answers_one_question_and_not_the_next(shell, keys):
    shell.jarvis("policy", "ask", "open", "b.example")
    with asked(shell, "open", "a.example", "and", "b.example") as person:
        person.at_prompt()
        person.type(keys)
        person.see("Open website https://b.example ?")
        person.at_prompt()
        assert shell.opened == [A]
        person.type("y")
        assert person.finish().status == 0

    assert shell.opened == [A, B]


def test_a_window_that_is_resized_shows_the_question_still(shell):
    with Person(shell.program(**shell.installed("Spotify")), "-n", "open", "spotify") as person:
        person.at_prompt()
        person.type("1")
        person.until(lambda: person.line.startswith("> 1  https://"))
        person.resize(40, 20)
        person.type("2")
        person.until(lambda: person.line == "> 2  Spotify  app")
        person.type(ENTER)
        assert person.finish().status == 0
