"""Send requests over HTTP, and take no answer without an end: each is bounded in bytes and in time.

A server may send on for ever, by mistake or by malice, and whoever reads it would hold it all. The bounds
are laid around httpx's own client, so that the model's client, which reads by itself, needs no more than
the transport. It imports httpx, 0.5 s of CPU, so it is itself imported late.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

import httpx

from ..core.certificates import check_files, distrust, server_in, trusted
from ..core.errors import JarvisError, SearchFailed, ServiceUnreachable, SettingsError
from ..core.text import redact
from .web_service import WebService, too_late

_KEPT_SECONDS = 15.0  # of a connection, unused: a search between two calls of the model takes up to 10


class HttpAnswer(NamedTuple):
    """What a server answered."""

    status: int
    text: str


class Bounds(NamedTuple):
    """What one answer may come to, and how many may come at once."""

    size: int  # bytes: as many may come, and as many may be unpacked
    at_once: int = 1  # so many connections are kept for the next


class HttpClient:
    """Asks one server. Failures are JarvisErrors in our words, with no trace of what was sent."""

    def __init__(self, server: WebService, bounds: Bounds) -> None:
        self._server = server
        self._client = httpx.AsyncClient(transport=BoundedTransport(bounds, self._too_large))

    async def get(
        self, url: str, params: Mapping[str, str], seconds: float, headers: Mapping[str, str] | None = None
    ) -> HttpAnswer:
        """Return what is answered at *url*, asked once. seconds: for all of the answer."""
        try:
            answer = await self._client.get(url, params=params, headers=headers, timeout=seconds)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            name, at = self._server.name, server_in(self._server.url)
            failure = distrust(error, name, at) or self._translated(error, seconds)
        else:
            return HttpAnswer(answer.status_code, answer.content.decode("utf-8", "replace"))
        # Out here no chain leads back to the foreign error, whose text has the URL and so the key.
        raise failure

    async def close(self) -> None:
        await self._client.aclose()

    def _translated(self, error: Exception, seconds: float) -> JarvisError:
        server = self._server
        match error:
            case httpx.TimeoutException():
                return too_late(server, seconds)
            case httpx.DecodingError():
                return SearchFailed(f"{server.name}'s answer can't be unpacked.", hint="Try again.")
            case httpx.InvalidURL() | httpx.UnsupportedProtocol() | httpx.LocalProtocolError() | ValueError():
                return SettingsError(
                    f"{server.setting} is not an address like {server.usual}", hint=server.unset
                )
            case httpx.ProxyError():
                why = "the proxy refused the connection"
            case httpx.ConnectError():
                why = "no connection"
            case _:
                why = "the connection broke off"
        hint = f"Check the network, or see {server.page}"
        return ServiceUnreachable(f"{server.name} can't be reached: {why}.", hint=hint)

    def _too_large(self, why: str) -> SearchFailed:
        told = f"{self._server.name}'s answer is too large: {why}."
        return SearchFailed(told, hint="Ask for something narrower.")


class BoundedTransport(httpx.AsyncBaseTransport, httpx.BaseTransport):
    """A transport whose answers end: the time-out of a request is for the whole of its answer.

    It is a BaseTransport only because Google's client builds a synchronous one too, which is never asked.
    """

    def __init__(self, limits: Bounds, too_large: Callable[[str], JarvisError]) -> None:
        """too_large: makes the error of an answer beyond *limits*, of words such as "more than 3 MB came"."""
        self._size = limits.size
        self._too_large = too_large
        self._client = _client(limits.at_once)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["accept-encoding"] = "gzip"  # all that is unpacked here
        until = _deadline(request)
        async with _before(until):
            answer = await self._client.send(request, stream=True)
        body = _Body(answer, until, self._size, self._too_large)
        headers = answer.headers.copy()
        for name in ("content-encoding", "content-length"):  # of the answer as it came
            headers.pop(name, None)
        return httpx.Response(answer.status_code, headers=headers, stream=body, extensions=answer.extensions)

    async def aclose(self) -> None:
        await self._client.aclose()


class _Body(httpx.AsyncByteStream):
    """The body of an *answer*, unpacked, as long as it stays within *size* bytes."""

    def __init__(
        self,
        answer: httpx.Response,
        until: float | None,
        size: int,
        too_large: Callable[[str], JarvisError],
    ) -> None:
        self._answer = answer
        self._until = until
        self._size = size
        self._too_large = too_large

    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpack = _unpacker(self._answer.headers.get("content-encoding", ""))
        came = unpacked = 0
        try:
            async for piece in self._pieces():
                # One byte more than is allowed: a bomb unpacks to a thousand times as many as came.
                data = unpack(piece, self._size + 1 - unpacked)
                came, unpacked = came + len(piece), unpacked + len(data)
                if max(came, unpacked) > self._size:
                    raise self._too_large(f"more than {self._size / 1e6:g} MB came")
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
            async with _before(self._until):
                piece = await anext(pieces, None)
            if piece is None:
                return
            yield piece


def _unpacker(packing: str) -> Callable[[bytes, int], bytes]:
    """Return what unpacks one piece after the other, to so many bytes at most. Raises DecodingError."""
    match packing.strip().lower():
        case "" | "identity":
            return lambda piece, most: piece
        case "gzip":
            stream = zlib.decompressobj(zlib.MAX_WBITS | 16)  # with gzip's header
            return lambda piece, most: _unzipped(stream, piece, most)
    raise httpx.DecodingError("It is packed as nobody asked.")


def _unzipped(stream: zlib._Decompress, piece: bytes, most: int) -> bytes:
    try:
        return stream.decompress(piece, most)
    except zlib.error as error:
        raise httpx.DecodingError(str(error)) from None


def _deadline(request: httpx.Request) -> float | None:
    seconds = request.extensions.get("timeout", {}).get("read")
    return None if seconds is None else asyncio.get_running_loop().time() + seconds


@asynccontextmanager
async def _before(until: float | None) -> AsyncIterator[None]:
    """Raise ReadTimeout where this block is not done by then."""
    try:
        async with asyncio.timeout_at(until):
            yield
    except TimeoutError:
        raise httpx.ReadTimeout("The answer took too long.") from None


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
