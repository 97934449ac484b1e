"""A twin of the Gemini API: speaks its wire format, checks what the real one checks, says what is scripted.

with GeminiTwin() as twin:
    twin.plans({"action": "reply", "text": "Hello."}, per_minute(), lambda asked: {"action": …})
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any

from .faults import Html, Raw, Reset, Stall
from .gemini_reading import asks_for_reading, asks_with_plan, reading_of
from .gemini_schema import enum_of, undocumented
from .gemini_script import (
    Answer,
    Blocked,
    CutStream,
    Finish,
    Slow,
    Status,
    bad_key,
    forbidden,
    internal,
    invalid_argument,
    overloaded,
    per_day,
    per_minute,
    too_many_choices,
    unauthenticated,
    unknown_model,
)
from .wire import Exchange, Request, Step, Twin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Said = Mapping[str, Any] | str | Step
    Scripted = Said | Callable[["GeminiRequest"], Said]

__all__ = [
    "Answer",
    "Blocked",
    "CutStream",
    "Finish",
    "GeminiRequest",
    "GeminiTwin",
    "Html",
    "Raw",
    "Reset",
    "Slow",
    "Stall",
    "Status",
    "bad_key",
    "forbidden",
    "internal",
    "invalid_argument",
    "overloaded",
    "per_day",
    "per_minute",
    "too_many_choices",
    "unauthenticated",
    "unknown_model",
]

MODELS = ("gemini-3.5-flash-lite", "gemini-3.5-flash", "gemini-2.5-flash")
SHORTEST_DEADLINE = 10  # seconds


class GeminiRequest(Request):
    """One call of the model, parsed."""

    def __init__(self, heard: Request) -> None:
        super().__init__(heard.method, heard.path, heard.headers, heard.raw)
        self.params = heard.params
        self.body: dict[str, Any] = json.loads(heard.raw) if heard.raw else {}
        name, _, self.verb = heard.path.rpartition("/")[2].partition(":")
        self.model = name
        self.streams = self.verb == "streamGenerateContent"
        self.key = heard.headers.get("x-goog-api-key") or heard.params.get("key", "")
        self.prompt = "\n".join(_texts(*self.body.get("contents", ())))
        self.system = "\n".join(_texts(self.body.get("systemInstruction", {})))
        config = self.body.get("generationConfig", {})
        self.schema: dict[str, Any] = config.get("responseJsonSchema", {})

    def enum(self, field: str) -> tuple[str, ...]:
        """The values the schema leaves open for a field."""
        return enum_of(self.schema, field)


class GeminiTwin(Twin):
    """strict: refuse a schema that uses more than Google documents. refuse_key: a key that is not valid."""

    def __init__(
        self, *, models: tuple[str, ...] = MODELS, refuse_key: str = "", strict: bool = True
    ) -> None:
        super().__init__()
        self.models, self.refuse_key, self.strict = models, refuse_key, strict
        self.lists: dict[str, tuple[str, ...]] = {}  # models besides, and what each of them can do
        self.listing: Step | None = None  # what a request for the list is answered with, in its place
        self.chunks = 3  # of an answer that is scripted as a mere plan or string
        self.reading: str | None = None  # what the words ask for; None: what the plans of the turn need
        self.readings: deque[Any] = deque()  # scripted answers to the small call, before all else
        self._last: Any = None  # what was said last

    def plans(self, *steps: Scripted) -> None:
        """Add to the script: a plan, a string sent raw, a Step, or a callable that sees the request."""
        self._script.extend(steps)

    @property
    def planning(self) -> list[GeminiRequest]:
        """The calls that asked for a plan."""
        return [request for request in self.requests if "action" in request.schema.get("properties", {})]

    @property
    def small(self) -> list[GeminiRequest]:
        """The calls that asked for a reading alone."""
        return [request for request in self.requests if asks_for_reading(request)]

    def hear(self, request: Request) -> GeminiRequest:
        return self.note(GeminiRequest(request))

    def answer(self, exchange: Exchange, request: GeminiRequest) -> None:
        step = self._refusal(request)
        if step is None and request.method == "GET":
            if self.listing:
                return self.listing.send(exchange, request)
            is_list = request.path.endswith("/models")
            return exchange.reply(self._list_models() if is_list else self._model(request.model))
        if step is None and asks_for_reading(request):
            step = self.readings.popleft() if self.readings else {"wants": self._reading(request)}
            step = {"wants": step} if isinstance(step, str) else step
        step = step or self.next_step(request, self._nothing_scripted)
        answer = step if hasattr(step, "send") else Answer(step, self.chunks)
        if not asks_for_reading(request):
            self._last = answer
        if asks_with_plan(request) and isinstance(answer, Answer):
            answer.read_as(self._reading(request))
        return answer.send(exchange, request)

    def _reading(self, request: GeminiRequest) -> str:
        if self.reading is not None:
            return self.reading
        return reading_of([self._last, *self._script], request)

    def _refusal(self, request: GeminiRequest) -> Status | None:
        """What the real API would say to this request, whatever the script."""
        if not request.key or request.key == self.refuse_key:
            return bad_key()
        if request.method == "GET" and request.path == "/v1beta/models":
            return None
        if request.method == "GET" and request.path == f"/v1beta/models/{request.model}":
            return None if request.model in self.models else unknown_model(request.model)
        if request.verb not in ("streamGenerateContent", "generateContent"):
            self.unexpected.append(f"{request.method} {request.path}")
            return Status(404, message=f"No such method: {request.path}")
        if request.model not in self.models:
            return unknown_model(request.model)
        return self._invalid_argument(request)

    def _invalid_argument(self, request: GeminiRequest) -> Status | None:
        deadline = float(request.headers.get("x-server-timeout", SHORTEST_DEADLINE))
        if deadline < SHORTEST_DEADLINE:
            text = f"Manually set deadline {deadline:g}s is too short. Minimum allowed deadline is 10s."
            return Status(400, message=text)
        if self.strict and (found := undocumented(request.schema)):
            return Status(400, message=f"Unsupported in responseJsonSchema: {'; '.join(found)}.")
        return None

    def _nothing_scripted(self) -> Status:
        self.unexpected.append(f"call {len(self.requests)} of the model had no step in the script")
        return Status(500, message="The twin's script is empty.")

    def _model(self, name: str) -> bytes:
        return json.dumps({"name": f"models/{name}"}).encode()

    def _list_models(self) -> bytes:
        can = dict.fromkeys(self.models, ("generateContent", "countTokens")) | self.lists
        listed = [{"name": f"models/{name}", "supportedGenerationMethods": can[name]} for name in can]
        return json.dumps({"models": listed}).encode()


def _texts(*contents: dict[str, Any]) -> list[str]:
    return [part["text"] for content in contents for part in content.get("parts", ()) if "text" in part]
