"""Fetches a page from the public internet only, and sends nothing that identifies the user.

A name may have several IP addresses, and others the next time. So Jarvis checks all of them and connects to
one of those, under the same name. A redirect's target is checked the same way.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http.client import responses
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urljoin

from .. import __version__
from ..core.errors import BadTarget, JarvisError, ReadFailed, ServiceUnreachable
from ..core.text import one_line
from ..core.urls import Canon, canon, is_public
from ..search.http import BoundedTransport, HttpAnswer, HttpRequest
from ..search.web_service import WebService, proxy_for

LARGEST = 5_000_000  # bytes of a page, unpacked, or of a file
SECONDS = 10.0  # for all of it
_HOPS = 5
_PORTS = ("", "80", "443")
_HEADERS = {
    "user-agent": f"Jarvis/{__version__}",
    "accept": "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5",
}
_STATUSES = {401: "it is behind a login", 403: "it is behind a login, or lets no program in"}
_READABLE = r"text/.*|application/(xhtml\+xml|pdf|(.*\+)?json)"
_ONLY = "only public sites are, on the usual ports and without a password."
_NAT64, _GIVEN_OUT = ip_network("64:ff9b::/96"), ip_network("2000::/3")  # of IPv6
# Public by Python's tables: relays, multicast, Azure's own service for its machines, numbers for examples.
_SPECIAL = "192.0.0.0/24 192.88.99.0/24 224.0.0.0/4 168.63.129.16 3fff::/20".split()

Resolve = Callable[[str], Awaitable[list[str]]]  # host -> every address of it
Build = Callable[[WebService, type[JarvisError], int, int], BoundedTransport]


async def resolved(host: str) -> list[str]:
    """Return the numbers that *host* has. Raises ServiceUnreachable where it has none."""
    look_up = asyncio.get_running_loop().getaddrinfo
    try:  # with no numbers of IPv4, or of IPv6, where this machine has none
        found = await look_up(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    except OSError:
        hint = "Check the spelling, and your connection."
        raise ServiceUnreachable("no such server.", hint=hint) from None
    return [str(address[0]) for *_, address in found]


async def fetch(url: str, resolve: Resolve = resolved, build: Build = BoundedTransport) -> tuple[bytes, str]:
    """Return the content of *url*, after redirects, and its content type. Raises JarvisErrors."""
    base = ""
    try:
        async with asyncio.timeout(SECONDS):
            for _ in range(1 + _HOPS):
                address = _judged(url, base)
                request = await _request(address, resolve)
                server = WebService("its server", address.url, setting="", page="")
                async with build(server, ReadFailed, LARGEST, 1) as line:
                    answer = await line.handle_async_request(request)
                    if not answer.has_redirect_location:
                        kind = _kind_of(answer)
                        return await answer.aread(), kind
                url, base = answer.headers["location"], address.url
    except TimeoutError:
        message = f"it took more than {SECONDS:g} s."
        raise ServiceUnreachable(message, hint="Try again in a moment.") from None
    raise ReadFailed(f"it redirects more than {_HOPS} times, perhaps because it needs a login or a cookie.")


def _judged(url: str, base: str) -> Canon:
    """Return the absolute address of *url*, relative to *base*. Raises ReadFailed if it isn't public."""
    with suppress(BadTarget, ValueError):  # it can't be joined, or what is no public name is no number either
        address = canon(urljoin(base, url).partition("#")[0])
        is_plain = address.port in _PORTS and not address.userinfo
        if is_plain and (is_public(address) or _is_public(address.host.strip("[]"))):
            return address
    raise ReadFailed(f"it leads on, and {_ONLY}" if base else _ONLY)


async def _request(address: Canon, resolve: Resolve) -> HttpRequest:
    """Return the request for *address*, by a number of its host. Raises ReadFailed unless all are public."""
    request = HttpRequest("GET", address.url, headers=_HEADERS)
    if proxy_for(address.url):  # which finds the number itself
        return request
    numbers = await resolve(address.host.strip("[]"))
    if not all(map(_is_public, numbers)):
        raise ReadFailed(_ONLY)
    number = min(numbers, key=lambda number: ":" in number)  # IPv6 is often promised, and not there
    request.url = request.url.copy_with(host=number)
    request.extensions["sni_hostname"] = address.host.strip("[]")
    return request


def _is_public(number: str) -> bool:
    """Return whether this IP address is of the public net, and so is the one that it may have within."""
    address = ip_address(number)
    if isinstance(address, IPv6Address):
        nat64 = IPv4Address(address.packed[-4:]) if address in _NAT64 else None
        if within := nat64 or address.ipv4_mapped or address.sixtofour:
            return _is_public(str(within))
    is_special = any(address in ip_network(each) for each in _SPECIAL)
    return address.is_global and not is_special and (address.version == 4 or address in _GIVEN_OUT)


def _kind_of(answer: HttpAnswer) -> str:
    """Return the content type of *answer*. Raises ReadFailed where it is nothing to be read."""
    status = answer.status_code
    if not answer.is_success:
        why = _STATUSES.get(status) or f"its server says {responses.get(status, 'that it failed')}"
        raise ReadFailed(f"{why} ({status}).")
    text = str(answer.headers.get("content-type", "text/html"))
    kind = text.partition(";")[0].strip().lower()
    if not re.fullmatch(_READABLE, kind):
        raise ReadFailed(f"it isn't text, but {one_line(kind, 60)}.")
    return text
