"""How shops, and SerpAPI before them, are known to fail; the twin notes each by its name once it was sent."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from .faults import Raw
from .serpapi import SlowBody, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .serpapi import SearchRequest
    from .wire import Exchange

HOUR = "You have exceeded the searches that your account may make per hour."
PLAN = "Your account has run out of searches."


class Named:
    """A step that counts as a fault."""

    def __init__(self, fault: str, step: Any) -> None:
        self.fault, self._step = fault, step

    def send(self, exchange: Exchange, request: SearchRequest) -> None:
        self._step.send(exchange, request)


def no_token(page: Mapping[str, Any], at: int = 0) -> Named:
    """*page*, whose entry *at* that place has nothing to look its shops up by."""
    page = copy.deepcopy(dict(page))
    del page["shopping_results"][at]["immersive_product_page_token"]
    return _page("no token", page)


def empty_stores(page: Mapping[str, Any]) -> Named:
    """A product that no shop has."""
    return _page("empty stores", {**page, "product_results": {**page["product_results"], "stores": []}})


def error_with_200(said: str = "We couldn't process this request.") -> Named:
    return _page("error with 200", {"error": said})


def too_many_this_hour() -> Named:
    return Named("429 for the hour", Status(429, HOUR))


def plan_spent() -> Named:
    return Named("429 for the plan", Status(429, PLAN))


def slow(seconds: float, page: Mapping[str, Any]) -> Named:
    """*page*, half of it at once and the rest after that many seconds."""
    return Named("slow", SlowBody(seconds, page))


def _page(fault: str, page: Mapping[str, Any]) -> Named:
    return Named(fault, Raw(json.dumps(page).encode()))
