"""What is offered of the addresses that a thread knows."""

from __future__ import annotations

from jarvis.core.types import Address
from jarvis.store.addresses import offer

URL = "https://web.mit.edu/"


def test_a_reason_to_call_an_address_official_never_parts_from_its_name():
    """Else one search's reason would vouch for the name of another's."""
    named, other = ("its entry in Google's knowledge graph", "MIT"), ("its host is the name", "Mit")

    def offered(*vouched):
        known = [Address(f"r{n}", URL, "", "", "found", *each) for n, each in enumerate(vouched, 1)]
        (address,) = offer(known)
        return address.id, address.official, address.official_name

    assert offered((), named) == ("r1", *named)
    assert offered(("an old reason",), named) == ("r1", *named)
    assert offered(named, other) == ("r1", *named)
    assert offered((), ("an old reason",)) == ("r1", "an old reason", "")
