"""Asks SerpAPI's engines. A web search is one request to Google's. Several may run at once.

Each request of a turn is counted. All requests of one action share one deadline.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..config.keys import SERPAPI, refused_key
from ..config.settings import Settings
from ..config.sources import Secret
from ..core.concurrency import in_thread
from ..core.errors import JarvisError, LimitReached, NoKey, SearchFailed, ServiceUnreachable
from ..core.events import waiting
from ..core.types import Found
from .extract import extract
from .hosts import site_of
from .web_service import WebService, checked_json, reason_in

if TYPE_CHECKING:
    from .http import HttpClient

    CountSearch = Callable[[str], AbstractAsyncContextManager[object]]

MOST = 10  # addresses that are handed on
SECONDS = 15.0  # for all that is asked at once
_AT_ONCE = 5
_STATUS, _LEFT = "https://serpapi.com/status", "To see how many are left: jarvis keys test"

Asked = tuple[str, tuple[tuple[str, str], ...]]  # an engine, and what it is asked
Page = dict[str, Any]


class SerpApi:
    """Sends requests to SerpAPI: the web search (actions.Search), and those of Engines."""

    def __init__(self, settings: Settings) -> None:
        self.places = asyncio.Semaphore(settings.budgets.turns_at_once)
        # In a closure, so that no repr and no dump of attributes shows the key.
        self._settings: Callable[[], Settings] = lambda: settings
        self.server = WebService("SerpAPI", settings.serpapi_base_url, "SERPAPI_BASE_URL", _STATUS, _LEFT)

    async def __call__(self, query: str, name: str) -> tuple[Found, ...]:
        self.connect()
        settings = self._settings()
        async with self.places:
            page = await self.page("google", {"q": query}, settings.budgets.search_seconds)
            # Beside the event loop: a large answer takes its time.
            return await in_thread(lambda: best_of(extract(page, name)))

    def connect(self) -> None:
        """Prepare for requests, so that the imports of a first search don't count as SerpAPI's time.

        Raises NoKey, or SettingsError if the environment's settings don't work.
        """
        if not self._settings().key(SERPAPI):
            raise NoKey("No SerpAPI key is set.", hint=f"jarvis keys set serpapi   (a key: {SERPAPI.page})")
        _ = self._client

    async def page(self, engine: str, params: Mapping[str, str], seconds: float) -> Page:
        """Return the answer of *engine* to one request. Raises JarvisErrors, without any trace of the key.

        params: the other parameters. An empty result isn't a failure. Call `connect` first, and hold one of
        the `places`, which limit the requests under way.
        """
        key = self._settings().key(SERPAPI)
        url, wanted = _request(self.server.url, {**params, "engine": engine, "api_key": key.reveal()})
        answer = await self._client.get(url, params=wanted, timeout=seconds)
        text = answer.content.decode("utf-8", "replace")
        return await in_thread(lambda: parsed_answer(answer.status_code, text, key, self.server))

    async def close(self) -> None:
        if "_client" in vars(self):
            await self._client.aclose()

    @cached_property
    def _client(self) -> HttpClient:
        """The client that keeps its connections from one search to the next."""
        from .http import client_of  # with httpx, before the first search alone

        site_of("example.com")  # reads the list of suffixes
        return client_of(self.server, self._settings().budgets.turns_at_once)


def best_of(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Return the best of *found*, with the website in the knowledge graph: a later turn may ask for it."""
    own = [item for item in found[MOST:] if item.section == "knowledge_graph"][:1]
    return (*found[: MOST - len(own)], *own)


def _request(base_url: str, params: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Return the address and parameters of a search, as google-search-results builds them."""
    import serpapi  # with requests it takes 0.3 s, before the first search alone

    search = serpapi.GoogleSearch({**params, "output": "json"})
    search.BACKEND = base_url
    url, wanted = search.construct_url()
    return url, wanted


def parsed_answer(status: int, text: str, key: Secret, server: WebService) -> Page:
    """Return the results in *text*. SerpAPI reports errors with status 200 too."""
    results = checked_json(text, status, server, key.reveal(), lambda: refused_key(SERPAPI, key))
    answer = reason_in(results, key.reveal())
    if not isinstance(results, dict):
        raise SearchFailed("Can't read SerpAPI's answer: it isn't a JSON object.", hint="Try again.")
    if results.get("error") and "hasn't returned any results" not in answer:
        raise SearchFailed(f"SerpAPI says: {answer or 'error'}", hint=f"Try other words, or see {_STATUS}")
    return results


class Engines:
    """Asks engines for one turn, and never asks the same twice."""

    def __init__(
        self, client: SerpApi, count: CountSearch, answers: dict[Asked, Page], seconds: float = SECONDS
    ) -> None:
        """count: a context manager that counts one search of an engine toward the turn's bill.

        It raises LimitReached if no more may be sent. answers: those of the turn. New ones are added.
        """
        self._client = client
        self._count = count
        self._pages = answers
        self._seconds = seconds

    async def ask(self, engine: str, **params: str) -> Page:
        """Return the answer of *engine* to *params*. Raises JarvisErrors."""
        (answer,) = await self.ask_all([(engine, params)])
        if isinstance(answer, JarvisError):
            raise answer
        return answer

    async def ask_all(self, requests: Sequence[tuple[str, Mapping[str, str]]]) -> list[Page | JarvisError]:
        """Return the answer or the error for each of *requests* (an engine, its parameters).

        Raises NoKey and LimitReached if none could be sent. Callers must not change the answers.
        """
        wanted: list[Asked] = [(engine, tuple(sorted(params.items()))) for engine, params in requests]
        new = [each for each in dict.fromkeys(wanted) if each not in self._pages]
        failures = await self._fetch(new) if new else {}
        return [failures.get(each) or self._pages[each] for each in wanted]

    async def _fetch(self, new: Sequence[Asked]) -> dict[Asked, JarvisError]:
        """Ask *new*, a few at once. Keeps the answers and returns the failures."""
        self._client.connect()
        until, few, failures = 0.0, asyncio.Semaphore(_AT_ONCE), dict[Asked, JarvisError]()

        async def one(each: Asked) -> None:
            nonlocal until
            async with few, self._client.places:
                until = until or asyncio.get_running_loop().time() + self._seconds
                try:
                    self._pages[each] = await self._sent(each, until)
                except JarvisError as error:
                    failures[each] = error
            tell_back()

        def tell_back() -> None:
            back = sum(each in self._pages or each in failures for each in new)
            if 1 < len(new) != back:
                waiting(f"{len(new)} lookups at once … {back} back")

        tell_back()
        async with asyncio.TaskGroup() as group:
            for each in new:
                group.create_task(one(each))
        spent = [error for error in failures.values() if isinstance(error, LimitReached)]
        if len(spent) == len(new):
            raise spent[0]
        return failures

    async def _sent(self, each: Asked, until: float) -> Page:
        engine, params = each
        if until <= asyncio.get_running_loop().time():
            message = f"SerpAPI did not answer within {self._seconds:g} s."
            raise ServiceUnreachable(message, hint=f"Try again, or see {_STATUS}")
        async with self._count(engine):
            left = max(0.1, until - asyncio.get_running_loop().time())
            return await self._client.page(engine, dict(params), round(left, 1))
