"""Real parts for every test: twins on loopback, a home in a temporary folder, the program as a process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from .twins.gemini import GeminiTwin
from .twins.serpapi import SerpApiTwin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .house import House
    from .shell import Shell


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


@pytest.fixture
def house(tmp_path: Path, gemini: GeminiTwin, serpapi: SerpApiTwin) -> House:
    """A whole Jarvis in this process."""
    from .house import House  # imports the stack, which many tests do without

    return House(tmp_path, gemini, serpapi)


@pytest.fixture
def shell(tmp_path: Path, gemini: GeminiTwin, serpapi: SerpApiTwin) -> Shell:
    """The program as a process, with an opener that writes down what it is given."""
    from .shell import Shell

    return Shell(tmp_path, gemini, serpapi)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where skips are forbidden, one that happened all the same fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("JARVIS_FORBID_SKIPS") and reporter and reporter.stats.get("skipped"):
        reporter.write_line("Tests were skipped, which is forbidden here.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
