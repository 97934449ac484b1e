"""What the brain that stays has to ask: on the terminal, in records, and of nobody."""

from __future__ import annotations

import json
import signal

import pytest

from tests.brain.brains import FIRST, MUNICH, SEARCH, in_thread
from tests.person import CTRL_C, CTRL_D, Person
from tests.shell import wait_until


def test_a_question_is_asked_on_the_terminal_and_the_answer_heeded(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with warm.program().start(*in_thread("a-question-is-asked"), tty=True) as running:
        running.wait_for("Enter = no")
        running.wait_for("\n> ")
        running.write(b"y\n")
        done = running.finish()

    assert done.status == 0
    assert warm.opened == [MUNICH]


@pytest.mark.parametrize("end", [CTRL_C, signal.SIGTERM], ids=["ctrl-c", "terminated"])
def test_who_stops_it_at_a_question_has_their_terminal_back(warm, end):
    """The key is waited for on a thread, which is still at it when the program ends."""
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with Person(warm.program(), *in_thread(f"who-stops-it-{len(str(end))}")) as person:
        person.see("Enter = no")
        person.at_prompt()
        person.type(end) if end == CTRL_C else person.send(end)
        assert person.finish().status == (130 if end == CTRL_C else 143)
        person.assert_sane()
        assert f"jarvis: {'Interrupted' if end == CTRL_C else 'Terminated'}." in person.lines

    assert warm.opened == []


def test_where_nobody_can_be_asked_the_turn_ends_with_the_question(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    told = warm.json(*in_thread("where-nobody-can-be"))

    assert (told["status"], told["question"]["kind"]) == ("needs_answer", "approval")
    assert warm.opened == []


def test_a_record_is_answered_by_a_record(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with warm.program().start("--ndjson", *in_thread("a-record-is-answered"), stdin="") as running:
        running.wait_for('"asked"')
        asked = asked_in(running._outputs["stdout"].said)
        running.write(b'no record\n{"answer": "y", "question": "q9-another"}\n')
        running.wait_for("was no answer")
        running.write(json.dumps({"answer": "y", "question": asked}).encode() + b"\n")
        done = running.finish()

    assert done.status == 0
    assert warm.opened == [MUNICH]


def test_a_last_record_needs_no_end_of_its_line(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with warm.program().start("--ndjson", *in_thread("a-last-record"), stdin="") as running:
        running.wait_for('"asked"')
        asked = asked_in(running._outputs["stdout"].said)
        running.write(json.dumps({"answer": "y", "question": asked}).encode())
        done = running.finish()

    assert done.status == 0
    assert warm.opened == [MUNICH]


def test_the_end_of_the_input_on_a_terminal_is_a_no(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with warm.program().start(*in_thread("the-end-of-the-input"), tty=True) as running:
        running.wait_for("Enter = no")
        running.wait_for("\n> ")
        running.write(CTRL_D.encode())
        done = running.finish()

    assert done.status == 4
    assert warm.opened == []


def asked_in(said):
    wait_until(lambda: bytes(said).endswith(b"\n"))
    records = [json.loads(line) for line in bytes(said).splitlines()]
    return next(record["question"]["id"] for record in records if record["event"] == "asked")


def test_a_closed_stdin_is_no_answer(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    done = warm.jarvis("--ndjson", *in_thread("a-closed-stdin-is-no"))

    assert done.status == 3
    assert warm.opened == []
