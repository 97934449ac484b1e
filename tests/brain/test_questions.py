"""What the brain that stays has to ask: on the terminal, in records, and of nobody."""

import json
import signal

import pytest

from tests.brain.brains import FIRST, MUNICH, SEARCH, in_thread
from tests.person import CTRL_C, Person
from tests.shell import wait_until


@pytest.fixture
def doubtful(warm):
    """A brain that is about to ask: the next request finds a host that can imitate another."""
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)
    return warm


@pytest.mark.parametrize("end", [CTRL_C, signal.SIGTERM], ids=["ctrl-c", "terminated"])
def test_who_stops_it_at_a_question_has_their_terminal_back(doubtful, end):
    """The question ends before the program does."""
    with Person(doubtful.program(), *in_thread(f"who-stops-it-{len(str(end))}")) as person:
        person.at_question()
        person.type(end) if end == CTRL_C else person.send(end)
        assert person.finish().status == (130 if end == CTRL_C else 143)
        person.assert_sane()
        assert f"jarvis: {'Interrupted' if end == CTRL_C else 'Terminated'}." in person.lines

    assert doubtful.opened == []


def test_where_nobody_can_be_asked_the_turn_ends_with_the_question(doubtful):
    told = doubtful.json(*in_thread("where-nobody-can-be"))

    assert (told["status"], told["question"]["kind"]) == ("needs_answer", "approval")
    doubtful.gemini.plans(SEARCH, FIRST)
    doubtful.search_finds(MUNICH)
    assert doubtful.jarvis("--ndjson", *in_thread("a-closed-stdin"), stdin="").status == 3
    assert doubtful.opened == []


@pytest.mark.parametrize(
    ("before", "after"),
    [(b'no record\n{"answer": "y", "question": "q9-another"}\n', b"\n"), (b"", b"")],
    ids=["after-what-is-no-answer", "without-the-end-of-its-line"],
)
def test_a_record_is_answered_by_a_record(doubtful, request, before, after):
    with doubtful.program().start("--ndjson", *in_thread(request.node.callspec.id), stdin="") as running:
        running.wait_for('"asked"')
        asked = asked_in(running._outputs["stdout"].said)
        if before:
            running.write(before)
            running.wait_for("isn't an answer")
        running.write(json.dumps({"answer": "y", "question": asked}).encode() + after)
        done = running.finish()

    assert (done.status, doubtful.opened) == (0, [MUNICH])


def asked_in(said):
    wait_until(lambda: bytes(said).endswith(b"\n"))
    records = [json.loads(line) for line in bytes(said).splitlines()]
    return next(record["question"]["id"] for record in records if record["event"] == "asked")
