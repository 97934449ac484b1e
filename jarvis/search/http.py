"""Makes the one HTTP request of a search, by whichever engine: bounded in time and size, sent once.

It imports google-search-results and requests, 0.5 s of CPU, so it is itself imported late.
What fails on the way is translated here; serpapi.py judges the answer.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from typing import NamedTuple

import requests
import serpapi
import urllib3
from requests.adapters import HTTPAdapter

from ..core.certificates import check_files, distrust, server_in, trusted
from ..core.errors import JarvisError, SearchFailed, ServiceUnreachable, SettingsError
from ..core.text import redact

DEFAULT = "https://serpapi.com"
LARGEST = 3_000_000  # bytes of the decoded body; real answers stay below 1 MB, those of web searches 0.3
_CHUNK = 65536
_STALE_SECONDS = 30.0  # a connection unused for so long may lead nowhere: after another network, or a sleep


class Response(NamedTuple):
    status: int
    text: str
    server: str  # that was asked


class Line:
    """Kept connections to one SerpAPI. A new session for each search would reload the certificates.

    Several threads may ask at once.
    """

    def __init__(self, base_url: str | None, at_once: int) -> None:
        """at_once: how many may ask at once: for so many a connection is kept."""
        self._base_url = (base_url or DEFAULT).rstrip("/")
        self._server = server_in(self._base_url)
        self._session = requests.Session()
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(pool_maxsize=at_once))
        self._waking = threading.Lock()
        self._used = 0.0  # by the clock on the wall, which goes on while the machine sleeps
        # The request line that urllib3 logs at DEBUG has the key in it.
        logging.getLogger("urllib3.connectionpool").addFilter(_without_keys)

    def close(self) -> None:
        self._session.close()

    def ask(self, params: Mapping[str, str], key: str, seconds: float) -> Response:
        """Send one search, once. Raises JarvisErrors, which have no trace of the key."""
        check_files()
        self._leave_stale()
        try:
            search = _Search(self._session, self._base_url, {**params, "api_key": key}, seconds)
            text = search.get_raw_json()
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            failure = distrust(error, "SerpAPI", self._server) or _translated(error, seconds)
        else:
            return Response(search.status, text, self._server)
        # Out here no chain leads back to the foreign error, whose text has the URL and so the key.
        raise failure

    def _leave_stale(self) -> None:
        """Close connections that were long unused, before any of those who ask at once has a new one."""
        with self._waking:
            now = time.time()
            if abs(now - self._used) > _STALE_SECONDS:
                self._session.close()  # its idle connections; the next request has a new one
            self._used = now


class _Search(serpapi.GoogleSearch):  # type: ignore[misc]  # untyped
    """google-search-results with a deadline, a limit and our session, none of which it offers."""

    def __init__(
        self, session: requests.Session, base_url: str, params: dict[str, str], seconds: float
    ) -> None:
        super().__init__(params)
        self.BACKEND = base_url
        self.timeout = seconds
        self.status = 0
        self._session = session

    def get_response(self, path: str = "/search") -> _Body:
        url, params = self.construct_url(path)
        until = time.monotonic() + self.timeout
        with self._session.get(
            url,
            params=params,
            timeout=self.timeout,
            stream=True,
            allow_redirects=False,  # it would carry the key to wherever it leads
            verify=trusted(),
        ) as response:
            self.status = response.status_code
            return _Body(_read(response, until).decode("utf-8", "replace"))


class _Body(NamedTuple):
    text: str  # all that google-search-results wants of a response


def _read(response: requests.Response, until: float) -> bytes:
    # read1 returns what has arrived; iter_content would wait for a whole chunk, however slowly it drips.
    body = bytearray()
    while chunk := response.raw.read1(_CHUNK, decode_content=True):
        body += chunk
        if len(body) > LARGEST:
            raise _TooLargeError
        if time.monotonic() > until:
            raise requests.Timeout
    return bytes(body)


class _TooLargeError(ValueError):
    pass


def _translated(error: Exception, seconds: float) -> JarvisError:
    match error:
        case _TooLargeError():
            return SearchFailed(
                f"SerpAPI's answer is larger than {LARGEST // 1_000_000} MB.",
                hint="Ask for something narrower.",
            )
        case requests.Timeout() | urllib3.exceptions.TimeoutError() | TimeoutError():
            return too_late(seconds)
        case requests.exceptions.InvalidURL() | requests.exceptions.InvalidSchema():
            return _no_address()
        case requests.exceptions.MissingSchema() | urllib3.exceptions.LocationValueError():
            return _no_address()
        case urllib3.exceptions.DecodeError() | requests.exceptions.ContentDecodingError():
            return SearchFailed("SerpAPI's answer can't be unpacked.", hint="Try again.")
        case requests.exceptions.SSLError():
            return _unreachable("no encrypted connection could be made")
        case requests.exceptions.ProxyError():
            return _unreachable("the proxy refused the connection")
        case urllib3.exceptions.ProtocolError():
            return _unreachable("the connection broke off")
        case requests.ConnectionError() | urllib3.exceptions.HTTPError() | OSError():
            return _unreachable("no connection")
    return SearchFailed(f"The search failed: {type(error).__name__}.", hint="Try again.")


def too_late(seconds: float) -> ServiceUnreachable:
    return ServiceUnreachable(
        f"SerpAPI did not answer within {seconds:g} s.", hint="Try again, or see https://serpapi.com/status"
    )


def _unreachable(why: str) -> ServiceUnreachable:
    return ServiceUnreachable(
        f"SerpAPI can't be reached: {why}.", hint="Check the network, or see https://serpapi.com/status"
    )


def _no_address() -> SettingsError:
    return SettingsError(f"SERPAPI_BASE_URL is not an address like {DEFAULT}", hint="unset SERPAPI_BASE_URL")


def _without_keys(record: logging.LogRecord) -> bool:
    record.msg, record.args = redact(record.getMessage()), ()
    return True
