"""Which keys answer a question, on the terminals there are; and the whole program that asks one."""

import itertools
import json
import termios
import threading
import time
from pathlib import Path

import pytest

from jarvis.core.errors import Interrupted
from jarvis.core.events import Option, Question
from jarvis.output.questions import dialog_on
from tests.output.terminals import Terminal
from tests.person import CTRL_C, CTRL_D, DOWN, END_OF_PASTE, ENTER, ESC, PASTE, TAB, UP, Person

pytestmark = pytest.mark.slow

A, B = "https://a.example", "https://b.example"
LETTERS = ("y", "a", "e", "n", "N")
APPROVAL = Question("q1", "approval", "Open it?", tuple(Option(each, "so") for each in LETTERS), "a rule")
PLACES = (Option("1", "Spotify", whole="https://open.spotify.com"), Option("2", "Spotify", whole="app"))
CHOICE = Question("q1", "choice", "Which one?", (*PLACES, Option("n", "none of these")))
NOTHING = f"x 1!0AT{UP}{DOWN}\x1b[Cü{PASTE}yes{ENTER}y{ENTER}{END_OF_PASTE}"  # means nothing to an approval

# The question, what is pressed, and what is heard; empty: it is interrupted.
PRESSED = [
    *((APPROVAL, key, key) for key in ("y", "a", "n", "N")),
    *((APPROVAL, key, "n") for key in (ENTER, ESC, CTRL_D)),
    (APPROVAL, "Y", "y"),
    (APPROVAL, f"{NOTHING}y", "y"),
    *((APPROVAL, f"{key}open b{ENTER}", "e open b") for key in (TAB, "e", "/")),
    *((APPROVAL, keys, "") for keys in (CTRL_C, f"x{CTRL_C}", f"{TAB}open b{CTRL_C}")),
    *((CHOICE, keys, "1") for keys in (f"1{ENTER}", f"{DOWN}{ENTER}", f"{UP}{UP}{ENTER}", f"21{ENTER}")),
    *((CHOICE, keys, "2") for keys in (f"2{ENTER}", f"{UP}{ENTER}", f"{DOWN * 5}{ENTER}")),
    *((CHOICE, keys, "n") for keys in (ENTER, f"9{ENTER}", f"{DOWN * 3}{ENTER}", f"2{ESC}", f"!y0{ENTER}")),
    (CHOICE, f"{PASTE}1{END_OF_PASTE}{ENTER}", "n"),
    *((CHOICE, "1!", "1!"), (CHOICE, f"9{UP}!", "2!"), (CHOICE, f"2{CTRL_C}", "")),
]
# On a terminal that has lines alone.
TYPED = [
    *((APPROVAL, f"{line}{ENTER}", line or "n") for line in ("y", "yes", "always", "what", "")),
    *((APPROVAL, CTRL_D, "n"), (CHOICE, f"2{ENTER}", "2")),
    (APPROVAL, f"e{ENTER}…open b{ENTER}", "e open b"),
]


def heard(question, keys, term="xterm-256color"):
    """What answers *question*, empty where it is interrupted, and what the terminal was sent.

    keys: those of its prompts, with a … between.
    """
    terminal = Terminal(term=term, is_raw=False)
    person = threading.Thread(target=terminal.press, args=keys.split("…"), daemon=True)
    person.start()
    try:
        return dialog_on(terminal.screen, question).answer_now(), bytes(terminal.said)
    except Interrupted:
        return "", bytes(terminal.said)
    finally:
        person.join(20)
        terminal.end()


@pytest.mark.parametrize(("question", "keys", "answer"), PRESSED)
def test_a_key_answers_or_does_nothing(monkeypatch, question, keys, answer):
    monkeypatch.setenv("TERM", "xterm-256color")
    assert heard(question, keys)[0] == answer


@pytest.mark.parametrize(("question", "keys", "answer"), TYPED)
def test_answers_are_typed_where_the_terminal_has_lines_alone(question, keys, answer):
    said, shown = heard(question, keys, term="dumb")

    assert said == answer
    assert b"\x1b" not in shown


def asked(shell, *argv, size=(80, 24), **environment):
    """The person who is asked before a.example is opened."""
    shell.jarvis("policy", "ask", "open", "a.example")
    return Person(shell.program(**environment), *(argv or ("open", "a.example")), size=size)


@pytest.mark.parametrize(
    ("keys", "opened", "status", "verdict"),
    [("y", [A], 0, ""), ("a", [A], 0, "allow"), ("N", [], 4, "deny"), (ESC, [], 4, "")],
)
def test_an_answer_is_heeded_and_the_terminal_is_theirs_again(shell, keys, opened, status, verdict):
    with asked(shell, size=(40, 20)) as person:
        person.at_question()
        person.type(keys)
        assert person.finish().status == status
        person.assert_sane()

    assert shell.opened == opened
    rules = shell.jarvis("policy", "list").stdout
    assert [each for each in ("allow", "deny") if each in rules] == [verdict] * bool(verdict)


