"""What acts in the person's session, whatever its system: what that has to do, and how it is told."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from json import dumps, loads
from typing import NamedTuple, Protocol

from ..core.errors import ActionFailed
from ..core.types import DRY_RUN, AppFound, AppsFound, Effect, Facts, Outcome, Request

HANDED_OVER = "handed_over"  # another program took it and said that all is well
RUNNING = "running"  # still running after the time we watch
# What the brain does once the desktop lets it, as it would be told.
IN_BRAIN = {"keeps": "keep", "writes": "send"}
FIND_APPS = "find_apps"  # asks which apps go by a name; no action, since nothing is done


class Launched(NamedTuple):
    """How a program that was started took it."""

    name: str
    state: str  # HANDED_OVER | RUNNING


class Platform(Protocol):
    """What the desktop can do in the person's session. Failures are ActionFailed."""

    def open_url(self, url: str) -> str:
        """Send *url* to the browser. Return HANDED_OVER or RUNNING."""

    def open_file(self, path: str) -> str:
        """Have the file or folder at *path*, absolute, shown by its app. Return HANDED_OVER or RUNNING."""

    def find_apps(self, name: str) -> AppsFound:
        """Return the installed apps that *name* means, in whatever language. Nothing is started."""

    def launch_app(self, name: str) -> Launched:
        """Start the app that has the id *name*, or else the one that *name* means.

        name: an id of `find_apps`, in whose place nothing else is started; or a name that somebody said.
        """

    def capture(self, path: str, *, is_part: bool = False) -> tuple[int, int]:
        """Save the screen as PNG at *path*. Return its size in pixels (width, height).

        is_part: what the person chooses of it, by the system's own means.
        """

    def clipboard(self, path: str) -> str:
        """Return the text on the clipboard; empty where that holds a picture, which is saved at *path*."""

    def pictures(self) -> str:
        """Return the folder for the person's pictures, absolute."""


class Performable(Protocol):
    """What an action is to the desktop that performs it."""

    def act(self, effect: Effect, platform: Platform) -> Outcome:
        """Perform it, once. A failure is an outcome that says what did not happen, and why."""

    def would(self, target: str) -> str:
        """Return what it would do, for a dry run."""


class Desktop:
    """What acts in the person's session, by their Platform."""

    def __init__(
        self, platform: Platform, actions: Mapping[str, Performable], *, dry_run: bool = False
    ) -> None:
        """actions: the actions that are performed here, by their names."""
        self._platform = platform
        self._actions = actions
        self._dry_run = dry_run

    def perform(self, request: Request) -> Outcome:
        """Carry out *request*, once. A failure is an outcome that says what did not happen, and why."""
        effect = request.effect
        if request.action == FIND_APPS:
            return Outcome("done", "", value=dumps([*self.find_apps(effect.target)]))
        action = self._actions.get(request.action)
        if action and not self._dry_run:
            return action.act(effect, self._platform)
        # The rest is the brain's to do, unless it is only to be said what it would do.
        would = action.would(effect.told) if action else f"Would {IN_BRAIN[effect.kind]} {effect.told}"
        declined = Outcome("declined", f"{would}.", effect.target, DRY_RUN)
        return declined if self._dry_run else Outcome("approved", "")

    def pictures(self) -> str:
        """Return the folder for the person's pictures, absolute."""
        return self._platform.pictures()

    def find_apps(self, name: str) -> AppsFound:
        """Return the installed apps that *name* may mean; the name itself where that can't be told."""
        try:
            return self._platform.find_apps(name)
        except ActionFailed:
            return AppsFound((AppFound(name, name),), is_near=False)


def sent(target: str, to: str, state: str) -> Outcome:
    """Return the outcome of an opening. to: what shows it, as “your browser”; state: how that took it."""
    text = f"{to[0].upper()}{to[1:]} is starting: {target}" if state == RUNNING else f"Sent {target} to {to}."
    return Outcome("done", text, value=target)


def picture_path(facts: Facts, name: str) -> str:
    """Return the path of a picture of that *name* and this second, at which nothing is."""
    stem = os.path.join(facts.pictures, "Jarvis", time.strftime(f"{name} %Y-%m-%d %H-%M-%S"))
    path, n = f"{stem}.png", 2
    while os.path.lexists(path):
        path, n = f"{stem} ({n}).png", n + 1
    return path


def apps_in(text: str) -> AppsFound:
    """Return what `find_apps` found, from its form between processes. Raises ValueError or TypeError."""
    apps, is_near = loads(text)
    return AppsFound(tuple(AppFound(str(id_), str(title)) for id_, title in apps), bool(is_near))


def time_and_place() -> str:
    """Return the person's time and place, on one line, for the model."""
    return f"{time.strftime('%A %d %B %Y, %H:%M %Z')}; {sys.platform}"
