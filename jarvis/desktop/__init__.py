"""Choose the code for this system's desktop: its browser, its apps and its screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias, cast

from ..config.keys import ENDINGS
from ..config.settings import SETTINGS
from ..config.sources import is_of_pack

if TYPE_CHECKING:
    from .linux import Linux
    from .macos import MacOS
    from .windows import Windows

    AnyPlatform: TypeAlias = Linux | MacOS | Windows

_CLASSES = {"linux": "Linux", "macos": "MacOS", "windows": "Windows", "wsl": "Wsl"}  # by their modules
_RELEASE = "/proc/sys/kernel/osrelease"
# The variables of our secrets, and of the database's library; others' stay, as with any launcher.
_OURS = {*(each for of in SETTINGS.values() if of.is_secret for each in of.variables), "PGPASSWORD"}


def own_platform(env: Mapping[str, str], platform: str = sys.platform, *, cache: str = "") -> AnyPlatform:
    """Return what acts in the session that *env* describes, as its system does.

    cache: the folder to keep lists of apps in; empty to keep none.
    """
    name = system(env, platform)
    module = import_module(f".{name}", __package__)  # some can't be imported on another system
    return cast("AnyPlatform", getattr(module, _CLASSES[name])(env, cache))


def system(env: Mapping[str, str], platform: str = sys.platform, release: str = _RELEASE) -> str:
    """Return which desktop this session's is: "linux" (as any other Unix), "wsl", "macos" or "windows".

    release: the file in which the kernel tells its own.
    """
    if platform == "darwin":
        return "macos"
    if platform == "win32":
        return "windows"
    # A container may get its variables from a WSL around it; only the kernel knows whether this is WSL.
    return "wsl" if speaks_of_wsl(env) and "microsoft" in read_text(release).lower() else "linux"


def speaks_of_wsl(env: Mapping[str, str]) -> bool:
    """Return whether *env* may be that of a session in WSL."""
    return bool(env.get("WSL_DISTRO_NAME") or env.get("WSL_INTEROP"))


def read_text(path: str) -> str:
    """Return what stands in a small file, its first MB; empty where that can't be read."""
    try:
        if not os.path.isfile(path):  # opening a pipe would wait until somebody writes to it
            return ""
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(1024 * 1024)
    except OSError:
        return ""


def child_env(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* without our keys and those of packs, to be passed to other programs."""
    return {name: value for name, value in env.items() if not _is_ours(name.upper())}


def _is_ours(name: str) -> bool:
    """Return whether *name* is the variable of a key of ours; a pack's stands in what says what it is."""
    return name in _OURS or (name.lower().endswith(ENDINGS) and is_of_pack(name))
