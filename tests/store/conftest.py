"""A Postgres server that tests may stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jarvis.store import postgres as on_a_server
from tests.postgres import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres import Place


@pytest.fixture(scope="session")
def _stoppable(postgres: Place) -> Iterator[Server]:
    if isinstance(postgres, Server):
        yield postgres
        return
    with Server() as server:
        yield server


@pytest.fixture
def own(_stoppable: Server) -> Iterator[Server]:
    """The worker's server, if it is ours. Whoever stops it starts it again."""
    yield _stoppable
    _stoppable.execute("SELECT 1")


@pytest.fixture
def url(own: Server) -> Iterator[str]:
    """A schema of its own there."""
    made = own.schema()
    yield made
    own.drop(made)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for an answer of a server, and for a connection, no longer than a test can."""
    monkeypatch.setattr(on_a_server, "WAIT", 1.0)
    monkeypatch.setitem(on_a_server._HOW, "connect_timeout", 2)  # the least that there is
