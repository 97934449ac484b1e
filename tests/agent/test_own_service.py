"""A service of models that takes a row and a client: no key, on this machine, and nobody else is named."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.twins.wire import Twin

SCRIPT = Path(__file__).with_name("own_service.py")
HELLO = {"wants": "nothing", "action": "reply", "text": "Hello there.", "finish": True}


class Shed(Twin):
    """The service: it has one model, which says hello, and refuses to speak of hemlock."""

    def hear(self, request):
        return self.note(request)

    def answer(self, exchange, request):
        stop = "SAFETY" if b"hemlock" in request.raw else "STOP"
        said = {"text": json.dumps(HELLO), "stop": stop} if request.raw else {"models": ["spade"]}
        exchange.reply(json.dumps(said).encode())


@pytest.fixture
def jarvis(shell):
    """Jarvis with that service, as a process."""

    def jarvis(*argv):
        command = [sys.executable, "-P", str(SCRIPT), *argv]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    with Shed() as shed:
        own = {"SHED_URL": shed.url, "JARVIS_BRAIN": "off", "JARVIS_MODEL": "shed:spade"}
        there = shell.program(**own).env
        environment = {name: value for name, value in there.items() if not name.startswith("GOOGLE")}
        yield jarvis


@pytest.mark.slow
@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["-v", "hello"], "Hello there.\n"),
        (["models"], "spade"),
        (["-v", "search the web for larches"], "Hello there.\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_it_answers_and_no_line_that_is_shown_names_another(jarvis, argv, shown):
    done = jarvis(*argv)

    assert shown in done.stdout
    if argv[0] == "-v":
        assert done.returncode == 0, done.stderr
        assert not re.search("google|gemini", done.stdout + done.stderr, re.IGNORECASE)


@pytest.mark.slow
def test_where_it_refuses_it_is_the_one_that_is_named(jarvis):
    done = jarvis("what is hemlock?")

    assert done.returncode == 1
    assert "The shed refused to answer this (SAFETY)." in done.stderr
