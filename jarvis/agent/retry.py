"""Decides when to retry the model and when to switch to the fallback. The only place that does.

It works within one call, before the user has seen any of the answer, so no step is repeated. It keeps to the
time that the turn has left.
"""

import asyncio
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from ..config.services import ModelService
from ..core.errors import JarvisError, ModelFailed, NotSent, RateLimited, ServiceUnreachable
from ..pages.files import Picture
from ..search.http import ConnectionLost, NothingCame

STOP = "STOP"  # how an answer stops that ended as it should
ANOTHER = "jarvis -m NAME …, in a chat /model NAME"  # how another model is asked, in hints

_LONGEST = 5.0  # seconds between two tries, but for what the service itself asks for
_LOST = 3  # times that a connection is tried again: whoever has no network is to be told soon


class ModelPrompt(NamedTuple):
    """The prompt for the model."""

    text: str
    pictures: Mapping[str, Picture] = {}  # by the names that it knows them by


class ModelAnswer(NamedTuple):
    """The model's answer, and its finish reason."""

    text: str
    finish_reason: str  # STOP, or why it ended otherwise
    blocked: str = ""  # why the prompt was refused
    input_tokens: int = 0
    output_tokens: int = 0
    model: str = ""  # the name of the one that answered
    service_message: str = ""  # in the service's own words, on why it stopped or refused


class Model(Protocol):
    """A client of one model."""

    name: str  # with that of its service
    service: ModelService

    async def ask(
        self, system: str, prompt: ModelPrompt, schema: dict[str, object], on_text: Callable[[str], None]
    ) -> ModelAnswer: ...

    async def names(self) -> list[str]: ...

    async def aclose(self) -> None: ...


class Overloaded(ServiceUnreachable):
    """The service has too much to do, or a fault of its own."""


class Busy(RateLimited):
    """Too many requests, in a short time or in a day."""

    def __init__(self, message: str, *, hint: str = "", seconds: float = 0.0) -> None:
        """seconds: until it accepts a request again. 0: unknown. inf: not today."""
        super().__init__(message, hint=hint)
        self.seconds = seconds


_MAY_HAND_OVER = (Busy, Overloaded, NothingCame)  # behind a lost line is the other model too


def seconds_to_wait(fault: JarvisError, tries: int, *, has_fallback: bool) -> float:
    """Return the seconds before asking the same model again, or inf if that won't help.

    tries: how often this model raised *fault* before, in this call.
    """
    # Twice as long each time, and not the same for all who wait.
    backoff = min(2.0**tries, _LONGEST) * random.uniform(0.75, 1.25)  # noqa: S311
    match fault:
        case Busy():  # asked again and again for hardly any time, it is given some
            return max(fault.seconds, backoff) if tries or not fault.seconds else fault.seconds
        case Overloaded() if not has_fallback or not tries:
            return backoff
        case NothingCame() if not tries:
            return backoff
        case ConnectionLost() | NotSent() if tries < _LOST:
            return backoff / 4
    return math.inf


def says(service: ModelService) -> str:
    """Introduce a service's own words in a message."""
    return f" {service.title} says: "


class Retry:
    """Asks the models of one turn."""

    def __init__(self, model: Model, fallback: Model | None, left: Callable[[], float]) -> None:
        """fallback: used for the rest, if waiting for *model* won't help.

        left: returns the seconds that the turn has.
        """
        self._model = model
        self._fallback = fallback
        self._left = left
        self._why = ""  # the fallback is asked
        self.note = ""  # that it answered, and why
        services = [each.service for each in (model, fallback) if each]
        self.receiver = " or ".join(dict.fromkeys(each.receiver for each in services))  # of prompts

    @property
    def title(self) -> str:
        """The name of the service in use, for users."""
        return self._model.service.title

    async def ask(
        self,
        system: str,
        prompt: ModelPrompt,
        schema: dict[str, object],
        on_text: Callable[[str], bool],
        on_waiting: Callable[[str], None],
    ) -> ModelAnswer:
        """Make one call, with as many attempts as useful.

        on_text: gets the whole text so far, and "" when an answer begins, perhaps again. Returns whether the
        user has seen any of it. on_waiting: gets the reason and the end of a wait, once for each lasting
        cause.
        """
        tries: Counter[type] = Counter()
        seen: set[bool] = set()
        while True:
            on_text("")
            try:
                answer = await self._model.ask(system, prompt, schema, lambda text: seen.add(on_text(text)))
            except JarvisError as fault:
                if any(seen):  # then it is not asked for again
                    message = f"{self.title}'s answer broke off."
                    cut = ModelFailed(message, hint="Try again.", code="cut_off")
                    raise (cut if isinstance(fault, ConnectionLost) else fault) from None
                await self._handle(fault, tries, on_waiting)
            else:
                self.note = self._why and f"{self._why}: answered by {self._model.name}."
                return answer

    async def _handle(
        self, fault: JarvisError, tries: Counter[type], on_waiting: Callable[[str], None]
    ) -> None:
        """Wait, or have the other model take over, or raise *fault*. tries: how often each came before."""
        kind, other = type(fault), self._fallback
        seconds = seconds_to_wait(fault, tries[kind], has_fallback=other is not None)
        tries[kind] += 1
        left, cause = self._left(), fault.message.partition(says(self._model.service))[0]
        may_last = isinstance(fault, Busy) or (isinstance(fault, Overloaded) and not other)
        if seconds < left:
            if may_last and tries[kind] == 1:
                until = time.localtime(time.time() + left - left % seconds)
                on_waiting(f"{cause} Trying again until {time.strftime('%H:%M:%S', until)}. Ctrl-C stops.")
            await asyncio.sleep(seconds)
        elif other and isinstance(fault, _MAY_HAND_OVER):
            self._why = cause.rstrip(".")
            self._model, self._fallback = other, None
            tries.clear()
        else:
            raise fault
