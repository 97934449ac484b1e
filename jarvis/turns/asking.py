"""Asks the person about a step of the loop, and tells the reading of their words what they said."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..agent.reading import Reading
from ..core.concurrency import Clock
from ..core.errors import JarvisError
from ..core.events import Notice
from ..core.frontend import Front
from ..core.intent import folded
from ..core.types import APP, SITE, Address, Outcome, Plan, Request, Turn
from ..core.urls import typed_addresses
from ..policy.approval import Approval, Approved

if TYPE_CHECKING:
    from .parts import SessionParts


class Asking:
    """Implements steps.Ask."""

    def __init__(
        self,
        turn: Turn,
        front: Front,
        parts: SessionParts,
        reading: Reading,
        clock: Clock,
    ) -> None:
        keep_typed = parts.history.addresses.keep_typed
        self.approval = Approval(
            turn, front, parts.actions, keep_typed, parts.memory, self._away, self._settle
        )
        self._turn = turn
        self._front = front
        self._history = parts.history
        self._pick = parts.pick
        self._reading = reading
        self._clock = clock
        self._limiter = parts.limiter

    async def __call__(
        self, request: Request, plan: Plan, known: Mapping[str, Address]
    ) -> Approved | Outcome:
        said = await self.approval.to(request, plan, known)
        if isinstance(said, Outcome):
            await self._refused(request)
        return said

    @asynccontextmanager
    async def _away(self) -> AsyncIterator[None]:
        """Leave out the time in which the person thinks, and let another turn through meanwhile."""
        with self._clock.away():
            async with self._limiter.away():
                yield

    async def _refused(self, request: Request) -> None:
        """Tell the reading of a no. A sentence said instead of an answer is read as their own words, too."""
        self._reading.refuse(request)
        if sentence := self.approval.instead:
            keep = self._history.addresses.keep_typed
            typed = [await keep(self._turn, url) for url in typed_addresses(sentence)]
            self._reading.begin_anew(sentence, typed, request.n)

    def _settle(self, request: Request, chosen: Address | None, for_good: bool) -> None:
        if chosen is not None and for_good and self._reading.intent is not None:
            self._remember(self._reading.intent.parts[request.part - 1].value, chosen)
        self._reading.settle(request, chosen)

    def _remember(self, named: str, chosen: Address) -> None:
        """Remember which one they mean by a name that means several things."""
        name = folded(named)
        try:
            self._pick(name, APP if chosen.source == APP else SITE, chosen.url)
        except JarvisError as error:  # what they said counts, now
            self._front.tell(Notice(f"{error.message} It counts this once."))
        else:
            told = f"“{name}” means this from now on. To undo it: jarvis alias rm {name}"
            self._front.tell(Notice(told))
