"""A twin of the Gemini API: speaks its wire format, checks what the real one checks, says what is scripted.

with GeminiTwin() as twin:
    twin.plans({"action": "reply", "text": "Hello."}, per_minute(), lambda asked: {"action": …})
"""

from __future__ import annotations

import base64
import json
import re
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from .faults import Html as Html
from .faults import Raw as Raw
from .faults import Reset as Reset
from .faults import Stall as Stall
from .faults import Stream as Stream
from .wire import Exchange, Request, Step, Twin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Said = Mapping[str, Any] | str | Step
    Scripted = Said | Callable[["GeminiRequest"], Said]

MODELS = ("gemini-3.5-flash-lite", "gemini-3.5-flash", "gemini-2.5-flash")
METHODS = (("GET", ""), ("POST", "generateContent"), ("POST", "streamGenerateContent"))
SHORTEST_DEADLINE = 10  # seconds


class GeminiRequest(Request):
    """One call of the model, parsed."""

    def __init__(self, heard: Request) -> None:
        super().__init__(heard.method, heard.path, heard.headers, heard.raw)
        self.params = heard.params
        self.body: dict[str, Any] = json.loads(heard.raw) if heard.raw else {}
        self.model, _, self.verb = heard.path.rpartition("/")[2].partition(":")
        self.is_of_model = heard.path.partition(":")[0] == f"/v1beta/models/{self.model}"
        self.streams = self.verb == "streamGenerateContent"
        self.key = heard.headers.get("x-goog-api-key") or heard.params.get("key", "")
        self.prompt = "\n".join(_texts(*self.body.get("contents", ())))
        parts = [part for content in self.body.get("contents", ()) for part in content.get("parts", ())]
        shown = [part["inlineData"] for part in parts if "inlineData" in part]
        # The client writes names and base64 as Google's other APIs do, which this one takes too.
        self.pictures = [(each["mime_type"], base64.urlsafe_b64decode(each["data"])) for each in shown]
        self.system = "\n".join(_texts(self.body.get("systemInstruction", {})))
        config = self.body.get("generationConfig", {})
        self.schema: dict[str, Any] = config.get("responseJsonSchema", {})

    def enum(self, field: str) -> tuple[str, ...]:
        """The values the schema leaves open for a field."""
        return enum_of(self.schema, field)


class GeminiTwin(Twin):
    """refuse_key: a key that is not valid."""

    def __init__(self, *, models: tuple[str, ...] = MODELS) -> None:
        super().__init__()
        self.models, self.refuse_key = models, ""
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
            is_list = request.path == "/v1beta/models"
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
        is_list = request.path == "/v1beta/models"
        if (request.method, request.verb) not in METHODS or not (is_list or request.is_of_model):
            self.unexpected.append(f"{request.method} {request.path}")
            return Status(404, message=f"No such method: {request.path}")
        if not request.key or request.key == self.refuse_key:
            return bad_key()
        if is_list:
            return None
        if request.model not in self.models:
            return unknown_model(request.model)
        return self._invalid_argument(request) if request.verb else None

    def _invalid_argument(self, request: GeminiRequest) -> Status | None:
        deadline = float(request.headers.get("x-server-timeout", SHORTEST_DEADLINE))
        if deadline < SHORTEST_DEADLINE:
            text = f"Manually set deadline {deadline:g}s is too short. Minimum allowed deadline is 10s."
            return Status(400, message=text)
        if found := undocumented(request.schema):
            return Status(400, message=f"Unsupported in responseJsonSchema: {'; '.join(found)}.")
        return None

    def _nothing_scripted(self) -> Status:
        self.unexpected.append(f"call {len(self.requests)} of the model had no step in the script")
        return Status(400, message="The twin has no step for this call: plain words are asked of `shell`.")

    def _model(self, name: str) -> bytes:
        return json.dumps({"name": f"models/{name}"}).encode()

    def _list_models(self) -> bytes:
        can = dict.fromkeys(self.models, ("generateContent", "countTokens")) | self.lists
        listed = [{"name": f"models/{name}", "supportedGenerationMethods": can[name]} for name in can]
        return json.dumps({"models": listed}).encode()


def _texts(*contents: dict[str, Any]) -> list[str]:
    return [part["text"] for content in contents for part in content.get("parts", ()) if "text" in part]


# The fields of a plan in the order of the contract; a scripted plan names only those that matter to it.
PLAN = {"action": None, "query": None, "address": None, "finish": False, "text": None}
STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
RPC = "type.googleapis.com/google.rpc."


