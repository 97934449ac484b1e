"""Acts in the user's session, on any system, and reports the outcome.

Only programs on a path that only root and this user can change are started. running.py starts them. Linux
starts programs that outlive Jarvis by itself: importing subprocess takes long.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from json import dumps, loads
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from ..config.keys import ENDINGS
from ..config.settings import SETTINGS
from ..config.sources import is_of_pack
from ..core.errors import ActionFailed, LaunchFailed, NotInstalled
from ..core.files import changed_by_others, read_text
from ..core.types import (
    DRY_RUN,
    ActionRequest,
    AppFound,
    AppsFound,
    Effect,
    Facts,
    Outcome,
)

if TYPE_CHECKING:
    from .apps import App

_CLASSES = {"linux": "Linux", "macos": "MacOS", "windows": "Windows", "wsl": "Wsl"}  # by their modules
_RELEASE = "/proc/sys/kernel/osrelease"
_WINDOWS_DISKS = ("9p", "drvfs")  # as WSL mounts them
# The variables of our secrets, and of the database's library; others' stay, as with any launcher.
_OURS = {*(each for of in SETTINGS.values() if of.is_secret for each in of.variables), "PGPASSWORD"}

HANDED_OVER = "handed_over"  # another program took it and said that all is well
RUNNING = "running"  # still running after the time we watch
# What the brain does once the desktop lets it, as it would be told.
IN_BRAIN = {"keeps": "keep", "writes": "send"}
FIND_APPS = "find_apps"  # asks which apps have a name, and is no action


class Launched(NamedTuple):
    """How a program that was started took it."""

    name: str
    state: str  # HANDED_OVER | RUNNING


class Platform(Protocol):
    """The abilities of the desktop in the user's session. Failures are ActionFailed."""

    def open_url(self, url: str) -> str:
        """Send *url* to the browser. Return HANDED_OVER or RUNNING."""

    def open_file(self, path: str) -> str:
        """Have the file or folder at *path*, absolute, shown by its app. Return HANDED_OVER or RUNNING."""

    def find_apps(self, name: str) -> AppsFound:
        """Return the installed apps that match *name*, in any language. Nothing is started."""

    def launch_app(self, name: str) -> Launched:
        """Start the app with the id *name*, or else the one that matches *name*.

        name: an id of `find_apps`, which starts nothing else, or a name in a user's words.
        """

    def capture(self, path: str, *, is_part: bool = False) -> tuple[int, int]:
        """Save the screen as PNG at *path*. Return its size in pixels (width, height).

        is_part: what the user chooses of it, by the system's own means.
        """

    def clipboard(self, path: str) -> str:
        """Return the text on the clipboard, or "" after saving the picture on it at *path*."""

    def pictures(self) -> str:
        """Return the folder for the user's pictures, absolute."""

    def downloads(self) -> str:
        """Return the folder for what they download, absolute."""

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the apps whose whole name is one of *names*: each as (name shown, key). No program is run.

        roles: whether what an app is for counts as a name of it.
        """

    def names(self) -> list[tuple[str, str]]:
        """Return the names of apps, each as (name in lower case, name shown)."""

    def apps(self) -> Sequence[App]:
        """Return every app that can be started, or none if the system doesn't list them."""


class Performable(Protocol):
    """The part of an action that a desktop performs."""

    def act(self, effect: Effect, platform: Platform) -> Outcome:
        """Perform it, once. A failure is an outcome that says what did not happen, and why."""

    def would(self, target: str) -> str:
        """Return the sentence about its effect that a dry run shows."""


