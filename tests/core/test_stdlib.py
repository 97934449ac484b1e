"""JSON that is light to import is JSON; signals and expressions are the library's own."""

from __future__ import annotations

import ast
import json
import random
import re
import signal
import subprocess
import sys

import pytest

from jarvis.core import stdlib

SEEN = random.Random(7)
PIECES = (*'{}[],:"\\', " ", "\n", "\t", "a", "é", "\U0001f600", "\\u00e9", "\\ud800", "1", "-0", "1.5e3")
PIECES += ("true", "false", "null", "NaN", "-Infinity", "01", "\x00", "﻿")


def value(depth=0):
    kinds = [
        None,
        True,
        False,
        SEEN.randrange(-(10**20), 10**20),
        SEEN.uniform(-1e9, 1e9),
        "a",
        "é\x1b\u2028\ud800",
    ]
    kinds += [] if depth == 4 else ["list", "dict"]
    match SEEN.choice(kinds):
        case "list":
            return [value(depth + 1) for _ in range(SEEN.randrange(4))]
        case "dict":
            return {f'k"{n}\n': value(depth + 1) for n in range(SEEN.randrange(4))}
        case chosen:
            return chosen


def test_what_is_written_is_what_json_writes():
    for _ in range(2000):
        given = value()
        assert stdlib.dumps(given) == json.dumps(given)
        assert stdlib.dumps(given, ensure_ascii=False) == json.dumps(given, ensure_ascii=False)


def test_what_is_read_is_what_json_reads():
    for _ in range(2000):
        text = json.dumps(value(), indent=SEEN.choice((None, 1)), ensure_ascii=SEEN.random() < 0.5)
        assert stdlib.loads(f" {text}\n") == json.loads(text)
        assert stdlib.loads(text.encode("utf-8", "surrogatepass")) == json.loads(text)


@pytest.mark.slow
def test_a_broken_text_is_told_as_json_tells_it():
    """In a process that has not imported json: only there the C scanner can't tell what is wrong."""
    code = """
import sys
from jarvis.core import stdlib

seen = []
for text in eval(sys.stdin.read()):
    sys.modules.pop("json.decoder", None)
    sys.modules.pop("json", None)
    try:
        seen.append(("read", repr(stdlib.loads(text))))
    except ValueError as error:
        seen.append((type(error).__name__, str(error)))
print(seen)
"""
    texts = ["".join(SEEN.choices(PIECES, k=SEEN.randrange(7))) for _ in range(3000)]
    texts += ['{"a" 1}', '{"key": [1, "abc', '{"a": }', "", "{} x"]
    done = subprocess.run(
        [sys.executable, "-c", code], input=repr(texts), capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    told = ast.literal_eval(done.stdout)
    assert told == [read(text) for text in texts]
    assert 100 < sum(kind != "read" for kind, _ in told) < 3000


def read(text):
    try:
        return "read", repr(json.loads(text))
    except ValueError as error:
        return type(error).__name__, str(error)


def test_what_json_has_no_word_for_is_an_error():
    with pytest.raises(TypeError, match="set is nothing that JSON has"):
        stdlib.dumps({"a": {1}})


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(ValueError, match="utf-8"):
        stdlib.loads(b'"\xff"')


def test_the_rest_is_the_librarys_own():
    assert stdlib.re.compile("a") is re.compile("a")
    assert stdlib.signal.SIGTERM == signal.SIGTERM
    assert stdlib.signal.getsignal(signal.SIGINT) == signal.getsignal(signal.SIGINT)


@pytest.mark.slow
def test_where_json_is_made_of_other_parts_it_does_the_work_itself():
    code = """
import json, signal, sys, _json
del _json.make_scanner
sys.modules["_signal"] = None
from jarvis.core import stdlib
print(stdlib.loads is json.loads, stdlib.dumps is json.dumps, stdlib.signal is signal)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "True True True\n", done.stderr
