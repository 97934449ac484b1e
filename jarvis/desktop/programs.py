"""Run programs that do one thing for us and end. None of them sees our keys."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..core.text import one_line
from . import child_env

_MOST_OUTPUT = 64 * 1024 * 1024  # bytes; a picture of several screens is below it
_MOST_SAID = 2048
_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0  # subprocess.CREATE_NO_WINDOW

_SECONDS = 5.0  # for a program of the system


class Finished(NamedTuple):
    """The result of a program."""

    out: bytes
    trouble: str  # what went wrong, as a sentence without its full stop; empty where nothing did


def run_program(
    argv: Sequence[str], env: Mapping[str, str], timeout: float, *, said: bytes = b""
) -> Finished:
    """Run the program at the path *argv[0]* to its end, for *timeout* seconds at most.

    said: what it reads on its stdin.
    """
    name = os.path.basename(argv[0])
    try:
        # Files, not pipes: a child that it leaves behind would keep a pipe open, and we would wait for it.
        file = tempfile.TemporaryFile
        with file() as given, file() as out, file() as err:
            given.write(said)
            given.seek(0)
            try:
                status = subprocess.run(
                    argv, env=child_env(env), stdin=given, stdout=out, stderr=err, check=False,
                    timeout=timeout, start_new_session=True, creationflags=_NO_WINDOW,
                ).returncode  # fmt: skip
            except subprocess.TimeoutExpired:
                return Finished(b"", f"{name} did not answer within {timeout:g} s")
            except FileNotFoundError:
                return Finished(b"", f"{argv[0]} does not exist")
            out.seek(0)
            err.seek(0)
            return Finished(out.read(_MOST_OUTPUT), _trouble(name, status, err.read(_MOST_SAID)))
    except (OSError, ValueError) as error:
        return Finished(b"", f"{name} can't be started: {getattr(error, 'strerror', None) or error}")


def _trouble(name: str, status: int, said: bytes) -> str:
    why = one_line(said.decode("utf-8", "replace"), 200).rstrip(".")
    return f"{name} failed with status {status}{f': {why}' if why else ''}" if status else ""


def began_by_ps(leader: int, environment: Mapping[str, str], root: str = "/") -> str:
    """Return when process *leader* began, by what `ps` tells; empty where its session has no terminal."""
    argv = [os.path.join(root, "bin/ps"), "-o", "tty=,lstart=", "-p", str(leader)]
    fixed = {**environment, "LC_ALL": "C", "TZ": "UTC0"}  # by which the time is written
    told = run_program(argv, fixed, _SECONDS).out.decode("utf-8", "replace")
    terminal, _, began = told.strip().partition(" ")
    return "" if terminal.startswith("?") else began.strip()
