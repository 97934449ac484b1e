"""A brain that dies once something was read: the next one reads it again, and no more than that."""

import signal

import pytest

from tests.brain.brains import HELLO, SEARCH
from tests.brain.test_going_on import Mortal
from tests.conftest import BOTH, BOTH_IF_LONG
from tests.twins.web import WebTwin

pytestmark = pytest.mark.slow
PAGE = "http://docs.example/uv"
TEXT = "Version 9.1 of uv came out in May. It resolves twice as fast."
READ = {"action": "read", "address": "u1", "finish": False}
REPLY = {"action": "reply", "text": "It is faster."}


@pytest.fixture
def web():
    with WebTwin() as web:
        web.pages[PAGE] = f"<html><body><article>{f'<p>{TEXT}</p>' * 5}</article></body></html>"
        yield web


@pytest.fixture
def mortal(tmp_path, gemini, serpapi, web, database_url):
    home = Mortal(tmp_path, gemini, serpapi, database_url)
    home.environment |= {"http_proxy": web.url, "no_proxy": "127.0.0.1,localhost"}
    copied = tmp_path / "bin" / "xclip"
    copied.parent.mkdir()
    copied.write_text(f'#!/bin/sh\necho taken >> {tmp_path}/taken\necho "{TEXT}"\n')
    copied.chmod(0o755)
    home.environment |= {"PATH": f"{copied.parent}:/usr/bin:/bin", "DISPLAY": ":77", "WAYLAND_DISPLAY": ""}
    home.start_brain()
    yield home
    home.stop()
    assert home.killed == 1


def assert_done_by(mortal, done, action):
    assert (done["status"], done["reply"].splitlines()[-1]) == ("done", "It is faster.")
    assert [(each["action"], each["state"]) for each in done["steps"]] == [(action, "done")]
    assert TEXT in mortal.gemini.requests[-1].prompt


@BOTH_IF_LONG
def test_a_page_is_read_at_most_twice(mortal, web):
    mortal.gemini.plans(READ, mortal.dies, READ, REPLY)

    assert_done_by(mortal, mortal.json("-t", "page", f"sum up {PAGE}", timeout=60), "read")

    assert web.read == [PAGE, PAGE]


@BOTH
def test_the_clipboard_is_taken_once(mortal, tmp_path):
    look = {"action": "look_at", "finish": False}
    mortal.gemini.reading = "look at clipboard"
    mortal.gemini.plans(look, mortal.dies, REPLY)

    done = mortal.json("-y", "-t", "copied", "sum up what i copied", timeout=60)

    assert_done_by(mortal, done, "look_at")
    assert (tmp_path / "taken").read_text() == "taken\n"


def test_of_what_was_copied_nothing_stays_once_the_brain_and_its_client_were_killed(mortal):
    def left():
        files = [path for path in (mortal.home / "jarvis").rglob("*") if path.is_file()]
        return {path.name for path in files if TEXT.encode() in path.read_bytes()}

    mortal.gemini.reading = "look at clipboard"
    mortal.gemini.plans({"action": "look_at", "finish": False}, SEARCH)
    with mortal.program().start("-y", "-t", "copied", "look up what i copied", tty=True) as running:
        running.wait_for("Something private was read")
        running.send(signal.SIGSTOP)  # it would go on with the turn
        mortal.kill()
        running.send(signal.SIGKILL)
    assert left() == {"inflight.db-wal"}

    mortal.gemini.plans(HELLO)
    assert mortal.jarvis("-t", "another", "hello", timeout=60).stdout == "Hello.\n"

    assert (left(), len(mortal.brains)) == (set(), 1)
