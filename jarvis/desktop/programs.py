"""Finds programs: by a path that only root and this person can change. What starts them is in running.py.

Linux starts what outlives us by itself, without subprocess, which takes long to import.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping

from ..core.errors import LaunchFailed, NotInstalled
from ..core.files import changed_by_others
from . import speaks_of_wsl

_WINDOWS_DISKS = ("9p", "drvfs")  # as WSL mounts them


def which(program: str, env: Mapping[str, str]) -> str | None:
    """Return the absolute path of *program* on the PATH of *env*, or None.

    Relative folders on the PATH don't count: the current folder must not decide what runs.
    """
    folders = (env.get("PATH") or os.defpath).split(os.pathsep)
    places = [program] if os.path.dirname(program) else [f"{folder}/{program}" for folder in folders]
    return next((p for p in places if os.path.isabs(p) and os.path.isfile(p) and os.access(p, os.X_OK)), None)


def own_program(program: str, env: Mapping[str, str]) -> str:
    """Return the path of *program*, if it is there, and no stranger's. Raises NotInstalled, LaunchFailed."""
    if program == sys.executable:  # which runs already, and where many share it belongs to a group
        return program
    if not (path := which(program, env)):
        raise NotInstalled(f"{program} is not installed.")
    check_only_ours(path, os.path.basename(path), env)
    return path


def check_only_ours(path: str, name: str, env: Mapping[str, str]) -> None:
    """Raise LaunchFailed if anyone but root and this person can change what is at *path*.

    name: what would be started.
    """
    try:
        at, told = changed_by_others(path)
    except OSError as error:
        raise LaunchFailed(f"{name} was not started: {path}: {error.strerror}.") from error
    if at and not (speaks_of_wsl(env) and is_windows_disk(at)):
        raise LaunchFailed(f"{name} was not started: {told}.", hint=f"Look at it: ls -ld {shlex.quote(at)}")


def is_windows_disk(path: str, mounts: str = "/proc/self/mounts") -> bool:
    """Return whether *path* is on a disk of Windows, where file modes are made up."""
    with open(mounts, encoding="utf-8", errors="replace") as file:
        kinds = {line.split(" ")[1]: line.split(" ")[2] for line in file}
    while path not in kinds and path != "/":
        path = os.path.dirname(path)
    return kinds.get(path) in _WINDOWS_DISKS
