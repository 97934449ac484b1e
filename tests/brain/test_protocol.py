"""The messages between a client and the brain."""

from __future__ import annotations

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
    Print,
    Query,
    Ready,
    decode,
    encode,
)
from jarvis.core.types import Effect, Outcome, Request
from tests.brain.brains import ASK, did

REQUEST = Request(2, "open_website", Effect("opens", "https://x.example", {"n": 1}), part=1, ends=True)
ACT = decode(encode(Act.of(REQUEST)))
DID = decode(encode(did(ACT.request, Outcome("done", "Sent.", "https://x.example"))))
MESSAGES = [
    ASK._replace(options={"json": True}),
    DID,
    Answer("q2-ab", "the other one, please", is_given=True),
    *(Cancel("interrupted"), Alive(), Ready()),
    *(Print("out", ["日本😀\n\x00", ""]), Print("reply", ["/a\udcff", "\ud83d", ["https://a.example/"]])),
    ACT,
    *(Query({"id": "q2-ab"}), Ended(130), Failed("settings", "No key.", "Get one.", 78)),
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
        *(b"", b"\n", b"hello\n", b"[]\n", b"null\n", b"{}\n", b'{"is": "nonesuch"}\n', b'{"is": []}\n'),
        *(b'{"is": "ended"}\n', b'{"is": "ended", "exit_status": "0"}\n'),
        *(b'{"is": "ended", "exit_status": true}\n', b'{"is": "ended", "exit_status": 0, "more": 1}\n'),
        *(b"[" * 100_000 + b"\n", b'{"is": "cancel", "reason": "\xff"}\n', encode(ASK)[:40]),
    ],
)
def test_what_is_no_message_is_refused(line):
    with pytest.raises(BadMessage):
        decode(line)
