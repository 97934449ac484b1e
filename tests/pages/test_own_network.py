"""The true rule, in a network of its own: its real names, real connections, and a server at every number."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages.own_network import HOSTS, NEAR, NUMBERS, OTHER, PUBLIC

# A machine may let nobody make a network, and nothing here may be skipped.
pytestmark = [pytest.mark.slow, pytest.mark.long]

NETWORK = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
ENV = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONPATH": str(Path(__file__).parents[2])}
NOT_HERE = "only public sites are, on the usual ports and without a password."
READ = {
    "http://page.example/": [PUBLIC],
    f"http://{PUBLIC}/": [PUBLIC],
    f"http://page.example/to/http://{OTHER}/": [PUBLIC, OTHER],
}
LED = [f"http://page.example/to/http://{number}/" for number in NEAR]
NOT_READ = [
    *(f"http://{number}/" for number in NEAR),
    *(f"http://{name}/" for name in HOSTS if name.startswith(("near", "half"))),
]


def fetched(*urls):
    """What came of each, and which numbers were connected."""
    line = [*NETWORK, sys.executable, "-P", "-m", "tests.pages.own_network"]
    asked = "\n".join(urls)
    done = subprocess.run(line, input=asked, env=ENV, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["answer"] == list(NUMBERS)  # so it is not for want of a server that nobody is connected
    return said["told"], said["connected"]


def test_what_is_public_is_read_at_its_number():
    told, connected = fetched(*READ, "http://two.example/")

    assert set(told.values()) == {"<p>Hello"}
    *others, last = connected
    assert others == [number for numbers in READ.values() for number in numbers]
    assert last in (PUBLIC, OTHER)


def test_what_is_not_public_is_not_connected_by_number_by_name_or_by_one_of_two():
    told, connected = fetched(*NOT_READ)

    assert len(told) == 3 * len(NEAR)
    assert {*told.values()} == {NOT_HERE}
    assert connected == []


def test_nor_where_a_page_leads_there():
    told, connected = fetched(*LED)

    assert all(NOT_HERE in line for line in told.values())
    assert connected == [PUBLIC] * len(NEAR)
