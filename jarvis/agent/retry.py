"""The model that plans: what it is asked and answers, which faults it may have, and what is done about each.

Nothing else asks again. It is done within one call, before a person has seen anything of its answer, so no
step is repeated; and within the time that the turn has left.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, Protocol

from ..core.errors import CutOff, JarvisError, RateLimited, ServiceUnreachable

ANOTHER = "jarvis -m NAME …, in a chat /model NAME"  # how another model is asked, in hints
# The days from which models are no more, as Google announced them; its list of models does not say.
ENDS = {"gemini-2.5-flash": "2026-12-01"}

WAIT, HAND_OVER, GIVE_UP = "wait", "hand over", "give up"
_LONGEST = 5.0  # seconds between two tries, but for what the service itself asks for
_LOST = 3  # times that a connection is tried again: whoever has no network is to be told soon


class ModelAnswer(NamedTuple):
    """What the model wrote, and how it stopped."""

    text: str
    finish_reason: str  # STOP where it ended as it should
    blocked: str = ""  # why the prompt was refused
    input_tokens: int = 0
    output_tokens: int = 0
    model: str = ""  # the name of the one that answered


class Model(Protocol):
    @property
    def name(self) -> str: ...

    def check(self) -> None:
        """Raise NoKey where no call can be made."""

    async def ask(
        self, system: str, prompt: str, schema: dict[str, object], on_text: Callable[[str], object]
    ) -> ModelAnswer:
        """Make one call, once. schema: of the JSON object that is wanted.

        on_text: is given all that was written so far, each time there is more.
        Raises a JarvisError where the service fails; SchemaRefused where another schema may help.
        """


class Overloaded(ServiceUnreachable):
    """The service has too much to do, or a fault of its own."""


class TooSlow(ServiceUnreachable):
    """It took the request, and says nothing."""


class Lost(ServiceUnreachable):
    """There is no connection, or it was lost."""


class Busy(RateLimited):
    """It was asked too often in a short time."""

    seconds = 0.0  # after which it wants to be asked again; 0: it does not say


class QuotaSpent(RateLimited):
    """It was asked as often as it may be in a day."""


def decide(fault: JarvisError, tries: int, left: float, *, has_fallback: bool) -> tuple[str, float]:
    """Return what is done about *fault*: WAIT, HAND_OVER or GIVE_UP; and the seconds to wait.

    tries: how often it came before from this model in this call. left: the seconds that the turn has.
    """
    # Twice as long each time, and not the same for all who wait.
    backoff = min(2.0**tries, _LONGEST) * random.uniform(0.75, 1.25)  # noqa: S311
    match fault:
        case Busy():  # asked again and again for hardly any time, it is given some
            wait = max(fault.seconds, backoff) if tries or not fault.seconds else fault.seconds
        case Overloaded() if not has_fallback or not tries:
            wait = backoff
        case Lost() if tries < _LOST:
            wait = backoff / 4
        case Overloaded() | QuotaSpent() | TooSlow():  # waiting is of no use
            wait = math.inf
        case _:
            return GIVE_UP, 0.0
    if wait < left:
        return WAIT, wait
    # The other model is behind the same line.
    return HAND_OVER if has_fallback and not isinstance(fault, Lost) else GIVE_UP, 0.0


class Patience:
    """The models of one turn, asked with patience."""

    def __init__(self, model: Model, fallback: Model | None, left: Callable[[], float]) -> None:
        """fallback: is asked from then on where waiting for *model* is of no use. left: as in `decide`."""
        self._model = model
        self._fallback = fallback
        self._left = left
        self._why = ""  # the fallback is asked
        self.told = ""  # that it answered, and why

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
        """Make one call, as often as is decided.

        on_text: as of Model, and nothing where an answer begins, perhaps anew; returns whether a person has
        seen any of it. on_waiting: is told what is waited for, each second; nothing once that is over.
        """
        tries: Counter[type] = Counter()
        seen: set[bool] = set()
        while True:
            on_text("")
            try:
                answer = await self._model.ask(system, prompt, schema, lambda text: seen.add(on_text(text)))
            except JarvisError as fault:
                if any(seen):
                    raise _cut_off(fault) from None
                await self._bear(fault, tries, on_waiting)
            else:
                self.told = self._why and f"{self._why}: answered by {self._model.name}."
                return answer

    async def _bear(
        self, fault: JarvisError, tries: Counter[type], on_waiting: Callable[[str], None]
    ) -> None:
        """Do what is decided on *fault*, or raise it. tries: how often each came before."""
        other = self._fallback
        act, seconds = decide(fault, tries[type(fault)], self._left(), has_fallback=other is not None)
        tries[type(fault)] += 1
        if act == WAIT:
            await _wait(seconds, fault, on_waiting)
        elif act == HAND_OVER and other:
            self._why = fault.message.rstrip(".")
            self._model, self._fallback = other, None
            tries.clear()
        else:
            raise fault


def _cut_off(fault: JarvisError) -> JarvisError:
    """Return what *fault* comes to where part of the answer was seen: it is not asked for again."""
    return CutOff("Gemini's answer broke off.", hint="Try again.") if isinstance(fault, Lost) else fault


async def _wait(seconds: float, fault: JarvisError, on_waiting: Callable[[str], None]) -> None:
    """Wait, and tell each second how long yet."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        on_waiting(f"trying again in {math.ceil(left)} s, Ctrl-C stops: {fault.message}")
        await asyncio.sleep(left - math.ceil(left) + 1)
    on_waiting("")
