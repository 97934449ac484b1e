"""Brains that stay: one of a test's own, and one that many tests share."""

import pytest

from tests.brain.brains import Resident
from tests.twins.gemini import GeminiTwin
from tests.twins.serpapi import SerpApiTwin


@pytest.fixture
def home(tmp_path, gemini, serpapi, database_url):
    """Of a brain of its own, for what it does not outlive."""
    shell = Resident(tmp_path, gemini, serpapi, database_url)
    yield shell
    shell.stop()


@pytest.fixture(scope="session")
def _shared(tmp_path_factory):
    with GeminiTwin() as gemini, SerpApiTwin() as serpapi:
        shell = Resident(tmp_path_factory.mktemp("home"), gemini, serpapi)
        yield shell
        shell.stop()


@pytest.fixture
def warm(_shared):
    """A brain that is there already, and which the test leaves as it was."""
    if not _shared.brains:
        _shared.start_brain()
    (_shared.home / "opened").unlink(missing_ok=True)
    before = _shared.brains
    yield _shared
    assert _shared.brains == before
    assert _shared.gemini.unexpected == _shared.serpapi.unexpected == []
