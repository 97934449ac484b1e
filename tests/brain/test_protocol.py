"""The messages between a client and the brain."""

from decimal import Decimal

import pytest

from jarvis.brain.protocol import (
    KINDS,
    Act,
    Alive,
    Answer,
    BadMessage,
    Cancel,
    Ended,
    Failed,
    Query,
    Ready,
    Shown,
    Tell,
    decode,
    encode,
)
from jarvis.core.events import Notice, Option, Question, TableShown, TurnEnded, Words
from jarvis.core.money import Money
from jarvis.core.tables import Check, Column, Rating, Row, Table
from jarvis.core.types import ActionRequest, Effect, Options, Outcome
from tests.brain.brains import ASK, did

QUESTION = Question("q2-ab", "name", "Which?", (Option("1", "Open", "x.example"),))
REQUEST = ActionRequest(2, "open_website", Effect("opens", "https://x.example", {"n": 1}), part=1)
ACT = decode(encode(Act.of(REQUEST)))
DID = decode(encode(did(ACT.request, Outcome("done", "Sent.", "https://x.example"))))
COLUMNS = tuple(Column(kind, kind, kind) for kind in ("text", "money", "rating", "number"))
CELLS = {
    "text": "日本😀\n\x00",
    "money": Money(Decimal("1.50"), "USD"),
    "rating": Rating(Decimal(4), 2),
    "number": None,
}
TABLE = Table(
    "product", COLUMNS, (Row("o1", CELLS),), left_out={"is": 1}, checks=(Check("fits", None, "so"),)
)
EVENTS = (
    Notice("/a\udcff\ud83d"),
    TableShown(TABLE, 3),
    TurnEnded("done", 0, {"tables": (("Ended", 1), {"a": ()})}),
)
MESSAGES = [
    ASK._replace(words=Words("so", did=(DID.performed,)), options=Options(json=True)),
    DID,
    Answer("q2-ab", "the other one, please", is_given=True),
    *(Cancel("interrupted"), Shown(), Alive(), Ready()),
    *(Tell.of(each) for each in EVENTS),
    ACT,
    *(Query(QUESTION), Ended(130), Failed("settings", "No key.", "Get one.", 78)),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_comes_back_as_it_was(message):
    line = encode(message)

    assert decode(line) == message
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1


def test_every_kind_is_tried_and_none_has_a_field_for_a_key():
    assert {type(message) for message in MESSAGES} == set(KINDS.values())
    assert not [n for kind in KINDS.values() for n in kind._fields if "key" in n or "env" in n]


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"\n", b"hello\n", b"[]\n", b"null\n", b"{}\n", b'["Nonesuch"]\n', b'[["Ended", 0]]\n'),
        *(b'["Ended"]\n', b'["Ended", "0"]\n', b'["Ended", true]\n', b'["Ended", 0, 1]\n', b'["", 0]\n'),
        *(
            b'["Tell", ["Shouted", "x"]]\n',
            b'["Tell", ["Outcome", "done", ""]]\n',
            b'["Tell", ["Decimal", "x"]]\n',
        ),
        *(b"[" * 100_000 + b"\n", b'["Cancel", "\xff"]\n', encode(ASK)[:40], b'["Tell", ["Waiting"]]\n'),
    ],
)
def test_what_is_no_message_is_refused(line):
    with pytest.raises(BadMessage):
        decode(line)
