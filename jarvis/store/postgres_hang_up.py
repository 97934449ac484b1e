"""Hangs up on a Postgres server that does not answer: on the connections of one work, and on no other's."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from ..core.concurrency import in_time
from .database import T

# By whom a connection is asked for, as the pool tells nobody.
_work: ContextVar[object] = ContextVar("work", default=None)


class HangingUp:
    """Knows which work was given which connection of a pool last."""

    def __init__(self) -> None:
        self._given: WeakKeyDictionary[AsyncConnection[Any], object] = WeakKeyDictionary()

    async def check(self, connection: AsyncConnection[Any]) -> None:
        """Raise psycopg's error where *connection* can't be used; else the work under way is given it."""
        self._given[connection] = _work.get()
        await AsyncConnectionPool.check_connection(connection)

    async def in_time(self, work: Callable[[], Awaitable[T]], seconds: float | None) -> T:
        """Return what *work* returns. Raises TimeoutError after *seconds*, once its connections are ended."""
        ours = _work.get() or object()  # also within other work
        token = _work.set(ours)
        try:
            return await in_time(work(), seconds, lambda: self._hang_up(ours))
        finally:
            _work.reset(token)

    def _hang_up(self, work: object) -> None:
        for connection, given_to in list(self._given.items()):
            if given_to is work:
                hang_up(connection)


def hang_up(connection: AsyncConnection[Any]) -> None:
    """End the conversation of *connection*, so that whoever waits for an answer fails in order, at once.

    To close it instead would free memory that psycopg still reads: the process may die of that.
    """
    with (
        contextlib.suppress(OSError, psycopg.Error),  # it is closed already
        socket.fromfd(connection.pgconn.socket, socket.AF_INET, socket.SOCK_STREAM) as line,
    ):
        line.shutdown(socket.SHUT_RDWR)
