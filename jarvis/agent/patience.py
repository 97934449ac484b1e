"""Decides on every fault of the model: wait and ask again, have the fallback model asked, or give up.

Nothing else asks again. It does so within one call, before a person has seen anything of its answer, so no
step is repeated; and within the time that the turn has left.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from ..core.errors import CutOff, JarvisError
from .faults import Busy, Lost, Overloaded, QuotaSpent, TooSlow
from .model import Model, ModelAnswer

WAIT, HAND_OVER, GIVE_UP = "wait", "hand over", "give up"
_LONGEST = 5.0  # seconds between two tries of a service that is overloaded
_LOST = 3  # times that a connection is tried again: whoever has no network is to be told soon
_PATIENT = 1  # times that an overloaded model is asked again where another can be


class Decision(NamedTuple):
    """What is done about a fault."""

    act: str  # WAIT, HAND_OVER or GIVE_UP
    seconds: float = 0.0  # to wait


def decide(fault: JarvisError, tries: int, left: float, *, has_fallback: bool) -> Decision:
    """Return what is done about *fault*.

    tries: how often it came before from this model in this call. left: the seconds that the turn has.
    """
    match fault:
        case Busy():  # asked for no time, or again and again for hardly any, it is given some
            is_told = fault.seconds and not tries
            wait = fault.seconds if is_told else max(fault.seconds, _backoff(1.0, tries))
        case Overloaded() if not has_fallback or tries < _PATIENT:
            wait = _backoff(1.0, tries)
        case Lost() if tries < _LOST:
            wait = _backoff(0.25, tries)
        case Overloaded() | QuotaSpent() | TooSlow():  # waiting is of no use
            wait = math.inf
        case _:
            return Decision(GIVE_UP)
    if wait < left:
        return Decision(WAIT, wait)
    return Decision(HAND_OVER if has_fallback and not isinstance(fault, Lost) else GIVE_UP)


def _backoff(first: float, tries: int) -> float:
    """Return the seconds to wait: twice as many each time, and not the same for all who wait."""
    return min(first * 2.0**tries, _LONGEST) * random.uniform(0.75, 1.25)  # noqa: S311


class Patience:
    """The models of one turn, asked with patience. Implements Model."""

    def __init__(self, model: Model, fallback: Model | None, left: Callable[[], float]) -> None:
        """fallback: is asked from then on where waiting for *model* is of no use. left: as in `decide`."""
        self._model = model
        self._fallback = fallback
        self._left = left
        self._why = ""  # the fallback is asked
        self.told = ""  # that it answered, and why

    @property
    def name(self) -> str:
        return self._model.name

    def check(self) -> None:
        self._model.check()

    async def ask(
        self,
        system: str,
        prompt: str,
        schema: dict[str, object],
        on_text: Callable[[str], bool],
        on_waiting: Callable[[str], None],
    ) -> ModelAnswer:
        tries: Counter[type] = Counter()
        is_seen = False

        def hear(text: str) -> bool:
            nonlocal is_seen
            is_seen = on_text(text)
            return is_seen

        while True:
            on_text("")
            try:
                answer = await self._model.ask(system, prompt, schema, hear, on_waiting)
            except JarvisError as fault:
                if is_seen:
                    raise _cut_off(fault) from None
                await self._bear(fault, tries, on_waiting)
            else:
                self.told = self._why and f"{self._why}: answered by {self.name}."
                return answer

    async def _bear(
        self, fault: JarvisError, tries: Counter[type], on_waiting: Callable[[str], None]
    ) -> None:
        """Do what is decided on *fault*, or raise it. tries: how often each came before."""
        has_fallback = self._fallback is not None
        decided = decide(fault, tries[type(fault)], self._left(), has_fallback=has_fallback)
        tries[type(fault)] += 1
        if decided.act == GIVE_UP:
            raise fault
        if decided.act == HAND_OVER:
            self._hand_over(fault)
            tries.clear()
        await _wait(decided.seconds, fault, on_waiting)

    def _hand_over(self, fault: JarvisError) -> None:
        self._why = fault.message.rstrip(".")
        self._model, self._fallback = self._fallback or self._model, None


def _cut_off(fault: JarvisError) -> JarvisError:
    """Return what *fault* comes to where part of the answer was seen: it is not asked for again."""
    return CutOff("Gemini's answer broke off.", hint="Try again.") if isinstance(fault, Lost) else fault


async def _wait(seconds: float, fault: JarvisError, on_waiting: Callable[[str], None]) -> None:
    """Wait, and tell each second how long yet."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        on_waiting(f"trying again in {math.ceil(left)} s, Ctrl-C stops: {fault.message}")
        await asyncio.sleep(left - math.ceil(left) + 1)
    if seconds:
        on_waiting("")
