"""Sends HTTP requests with bounded answers: each has a limit in bytes and in time.

A server may send forever, by mistake or on purpose. The limits wrap httpx's own client, so the model's client
needs only this transport. Network failures become our errors here and nowhere else, by the service's name.
Importing httpx takes 0.5 s of CPU, so this module is imported late.
"""

import asyncio
import json
import logging
import os
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeAlias

import httpx

from ..core.errors import JarvisError, NotSent, SearchFailed, ServiceUnreachable, SettingsError, chain
from ..core.text import one_line, redact
from .web_service import WebService, proxy_for

# The files of certificates that the libraries look at, by the variables that name them.
_FILES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
HttpClient = httpx.AsyncClient
HttpRequest = httpx.Request
HttpAnswer = httpx.Response
StandIn: TypeAlias = Callable[[HttpRequest], AsyncIterator[bytes]]  # gives the pieces of an answer
_stand_in: ContextVar[StandIn | None] = ContextVar("_stand_in", default=None)
_LARGEST = 3_000_000  # bytes of an answer; real ones stay below 1 MB, those of web searches 0.3
_GZIP = 31  # how zlib calls it
_OF_NO_MATTER = (b"", b"event", b"id", b"retry")  # fields of an event; one without a name is a comment
last_event: ContextVar[Any] = ContextVar("last_event", default=None)  # of the stream that this task reads
_KEPT_SECONDS = 15.0  # of a connection, unused: a search between two calls of the model takes up to 10
_LINE_FAULTS = {
    httpx.ProxyError: "the connection was refused",
    httpx.ConnectError: "no connection",
    httpx.HTTPError: "the connection broke off",
}


class ConnectionLost(ServiceUnreachable):
    """It was lost."""


class NothingCame(ServiceUnreachable):
    """A stream ended before its first event."""


