"""A twin of SerpAPI: answers GET /search with what is scripted, or fails as the real one is known to.

with SerpApiTwin() as twin:
    twin.finds(results(website=("Example", "https://example.org")), NoResults())
    twin.sells(google_shopping=shopping(listed(1)), ebay=ebay(item(2)))

What is found answers whatever is asked next; what is sold answers its engine, so that several may be asked at
once. The pages of shops are in shop_pages.py, their faults in shop_faults.py.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any

from .faults import Html as Html
from .faults import Raw as Raw
from .faults import Reset as Reset
from .faults import Stall as Stall
from .wire import JSON, Exchange, Request, Step, Twin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Found = Mapping[str, Any] | Step
    Scripted = Found | Callable[["SearchRequest"], Found]

INVALID_KEY = "Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key"
NOTHING = "Google hasn't returned any results for this query."
PATHS = ("/search", "/search.json")
ACCOUNT = ("/account", "/account.json")  # tells of the key's owner; it is no search, and costs nothing


def account(left: int = 99) -> dict[str, Any]:
    """What the key's owner has left of the plan."""
    return {
        "account_id": "twin",
        "plan_name": "Free",
        "searches_per_month": 100,
        "plan_searches_left": left,
        "total_searches_left": left,
        "this_month_usage": 100 - left,
        "this_hour_searches": 0,
        "account_rate_limit_per_hour": 50,
    }


def results(
    organic: Sequence[tuple[str, str, str]] = (),
    *,
    website: tuple[str, str] | None = None,
    local: Sequence[tuple[str, str] | Mapping[str, Any]] = (),
    answer_box: Mapping[str, Any] | str | None = None,
) -> dict[str, Any]:
    """One page of results: (title, address, snippet) each; places as (title, website) or as they are.

    website: (title, address) of the knowledge graph. answer_box: the answer alone, or the whole box.
    """
    page: dict[str, Any] = {
        "search_metadata": {"id": "twin", "status": "Success"},
        "search_information": {"organic_results_state": "Results for exact spelling"},
    }
    if website:
        page["knowledge_graph"] = {"title": website[0], "type": "Website", "website": website[1]}
    if local:
        page["local_results"] = {"places": [_place(n, one) for n, one in enumerate(local, 1)]}
    if answer_box is not None:
        whole = answer_box if not isinstance(answer_box, str) else {"answer": answer_box}
        page["answer_box"] = {"type": "organic_result", **whole}
    page["organic_results"] = [_organic(n, *one) for n, one in enumerate(organic, 1)]
    return page


class SearchRequest(Request):
    """One search, parsed; every parameter, the key among them, is in `params`."""

    def __init__(self, heard: Request) -> None:
        super().__init__(heard.method, heard.path, heard.headers, heard.raw)
        self.params = heard.params
        self.engine = heard.params.get("engine", "google")
        self.query = heard.params.get("q") or heard.params.get("_nkw", "")
        self.key = heard.params.get("api_key", "")


