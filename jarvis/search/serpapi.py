"""Asks SerpAPI: one request to an engine, and what its answer means. A web search is one by Google's."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from ..config.keys import SERPAPI, Secret, refused_key
from ..config.settings import Budgets
from ..core.concurrency import aside
from ..core.errors import NoKey, RateLimited, SearchFailed, ServiceUnreachable
from ..core.text import one_line, redact
from .extract import extract
from .hosts import site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..core.types import Found
    from .http import Line, Response

MOST = 10  # addresses that are handed on


class SerpApi:
    """Implements actions.base.Search; what the engines of services.py ask by."""

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
        self._base_url = base_url
        self._seconds = seconds
        self._country = country
        self._line: Line | None = None
        self._connecting = asyncio.Lock()

    async def __call__(self, query: str, names: Sequence[str]) -> tuple[Found, ...]:
        await self.connect()
        async with self.places:
            page = await self.page("google", {"q": query}, self._seconds)
            # Beside the event loop: a large answer takes its time.
            return await aside(lambda: _cut(extract(page, names, self._country)))

    async def connect(self) -> None:
        """Get ready to ask: the imports of a first search aren't SerpAPI's time.

        Raises NoKey, and SettingsError where nothing can be asked with what the environment says.
        """
        if not self._key():
            raise NoKey("No search key is set.", hint=f"jarvis keys set serpapi   (a key: {SERPAPI.page})")
        await self._connection()

    async def page(self, engine: str, params: Mapping[str, str], seconds: float) -> dict[str, Any]:
        """Return what *engine* answers, asked once. Failures are JarvisErrors.

        params: all that it is asked besides. A page on which nothing was found is no failure.
        Call `connect` before, and have one of the `places`, which bound how many are under way.
        """
        key, line = self._key(), await self._connection()
        answer = await line.ask({**params, "engine": engine}, key.reveal(), seconds)
        # Beside the event loop, as in a search.
        return await aside(lambda: _understood(answer, key))

    async def close(self) -> None:
        if self._line is not None:
            await self._line.close()

    async def _connection(self) -> Line:
        def connect() -> Line:
            from .http import Line  # 0.8 s, before the first search alone

            site_of("example.com")  # reads the list of suffixes
            return Line(self._base_url, self._at_once)

        async with self._connecting:  # of many that come first at once, each would have its own connections
            if self._line is None:
                self._line = await aside(connect)
            return self._line


def _cut(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Return the best of *found*, with the website in the knowledge graph: a later turn may ask for it."""
    own = [item for item in found[MOST:] if item.section == "knowledge_graph"][:1]
    return (*found[: MOST - len(own)], *own)


def _understood(answer: Response, key: Secret) -> dict[str, Any]:
    """Return the results in *answer*. Its status alone says little: errors come with 200 too."""
    try:
        results = json.loads(answer.text)
    except (ValueError, RecursionError):
        results = None
    error = results.get("error") if isinstance(results, dict) else None
    said = one_line(redact(error, (key.reveal(),)), 200) if isinstance(error, str) else ""
    if results is None and answer.text.lstrip().startswith("<"):
        raise _page(answer)
    _refuse(answer.status, said, key)
    if not isinstance(results, dict):
        raise SearchFailed("SerpAPI's answer can't be read: it is no JSON object.", hint="Try again.")
    if error and "hasn't returned any results" not in said:
        raise SearchFailed(
            f"SerpAPI says: {said or 'error'}", hint="Try other words, or see https://serpapi.com/status"
        )
    return results


def _refuse(status: int, said: str, key: Secret) -> None:
    """Raise the error that *status* and *said*, the service's own words, mean; return where there is none."""
    if status in (401, 403) or "invalid api key" in said.lower():
        raise refused_key(SERPAPI, key)
    if status == 429 or "run out of searches" in said.lower():
        raise _too_many(said)
    if status >= 500:
        raise ServiceUnreachable(
            f"SerpAPI has a fault: it answered with status {status}.",
            hint="Try again later, or see https://serpapi.com/status",
        )
    if 300 <= status < 400:
        raise SearchFailed(
            "SerpAPI redirected the request. It was not followed, to protect your key.",
            hint="Check SERPAPI_BASE_URL.",
        )
    if status >= 400 and not said:
        raise SearchFailed(f"SerpAPI answered with status {status}.", hint="See https://serpapi.com/status")


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


def _page(answer: Response) -> ServiceUnreachable:
    return ServiceUnreachable(
        f"A web page came instead of SerpAPI's answer ({answer.status} from {answer.server}): "
        "a proxy, a login page or a wrong address.",
        hint="Open a page in your browser; check HTTPS_PROXY and SERPAPI_BASE_URL.",
    )