class BoundedTransport(httpx.AsyncHTTPTransport, httpx.BaseTransport):
    """A transport with bounded answers: a request's timeout covers its whole answer.

    It follows no redirect and keeps no cookie. Its failures are our errors. It is a BaseTransport only
    because a model's client may also build a synchronous one, which is never used.
    """

    def __init__(self, server: WebService, failure: type[JarvisError], size: int, at_once: int) -> None:
        """failure: the error for an unreadable answer. size: the most bytes of an answer, unpacked.

        at_once: connections kept for the next request. Raises SettingsError.
        """
        self._service = server.name
        self._failure = failure
        self._size = size
        self._stand_in = _stand_in.get()
        self._proxy = None if self._stand_in else proxy_for(server.url)
        # The line that httpx logs of each request has the key of a search in it.
        logging.getLogger("httpx").addFilter(_without_keys)
        limits = httpx.Limits(max_keepalive_connections=at_once, keepalive_expiry=_KEPT_SECONDS)
        trusted = not self._stand_in and _certificates(next(filter(None, map(os.environ.get, _FILES)), None))
        by = self._proxy.url if self._proxy else None
        super().__init__(trusted, trust_env=False, limits=limits, proxy=by)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["accept-encoding"] = "gzip"
        seconds = request.extensions.get("timeout", {}).get("read")
        until = None if seconds is None else asyncio.get_running_loop().time() + seconds
        async with self._translated(request, until):
            if self._stand_in:
                answer = httpx.Response(200, content=self._stand_in(request))
            else:
                answer = await super().handle_async_request(request)
        headers = answer.headers.copy()
        for name in ("content-encoding", "content-length"):  # of the answer as it came
            headers.pop(name, None)
        body = self._body(answer, request, until)
        if answer.is_success and request.url.params.get("alt") == "sse":  # a stream of events
            body = self._events(body)
        return httpx.Response(answer.status_code, headers=headers, content=body, extensions=answer.extensions)

    async def _body(
        self, answer: httpx.Response, request: httpx.Request, until: float | None
    ) -> AsyncIterator[bytes]:
        """Yield the unpacked answer while it stays within the limits."""
        packing, is_packed = zlib.decompressobj(_GZIP), "content-encoding" in answer.headers
        pieces, room = answer.aiter_raw(), self._size + 1
        try:
            while not packing.eof:  # what comes behind its end is nothing to be read, nor kept
                async with self._translated(request, until):
                    piece = await anext(pieces, None)
                    piece = packing.decompress(piece, room) if piece and is_packed else piece
                if piece is None:
                    return
                room -= len(piece)
                if room <= 0:
                    message = (
                        f"{self._service}'s answer is too large: more than {self._size / 1e6:g} MB came."
                    )
                    raise self._failure(message, hint="Ask for something narrower.")
                yield piece
        finally:
            await answer.aclose()

    async def _events(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the events of a stream. Raises NothingCame where it has none."""
        event = b""
        async for event in regular(body):
            yield event
        if not event:
            raise NothingCame(f"{self._service} sent an empty answer.", hint="Try again in a moment.")

    @asynccontextmanager
    async def _translated(self, request: httpx.Request, until: float | None) -> AsyncIterator[None]:
        """Raise what goes wrong in this block, or is not done by then, as one of ours."""
        try:
            async with asyncio.timeout_at(until):
                yield
        except (httpx.HTTPError, TimeoutError, zlib.error) as error:
            raise self._explained(error, request) from None  # its text may have the URL, and so a key

    def _explained(self, error: Exception, request: httpx.Request) -> JarvisError:
        service, hint = self._service, "Check your connection, and try again in a moment."
        way = f" through the proxy {self._proxy.label}" if self._proxy else ""
        if isinstance(error, zlib.error):
            return self._failure(f"Can't unpack {service}'s answer.", hint="Try again.")
        if isinstance(error, httpx.TimeoutException | TimeoutError):
            seconds = request.extensions["timeout"]["read"]
            return ServiceUnreachable(f"{service} did not answer within {seconds:g} s{way}.", hint=hint)
        if distrust := _distrust(error, service, request.headers["host"]):
            return distrust
        why = next(why for kind, why in _LINE_FAULTS.items() if isinstance(error, kind))
        message = f"{service} can't be reached{way}: {why}."
        if not isinstance(error, httpx.ConnectError | httpx.ProxyError):
            return ConnectionLost(message, hint=hint)
        if self._proxy:  # again, it is no better
            return ServiceUnreachable(message, hint=self._proxy.hint)
        return NotSent(message, hint=hint)


@contextmanager
def answered_by(answer: StandIn) -> Iterator[None]:
    """Have *answer* return the pieces of what every service answers, in this block: nothing is sent."""
    before = _stand_in.set(answer)
    try:
        yield
    finally:
        _stand_in.reset(before)


def client_of(server: WebService, at_once: int = 1) -> HttpClient:
    """Return a client of one service, whose answers and failures are those of a BoundedTransport."""
    return HttpClient(transport=BoundedTransport(server, SearchFailed, _LARGEST, at_once))


@cache  # to read them takes 25 ms, and each page that is read has a transport of its own
def _certificates(file: str | None) -> ssl.SSLContext:
    """Return whom we trust: *file*, which the environment names, or those of httpx. Raises SettingsError."""
    try:
        return ssl.create_default_context(cafile=file) if file else httpx.create_ssl_context()
    except OSError as error:  # ssl's errors are some
        if (log := os.environ.get("SSLKEYLOGFILE")) and error.filename == log:
            message = f"Can't write the file that SSLKEYLOGFILE names: {log}: {error.strerror}."
            raise SettingsError(message, hint="unset SSLKEYLOGFILE") from None
        message = f"Can't read the certificates in {file}: {error.strerror or type(error).__name__}."
        raise SettingsError(message, hint="Name a file in PEM format: export SSL_CERT_FILE=FILE") from None


def _distrust(error: Exception, service: str, server: str) -> JarvisError | None:
    """Return that the certificate of *server* is not trusted, and why, if that led to *error*."""
    for each in chain(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            why = one_line(each.verify_message, 200).rstrip(".")
            message = f"Can't reach {service}: the certificate of {server} is not trusted: {why}."
            hint = "Behind a proxy of your network name its certificate: export SSL_CERT_FILE=FILE."
            return ServiceUnreachable(message, hint=f"{hint} Or check the clock.")
    return None


def _without_keys(record: logging.LogRecord) -> bool:
    record.msg, record.args = redact(record.getMessage()), ()
    return True


# Makes an event stream regular: each event is a line of ASCII, `data: JSON`, with an empty line behind it.
# Servers may write comments, names, numbers and line ends as they like, and proxies add their own. The
# model's client knows one way, and takes U+2028 within a text for the end of a line.


async def regular(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the events of *body*. Anything else, such as a page or an error as JSON, stays as it is."""
    data: list[bytes] = []
    async for line in _lines(body):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value)
        elif field not in _OF_NO_MATTER:
            yield line + b"\n"
        # Some servers write no empty line. Only the first is tried: to try each would take the square.
        if not line or (field == b"data" and len(data) == 1):
            event = _event(b"\n".join(data), is_all=not line)
            data = [] if event or not line else data
            if event:
                yield event


async def _lines(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of *body* without a byte-order mark, and an empty one at the end."""
    last = b""  # may go on, or its end may
    async for piece in body:
        *others, last = (last + piece).splitlines(keepends=True) or [b""]
        for line in others:
            yield line.rstrip(b"\r\n").removeprefix(b"\xef\xbb\xbf")
    yield last.rstrip(b"\r\n")
    yield b""


def _event(text: bytes, *, is_all: bool) -> bytes:
    """Return *text* as an event, or nothing if it is empty or incomplete."""
    try:
        value = json.loads(text.decode(errors="replace"), strict=False)
        message = json.dumps(value).encode()
        last_event.set(value)
    except (ValueError, RecursionError):
        message = text.replace(b"\n", b" ").strip() if is_all else b""
    return b"" if message in (b"", b"[DONE]") else b"data: %b\n\n" % message
