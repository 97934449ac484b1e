"""A service of models that takes a row and a client: no key, on this machine, and nobody else is named."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("own_service.py")
HELLO = {"wants": "nothing", "action": "reply", "text": "Hello there.", "finish": True}


@pytest.fixture
def jarvis(shell):
    """Jarvis with that service, as a process."""

    class Shed(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = self.rfile.read(int(self.headers["Content-Length"]))
            is_refused = b"hemlock" in asked
            self._say({"text": json.dumps(HELLO), "stop": "SAFETY" if is_refused else "STOP"})

        def do_GET(self):
            self._say({"models": ["spade"]})

        def _say(self, said):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Shed)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    own = {
        "SHED_URL": f"http://127.0.0.1:{server.server_port}",
        "JARVIS_BRAIN": "off",
        "JARVIS_MODEL": "shed:spade",
    }
    there = shell.program(**own).env
    environment = {name: value for name, value in there.items() if not name.startswith("GOOGLE")}

    def jarvis(*argv):
        command = [sys.executable, "-P", str(SCRIPT), *argv]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    yield jarvis
    server.shutdown()
    server.server_close()


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