@pytest.mark.parametrize(
    ("keys", "told"), [("2" + ENTER, "Would start Spotify."), ("1!", "Would open https://")]
)
def test_a_choice_is_taken_once_or_from_now_on(shell, keys, told):
    program = shell.program(**shell.installed("Spotify"))
    with Person(program, "-n", "open", "spotify", size=(40, 20)) as person:
        person.see("2  Spotify  app")
        person.at_question()
        person.type(keys)
        assert person.finish().status == 0
        person.assert_sane()
        assert told in " ".join(person.lines)

    kept = json.loads((shell.home / "jarvis/config/aliases.json").read_text())
    assert kept["spotify"]["kind"] == ("chosen" if "!" in keys else "last")
    with Person(program, "-n", "open", "spotify", size=(40, 20)) as person:
        if "!" not in keys:  # once more, with that line first
            person.see("› 1  Spotify  app")
            person.at_question()
            person.type(ENTER)
        assert person.finish().status == 0
        assert told in " ".join(person.lines)


def test_a_typed_line_is_broken_off_by_ctrl_c(shell):
    with asked(shell, TERM="dumb") as person:
        person.at_prompt()
        person.type("half" + CTRL_C)
        assert person.finish().status == 130

    assert shell.opened == []


def test_a_question_mark_unfolds_what_each_key_does_and_folds_it_again(shell):
    with asked(shell, size=(40, 20)) as person:
        person.at_question()
        folded = person.lines_of_text
        person.type("?")
        person.see("stops this request")
        told = " ".join(" ".join(person.lines).split())
        person.type("?")
        person.until(lambda: person.lines_of_text == folded)
        person.type("y")
        assert person.finish().status == 0

    kept = "open host=a.example"
    assert f"save a rule in policy.txt: allow {kept}" in told
    assert f"save a rule in policy.txt: deny {kept}. Undo: jarvis policy rm NUMBER" in told


def test_at_another_size_the_question_is_shown_whole_again(shell):
    with asked(shell) as person:
        person.at_question()
        termios.tcsetwinsize(person._terminal, (20, 40))
        person.until(lambda: person.lines.count("Open this site?") == 2)
        person.until(lambda: "  y yes · n no · a always this site" in person.lines)
        person.at_question()
        person.type("y")
        assert person.finish().status == 0
        person.assert_sane()

    assert shell.opened == [A]


def test_who_pipes_the_answer_is_asked_on_their_terminal(shell):
    shell.jarvis("policy", "ask", "open", "a.example")
    program = shell.program()
    program.within, program.always_cold = ("/bin/sh", "-c", '"$@" > answer 2> errors', "sh"), True
    with Person(program, "open", "a.example") as person:
        person.at_question()
        person.type("y")
        assert person.finish().status == 0
        person.assert_sane()

    assert shell.opened == [A]
    assert (shell.home / "answer").read_text() == f"{A}\n"


@pytest.mark.parametrize("option", ["--json", "--ndjson"])
def test_a_program_is_asked_by_a_record_even_on_a_terminal(shell, option):
    with asked(shell, option, "open", "a.example") as person:
        if option == "--ndjson":
            person.see('"asked"')
            person.type("no record" + ENTER)
            person.see("A line on stdin isn't an answer.")
            person.type(CTRL_C)
        assert person.finish().status == (130 if option == "--ndjson" else 3)
        assert "? details" not in "".join(person.lines)

    assert shell.opened == []


def test_what_was_typed_before_a_question_does_not_answer_it(shell):
    with asked(shell) as person:
        person.type("yes" + ENTER)
        person.at_question()
        time.sleep(0.1)
        assert person.line.endswith("? details")
        person.type(TAB + "open b.example" + ENTER)
        assert person.finish().status == 0

    assert shell.opened == [B]


def type_steadily(person, line):
    """Whether no two letters of it came further apart than people type."""
    times = []
    for letter in line:
        person.type(letter)
        times.append(time.monotonic())
        time.sleep(0.08)
    return max(after - before for before, after in itertools.pairwise(times)) < 0.2


def test_no_letter_answers_of_a_line_that_is_being_typed_while_the_question_comes_up(shell):
    is_typed = False
    while not is_typed:  # on a busy machine letters come apart, and one may be an answer: once more then
        for path in (shell.settings.folders.policy, shell.home / "opened"):
            Path(path).unlink(missing_ok=True)
        with asked(shell) as person:
            if is_typed := type_steadily(person, "jarvis why is the sky"):
                person.at_question()
                person.type(ESC)
                assert person.finish().status == 4

    assert shell.opened == []


def test_a_tap_answers_one_question_and_not_the_next(shell):
    shell.jarvis("policy", "ask", "open", "b.example")
    with asked(shell, "open", "a.example", "and", "b.example") as person:
        person.at_question()
        person.type("yyes" + ENTER)
        person.see("https://b.example")
        person.at_question()
        assert shell.opened == [A]
        person.type("y")
        assert person.finish().status == 0

    assert shell.opened == [A, B]
