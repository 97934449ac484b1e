"""A brain of a chat's own, over pipes: where no resident one can be started, or none is wanted."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from ..config.settings import check_model_key
from ..core.errors import BrainFailed
from ..core.types import Options
from .connection import END_SECONDS, Connection
from .socket_path import place_of

# Ctrl-C on the terminal is for the client alone, which then cancels the turn.
_OWN_GROUP: dict[str, Any] = {"start_new_session": True}
if sys.platform == "win32":
    _OWN_GROUP = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}


class ChildConnection(Connection):
    patience = None  # it may be at work for long, and only its person waits for it
    is_own = True

    def __init__(self, name: str, process: subprocess.Popen[bytes], *, reading: int, writing: int) -> None:
        super().__init__(name, reading=reading, writing=writing)
        self._process = process
        _thread.start_new_thread(process.wait, ())  # or it would stay a zombie until it is needed

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def close(self, patience: float = END_SECONDS) -> None:
        """Hang up, which ends the brain; kill it after *patience* seconds."""
        super().close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()

    def _ending(self) -> str:
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return ""
        if status >= 0:
            return f" (exit status {status})" if status else ""
        with contextlib.suppress(ValueError):
            return f" ({signal.Signals(-status).name})"
        return f" (signal {-status})"


def start_child(options: Options, environment: Mapping[str, str], env_file: str | None) -> Connection:
    """Start a brain and return a connection to it. Its imports take seconds: see await_ready().

    env_file: the absolute path. Raises BrainFailed where no process starts, SettingsError for a bad file,
    NoKey where it could do nothing.
    """
    check_model_key(environment, env_file)
    name = place_of(environment, env_file).name
    theirs, writing = os.pipe()
    reading, said = os.pipe()
    try:
        process = subprocess.Popen(
            _command(options, env_file),
            stdin=theirs,
            stdout=said,
            # What a library prints would land between the person's lines.
            stderr=None if options.verbose else subprocess.DEVNULL,
            **_OWN_GROUP,
        )
    except OSError as error:
        os.close(writing)
        os.close(reading)
        raise BrainFailed(
            f"The process that plans and searches can't be started: {error.strerror}.",
            hint="Close programs that you can spare, then ask again.",
        ) from None
    finally:
        os.close(theirs)
        os.close(said)
    return ChildConnection(name, process, reading=reading, writing=writing)


def _command(options: Options, env_file: str | None) -> list[str]:
    """Return the brain's command line. No key is in it: the brain reads keys itself."""
    command = [sys.executable, "-P", "-m", __package__]
    command += [f"--env-file={env_file}"] if env_file else []
    command += [f"--timeout={options.timeout}"] if options.timeout else []
    command += [f"--log-file={options.log_file}"] if options.log_file else []
    command += [f"--verbose={options.verbose}"] if options.verbose else []
    return command
