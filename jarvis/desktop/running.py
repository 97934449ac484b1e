"""Starts programs, and Pythons of ours.

Each gets a list of arguments, the root as its folder, a session of its own, and none of our keys: the folder
you stand in decides nothing.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from subprocess import DEVNULL, Popen
from typing import NamedTuple, TypeAlias

from ..core.errors import ActionFailed, NotInstalled
from ..core.text import one_line
from .desktop import child_env, own_program, which

_MOST_OUTPUT = 64 * 1024 * 1024  # bytes; a picture of several screens is below it
_MOST_SAID = 2048
_NO_WINDOW = 0x08000000 if os.name == "nt" else 0  # subprocess.CREATE_NO_WINDOW
_ROOT = os.path.splitdrive(sys.executable)[0] + os.sep  # on Windows of the drive that has Python
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # the package's folder
_SECONDS = 5.0  # for a program of the system


Started: TypeAlias = Popen[bytes]


class Finished(NamedTuple):
    """The result of a program."""

    out: bytes
    trouble: str  # what went wrong, as a sentence without its full stop, or ""


# Programs that do one thing for us and end.


def run_program(
    argv: Sequence[str], env: Mapping[str, str], timeout: float, *, stdin: bytes = b""
) -> Finished:
    """Run the program *argv[0]* to its end, for *timeout* seconds at most.

    stdin: the bytes that it reads there.
    """
    name = os.path.basename(argv[0])
    try:
        # Files, not pipes: a child that it leaves behind would keep a pipe open, and we would wait for it.
        file = tempfile.TemporaryFile
        with file() as out, file() as err:
            try:
                status = subprocess.run(
                    [own_program(argv[0], env), *argv[1:]], env=child_env(env), cwd=_ROOT,
                    input=stdin, stdout=out, stderr=err, check=False,
                    timeout=timeout, start_new_session=True, creationflags=_NO_WINDOW,
                ).returncode  # fmt: skip
            except subprocess.TimeoutExpired:
                return Finished(b"", f"{name} did not answer within {timeout:g} s")
            out.seek(0)
            err.seek(0)
            return Finished(out.read(_MOST_OUTPUT), _trouble(name, status, err.read(_MOST_SAID)))
    except ActionFailed as error:
        return Finished(b"", error.message.removesuffix("."))
    except (OSError, ValueError) as error:
        return Finished(b"", f"can't start {name}: {getattr(error, 'strerror', None) or error}")


def _trouble(name: str, status: int, stderr: bytes) -> str:
    why = one_line(stderr.decode("utf-8", "replace"), 200).rstrip(".")
    return f"{name} failed with status {status}{f': {why}' if why else ''}" if status else ""


def began_by_ps(leader: int, environment: Mapping[str, str], root: str = "/") -> str:
    """Return the start time of process *leader* by `ps`, or "" if its session has no terminal."""
    argv = [os.path.join(root, "bin/ps"), "-o", "tty=,lstart=", "-p", str(leader)]
    fixed = {**environment, "LC_ALL": "C", "TZ": "UTC0"}  # by which the time is written
    text = run_program(argv, fixed, _SECONDS).out.decode("utf-8", "replace")
    terminal, _, began = text.strip().partition(" ")
    return "" if terminal.startswith("?") else began.strip()


def edit(path: str, env: Mapping[str, str]) -> bool:
    """Have the user edit the file at *path* on this terminal. Return whether their editor succeeded.

    Raises ActionFailed, or ValueError for a setting that makes no sense.
    """
    choices = (env.get("VISUAL", ""), env.get("EDITOR", ""), "editor", "nano", "vi")
    for program, *words in filter(None, map(shlex.split, choices)):
        if which(program, env):
            argv = [own_program(program, env), *words, path]
            return subprocess.call(argv, env=child_env(env), cwd=_ROOT) == 0
    raise NotInstalled("No editor is installed.")


# Python, which imports what we import, by absolute paths: neither its folder nor its variables decide that.


def with_python(module: str, *words: str) -> list[str]:
    """Return the command that runs *module* of ours."""
    return [sys.executable, "-P", "-m", module, *words]


def python_env(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* for a Python of ours."""
    own = {name: value for name, value in env.items() if not _is_pythons(name)}
    path = [each for each in sys.path if os.path.isabs(each)]
    return own | {"PYTHONPATH": os.pathsep.join(path if _OURS in path else [_OURS, *path])}


def _is_pythons(name: str) -> bool:
    return name.startswith("PYTHON") and not name.startswith("PYTHON_KEYRING_")  # a library's own


def start_python(module: str, *words: str, env: Mapping[str, str], stdin: int = DEVNULL) -> Started:
    """Start *module* of ours, which may outlive us. stdin: a descriptor."""
    return Popen(
        with_python(module, *words), env=python_env(env), cwd=_ROOT, start_new_session=True,
        stdin=stdin, stdout=DEVNULL, stderr=DEVNULL,
    )  # fmt: skip