class Answer:
    """The model's text, in pieces: a plan, or a string sent as it is."""

    reason = "STOP"
    delay = 0.0
    complete = True

    def __init__(self, said: Mapping[str, Any] | str, chunks: int = 3) -> None:
        self.said = said
        self.chunks = chunks

    def read_as(self, wants: str) -> None:
        """Say, before the plan, what the words ask for, unless the script says it."""
        if not isinstance(self.said, str):
            self.said = {"wants": wants, **PLAN, **self.said}

    @property
    def pieces(self) -> list[str]:
        said = self.said
        is_plan = not isinstance(said, str) and "action" in said
        whole = said if isinstance(said, str) or not is_plan else {**_first(said), **PLAN, **said}
        text = whole if isinstance(whole, str) else json.dumps(dict(whole), ensure_ascii=False)
        size = max(1, -(-len(text) // self.chunks))
        return [text[at : at + size] for at in range(0, len(text), size)] or [""]

    def send(self, exchange: Exchange, request: GeminiRequest) -> None:
        if request.streams:
            self._stream(exchange, request)
        else:
            self._whole(exchange, request)

    def _stream(self, exchange: Exchange, request: GeminiRequest) -> None:
        exchange.head("text/event-stream")
        said, pieces = 0, self.pieces
        for n, piece in enumerate(pieces, 1):
            said += len(piece)
            ends = self.complete and n == len(pieces)
            exchange.chunk(_event(_response(request, piece, said, self.reason if ends else None)))
            exchange.wait(0 if ends else self.delay)
        if self.complete:
            exchange.chunk(b"")
        else:
            exchange.cut()

    def _whole(self, exchange: Exchange, request: GeminiRequest) -> None:
        exchange.wait(self.delay * len(self.pieces))
        text = "".join(self.pieces)
        body = json.dumps(_response(request, text, len(text), self.reason)).encode()
        if self.complete:
            exchange.reply(body)
        else:
            exchange.head("application/json", length=len(body))
            exchange.push(body[: len(body) // 2])
            exchange.cut()


def _first(said: Mapping[str, Any]) -> dict[str, Any]:
    """The reading comes before the plan."""
    return {"wants": said["wants"]} if "wants" in said else {}


class Slow(Answer):
    """The answer in that many pieces, with a delay in seconds after each but the last."""

    def __init__(self, said: Mapping[str, Any] | str, chunks: int = 5, delay: float = 0.05) -> None:
        super().__init__(said, chunks)
        self.delay = delay


class Finish(Answer):
    """An answer that ended for another reason than STOP: MAX_TOKENS, SAFETY, RECITATION, …"""

    def __init__(self, said: Mapping[str, Any] | str, reason: str = "MAX_TOKENS") -> None:
        super().__init__(said)
        self.reason = reason


class CutStream(Answer):
    """The connection breaks after this much of the answer."""

    complete = False


class Blocked:
    """The prompt itself was refused: HTTP 200 without any candidate."""

    def __init__(self, reason: str = "PROHIBITED_CONTENT") -> None:
        self.reason = reason

    def send(self, exchange: Exchange, request: GeminiRequest) -> None:
        body = {"promptFeedback": {"blockReason": self.reason}, "modelVersion": request.model}
        body["usageMetadata"] = _usage(request, 0)
        if not request.streams:
            return exchange.reply(json.dumps(body).encode())
        exchange.head("text/event-stream")
        exchange.chunk(_event(body))
        return exchange.chunk(b"")


class Status:
    """An error envelope. reason: of an ErrorInfo, put first among the details."""

    def __init__(
        self,
        code: int,
        reason: str = "",
        message: str = "",
        details: Iterable[dict[str, Any]] = (),
        **headers: str,
    ) -> None:
        self.code, self.headers = code, headers
        error = {"code": code, "message": message or f"Error {code}.", "status": STATUS.get(code, "UNKNOWN")}
        known = [_error_info(reason)] if reason else []
        if everything := [*known, *details]:
            error["details"] = everything
        self.body = {"error": error}

    def send(self, exchange: Exchange, request: GeminiRequest) -> None:
        exchange.reply(json.dumps(self.body).encode(), status=self.code, **self.headers)


bad_key = partial(Status, 400, "API_KEY_INVALID", "API key not valid. Please pass a valid API key.")
overloaded = partial(Status, 503, message="The model is overloaded. Please try again later.")
# What a schema with a very long enum is answered with; and all that newer models say of what they don't take.
STATES = "The specified schema produces a constraint that has too many states for serving."
too_many_choices = partial(Status, 400, message=STATES)
invalid_argument = partial(Status, 400, message="Request contains an invalid argument.")


def unknown_model(name: str = "gemini-gone") -> Status:
    return Status(404, message=f"models/{name} is not found for API version v1beta.")


def per_minute(retry: str = "12s") -> Status:
    return _quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", retry)


def per_day(retry: str = "22s") -> Status:
    """The API names a short delay here too, though only tomorrow helps."""
    return _quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", retry)


def _quota(quota: str, retry: str) -> Status:
    violation = {"quotaMetric": "generate_content_free_tier_requests", "quotaId": quota, "quotaValue": "15"}
    details = [
        {"@type": RPC + "QuotaFailure", "violations": [violation]},
        {"@type": RPC + "RetryInfo", "retryDelay": retry},
    ]
    return Status(429, message=f"You exceeded your current quota. Please retry in {retry}.", details=details)


def _error_info(reason: str) -> dict[str, Any]:
    return {
        "@type": RPC + "ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": {"service": "generativelanguage.googleapis.com"},
    }


def _response(request: GeminiRequest, text: str, said: int, reason: str | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}
    if reason:
        candidate["finishReason"] = reason
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(request, said),
        "modelVersion": request.model,
        "responseId": "twin",
    }


def _usage(request: GeminiRequest, said: int) -> dict[str, int]:
    """Running totals, as in every chunk of the real API; four characters make a token."""
    prompt, answer = (len(request.system) + len(request.prompt)) // 4 + 1, said // 4
    return {"promptTokenCount": prompt, "candidatesTokenCount": answer, "totalTokenCount": prompt + answer}


def _event(body: dict[str, Any]) -> bytes:
    return b"data: %b\r\n\r\n" % json.dumps(body).encode()


def asks_for_reading(request: GeminiRequest) -> bool:
    """Whether it is the small call, which asks for nothing else."""
    return set(request.schema.get("properties", {})) == {"wants"}


def asks_with_plan(request: GeminiRequest) -> bool:
    return "wants" in request.schema.get("properties", {}) and not asks_for_reading(request)


def reading_of(plans: Iterable[Any], request: GeminiRequest) -> str:
    """The parts that the *plans* of one turn need, up to where it ends."""
    typed = len(re.findall(r"^u\d+ = ", request.prompt, re.MULTILINE)) or (
        len(re.findall(r"^\[u\d+\]", request.prompt, re.MULTILINE)) if asks_with_plan(request) else 0
    )
    parts: list[str] = []
    for plan in plans:
        said = getattr(plan, "said", plan)
        if isinstance(said, dict):
            parts += _part(said, typed)
            if said.get("finish") is True or said.get("action") == "reply":
                break
        elif callable(said) or isinstance(said, str):
            parts.append("open found 1")
    found = parts.count("open found 1")
    rest = [part for part in dict.fromkeys(parts) if part != "open found 1"]
    return "; ".join([*rest, *([f"open found {found}"] if found else [])]) or "nothing"


def _part(plan: dict[str, Any], typed: int) -> list[str]:
    match plan.get("action"):
        case "open_website":
            address = str(plan.get("address"))
            number = int(address[1:]) if re.fullmatch(r"u\d+", address) else 0
            return [f"open u{min(number, typed)}"] if number and typed else ["open found 1"]
        case "open_app":
            return [f"start {plan['app']}"] if plan.get("app") else []
        case "take_screenshot":
            return ["picture"]
        case "look_at":
            return [f"look at {plan['at']}"]
        case "keep" | "unkeep" as kept:
            return [kept]
    return []


DOCUMENTED = {
    *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum"),
    *("items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf"),
    *("properties", "additionalProperties", "required", "propertyOrdering"),
}


def undocumented(schema: dict[str, Any], at: str = "schema") -> list[str]:
    """Every feature outside Google's list, each with the place it stands in."""
    found = [f"{key} at {at}" for key in schema if key not in DOCUMENTED]
    if "oneOf" in schema and len(schema) > 1:
        found.append(f"oneOf with siblings at {at}")
    if "$ref" in schema and any(not key.startswith("$") for key in schema):
        found.append(f"$ref with siblings at {at}")
    if any(not isinstance(value, str | int | float) for value in schema.get("enum", ())):
        found.append(f"enum of other things than strings and numbers at {at}")
    for name, inner in _inner(schema):
        found += undocumented(inner, f"{at}.{name}")
    return found


def enum_of(schema: dict[str, Any], field: str) -> tuple[str, ...]:
    """The values a field may take, also where it may be null instead; () where it is free."""
    described = schema.get("properties", {}).get(field, {})
    for one in (described, *described.get("anyOf", ())):
        if "enum" in one:
            return tuple(one["enum"])
    return ()


def _inner(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key in ("properties", "$defs"):
        yield from ((f"{key}.{name}", inner) for name, inner in schema.get(key, {}).items())
    for key in ("anyOf", "oneOf", "prefixItems"):
        yield from ((f"{key}.{n}", inner) for n, inner in enumerate(schema.get(key, ())))
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield key, schema[key]
