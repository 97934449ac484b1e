"""What Jarvis can do: each module beside this one is an action, but for two; the desktop perform it.

Starts in milliseconds, and knows nothing of the loop.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from functools import cache
from json import dumps, loads

from ..core.errors import ActionFailed
from ..core.types import DRY_RUN, EFFECTS, AppFound, AppsFound, Outcome, Request
from .base import Action, DesktopAction, Platform, Services, failed

FIND_APPS = "find_apps"  # asks the desktop which apps go by a name; no action, since nothing is done
_NOT_PLAIN = {"__init__", "base", "fields", "arrange"}


@cache
def catalogue() -> Mapping[str, Action]:
    """Return the actions that plain commands know by their names, harmless ones first."""
    # Listed by hand: pkgutil and importlib would cost a plain command more than it saves here.
    stems = {entry[:-3] for entry in os.listdir(os.path.dirname(__file__)) if entry.endswith(".py")}
    modules = [__import__(f"{__name__}.{stem}", fromlist=["ACTION"]) for stem in stems - _NOT_PLAIN]
    actions: list[Action] = [module.ACTION for module in modules]
    return {a.name: a for a in sorted(actions, key=lambda a: (EFFECTS.index(a.effect), a.name))}


def planned() -> dict[str, Action]:
    """Return the actions that the model may plan, by their names."""
    from .arrange import ACTION as ARRANGE  # tables are slow to import, and most plain commands have none

    known = {ARRANGE.name: ARRANGE, **catalogue()}
    return {name: action for name, action in known.items() if action.is_planned}


class Desktop:
    def __init__(self, platform: Platform, actions: Mapping[str, Action], *, dry_run: bool = False) -> None:
        self._platform = platform
        self._services = Services(platform=platform)
        self._actions = actions
        self._dry_run = dry_run

    def perform(self, request: Request) -> Outcome:
        """Carry out *request*, once. A failure is an outcome that says what did not happen, and why."""
        effect = request.effect
        if request.action == FIND_APPS:
            return Outcome("done", "", value=dumps([*self.find_apps(effect.target)]))
        if effect.kind == "keeps":  # the brain does that, unless it is only to be said what it would do
            would = Outcome("declined", f"Would keep {effect.told}.", effect.target, DRY_RUN)
            return would if self._dry_run else Outcome("approved", "")
        action = self._actions[request.action]
        if not isinstance(action, DesktopAction):
            raise TypeError(f"{request.action} is not for the desktop")
        if self._dry_run:
            return Outcome("declined", f"{action.would(effect.told)}.", effect.target, DRY_RUN)
        try:
            return action.perform(effect, **self._services.of(action))
        except ActionFailed as error:
            return failed(action.not_done(effect.told), error)

    def pictures(self) -> str:
        """Return the folder for the person's pictures, absolute."""
        return self._platform.pictures()

    def find_apps(self, name: str) -> AppsFound:
        """Return the installed apps that *name* may mean; the name itself where that can't be told."""
        try:
            return self._platform.find_apps(name)
        except ActionFailed:
            return AppsFound((AppFound(name, name),), is_near=False)


def apps_in(text: str) -> AppsFound:
    """Return what `find_apps` found, from its form between processes. Raises ValueError or TypeError."""
    apps, is_near = loads(text)
    return AppsFound(tuple(AppFound(str(id_), str(title)) for id_, title in apps), bool(is_near))


def time_and_place() -> str:
    """Return the person's time and place, on one line, for the model."""
    return f"{time.strftime('%A %d %B %Y, %H:%M %Z')}; {sys.platform}"
