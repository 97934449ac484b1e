"""May a page be fetched from there? Only what is of the public net is, whoever named it.

A name may have any number, and another one when it is asked for again: so numbers are judged, all that a name
has, and those are connected. Where a redirect leads is judged as the first address was.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urljoin

from ..core.errors import BadTarget, ReadFailed, ServiceUnreachable
from ..core.urls import Canon, canon, is_ipv4, is_public

_HOPS = 5
_PORTS = ("", "80", "443")
# Public by Python's tables: relays, Azure's own service for its machines, and numbers for examples.
_NOT_PUBLIC = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "3fff::/20")))
_GIVEN_OUT = ip_network("2000::/3")  # of IPv6
_NAT64 = ip_network("64:ff9b::/96")

Resolve = Callable[[str, int], Awaitable[list[str]]]  # host, port -> every address of it


async def resolved(host: str, port: int) -> list[str]:
    """Return the numbers that *host* has. Raises ServiceUnreachable where it has none."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        hint = "Check the spelling, and your connection."
        raise ServiceUnreachable(f"{host} can't be found.", hint=hint) from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def is_public_number(number: str) -> bool:
    """Return whether this IP address is of the public net, and so is the one that it may have within."""
    address = ip_address(number)
    if isinstance(address, IPv6Address):
        is_nat64 = address in _NAT64
        within = IPv4Address(address.packed[-4:]) if is_nat64 else address.ipv4_mapped or address.sixtofour
        if within:
            return is_public_number(str(within))
    if address.is_multicast or any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and (address.version == 4 or address in _GIVEN_OUT)


def next_address(url: str, way: Sequence[Canon]) -> Canon:
    """Return the address *url*, to which the last of *way* led. Raises ReadFailed where nobody may go."""
    if way:
        with suppress(ValueError):  # canon() says what is wrong with it
            url = urljoin(way[-1].url, url.strip().replace(" ", "%20"))
    try:
        address = canon(url.partition("#")[0])
    except BadTarget as error:
        before = f"{way[-1].host} leads on to what is not read. " if way else ""
        raise ReadFailed(before + error.message) from None
    if address.url in [each.url for each in way]:
        raise not_read(address, "it leads in a circle, perhaps for want of a login or a cookie")
    if len(way) > _HOPS:
        raise not_read(way[0], f"it leads on more than {_HOPS} times")
    _check(address)
    return address


async def numbers_of(address: Canon, resolve: Resolve) -> list[str]:
    """Return by which numbers *address* is connected. Raises ReadFailed unless all of them are public."""
    number = _number_in(address)
    numbers = [number] if number else await resolve(address.host, int(address.port or 443))
    if not numbers or not all(map(is_public_number, numbers)):
        raise _not_public(address)
    return numbers


def not_read(address: Canon, why: str) -> ReadFailed:
    return ReadFailed(f"{address.host} can't be read: {why}.")


def _check(address: Canon) -> None:
    """Raise ReadFailed where *address* is none of the public net by how it is written."""
    if address.userinfo:
        raise not_read(address, "there is a name or a password in its address, and none is sent")
    if address.port not in _PORTS:
        raise not_read(address, f"pages are read from the ports 80 and 443, and its port is {address.port}")
    number = _number_in(address)
    if not (is_public_number(number) if number else is_public(address)):
        raise _not_public(address)


def _number_in(address: Canon) -> str:
    """Return the number that stands for a host in *address*; empty where it is a name."""
    return address.host.strip("[]") if address.host[0] == "[" or is_ipv4(address.host) else ""


def _not_public(address: Canon) -> ReadFailed:
    return ReadFailed(f"{address.host} leads into your own network, so it is not read.")
