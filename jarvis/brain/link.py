"""The way to the brain: a child process, spoken to over its pipes, and started anew if it has died."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from abc import ABC, abstractmethod
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping
from typing import Any

from .. import __version__
from ..core.errors import BrainFailed
from ..core.options import Options
from .messages import ANEW, garbled, heard, other_version
from .protocol import LONGEST, Message, Ready, encode
from .socket_path import place_of

# Ctrl-C on the terminal is for the client alone, which then cancels the turn.
_OWN_GROUP: dict[str, Any] = {"start_new_session": True}
if sys.platform == "win32":
    _OWN_GROUP = {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP
END_SECONDS = 3.0  # for the child to end once it may


class Way(ABC):
    """What the ways to a brain have in common: it is started beside all else, and waited for."""

    _ready: asyncio.Task[None] | None = None

    @property
    def is_starting(self) -> bool:
        return self._ready is not None and not self._ready.done()

    @property
    def is_ready(self) -> bool:
        return self._ready is not None and self._ready.done()

    @abstractmethod
    async def start(self) -> None: ...

    async def ready(self) -> None:
        """Raises BrainFailed where it could not start, or has died since."""
        await self.start()
        if self._ready:
            await asyncio.wait([self._ready])  # unlike the task, this may be cancelled
            self._ready.result()


class Link(Way):
    def __init__(self, options: Options, environment: Mapping[str, str]) -> None:
        self._argv = _command(options)
        # What a brain that stays would be called: it changes with all that a brain is built from.
        self._name: Callable[[], str] = lambda: place_of(environment, options.env_file).name
        self._started_as = ""
        # What a library prints would land between the person's lines.
        self._stderr = None if options.verbose else DEVNULL
        self._process: Process | None = None

    @property
    def is_current(self) -> bool:
        """Whether it is there, built from what the settings are now. Raises SettingsError for a bad file."""
        is_alive = self._process is not None and self._process.returncode is None
        return is_alive and self._started_as == self._name()

    async def start(self) -> None:
        """Have the brain import all it needs, unless it is there already. Nothing is waited for.

        One that was built from other settings is replaced. Raises BrainFailed where no process can be had,
        SettingsError for a bad --env-file.
        """
        if self.is_current:
            return
        await self.stop()
        self._started_as = self._name()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._argv, stdin=PIPE, stdout=PIPE, stderr=self._stderr, limit=LONGEST, **_OWN_GROUP
            )
        except OSError as error:
            said = f"The process that plans and searches can't be started: {error.strerror}."
            raise BrainFailed(said, hint="Close what you can spare, then ask again.") from None
        self._ready = asyncio.create_task(self._until_ready())
        # Why it could not start is told by whoever waits for it; nobody may, or for its successor only.
        self._ready.add_done_callback(noticed)

    def send(self, message: Message) -> None:
        if self._process and self._process.stdin:
            # That nobody reads any more is noticed where the answer is waited for.
            with contextlib.suppress(OSError, RuntimeError):
                self._process.stdin.write(encode(message))

    async def next(self) -> Message:
        """What the brain says next. Raises BrainFailed where it has nothing to say any more."""
        if not (self._process and self._process.stdout):
            raise BrainFailed("The process that plans and searches is not there.", hint=ANEW)
        try:
            line = await self._process.stdout.readline()
        except ValueError:  # longer than LONGEST
            raise garbled() from None
        if not line.endswith(b"\n"):
            raise await self._gone(self._process)
        return heard(line)

    def kill(self) -> None:
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def stop(self, patience: float = END_SECONDS) -> None:
        """End the child: it leaves by itself once its pipe is closed."""
        if self._ready:
            self._ready.cancel()
        self._ready = None
        if self._process is None:
            return
        if self._process.stdin:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), patience)
        except TimeoutError:
            self.kill()
            await self._process.wait()
        self._process = None

    async def _until_ready(self) -> None:
        match await self.next():
            case Ready(version) if version != __version__:
                raise other_version(version)
            case Ready():
                pass
            case _:
                raise garbled()

    async def _gone(self, process: Process) -> BrainFailed:
        status = None
        with contextlib.suppress(TimeoutError):
            status = await asyncio.wait_for(process.wait(), 1)
        return BrainFailed(f"The process that plans and searches has stopped{_how(status)}.", hint=ANEW)


def noticed(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()


def _command(options: Options) -> list[str]:
    """The brain's command line. No key is in it: keys are read where they are used."""
    return [
        *(sys.executable, "-P", "-m", f"{__package__.split('.')[0]}.brain"),
        *([f"--env-file={options.env_file}"] if options.env_file else []),
        *([f"--timeout={options.timeout}"] if options.timeout else []),
        *([f"--log-file={options.log_file}"] if options.log_file else []),
        *([f"--verbose={options.verbose}"] if options.verbose else []),
    ]


def _how(status: int | None) -> str:
    """How a process has ended, in brackets."""
    if not status:
        return ""
    if status > 0:
        return f" (exit status {status})"
    with contextlib.suppress(ValueError):
        return f" ({signal.Signals(-status).name})"
    return f" (signal {-status})"
