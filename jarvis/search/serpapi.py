"""Ask SerpAPI's engines: a web search is one request to Google's; several may be asked at once.

Each request that a turn sends is counted; all that one action asks ends within one deadline.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..config.keys import SERPAPI, refused_key
from ..config.settings import Budgets
from ..config.sources import Secret
from ..core.concurrency import in_thread
from ..core.errors import JarvisError, LimitReached, NoKey, RateLimited, SearchFailed
from ..core.events import waiting
from .extract import extract
from .hosts import site_of
from .web_service import WebService, check_status, json_in, reason_in, too_late

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from ..core.types import Found
    from .http import HttpAnswer, HttpClient

# Imported when first used: google-search-results and httpx take 0.8 s, before the first search alone.

MOST = 10  # addresses that are handed on
DEFAULT = "https://serpapi.com"
LARGEST = 3_000_000  # bytes of an answer; real ones stay below 1 MB, those of web searches 0.3
SECONDS = 15.0  # for all that is asked at once
_AT_ONCE = 5
_STATUS = "https://serpapi.com/status"

Asked = tuple[str, tuple[tuple[str, str], ...]]  # an engine, and what it is asked
Page = dict[str, Any]


class SerpApi:
    """Implements actions.base.Search; what Engines ask by."""

    def __init__(
        self,
        key: Secret,
        base_url: str | None = None,
        seconds: float = 10,
        country: str = "",
        at_once: int = Budgets().turns_at_once,
    ) -> None:
        """seconds: how long a web search may take in all, once it is sent. at_once: how many may be sent.

        country: the person's, as hosts end there (uk).
        """
        self.places = asyncio.Semaphore(at_once)
        self._at_once = at_once
        # In a closure, so that no repr and no dump of attributes shows it.
        self._key: Callable[[], Secret] = lambda: key
        self.server = _server((base_url or DEFAULT).rstrip("/"))
        self._seconds = seconds
        self._country = country
        self._client: HttpClient | None = None  # keeps its connections from one search to the next
        self._connecting = asyncio.Lock()

    async def __call__(self, query: str, names: Sequence[str]) -> tuple[Found, ...]:
        await self.connect()
        async with self.places:
            page = await self.page("google", {"q": query}, self._seconds)
            # Beside the event loop: a large answer takes its time.
            return await in_thread(lambda: _cut(extract(page, names, self._country)))

    async def connect(self) -> None:
        """Get ready to ask: the imports of a first search aren't SerpAPI's time.

        Raises NoKey, and SettingsError where nothing can be asked with what the environment says.
        """
        if not self._key():
            raise NoKey("No search key is set.", hint=f"jarvis keys set serpapi   (a key: {SERPAPI.page})")
        await self._connection()

    async def page(self, engine: str, params: Mapping[str, str], seconds: float) -> Page:
        """Return what *engine* answers, asked once. Failures are JarvisErrors, with no trace of the key.

        params: all that it is asked besides. A page on which nothing was found is no failure.
        Call `connect` before, and have one of the `places`, which bound how many are under way.
        """
        key, client = self._key(), await self._connection()
        url, wanted = _request(self.server.url, {**params, "engine": engine, "api_key": key.reveal()})
        answer = await client.get(url, wanted, seconds)
        return await in_thread(lambda: parsed_answer(answer, key, self.server))

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _connection(self) -> HttpClient:
        async with self._connecting:  # of many that come first at once, each would have its own connections
            if self._client is None:
                self._client = await in_thread(self._connected)
            return self._client

    def _connected(self) -> HttpClient:
        from .http import Bounds, HttpClient

        site_of("example.com")  # reads the list of suffixes
        return HttpClient(self.server, Bounds(LARGEST, self._at_once))


def _server(url: str) -> WebService:
    return WebService("SerpAPI", url, DEFAULT, "SERPAPI_BASE_URL", _STATUS)


def _cut(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Return the best of *found*, with the website in the knowledge graph: a later turn may ask for it."""
    own = [item for item in found[MOST:] if item.section == "knowledge_graph"][:1]
    return (*found[: MOST - len(own)], *own)


