"""Fetch a page, with nothing that says who reads it: no cookie, no key.

It is connected by the number that was judged, under its old name: so that no second answer to the same name
leads elsewhere. It imports the HTTP client, so it is itself imported late.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from .. import __version__
from ..core.errors import ReadFailed, ServiceUnreachable
from ..core.text import one_line
from ..core.urls import Canon
from ..search.http import BoundedTransport, HttpAnswer, HttpRequest
from ..search.web_service import WebService, proxy_for
from .public_net import Resolve, next_address, not_read, numbers_of, resolved

LARGEST = 5_000_000  # bytes, unpacked
SECONDS = 10.0  # for all of it
_FIRST_SECONDS = 3.0  # for a connection, where another number of the same name is left
_TIMES = {"read": SECONDS, "write": SECONDS, "pool": SECONDS}
_HEADERS = {
    "user-agent": f"Jarvis/{__version__}",
    "accept": "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5",
}
_LEADING = (301, 302, 303, 307, 308)
_STATUSES = {
    401: "it is behind a login (401)",
    403: "it is behind a login, or lets no program in (403)",
    404: "there is no such page (404)",
}
_KINDS = {
    **dict.fromkeys(("text/html", "application/xhtml+xml"), "html"),
    **dict.fromkeys(("text/markdown", "text/x-markdown"), "markdown"),
    **dict.fromkeys(("application/pdf", "application/x-pdf"), "pdf"),
    "application/json": "json",
}
_OTHERS = {"image": "a picture", "video": "a film", "audio": "a sound"}


class Fetched(NamedTuple):
    url: str  # where it stood in the end
    kind: str  # html | text | markdown | json | pdf
    body: bytes  # unpacked, LARGEST at most
    charset: str  # as its server says; empty: it does not


def transport_to(server: WebService) -> BoundedTransport:
    """Return what sends to *server*; tests have one that leads to a server of theirs."""
    return BoundedTransport(server, ReadFailed, LARGEST, at_once=1)


TransportTo = Callable[[WebService], BoundedTransport]


async def fetch(url: str, resolve: Resolve = resolved, transport_to: TransportTo = transport_to) -> Fetched:
    """Return what stands at *url*, or where that leads.

    Raises ReadFailed, ServiceUnreachable or SettingsError.
    """
    way: list[Canon] = []
    try:
        async with asyncio.timeout(SECONDS):
            while True:
                way.append(next_address(url, way))
                answer = await _ask(way[-1], resolve, transport_to)
                if isinstance(answer, Fetched):
                    return answer
                url = answer
    except TimeoutError:
        told = f"{way[-1].host} can't be read: it took more than {SECONDS:g} s."
        raise ServiceUnreachable(told, hint="Try again in a moment.") from None


async def _ask(address: Canon, resolve: Resolve, transport_to: TransportTo) -> Fetched | str:
    """Return what stands there, or where that leads."""
    server = WebService(address.host, f"{_scheme(address)}://{_authority(address)}", setting="", page="")
    if proxy_for(server.url):  # which finds the number itself
        return await _read(address, address.host.strip("[]"), SECONDS, transport_to(server))
    *first, last = await numbers_of(address, resolve)
    for number in first:
        with suppress(ServiceUnreachable):  # IPv6 is often promised, and not there
            return await _read(address, number, _FIRST_SECONDS, transport_to(server))
    return await _read(address, last, SECONDS, transport_to(server))


async def _read(address: Canon, number: str, seconds: float, transport: BoundedTransport) -> Fetched | str:
    """Ask for *address* at that *number*. seconds: for the connection."""
    host = f"[{number}]" if ":" in number else number
    path = address.url.partition("://")[2].removeprefix(address.host)  # with the port
    request = HttpRequest(
        "GET",
        f"{_scheme(address)}://{host}{path}",
        headers={**_HEADERS, "host": _authority(address)},
        extensions={"timeout": {**_TIMES, "connect": seconds}, "sni_hostname": address.host.strip("[]")},
    )
    async with transport:
        answer = await transport.handle_async_request(request)
        if answer.status_code in _LEADING and (location := answer.headers.get("location")):
            return str(location)
        kind = _kind_of(answer, address)
        body = await answer.aread()
    return Fetched(address.url, kind or _sniffed(body, address), body, answer.charset_encoding or "")


def _kind_of(answer: HttpAnswer, address: Canon) -> str:
    """Return the kind of what *answer* has; empty: its server does not say. Raises ReadFailed."""
    if not answer.is_success:
        told = f"its server answered with status {answer.status_code}"
        raise not_read(address, _STATUSES.get(answer.status_code, told))
    said = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    family = said.partition("/")[0]
    kind = _KINDS.get(said) or ("json" if said.endswith("+json") else "text" if family == "text" else "")
    if said and not kind:
        other = _OTHERS.get(family, "of another kind")
        raise not_read(address, f"it is {other}: {one_line(said, 60)}")
    return kind


def _sniffed(body: bytes, address: Canon) -> str:
    """Return the kind of *body* by how it begins. Raises ReadFailed where it is no text."""
    begins = body[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    if begins.startswith(b"%PDF-"):
        return "pdf"
    if b"\0" in begins:
        raise not_read(address, "its server does not say what it is, and it is no text")
    return {b"<": "html", b"{": "json", b"[": "json"}.get(begins[:1], "text")


def _scheme(address: Canon) -> str:
    return address.url.partition(":")[0]


def _authority(address: Canon) -> str:
    return f"{address.host}:{address.port}" if address.port else address.host
