"""The databases that are put under load: a new one for each row, and the line to one that is far away."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.postgres import Server

BASES = {"sqlite": "SQLite", "near": "Postgres, near", "far": "Postgres, 20 ms"}
AWAY = 0.02  # seconds that a round trip takes longer

Travelled = tuple[int, int]  # round trips and commits


@contextlib.contextmanager
def database(base: str, server: Server) -> Iterator[tuple[str, Callable[[], Travelled | None]]]:
    """Yield the URL of a new database, and what counts what went there since it was called last."""
    if base == "sqlite":
        yield "", lambda: None
        return
    url = server.url(server.database())
    if base == "near":
        yield url, lambda: None
        return
    context = multiprocessing.get_context("spawn")
    pipe, there = context.Pipe()
    line = context.Process(target=carry, args=(there, url, AWAY), daemon=True)
    line.start()
    there.close()

    def travelled() -> Travelled:
        pipe.send(None)
        return pipe.recv()

    try:
        yield pipe.recv(), travelled
    finally:
        pipe.close()
        line.join()


def carry(there: Connection, url: str, seconds: float) -> None:
    """Be the line to a server, until whoever started us lets go of the pipe, or dies."""
    from tests.far import Far

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Far(url, seconds) as far, contextlib.suppress(EOFError, ConnectionError):
        there.send(far.url)
        while True:
            there.recv()
            counted = far.counted()
            there.send((counted.trips, counted.commits))
