"""A chat's way to the brain that stays. Where none can be had, to one of the chat's own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Awaitable, Callable, Mapping

from ..core.concurrency import aside
from ..core.errors import BrainFailed
from ..core.options import Options
from .connection import PATIENCE, kill, met
from .link import END_SECONDS, Link, Way, noticed
from .messages import ANEW, garbled, heard
from .protocol import LONGEST, Message, encode
from .socket_path import Place, place_of


class ResidentLink(Way):
    """Has what link.Link has. The brain is not ours: it is left, and killed only where it hangs."""

    def __init__(self, options: Options, environment: Mapping[str, str]) -> None:
        self._options = options
        self._environment = environment
        self._env_file = os.path.abspath(options.env_file) if options.env_file else None
        self._place: Place | None = None
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._own: Link | None = None

    async def start(self) -> None:
        """Look for the brain, or have it start, unless we are connected. Nothing is waited for."""
        if self.is_starting or self._is_connected:
            return
        await self.stop()
        self._ready = asyncio.create_task(self._connect())
        self._ready.add_done_callback(noticed)

    def send(self, message: Message) -> None:
        if self._own:
            self._own.send(message)
        elif self._writer and not self._writer.is_closing():
            self._writer.write(encode(message))

    async def next(self) -> Message:
        """What the brain says next. Raises BrainFailed where it has nothing to say any more."""
        if self._own:
            return await self._own.next()
        return heard(await self._line())

    def kill(self) -> None:
        """End a turn that does not end: the brain ends it once we have hung up."""
        if self._own:
            self._own.kill()
        elif self._writer:
            self._writer.transport.abort()

    async def stop(self, patience: float = END_SECONDS) -> None:
        """Hang up. patience: seconds for a brain of our own to end."""
        if self._ready:
            self._ready.cancel()
        self._ready = None
        if self._own:
            await self._own.stop(patience)
        if self._writer:
            self._writer.close()
        self._reader = self._writer = self._own = None

    @property
    def _is_connected(self) -> bool:
        if self._own:
            return self._own.is_current
        reader, writer = self._reader, self._writer
        is_open = reader and writer and not reader.at_eof() and not writer.is_closing()
        # One of settings that were just changed leaves, but takes a moment to notice.
        return bool(is_open) and self._place == place_of(self._environment, self._env_file)

    async def _connect(self) -> None:
        connection = await aside(lambda: met(self._environment, self._env_file, lambda: None))
        if connection is None:
            self._own = Link(self._options, self._environment)
            await self._own.ready()
            return
        self._place = connection.place
        opened = socket.socket(fileno=connection.detach())
        self._reader, self._writer = await asyncio.open_unix_connection(sock=opened, limit=LONGEST)

    async def _line(self) -> bytes:
        if not self._reader or not self._place:
            raise BrainFailed("The process that plans and searches is not there.", hint=ANEW)
        line = b""
        try:
            with contextlib.suppress(ConnectionError):
                line = await _within(PATIENCE, self._reader.readline)
        except ValueError:  # longer than LONGEST
            raise garbled() from None
        except TimeoutError:
            kill(self._place)
            raise BrainFailed("The process that plans and searches does not answer.", hint=ANEW) from None
        if not line.endswith(b"\n"):
            raise BrainFailed("The process that plans and searches has stopped.", hint=ANEW)
        return line


async def _within(seconds: float, read: Callable[[], Awaitable[bytes]]) -> bytes:
    """What *read* reads. Raises TimeoutError."""
    try:
        return await asyncio.wait_for(read(), seconds - 1)
    except TimeoutError:
        # After a stop by Ctrl-Z its time is over though something is there.
        return await asyncio.wait_for(read(), 1)
