"""Asks servers over HTTP, and takes no answer without an end: bounded in bytes, in a line, in time.

A server may send on for ever, by mistake or by malice, and whoever reads it would hold it all. The bounds
are laid around httpx's own client, so that the model's client, which reads by itself, needs no more than
the transport. It imports google-search-results and httpx, 0.8 s of CPU, so it is itself imported late.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

import httpx
import serpapi

from ..core.certificates import chain, check_files, distrust, server_in, trusted
from ..core.errors import JarvisError, SearchFailed, ServiceUnreachable, SettingsError
from ..core.text import redact

DEFAULT = "https://serpapi.com"
LARGEST = 3_000_000  # bytes of a search's answer; real ones stay below 1 MB, those of web searches 0.3
_KEPT_SECONDS = 15.0  # of a connection, unused: a search between two calls of the model takes up to 10
_PIECE = 65536  # bytes that are unpacked at once: a bomb unpacks to a thousand times as many as came
_TOO_MANY_HEADERS = 431  # as h11, which reads them, says of more than 100 KB, before a piece and after too


class Bounds(NamedTuple):
    """What one answer may come to, in bytes, and how many may come at once."""

    size: int  # as many may come, and as many may be unpacked
    line: int  # whoever reads it line by line holds a whole one
    at_once: int = 1  # so many connections are kept for the next


class Response(NamedTuple):
    status: int
    text: str
    server: str  # that was asked


class BoundedTransport(httpx.AsyncBaseTransport, httpx.BaseTransport):
    """A transport whose answers end: the time-out of a request is for the whole of its answer.

    It is a BaseTransport only because Google's client builds a synchronous one too, which is never asked.
    """

    def __init__(self, limits: Bounds, too_large: Callable[[str], JarvisError]) -> None:
        """too_large: makes the error of an answer beyond *limits*, of words such as "more than 3 MB came"."""
        self._limits = limits
        self._too_large = too_large
        self._client = _client(limits.at_once)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["accept-encoding"] = "gzip"  # all that is unpacked here
        until = _deadline(request)
        async with _within(until, self._too_large):
            answer = await self._client.send(request, stream=True)
        body = _Body(answer, until, self._limits, self._too_large)
        return httpx.Response(
            answer.status_code, headers=_unpacked(answer), stream=body, extensions=answer.extensions
        )

    async def aclose(self) -> None:
        await self._client.aclose()


class _Body(httpx.AsyncByteStream):
    """The body of an *answer*, unpacked, as long as it stays within its limits."""

    def __init__(
        self,
        answer: httpx.Response,
        until: float | None,
        limits: Bounds,
        too_large: Callable[[str], JarvisError],
    ) -> None:
        self._answer = answer
        self._until = until
        self._limits = limits
        self._too_large = too_large
        self._came = self._unpacked = self._line = 0  # bytes; the last: of the line that has not ended

    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpack = _unpacker(self._answer.headers.get("content-encoding", ""))
        try:
            async for piece in self._pieces():
                self._came += len(piece)
                for data in unpack(piece):
                    self._measure(data)
                    yield data
        except (JarvisError, httpx.DecodingError):
            await self.aclose()  # whoever reads what an error says doesn't
            raise

    async def aclose(self) -> None:
        await self._answer.aclose()

    async def _pieces(self) -> AsyncIterator[bytes]:
        """Yield what comes, until the deadline."""
        pieces = aiter(self._answer.stream)  # type: ignore[arg-type]  # an async client's
        while True:
            async with _within(self._until, self._too_large):
                piece = await anext(pieces, None)
            if piece is None:
                return
            yield piece

    def _measure(self, data: bytes) -> None:
        """Count *data*. Raises the error of an answer that is too large."""
        self._unpacked += len(data)
        if max(self._came, self._unpacked) > self._limits.size:
            raise self._too_large(f"more than {_in_megabytes(self._limits.size)} came")
        head, newline, _ = data.partition(b"\n")
        if self._line + len(head) > self._limits.line:
            raise self._too_large(f"a line of it is longer than {_in_megabytes(self._limits.line)}")
        self._line = len(data) - data.rfind(b"\n") - 1 if newline else self._line + len(data)


def _unpacked(answer: httpx.Response) -> httpx.Headers:
    """Return the headers of *answer* without what they say of it as it came."""
    headers = answer.headers.copy()
    for name in ("content-encoding", "content-length"):
        headers.pop(name, None)
    return headers


def _unpacker(packing: str) -> Callable[[bytes], Iterator[bytes]]:
    """Return what unpacks one piece after the other, a bit at a time. Raises DecodingError."""
    match packing.strip().lower():
        case "" | "identity":
            return lambda piece: iter((piece,))
        case "gzip":
            return _unzipper()
    raise httpx.DecodingError("It is packed as nobody asked.")


def _unzipper() -> Callable[[bytes], Iterator[bytes]]:
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)  # with gzip's header

    def unzip(piece: bytes) -> Iterator[bytes]:
        data = b" " * _PIECE
        while piece or len(data) == _PIECE:  # the stream may hold more than it gave
            try:
                data = stream.decompress(piece, _PIECE)
            except zlib.error as error:
                raise httpx.DecodingError(str(error)) from None
            piece = stream.unconsumed_tail
            yield data

    return unzip


def _in_megabytes(size: int) -> str:
    return f"{size / 1e6:g} MB"


def _deadline(request: httpx.Request) -> float | None:
    seconds = request.extensions.get("timeout", {}).get("read")
    return None if seconds is None else asyncio.get_running_loop().time() + seconds


@asynccontextmanager
async def _within(until: float | None, too_large: Callable[[str], JarvisError]) -> AsyncIterator[None]:
    """Raise ReadTimeout where this block is not done by then, or the error of headers without an end."""
    try:
        async with asyncio.timeout_at(until):
            yield
    except TimeoutError:
        raise httpx.ReadTimeout("The answer took too long.") from None
    except httpx.RemoteProtocolError as error:
        if any(getattr(each, "error_status_hint", 0) == _TOO_MANY_HEADERS for each in chain(error)):
            raise too_large("what is said of it takes more than 100 KB") from None
        raise


def _client(at_once: int) -> httpx.AsyncClient:
    """Build what sends: it knows the proxies of the environment. Raises SettingsError."""
    check_files()
    # The line that httpx logs of each request has the key of a search in it.
    logging.getLogger("httpx").addFilter(_without_keys)
    limits = httpx.Limits(max_keepalive_connections=at_once, keepalive_expiry=_KEPT_SECONDS)
    try:
        # A redirect would carry the key to wherever it leads.
        return httpx.AsyncClient(verify=_certificates(), limits=limits, follow_redirects=False)
    except (ImportError, ValueError) as error:  # SOCKS needs another package; or it is no address
        told = f"The proxy that the environment names can't be used: {error}"
        raise SettingsError(told, hint="Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY.") from None


def _certificates() -> ssl.SSLContext:
    """Return whom we trust: the file that the environment names, or those of httpx. Raises SettingsError."""
    file = trusted()
    if not file:
        return httpx.create_ssl_context()
    try:
        return ssl.create_default_context(cafile=file)
    except OSError as error:  # ssl's errors are some
        told = f"The certificates in {file} can't be read: {error.strerror or type(error).__name__}."
        raise SettingsError(told, hint="Name a file in PEM format: export SSL_CERT_FILE=FILE") from None


def _without_keys(record: logging.LogRecord) -> bool:
    record.msg, record.args = redact(record.getMessage()), ()
    return True


class Line:
    """The connections to one SerpAPI, kept from one search to the next."""

    def __init__(self, base_url: str | None, at_once: int) -> None:
        """at_once: how many may ask at once: for so many a connection is kept."""
        self._base_url = (base_url or DEFAULT).rstrip("/")
        self._server = server_in(self._base_url)
        transport = BoundedTransport(Bounds(LARGEST, LARGEST, at_once), _too_large)
        self._client = httpx.AsyncClient(transport=transport)

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(self, params: Mapping[str, str], key: str, seconds: float) -> Response:
        """Send one search, once. Raises JarvisErrors, which have no trace of the key."""
        url, wanted = _request(self._base_url, {**params, "api_key": key})
        try:
            answer = await self._client.get(url, params=wanted, timeout=seconds)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            failure = distrust(error, "SerpAPI", self._server) or _translated(error, seconds)
        else:
            return Response(answer.status_code, answer.content.decode("utf-8", "replace"), self._server)
        # Out here no chain leads back to the foreign error, whose text has the URL and so the key.
        raise failure


def _request(base_url: str, params: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Return the address and parameters of a search, as google-search-results builds them."""
    search = serpapi.GoogleSearch({**params, "output": "json"})
    search.BACKEND = base_url
    url, wanted = search.construct_url()
    return url, wanted


