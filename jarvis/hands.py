"""What acts in the person's session. Never sees LangGraph; starts in milliseconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from .actions.base import Action, Desktop, HandsAction, failed
from .errors import ActionFailed
from .turn import DRY_RUN, Outcome, Request


class Hands:
    def __init__(self, desktop: Desktop, actions: Mapping[str, Action], *, dry_run: bool = False) -> None:
        self._desktop = desktop
        self._actions = actions
        self._dry_run = dry_run

    def perform(self, request: Request) -> Outcome:
        """Do it, once. A failure is an outcome that says what did not happen, and why."""
        action = self._actions[request.action]
        if not isinstance(action, HandsAction):
            raise TypeError(f"{request.action} is not for the hands")
        if self._dry_run:
            return Outcome("declined", f"{action.would(request.target)}.", request.target, DRY_RUN)
        try:
            return action.perform(self._desktop, request.target)
        except ActionFailed as error:
            return failed(action.not_done(request.target), error)


def here() -> str:
    """The person's time and place, one line, for the model."""
    return f"{time.strftime('%A %d %B %Y, %H:%M %Z')}; {sys.platform}"