def _request(base_url: str, params: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Return the address and parameters of a search, as google-search-results builds them."""
    import serpapi

    search = serpapi.GoogleSearch({**params, "output": "json"})
    search.BACKEND = base_url
    url, wanted = search.construct_url()
    return url, wanted


def parsed_answer(answer: HttpAnswer, key: Secret, server: WebService) -> Page:
    """Return the results in *answer*. Its status alone says little: errors come with 200 too."""
    results = json_in(answer.text, answer.status, server)
    error, said = isinstance(results, dict) and results.get("error"), reason_in(results, key.reveal())
    if answer.status in (401, 403) or "invalid api key" in said.lower():
        raise refused_key(SERPAPI, key)
    if answer.status == 429 or "run out of searches" in said.lower():
        raise _too_many(said)
    check_status(answer.status, said, server)
    if not isinstance(results, dict):
        raise SearchFailed("SerpAPI's answer can't be read: it is no JSON object.", hint="Try again.")
    if error and "hasn't returned any results" not in said:
        raise SearchFailed(f"SerpAPI says: {said or 'error'}", hint=f"Try other words, or see {_STATUS}")
    return results


def _too_many(said: str) -> RateLimited:
    """Return the error that it allows no more searches, by *said* for how long."""
    if "run out of searches" in said.lower():
        return RateLimited(
            "The searches of your SerpAPI plan are used up.",
            hint="What is left: jarvis keys test   (when there are more: https://serpapi.com/dashboard)",
        )
    if "hour" in said.lower():
        return RateLimited(
            "SerpAPI allows no more searches within this hour.",
            hint="Try again in an hour. What your plan allows: https://serpapi.com/dashboard",
        )
    return RateLimited(
        f"SerpAPI allows no more searches for now{': ' + said if said else '.'}",
        hint="See what is left of your plan at https://serpapi.com/dashboard",
    )


class Account(Protocol):
    """What counts the searches that a turn is billed for."""

    def searching(self, engine: str) -> AbstractAsyncContextManager[object]:
        """Count the one search that is sent in this block. Raises LimitReached: then none is to be sent."""


class Engines:
    """What asks engines for one turn. What it was answered, it doesn't ask again."""

    def __init__(
        self, client: SerpApi, account: Account, known: dict[Asked, Page], seconds: float = SECONDS
    ) -> None:
        """known: what the turn was answered before; it is added to."""
        self._client = client
        self._account = account
        self._known = known
        self._seconds = seconds

    async def ask(self, engine: str, **params: str) -> Page:
        """Return what *engine* answers to *params*. Failures are JarvisErrors."""
        (answer,) = await self.ask_all([(engine, params)])
        if isinstance(answer, JarvisError):
            raise answer
        return answer

    async def ask_all(self, requests: Sequence[tuple[str, Mapping[str, str]]]) -> list[Page | JarvisError]:
        """Return what each of *requests* (an engine, its parameters) was answered, or how it failed.

        Raises NoKey and LimitReached where none could be sent. What is returned is not to be changed.
        """
        wanted: list[Asked] = [(engine, tuple(sorted(params.items()))) for engine, params in requests]
        new = [each for each in dict.fromkeys(wanted) if each not in self._known]
        failures = await self._fetch(new) if new else {}
        return [failures.get(each) or self._known[each] for each in wanted]

    async def _fetch(self, new: Sequence[Asked]) -> dict[Asked, JarvisError]:
        """Ask *new*, a few at once; keep what they answer, and return the failures."""
        await self._client.connect()
        until, few, failures = 0.0, asyncio.Semaphore(_AT_ONCE), dict[Asked, JarvisError]()

        async def one(each: Asked) -> None:
            nonlocal until
            async with few, self._client.places:
                until = until or asyncio.get_running_loop().time() + self._seconds
                try:
                    self._known[each] = await self._sent(each, until)
                except JarvisError as error:
                    failures[each] = error
            tell_back()

        def tell_back() -> None:
            back = sum(each in self._known or each in failures for each in new)
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
            raise too_late(self._client.server, self._seconds)
        async with self._account.searching(engine):
            left = max(0.1, until - asyncio.get_running_loop().time())
            return await self._client.page(engine, dict(params), round(left, 1))
