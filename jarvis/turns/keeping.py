"""Carries out a step of the loop: by the hands, or here, where something is put on the person's own lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..actions.base import Action, BrainAction, Services, failed
from ..agent.bugs import as_failure
from ..core.errors import JarvisError
from ..core.events import Event
from ..core.frontend import Front
from ..core.types import Outcome, Request


class Acts:
    """Implements steps.Person."""

    def __init__(self, front: Front, actions: Mapping[str, Action], services: Services) -> None:
        """services: what actions in the brain work with."""
        self.tell: Callable[[Event], None] = front.tell
        self.has_shown = front.has_shown
        self._front = front
        self._actions = actions
        self._services = services

    async def act(self, request: Request) -> Outcome:
        outcome = await self._front.act(request)  # which does it, or lets us: in a dry run it does not
        action = self._actions[request.action]
        if outcome.state != "approved" or not isinstance(action, BrainAction):
            return outcome
        try:
            with as_failure(action):
                return await action.perform(request.effect, **self._services.of(action))
        except JarvisError as error:
            return failed(action.not_done(request.effect.told), error)
