"""Twins of Brave's search and of a SearXNG: they answer with what is scripted, or refuse as the real ones do.

with BraveTwin() as brave, SearxngTwin() as searxng:
    brave.finds(brave_page(("MIT", "https://web.mit.edu/", "A <strong>university</strong>.")))
    searxng.gives_json = False  # as it comes, before its settings are changed
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .faults import Raw
from .wire import Exchange, Request, Twin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .wire import Step

    Row = tuple[str, Any, str]  # title, address, text


def brave_page(*rows: Row, **more: Any) -> dict[str, Any]:
    """What Brave answers. more: other parts of it."""
    found = [{"type": "search_result", "title": t, "url": url, "description": d} for t, url, d in rows]
    return {
        "type": "search",
        "query": {},
        **({"web": {"type": "search", "results": found}} if found else {}),
        **more,
    }


def searxng_page(*rows: Row, **more: Any) -> dict[str, Any]:
    """What SearXNG answers. more: other parts of it."""
    found = [{"title": t, "url": url, "content": text, "engine": "mojeek"} for t, url, text in rows]
    return {"query": "", "results": found, "answers": [], "infoboxes": [], "suggestions": [], **more}


class BraveError(Raw):
    def __init__(self, status: int, code: str, detail: str) -> None:
        error = {"id": "0", "status": status, "code": code, "detail": detail, "meta": {}}
        super().__init__(json.dumps({"type": "ErrorResponse", "error": error}).encode(), status=status)


REFUSED_KEY = BraveError(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
UNFIT = BraveError(422, "VALIDATION", "Unable to validate request parameter(s)")
TOO_MANY = BraveError(429, "RATE_LIMITED", "Request rate limit exceeded for plan.")
# Flask's, which a browser sees as well.
FORBIDDEN = Raw(b"<!doctype html>\n<title>403 Forbidden</title>\n<h1>Forbidden</h1>", "text/html", 403)


class _Searched(Twin):
    path: str

    def finds(self, *pages: Mapping[str, Any] | Step) -> None:
        self._script.extend(pages)

    def hear(self, request: Request) -> Request:
        return self.note(request)

    def answer(self, exchange: Exchange, request: Request) -> None:
        step = self.refusal(request) or self.next_step(request, self._nothing_scripted)
        if hasattr(step, "send"):
            return step.send(exchange, request)
        return exchange.reply(json.dumps(step).encode())

    def refusal(self, request: Request) -> Step | None:
        if request.path == self.path:
            return None
        self.unexpected.append(f"{request.method} {request.path}")
        return Raw(b"{}", status=404)

    def _nothing_scripted(self) -> dict[str, Any]:
        self.unexpected.append(f"request {len(self.requests)} had no step in the script")
        return {}

    @property
    def queries(self) -> list[str]:
        return [request.params.get("q", "") for request in self.requests]


class BraveTwin(_Searched):
    """refuse_key: one that is not valid."""

    path = "/res/v1/web/search"
    refuse_key = ""

    def refusal(self, request: Request) -> Step | None:
        """The key is looked at first, then what is asked."""
        key = request.headers.get("x-subscription-token", "")
        if key and key == self.refuse_key:
            return REFUSED_KEY
        fits = bool(key) and request.params.keys() == {"q"}
        return super().refusal(request) or (None if fits else UNFIT)


class SearxngTwin(_Searched):
    path = "/search"
    gives_json = True

    def refusal(self, request: Request) -> Step | None:
        if not self.gives_json:
            return FORBIDDEN
        is_json = request.params.get("format") == "json"
        return super().refusal(request) or (None if is_json else Raw(b"<html></html>", "text/html"))
