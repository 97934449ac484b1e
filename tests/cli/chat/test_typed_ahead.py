"""What is typed while a turn is under way: none of it is lost, and none is sent that should not be."""

import time

from tests.brain.brains import HELLO
from tests.person import CTRL_C, CTRL_D, ENTER
from tests.shell import wait_until
from tests.twins.gemini import Slow, Stall


def test_what_is_typed_ahead_is_asked_next_and_ctrl_d_then_leaves_nothing(shell, chat):
    shell.gemini.plans(Slow(HELLO, chunks=8, delay=0.1), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)

    person.type("what is two?" + ENTER + CTRL_D + "half of a")

    person.see("> half of a")
    assert [turn["goal"] for turn in shell.turns()] == ["what is one?", "what is two?"]
    person.type(CTRL_C)
    assert person.leave().status == 0
    assert "> what is two?" in person.lines


def test_a_sentence_typed_across_the_end_of_a_turn_arrives_whole(shell, chat):
    """Letter by letter, by someone who does not look at what the screen says."""
    words = "please tell me this and that about the 大学 of Besançon, and why it is old"
    shell.gemini.plans(Slow(HELLO, chunks=10, delay=0.03), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    for letter in words:
        person.type(letter)
        time.sleep(1 / len(words))

    person.until(lambda: person.line.endswith("is old"))
    typed = "".join(person.lines).count(words)
    person.type(ENTER)
    person.until(lambda: person.lines.count("Hello.") == 2)

    assert [turn["goal"] for turn in shell.turns()] == ["what is one?", words]
    assert typed == 1
    # None of it stands in what was told of the turn.
    told = [line for line in person.lines_of_text[1:-1] if not line.startswith(">")]
    assert [line for line in told if line != "Hello." and " model call" not in line] == []


def test_an_enter_in_every_gap_asks_every_line_once(shell, chat):
    """Plain commands end at once: their prompts open and close under the fingers."""
    person = chat()
    person.at_prompt()
    wanted = [f"open {n}.example" for n in range(12)]
    for words in wanted:
        for letter in words + ENTER:
            person.type(letter)
            time.sleep(0.004)

    person.until(lambda: len(shell.opened) == 12)
    person.at_prompt()
    assert shell.opened == [f"https://{n}.example" for n in range(12)]
    assert [line for line in person.lines if line.startswith("> ")] == [f"> {each}" for each in wanted]


def test_lines_typed_ahead_stand_in_the_prompt_after_ctrl_c_and_are_not_sent(shell, chat):
    shell.gemini.plans(Stall(), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)
    person.type("open example.org" + ENTER + "and then this" + ENTER)

    person.type(CTRL_C)

    person.see("Interrupted.")
    person.until(lambda: person.line == "  and then this")
    assert "> open example.org" in person.lines
    person.type(ENTER)
    person.until(lambda: "Hello." in person.lines)
    assert shell.opened == []
    goals = [turn["goal"] for turn in shell.turns()]
    assert goals == ["what is one?", "open example.org\nand then this"]


def test_what_is_typed_before_there_is_a_prompt_is_done(shell, chat):
    person = chat(cold=True)
    person.type("open example.org" + ENTER)

    person.see("Sent https://example.org to your browser.")
    person.at_prompt()
