"""The brain of a chat: connect to one, keep it from turn to turn, and start another where it is lost."""

from __future__ import annotations

import asyncio
import os

from ...brain import child, resident
from ...brain.connection import Connection
from ...brain.socket_path import place_of
from ...core.concurrency import aside
from ...core.types import Options
from ...output.screen import Screen
from ..work import wants_brain


class ChatBrain:
    def __init__(self, options: Options, screen: Screen) -> None:
        self._options = options
        self._environment = screen.environment
        self._env_file = os.path.abspath(options.env_file) if options.env_file else None
        self._wants_resident = wants_brain(options, screen.environment)
        self._connection: Connection | None = None
        self._connecting: asyncio.Task[Connection] | None = None

    def start(self) -> asyncio.Task[Connection]:
        """Connect to a brain in the background, unless there is one; return the task to wait for.

        Raises SettingsError for a bad --env-file.
        """
        if not self._connecting or (self._connecting.done() and not self._is_current()):
            self._connecting = asyncio.ensure_future(aside(self._connect))
            # Its error is told by whoever waits for it. Where nobody does, it counts as read.
            self._connecting.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._connecting

    def close(self) -> None:
        """Hang up. A brain of the chat's own ends."""
        if self._connection:
            self._connection.close()

    def _is_current(self) -> bool:
        """Return whether the brain is there, and was started with the settings of now.

        A brain whose settings were just changed leaves by itself, but takes a moment to notice.
        """
        now = place_of(self._environment, self._env_file)
        return bool(self._connection and self._connection.is_open and self._connection.name == now.name)

    def _connect(self) -> Connection:
        """Connect to a brain, on a thread."""
        self.close()
        self._connection = None
        if self._wants_resident:
            self._connection = resident.connect(self._environment, self._env_file)
        if self._connection is None:
            # Stored before it is ready, so that it ends with the chat.
            self._connection = child.start_child(self._options, self._environment, self._env_file)
            self._connection.await_ready()
        return self._connection
