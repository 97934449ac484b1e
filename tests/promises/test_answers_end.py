"""What comes in ends: no answer of the model or of a search, however long, fills the brain or holds it up.

Each is served by a twin to the brain that stays, in whose turn it is told in a line, while another is done.
"""

from __future__ import annotations

import functools
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.brain.brains import HELLO, SEARCH, Resident
from tests.twins import endless
from tests.twins.endless import EVENTS, flood, packed, raw
from tests.twins.gemini import GeminiTwin
from tests.twins.serpapi import SerpApiTwin

pytestmark = pytest.mark.slow

MOST = 250 * 1024  # kB that the brain may ever have held
SHORT = "[budgets]\nfirst_token_seconds = 4\nsearch_seconds = 4\nseconds = 9\n"
SORRY = {"action": "reply", "text": "Nothing was found.", "finish": True}
K = 1024


def event(text: str) -> bytes:
    """One event of the model's stream."""
    said = {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}}]}
    return b"data: " + json.dumps(said).encode() + b"\n\n"


def begun(headers: bytes = b"") -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + headers


@functools.cache
def bomb() -> bytes:
    return endless.bomb()


class Told(NamedTuple):
    """How a turn ends that was answered so: its status, and words of the line that tells of it."""

    status: int
    words: str


LARGE = Told(1, r"answer is too large: more than [23] MB came\.")
LATE = Told(69, r"did not answer within 4 s\.")
START = event('{"action": "reply", "text": "')

# what is served, by whom it is asked for → what is told by the model's turn, and by the search's
ANSWERS = {
    "a reply without an end": (lambda: flood(event("word " * 400), START, content_type=EVENTS), LARGE, LARGE),
    "a line without an end": (
        lambda: flood(b"x" * 64 * K, b'data: {"a": "', content_type=EVENTS),
        LARGE,
        LARGE,
    ),
    "300 MB in a bomb": (lambda: packed("gzip", bomb()), LARGE, LARGE),
    "an error with a bomb": (lambda: packed("gzip", bomb(), status=503), LARGE, LARGE),
    "a drip of bytes": (lambda: flood(b" ", delay=0.2), LATE, LATE),
    "a drip of headers": (lambda: raw(b"x", begun(b"X-Slow: "), delay=0.2), LATE, LATE),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    with GeminiTwin() as gemini, SerpApiTwin() as serpapi:
        home = Resident(tmp_path_factory.mktemp("home"), gemini, serpapi)
        home.configure(SHORT)
        home.start_brain()
        gemini.plans(HELLO)
        home.jarvis("hello")  # its first turn takes longer, on a busy machine longer than is patient here
        yield home
        home.stop()
        assert gemini.unexpected == serpapi.unexpected == []


def peak(pid: int) -> int:
    """The kB that the process has held at most."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1])


def check(home, answer, plans, told, thread):
    """Have one turn meet *answer*, and another one beside it; each ends as it should."""
    (pid,) = home.brains

    def planned(request):
        return HELLO if "are you beside it?" in request.prompt else plans.pop(0)

    home.gemini.plans(*[planned] * (len(plans) + 1))
    with ThreadPoolExecutor() as pool:
        ended = pool.submit(home.jarvis, "-t", thread, "what does the page say?")
        assert answer.began.wait(10)
        beside = home.jarvis("-t", f"beside-{thread}", "are you beside it?")
        done = ended.result(60)
    home.gemini._script.clear()

    assert (beside.status, beside.stdout) == (0, "Hello.\n")
    assert len(re.findall(told.words, done.stderr)) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert home.brains == [pid]
    assert peak(pid) < MOST
    return done


def cases(column, *short):
    """Each answer with what is told of it; where time is short, those named so."""
    return pytest.mark.parametrize(
        ("make", "told"),
        [
            pytest.param(row[0], row[column], marks=() if name in short else pytest.mark.long, id=name)
            for name, row in ANSWERS.items()
        ],
    )


@cases(1, "a reply without an end", "a line without an end", "300 MB in a bomb", "a drip of headers")
def test_an_answer_of_the_model_ends(home, make, told, request):
    answer, asked = make(), len(home.gemini.requests)

    done = check(home, answer, [answer], told, f"model-{list(ANSWERS).index(request.node.callspec.id)}")

    assert done.status == told.status
    assert len(home.gemini.requests) == asked + 2  # it is not asked for again


@cases(
    2,
    "an error with a bomb",
    "a drip of bytes",
)
def test_an_answer_to_a_search_ends(home, make, told, request):
    answer, asked = make(), len(home.serpapi.requests)
    home.serpapi.finds(answer)
    thread = f"search-{list(ANSWERS).index(request.node.callspec.id)}"

    done = check(home, answer, [SEARCH, SORRY], told, thread)

    assert done.status == told.status
    assert len(home.serpapi.requests) == asked + 1


def test_a_reply_that_drips_on_ends_with_its_turn(home):
    """Each piece is in time, and there is always one more."""
    answer = flood(event("word "), START, content_type=EVENTS, delay=0.2)
    told = Told(124, r"The turn took more than 9 s\.")

    assert check(home, answer, [answer], told, "drips").status == 124
