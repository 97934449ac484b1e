"""The brain in a child process: asked for turns, acted for, and started anew if it has died."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Coroutine, Sequence
from typing import Any

from ..aside import aside
from ..commandline import Options
from ..errors import BrainFailed, JarvisError
from ..hands import Hands
from ..turn import Outcome, Request, unknown
from ..wire import (
    LONGEST,
    Act,
    Ask,
    Cancel,
    Clear,
    Did,
    Ended,
    Err,
    Failed,
    Message,
    Out,
    Passing,
    Ready,
    decode,
    encode,
)
from .screen import Screen

# Ctrl-C on the terminal is for the client alone, which then cancels the turn.
_OWN_GROUP: dict[str, Any] = {"start_new_session": True}
if sys.platform == "win32":
    _OWN_GROUP = {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP
_ANEW = "What was done so far is kept. Ask again: it is started anew."
_PATIENCE = 3.0  # seconds: for a turn to end that was cancelled, for the child to end that may leave


class Brain:
    """Its turns, one at a time. Everything is printed on *screen*, and *hands* act."""

    def __init__(self, options: Options, screen: Screen, hands: Hands) -> None:
        self._argv = _command(options)
        self._keeps_stderr = options.verbose
        self._screen = screen
        self._hands = hands
        self._process: Process | None = None
        self._ready: asyncio.Task[None] | None = None
        self._turn: Ask | None = None  # that the brain has begun
        self._waiting: asyncio.Task[Any] | None = None  # for the brain to be ready
        self._acting: set[asyncio.Task[None]] = set()
        self._at_line_start = True

    async def start(self) -> None:
        """Have it import all it needs, unless it is there already. Nothing is waited for.

        Raises BrainFailed where no process can be had.
        """
        if self._process and self._process.returncode is None:
            return
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._argv,
                stdin=PIPE,
                stdout=PIPE,
                # What a library prints would land between the person's lines.
                stderr=None if self._keeps_stderr else DEVNULL,
                limit=LONGEST,
                **_OWN_GROUP,
            )
        except OSError as error:
            said = f"The process that plans and searches can't be started: {error.strerror}."
            raise BrainFailed(said, hint="Close what you can spare, then ask again.") from None
        self._ready = asyncio.create_task(self._until_ready())

    async def turn(self, ask: Ask) -> int:
        """The exit status of that turn, all of which has been told.

        Raises CancelledError where it was cancelled before it began, BrainFailed where the brain is gone.
        """
        try:
            await self._warm()
            self._turn = ask
            self._send(ask)
            return await self._until_ended(ask)
        except BrainFailed:
            if not self._at_line_start:
                self._screen.out("")
            await self.stop(patience=0)
            if self._turn:  # it was alive and well: the next turn need not wait for it
                await self.start()
            raise
        finally:
            self._turn, self._at_line_start = None, True

    def cancel(self, reason: JarvisError) -> None:
        """End the turn under way. A brain that does not is ended itself."""
        if self._waiting:
            self._waiting.cancel()
        elif self._turn and self._process:
            self._send(Cancel(self._turn.turn, reason.code))
            asyncio.get_running_loop().call_later(_PATIENCE, self._kill_if_at, self._turn)

    async def stop(self, patience: float = _PATIENCE) -> None:
        """End it: it leaves by itself once its pipe is closed."""
        process, self._process = self._process, None
        if self._ready:
            self._ready.cancel()
        if process is None:
            return
        if process.stdin:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), patience)
        except TimeoutError:
            _kill(process)
            await process.wait()

    async def _warm(self) -> None:
        await self.start()
        if self._ready and not self._ready.done():
            self._screen.passing("starting (first use takes a few seconds)…")
            self._waiting = asyncio.create_task(asyncio.wait([self._ready]))
            try:
                await self._waiting
            finally:
                self._waiting = None
                self._screen.clear()
        if self._ready:
            self._ready.result()

    async def _until_ready(self) -> None:
        message = await self._next()
        if isinstance(message, Failed):
            raise _translated(message)
        if not isinstance(message, Ready):
            raise _garbled()

    async def _until_ended(self, ask: Ask) -> int:
        while True:
            message = await self._next()
            match message:
                case Ended(turn, status) if turn == ask.turn:
                    return status
                case Act(turn) if turn == ask.turn:
                    self._aside(self._act(message))
                case Failed():
                    raise _translated(message)
                case _:
                    self._print(message)

    def _print(self, message: Message) -> None:
        match message:
            case Out(text):
                self._screen.out(text, end="")
                self._at_line_start = text.endswith("\n")
            case Err(text):
                self._screen.err(text)
            case Passing(text):
                self._screen.passing(text)
            case Clear():
                self._screen.clear()
            case _:
                raise _garbled()

    async def _act(self, act: Act) -> None:
        outcome = await aside(lambda: self._perform(act.request))
        self._send(Did(act.turn, act.n, *outcome[:6]))

    def _perform(self, request: Request) -> Outcome:
        try:
            return self._hands.perform(request)
        except Exception as fault:  # noqa: BLE001 (the brain waits for an answer, whatever it is)
            outcome = unknown(request.action, request.target)
            return outcome._replace(text=f"{outcome.text} ({type(fault).__name__}: {fault})")

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._acting.add(task)
        task.add_done_callback(self._acting.discard)

    def _send(self, message: Message) -> None:
        if self._process and self._process.stdin:
            # That nobody reads any more is noticed where the answer is waited for.
            with contextlib.suppress(OSError, RuntimeError):
                self._process.stdin.write(encode(message))

    async def _next(self) -> Message:
        process = self._process
        if process is None or process.stdout is None:
            raise await self._gone()
        try:
            line = await process.stdout.readline()
        except ValueError:  # longer than LONGEST
            raise _garbled() from None
        if not line.endswith(b"\n"):
            raise await self._gone()
        try:
            return decode(line)
        except JarvisError:
            raise _garbled() from None

    async def _gone(self) -> BrainFailed:
        status = None
        if self._process:
            with contextlib.suppress(TimeoutError):
                status = await asyncio.wait_for(self._process.wait(), 1)
        return BrainFailed(
            f"The process that plans and searches has stopped{_how(status)}.",
            hint=_ANEW,
        )

    def _kill_if_at(self, ask: Ask) -> None:
        if self._turn is ask and self._process:
            _kill(self._process)


def _command(options: Options) -> Sequence[str]:
    """The brain's command line. No key is in it."""
    return [
        *(sys.executable, "-P", "-m", f"{__package__.split('.')[0]}.brain"),
        *([f"--env-file={options.env_file}"] if options.env_file else []),
        *([f"--timeout={options.timeout}"] if options.timeout else []),
        *(["--verbose"] if options.verbose else []),
    ]


def _how(status: int | None) -> str:
    if not status:
        return ""
    if status > 0:
        return f" (exit status {status})"
    with contextlib.suppress(ValueError):
        return f" ({signal.Signals(-status).name})"
    return f" (signal {-status})"


def _kill(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()


def _translated(failed: Failed) -> BrainFailed:
    """What kept it from starting, as it told it."""
    error = BrainFailed(failed.message, hint=failed.hint)
    error.code, error.exit_status = failed.code, failed.exit_status
    return error


def _garbled() -> BrainFailed:
    return BrainFailed("The process that plans answered with nonsense.", hint=_ANEW)
