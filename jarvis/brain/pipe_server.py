"""The brain of one client, at the other end of its pipes: it serves that client, and ends with it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import threading
import time

from ..config.settings import read_settings
from ..config.system_keyring import with_kept_keys
from ..core.concurrency import aside as in_thread
from ..core.errors import JarvisError, foreseen
from ..core.text import clean
from ..core.types import Options
from ..output.library_logs import hush
from ..store.log import log_for
from ..turns import build
from .connection_handler import Parts, ServedClient
from .protocol import LONGEST, Err, fatal

_LEAVE_SECONDS = 5.0  # for the turn under way to end in order once the client is gone


async def serve(options: Options) -> None:
    """Serve until the client is gone."""
    reading, writing = _take_pipes()
    reader = asyncio.StreamReader(limit=LONGEST)
    parts: asyncio.Future[Parts] = asyncio.get_running_loop().create_future()
    client = ServedClient(reader, lambda line: _write(writing, line))
    listen = (reading, reader, parts)
    threading.Thread(target=_listen, args=listen, name="pipes", daemon=True).start()
    try:
        with foreseen():
            await _serve(client, reader, parts, options)
    except JarvisError as error:  # the client would otherwise wait in vain
        client.send(fatal(error))


async def _serve(
    client: ServedClient, reader: asyncio.StreamReader, parts: asyncio.Future[Parts], options: Options
) -> None:
    settings = read_settings(
        os.environ, env_file=options.env_file, seconds=options.timeout, log_file=options.log_file
    )
    settings = await in_thread(lambda: with_kept_keys(settings))

    def aside(text: str) -> None:
        client.send(Err(clean(text)))

    log = log_for(settings, watch=aside if options.verbose > 1 else None)
    hush(options, log, aside)
    async with build.session(settings, log) as session:
        gc.freeze()  # what is loaded now stays: no collection need look at it
        gc.enable()
        with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, reader.feed_eof)
        parts.set_result(Parts(session, settings, log))
        await client.serve(parts)


def _take_pipes() -> tuple[int, int]:
    """Return the pipes to read from and to write to. Other code in this process can't use them any more."""
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return reading, writing


def _write(pipe: int, line: bytes) -> None:
    with contextlib.suppress(OSError):  # that the client is gone is noticed where it is listened to
        while line:
            line = line[os.write(pipe, line) :]


def _listen(pipe: int, reader: asyncio.StreamReader, parts: asyncio.Future[Parts]) -> None:
    """Read from the client on a thread, from the first moment on: imports can't be interrupted."""
    loop = parts.get_loop()
    while piece := os.read(pipe, 65536):
        loop.call_soon_threadsafe(reader.feed_data, piece)
    if not parts.done():  # nothing has begun
        os._exit(0)
    loop.call_soon_threadsafe(reader.feed_eof)
    time.sleep(_LEAVE_SECONDS)
    os._exit(1)
