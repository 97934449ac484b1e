"""A service on the web that is asked for JSON, and what its answers mean.

What asks it is in http.py, which takes long to import.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..core.errors import JarvisError, RateLimited, SearchFailed, ServiceUnreachable
from ..core.text import one_line, redact


class WebService(NamedTuple):
    """A service, and the server of it that is asked."""

    name: str  # of the service, for people
    url: str  # of the server, without a / at its end
    setting: str  # the name of the one that says where it is
    page: str  # that tells what is wrong with the service, or of it


def _json_in(text: str, status: int, server: WebService) -> Any:
    """Return the JSON that *text*, an answer, is; None where it is none. Raises where it is a web page."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if text.lstrip().startswith("<"):
            raise ServiceUnreachable(
                f"A web page came instead of {server.name}'s answer ({status} from {server_in(server.url)}): "
                "a proxy, a login page or a wrong address.",
                hint=f"Open a page in your browser; check HTTPS_PROXY and {server.setting}.",
            ) from None
    return None


def reason_in(answer: Any, key: str) -> str:
    """Return the service's own words on what is wrong, in the JSON of an *answer*; empty: it has none.

    key: that it was asked with, which its words may quote.
    """
    error = answer.get("error") if isinstance(answer, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    return one_line(redact(said, (key,)), 200) if isinstance(said, str) else ""


def _check_status(status: int, said: str, server: WebService, refused: Callable[[], JarvisError]) -> None:
    """Raise the error that *status* means; return where there is none.

    said: the service's own words: SerpAPI's errors come with 200 too. refused: makes the error for the key.
    """
    if status in (401, 403) or (status in (200, 400) and "api key" in said.lower()):
        raise refused()
    if status == 429 or "run out of searches" in said:
        told = f"{server.name} allows no more requests for now{f': {said}' if said else '.'}"
        raise RateLimited(told, hint=f"What is left: jarvis keys test   (or see {server.page})")
    if status >= 500:
        told = f"{server.name} has a fault: it answered with status {status}."
        raise ServiceUnreachable(told, hint=f"Try again later, or see {server.page}")
    if status >= 300:  # a redirect is not followed, since the key would go along
        told = f"{server.name} says: {said}" if said else f"{server.name} answered with status {status}."
        raise SearchFailed(told, hint=f"Check {server.setting}, or see {server.page}")


def checked_json(
    text: str, status: int, server: WebService, key: str, refused: Callable[[], JarvisError]
) -> Any:
    """Return the JSON of an answer. Raises what its *status* means.

    refused: makes the error for the *key*.
    """
    answer = _json_in(text, status, server)
    _check_status(status, reason_in(answer, key), server, refused)
    if answer is None:
        raise SearchFailed(f"{server.name}'s answer can't be read: it is no JSON.", hint="Try again.")
    return answer


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield *error* and all that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def server_in(base_url: str) -> str:
    """Return the host in *base_url*, with its port, as it is told."""
    return base_url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]