def _translated(error: Exception, seconds: float) -> JarvisError:
    match error:
        case httpx.TimeoutException():
            return too_late(seconds)
        case httpx.DecodingError():
            return SearchFailed("SerpAPI's answer can't be unpacked.", hint="Try again.")
        case httpx.ProxyError():
            return _unreachable("the proxy refused the connection")
        case httpx.RemoteProtocolError() | httpx.ReadError() | httpx.WriteError():
            return _unreachable("the connection broke off")
        case httpx.NetworkError() | OSError():
            is_refused = any(isinstance(each, ssl.SSLError) for each in chain(error))
            return _unreachable("no encrypted connection could be made" if is_refused else "no connection")
        case httpx.InvalidURL() | httpx.UnsupportedProtocol() | httpx.LocalProtocolError() | ValueError():
            hint = "unset SERPAPI_BASE_URL"
            return SettingsError(f"SERPAPI_BASE_URL is not an address like {DEFAULT}", hint=hint)
    return SearchFailed(f"The search failed: {type(error).__name__}.", hint="Try again.")


def too_late(seconds: float) -> ServiceUnreachable:
    return ServiceUnreachable(
        f"SerpAPI did not answer within {seconds:g} s.", hint="Try again, or see https://serpapi.com/status"
    )


def _too_large(why: str) -> SearchFailed:
    return SearchFailed(f"SerpAPI's answer is too large: {why}.", hint="Ask for something narrower.")


def _unreachable(why: str) -> ServiceUnreachable:
    return ServiceUnreachable(
        f"SerpAPI can't be reached: {why}.", hint="Check the network, or see https://serpapi.com/status"
    )
