"""Nothing is sent to a tracer, whatever the environment says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.twins.wire import Exchange, Request, Twin

if TYPE_CHECKING:
    from collections.abc import Iterator

HELLO = {"action": "reply", "text": "Hello.", "finish": True}
KEY = "langsmith-key-of-the-tests"

# Started by the interpreter itself: writes down whom the program talks to, and what it runs.
SPY = """
import sys

def spy(event, arguments):
    if event == "socket.connect" and arguments[0].family != 1:
        note("connect %s" % arguments[1][1])
    elif event == "socket.getaddrinfo":
        note("resolve %s" % arguments[0])
    elif event == "subprocess.Popen":
        note("run %s" % arguments[0])

def note(what):
    with open(FILE, "a") as file:
        file.write(what + "\\n")

sys.addaudithook(spy)
"""


class Tracer(Twin):
    """Takes whatever it is sent."""

    def hear(self, request: Request) -> Any:
        return self.note(request)

    def answer(self, exchange: Exchange, request: Any) -> None:
        exchange.reply(b"{}")


@pytest.fixture
def tracer() -> Iterator[Tracer]:
    with Tracer() as twin:
        yield twin


def wishes(url: str) -> dict[str, str]:
    """An environment in which other projects of the person's are traced."""
    return {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_TRACING_V2": "true",
        "LANGCHAIN_TRACING_V2": "true",
        "LANGSMITH_ENDPOINT": url,
        "LANGCHAIN_ENDPOINT": url,
        "LANGSMITH_API_KEY": KEY,
        "LANGSMITH_GATEWAY": url,
        "LANGSMITH_GATEWAY_API_KEY": KEY,
        "LANGSMITH_OTEL_ENABLED": "true",
        "OTEL_EXPORTER_OTLP_ENDPOINT": url,
    }


def spied(shell) -> tuple[dict[str, str], Any]:
    """What has a program spied on, and the file that tells."""
    told = shell.home / "talks"
    folder = shell.home / "spy"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(SPY.replace("FILE", repr(str(told))))
    return {"PYTHONPATH": str(folder)}, told


def port(url: str) -> str:
    return url.rpartition(":")[2]


def test_a_turn_talks_to_its_two_services_alone_whatever_the_environment_wishes(shell, tracer):
    spy, told = spied(shell)
    shell.search_finds("https://web.mit.edu/")
    shell.gemini.plans({"action": "search", "query": "MIT"}, HELLO)
    environment = {**wishes(tracer.url), **spy, "GOOGLE_GENAI_USE_VERTEXAI": "true"}

    done = shell.jarvis("hello", environment=environment, cold=True, timeout=60)

    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.startswith("Hello.\n")
    assert shell.cost == (2, 1)
    assert tracer.requests == []
    talks = set(told.read_text().splitlines())
    ours = {port(shell.gemini.url), port(shell.serpapi.url)}
    assert {talk.split()[1] for talk in talks if talk.startswith("connect")} == ours
    assert {talk for talk in talks if not talk.startswith("connect")} <= {"resolve 127.0.0.1"}
    assert {request.key for request in shell.gemini.requests} == {"google-key-of-the-tests"}