class Desktop:
    """Acts in the user's session through its Platform."""

    def __init__(
        self, platform: Platform, actions: Mapping[str, Performable], *, dry_run: bool = False
    ) -> None:
        """actions: the actions that are performed here, by their names."""
        self._platform = platform
        self._actions = actions
        self._dry_run = dry_run

    def perform(self, request: ActionRequest) -> Outcome:
        """Carry out *request*, once. A failure is an outcome that says what did not happen, and why."""
        effect = request.effect
        if request.action == FIND_APPS:
            return Outcome("done", "", value=dumps([*self.find_apps(effect.target)]))
        action = self._actions.get(request.action)
        if action and not self._dry_run:
            return action.act(effect, self._platform)
        # The rest is the brain's to do, unless it is only to be said what it would do.
        target = effect.formatted
        would = action.would(target) if action else f"Would {IN_BRAIN[effect.kind]} {target}"
        declined = Outcome("declined", f"{would}.", effect.target, DRY_RUN)
        return declined if self._dry_run else Outcome("approved", "")

    def pictures(self) -> str:
        """Return the folder for the user's pictures, absolute."""
        return self._platform.pictures()

    def find_apps(self, name: str) -> AppsFound:
        """Return the installed apps that *name* may mean, or the name itself if looking fails."""
        try:
            return self._platform.find_apps(name)
        except ActionFailed:
            return AppsFound((AppFound(name, name),), is_near=False)


def sent(target: str, to: str, state: str) -> Outcome:
    """Return the outcome of an opening. to: the program for it, as “your browser”. state: how it went."""
    text = f"{to[0].upper()}{to[1:]} is starting: {target}" if state == RUNNING else f"Sent {target} to {to}."
    return Outcome("done", text, value=target)


def picture_path(facts: Facts, name: str) -> str:
    """Return a free path for a new picture, with that *name* and this second in it."""
    stem = os.path.join(facts.pictures, "Jarvis", time.strftime(f"{name} %Y-%m-%d %H-%M-%S"))
    path, n = f"{stem}.png", 2
    while os.path.lexists(path):
        path, n = f"{stem} ({n}).png", n + 1
    return path


def apps_in(text: str) -> AppsFound:
    """Return the apps in *text*, as `find_apps` sends them. Raises ValueError or TypeError."""
    apps, is_near = loads(text)
    return AppsFound(tuple(AppFound(str(id_), str(title)) for id_, title in apps), bool(is_near))


def time_and_place() -> str:
    """Return the user's time and place, on one line, for the model."""
    return f"{time.strftime('%A %d %B %Y, %H:%M %Z')}; {sys.platform}"


# Their system.


def own_platform(env: Mapping[str, str], platform: str = sys.platform, *, cache: str = "") -> Platform:
    """Return the Platform of the session that *env* describes.

    cache: the folder to keep lists of apps in, or "" to keep none.
    """
    name = system(env, platform)
    module = import_module(f".{name}", __package__)  # some can't be imported on another system
    return cast("Platform", getattr(module, _CLASSES[name])(env, cache))


def system(env: Mapping[str, str], platform: str = sys.platform, release: str = _RELEASE) -> str:
    """Return the kind of this session's desktop: "linux" (or another Unix), "wsl", "macos", or "windows".

    release: the kernel's file with its release.
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


# Programs.


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
        at, why = changed_by_others(path)
    except OSError as error:
        raise LaunchFailed(f"{name} was not started: {path}: {error.strerror}.") from error
    if at and not (speaks_of_wsl(env) and is_windows_disk(at)):
        raise LaunchFailed(f"{name} was not started: {why}.", hint=f"Check it: ls -ld {shlex.quote(at)}")


def is_windows_disk(path: str, mounts: str = "/proc/self/mounts") -> bool:
    """Return whether *path* is on a disk of Windows, where file modes are made up."""
    with open(mounts, encoding="utf-8", errors="replace") as file:
        kinds = {line.split(" ")[1]: line.split(" ")[2] for line in file}
    while path not in kinds and path != "/":
        path = os.path.dirname(path)
    return kinds.get(path) in _WINDOWS_DISKS


def child_env(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* without our keys and those of packs, to be passed to other programs."""
    return {name: value for name, value in env.items() if not _is_ours(name.upper())}


def _is_ours(name: str) -> bool:
    """Return whether *name* is the variable of one of our keys, or of a pack's key."""
    return name in _OURS or (name.lower().endswith(ENDINGS) and is_of_pack(name))