class SerpApiTwin(Twin):
    """default: what an empty script answers; without one that is an error. refuse_key: one not valid."""

    def __init__(self, *, default: Scripted | None = None) -> None:
        super().__init__()
        self.default, self.refuse_key = default, ""
        self.account: Mapping[str, Any] | Step = account()
        self.accounts: list[SearchRequest] = []  # who asked for the account, with which key
        self.happened: list[str] = []  # the faults that were sent, by their names
        self._sold: dict[str, deque[Scripted]] = {}

    def finds(self, *found: Scripted) -> None:
        """Add to the script: a dict sent as it is, a Step, or a callable that sees the request."""
        self._script.extend(found)

    def sells(self, **by_engine: Scripted | Sequence[Scripted]) -> None:
        """Answer each engine so: with one thing as often as it is asked, or with several in turn."""
        for engine, sold in by_engine.items():
            self._sold[engine] = deque(sold if isinstance(sold, list | tuple) else [sold])

    def hear(self, request: Request) -> SearchRequest:
        if request.path in ACCOUNT:
            self.accounts.append(SearchRequest(request))
            return self.accounts[-1]
        return self.note(SearchRequest(request))

    def answer(self, exchange: Exchange, request: SearchRequest) -> None:
        refusal = self._refusal(request)
        if request.path in ACCOUNT:
            step = refusal or self.account
        else:
            step = refusal or self._sold_to(request) or self.next_step(request, self._nothing_scripted)
        self._note_fault(step)
        if hasattr(step, "send"):
            return step.send(exchange, request)
        return exchange.reply(json.dumps(step).encode())

    def _sold_to(self, request: SearchRequest) -> Found | None:
        """Return what the engine sells; the last thing of several stays. None: it is asked the script."""
        with self._lock:
            sold = self._sold.get(request.engine)
            step = sold and (sold.popleft() if len(sold) > 1 else sold[0])
        return step(request) if callable(step) else step or None

    def _note_fault(self, step: Found) -> None:
        with self._lock:
            self.happened += [fault] if (fault := getattr(step, "fault", "")) else []

    def _refusal(self, request: SearchRequest) -> Status | None:
        if request.path not in (*PATHS, *ACCOUNT):
            self.unexpected.append(f"{request.method} {request.path}")
            return Status(404, "Not found.")
        if not request.key or request.key == self.refuse_key:
            return Status(401, INVALID_KEY)
        return None

    def _nothing_scripted(self) -> Scripted:
        if self.default is not None:
            return self.default
        self.unexpected.append(f"search {len(self.requests)} had no step in the script")
        return {"error": "The twin's script is empty."}


class Status(Raw):
    """An error with its HTTP status, which the client library never looks at."""

    TEXTS = {
        401: INVALID_KEY,
        429: "Your account has run out of searches.",
        503: "Service temporarily unavailable.",
    }

    def __init__(self, code: int, error: str = "") -> None:
        text = error or self.TEXTS.get(code, f"Error {code}.")
        super().__init__(json.dumps({"error": text}).encode(), status=code)


class NoResults(Raw):
    """Nothing found: HTTP 200, and yet an error field."""

    def __init__(self) -> None:
        page = {"search_information": {"organic_results_state": "Fully empty"}, "error": NOTHING}
        super().__init__(json.dumps(page).encode())


class Big:
    """A valid page of that many bytes, in chunks, so that no header tells its length."""

    def __init__(self, size: int) -> None:
        self.size = size

    def send(self, exchange: Exchange, request: SearchRequest) -> None:
        body = _padded(self.size)
        exchange.head(JSON)
        for at in range(0, len(body), 65536):
            exchange.chunk(body[at : at + 65536])
        exchange.chunk(b"")


class SlowBody:
    """Headers and half of the body at once, the rest after that many seconds."""

    def __init__(self, seconds: float, found: Mapping[str, Any] | None = None) -> None:
        self.seconds, self.found = seconds, found or results()

    def send(self, exchange: Exchange, request: SearchRequest) -> None:
        body = json.dumps(self.found).encode()
        exchange.head(JSON, length=len(body))
        exchange.push(body[: len(body) // 2])
        exchange.wait(self.seconds)
        exchange.push(body[len(body) // 2 :])


class Trickle:
    """A page of that many bytes, one by one, so that no single read ever times out. delay: seconds."""

    def __init__(self, size: int, delay: float) -> None:
        self.size, self.delay = size, delay

    def send(self, exchange: Exchange, request: SearchRequest) -> None:
        body = _padded(self.size)
        exchange.head(JSON, length=len(body))
        for at in range(len(body)):
            exchange.push(body[at : at + 1])
            exchange.wait(self.delay)


def _organic(position: int, title: str, link: str, snippet: str = "") -> dict[str, Any]:
    shown = link.partition("://")[2].rstrip("/")
    return {"position": position, "title": title, "link": link, "displayed_link": shown, "snippet": snippet}


def _place(position: int, place: tuple[str, str] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(place, tuple):
        place = {"title": place[0], "links": {"website": place[1]}}
    return {"position": position, **place}


def _padded(size: int) -> bytes:
    frame = json.dumps({"organic_results": [], "padding": ""}).encode()
    return frame[:-2] + b"x" * (size - len(frame)) + frame[-2:]
