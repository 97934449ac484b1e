"""Real parts for every test: twins on loopback, a home in a temporary folder, the program as a process."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from jarvis.store import database

from .quick_option import forbid_processes, is_quick, watched
from .twins.gemini import GeminiTwin
from .twins.serpapi import SerpApiTwin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .house import House
    from .person import Person
    from .postgres import Place
    from .shell import Shell

# Gemini's client reads the authorities of the whole web twice before its first call, which takes longer than
# all else in a turn. Nobody is asked over TLS here.
os.environ["SSL_CERT_FILE"] = os.path.join(os.path.dirname(__file__), "data", "authority.pem")

# No file has to outlive the machine: what a process wrote before it is killed is in the kernel's hands.
database.SYNCHRONOUS = "OFF"

# All that whoever runs the tests tells what is tried in this process: no proxy, colours, database or key.
_KEPT = ("HOME", "LD_", "PATH", "PYTEST_", "PYTHON", "SSL_CERT_FILE", "TMPDIR")
_KEPT += ("JARVIS_FORBID_SKIPS", "JARVIS_RENEW_SCREENS", "JARVIS_REQUIRE_DESKTOP", "JARVIS_TEST_")

# For tests of what is kept: each runs on both databases.
BOTH = pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
# The same, but on Postgres only where there is time: what is promised there is no matter of the database.
BOTH_IF_LONG = pytest.mark.parametrize(
    "database_url", ["sqlite", pytest.param("postgres", marks=pytest.mark.long)], indirect=True
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="Run the long versions of the tests that have one.")
    parser.addoption("--quick", action="store_true", help="Run only the tests that start no process.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        forbid_processes()


@pytest.fixture
def long(request: pytest.FixtureRequest) -> bool:
    """Whether there is time for more than on every change."""
    return bool(request.config.getoption("--long"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what there is no time for; pytest tells how many those are."""
    if config.getoption("--quick"):
        kept = [item for item in items if is_quick(item)]
    elif not config.getoption("--long"):
        kept = [item for item in items if not item.get_closest_marker("long")]
    else:
        return
    config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    items[:] = kept


def pytest_collection_finish() -> None:
    """What is loaded now stays: no collection of garbage is to look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _plain_environment() -> None:
    """The same as a program has that is tried, wherever the tests run."""
    for name in [name for name in os.environ if not name.startswith(_KEPT)]:
        del os.environ[name]
    os.environ.update(LANG="C.UTF-8", TERM="xterm-256color", TZ="UTC")
    time.tzset()


@pytest.fixture(autouse=True)
def _starts_no_process(request: pytest.FixtureRequest) -> Iterator[None]:
    """With --quick, whoever starts a process fails."""
    if request.config.getoption("--quick"):
        yield from watched()
    else:
        yield


@pytest.fixture
def gemini() -> Iterator[GeminiTwin]:
    with GeminiTwin() as twin:
        yield twin
        assert twin.unexpected == []


@pytest.fixture
def serpapi() -> Iterator[SerpApiTwin]:
    with SerpApiTwin() as twin:
        yield twin
        assert twin.unexpected == []


@pytest.fixture(scope="session")
def postgres() -> Iterator[Place]:
    """The server of this worker: started by the first test that wants it."""
    from .postgres import shared

    with shared() as server:
        yield server


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """What DATABASE_URL is: empty for SQLite, a schema of its own in Postgres for tests marked BOTH."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield ""
        return
    server = request.getfixturevalue("postgres")
    url = server.schema()
    yield url
    server.drop(url)


@pytest.fixture
def house(tmp_path: Path, gemini: GeminiTwin, serpapi: SerpApiTwin, database_url: str) -> Iterator[House]:
    """A whole Jarvis in this process."""
    from .house import House  # imports the stack, which many tests do without

    house = House(tmp_path, gemini, serpapi, database_url)
    yield house
    house.close()


@pytest.fixture
def shell(tmp_path: Path, gemini: GeminiTwin, serpapi: SerpApiTwin, database_url: str) -> Shell:
    """The program as a process, with an opener that writes down what it is given."""
    from .shell import Shell

    return Shell(tmp_path, gemini, serpapi, database_url)


@pytest.fixture
def people() -> Iterator[Callable[..., Person]]:
    """Puts somebody at a terminal of a home; all of them leave with the test."""
    from .person import Person

    with contextlib.ExitStack() as leaves:

        def start(home: Shell, *argv: str, environment: dict[str, str] | None = None, **how: Any) -> Person:
            return leaves.enter_context(Person(home.program(**(environment or {})), *argv, **how))

        yield start


@pytest.fixture
def chat(shell: Shell, people: Callable[..., Person]) -> Callable[..., Person]:
    """Starts a chat."""
    return functools.partial(people, shell)


def pytest_unconfigure() -> None:
    """End what makes text for this process, which would end with it all the same."""
    if page := sys.modules.get("jarvis.pages.page"):
        for process, control in page._MAKERS:
            control.close()
            process.wait()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where skips are forbidden, one that happened all the same fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("JARVIS_FORBID_SKIPS") and reporter and reporter.stats.get("skipped"):
        reporter.write_line("Tests were skipped, which is forbidden here.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
