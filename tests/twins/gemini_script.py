"""What a script for the Gemini twin is made of: answers, and every way the API is known to fail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .gemini import GeminiRequest
    from .wire import Exchange

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
        self, code: int, reason: str = "", message: str = "", details: Iterable[dict[str, Any]] = ()
    ) -> None:
        self.code = code
        error = {"code": code, "message": message or f"Error {code}.", "status": STATUS.get(code, "UNKNOWN")}
        known = [_error_info(reason)] if reason else []
        if everything := [*known, *details]:
            error["details"] = everything
        self.body = {"error": error}

    def send(self, exchange: Exchange, request: GeminiRequest) -> None:
        exchange.reply(json.dumps(self.body).encode(), status=self.code)


def bad_key() -> Status:
    return Status(400, "API_KEY_INVALID", "API key not valid. Please pass a valid API key.")


def unauthenticated() -> Status:
    return Status(401, "ACCESS_TOKEN_TYPE_UNSUPPORTED", "Request had invalid authentication credentials.")


def forbidden() -> Status:
    return Status(403, "SERVICE_DISABLED", "Generative Language API has not been used in this project.")


def unknown_model(name: str = "gemini-gone") -> Status:
    return Status(404, message=f"models/{name} is not found for API version v1beta.")


def per_minute(retry: str = "12s") -> Status:
    return _quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", retry)


def per_day(retry: str = "22s") -> Status:
    """The API names a short delay here too, though only tomorrow helps."""
    return _quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", retry)


def internal() -> Status:
    return Status(500, message="An internal error has occurred.")


def overloaded() -> Status:
    return Status(503, message="The model is overloaded. Please try again later.")


def too_many_choices() -> Status:
    """What a schema with a very long enum is answered with."""
    text = "The specified schema produces a constraint that has too many states for serving."
    return Status(400, message=text)


def invalid_argument() -> Status:
    """All that newer models say of a request that they don't take."""
    return Status(400, message="Request contains an invalid argument.")


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
