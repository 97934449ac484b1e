"""Pages of the public net are fetched; whatever leads elsewhere is not even connected, and told in a line."""

import asyncio
import gzip
import time
import tracemalloc

import pytest

from jarvis.core.errors import ReadFailed, ServiceUnreachable
from jarvis.pages.fetch import SECONDS, fetch
from tests.certificates import self_signed
from tests.twins.endless import bomb, flood, packed
from tests.twins.faults import Raw, Stall
from tests.twins.public_net import PUBLIC, Answer, PublicNet, redirect

OTHER = "2606:2800:220:1:248:1893:25c8:1946"
SAID = "text/html; charset=Windows-1251"
PAGE = Raw(b"<p>Hello", SAID)
NOT_HERE = "only public sites are, on the usual ports and without a password."


def why(net, url, kind=ReadFailed):
    """Why *url* is not read."""
    with pytest.raises(kind) as caught:
        net.fetch(url)
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.fixture
def net():
    with PublicNet() as there:
        there.pages["page.example/"] = PAGE
        yield there
        assert there.unexpected == []


PRIVATE = (
    "127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 "
    "169.254.0.1 169.254.169.254 168.63.129.16 100.64.0.1 100.100.100.200 100.127.255.255 192.0.0.1 "
    "192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 "
    "240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 "
    "::ffff:169.254.169.254 ::ffff:0:127.0.0.1 0:0:0:0:0:ffff:0a00:0001 64:ff9b::127.0.0.1 "
    "64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::8.8.8.8 2002:7f00:1:: 2002:a00:1::1 "
    "2002:c0a8:101:: 2002:a9fe:a9fe:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:7f00:1:: fe80::1 "
    "febf::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 ff0e::1 100::1 2001:2::1 2001:10::1 2001:db8::1 "
    "3fff::1 5f00::1 4000::1 fe80::1%1"
).split()


@pytest.mark.parametrize("number", PRIVATE)
def test_what_has_a_number_outside_the_public_net_is_not_connected_whoever_names_it(net, number):
    literal = f"http://[{number}]/" if ":" in number else f"http://{number}/"
    net.names = {"inside.example": [[number]], "half.example": [[PUBLIC, OTHER, number]]}
    net.pages["page.example/led"] = redirect(literal)

    assert why(net, "https://inside.example/") == NOT_HERE
    assert why(net, "https://half.example/") == NOT_HERE
    assert why(net, literal).endswith(NOT_HERE)
    assert net.connected == net.requests == []
    assert why(net, "http://page.example/led").endswith(NOT_HERE)
    assert net.connected == [PUBLIC]


@pytest.mark.parametrize(
    "number",
    [PUBLIC, OTHER, "8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "172.32.0.1"],
)
def test_a_public_number_is_connected_as_it_is_even_within_another(net, number):
    net.names["page.example"] = [[number]]

    assert net.fetch("http://page.example/")[0] == b"<p>Hello"
    assert net.connected == [number]


ODD = (
    "http://2130706433/ http://0x7f.1/ http://127.1/ http://0177.0.0.1/ http://0x7f000001/ "
    "http://127.0.0.1./ http://１２７.0.0.1/ http://127。0。0。1/ http://localhost/ http://LOCALHOST./ "
    "http://a.localhost/ http://router.lan/ http://printer.local/ http://metadata.google.internal/ "
    "http://intranet/ http://page.example:22/ http://page.example:8443/ https://me:secret@page.example/ "
    "http://page.example@10.0.0.1/ http://me:secret@8.8.8.8/ http://[::1]:80/ http://[0:0::1]/ "
    "http://[::1%251]/ http://[::1/ file:///etc/passwd ftp://page.example/ gopher://page.example/ "
    "data:text/html,hello javascript:alert(1) http://page.example\\@[::1]/"
).split()


@pytest.mark.parametrize("url", ODD)
def test_an_address_that_is_no_plain_public_one_is_not_asked_typed_or_led_to(net, url):
    net.pages["page.example/led"] = redirect(url.encode().decode("latin-1"))

    told = why(net, url)
    assert told.endswith(NOT_HERE)
    assert "secret" not in told
    assert net.connected == net.asked == []
    assert why(net, "http://page.example/led").endswith(NOT_HERE)
    assert net.connected == [PUBLIC]


def test_a_name_that_answers_otherwise_the_second_time_leads_nowhere(net):
    net.names["page.example"] = [[PUBLIC], ["127.0.0.1"]]
    net.pages["page.example/"] = redirect("/again")

    assert why(net, "http://page.example/") == NOT_HERE
    assert (net.asked, net.connected) == (["page.example"] * 2, [PUBLIC])


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_five_redirects_are_followed_and_no_cookie_is_kept(net, status):
    for n in range(6):
        net.pages[f"page.example/{n}"] = redirect(f"{n + 1}", status)
    net.pages["page.example/6"] = PAGE

    assert net.fetch("http://page.example/1#part") == (b"<p>Hello", SAID)
    assert net.requests[-1].path == "/6"
    assert all("cookie" not in request.headers for request in net.requests)
    assert "it redirects more than 5 times" in why(net, "http://page.example/0")


def test_it_says_who_it_is_and_no_more_to_the_old_name_at_the_number(net):
    net.fetch("http://Page.example:80/#part")

    sent = dict(net.requests[0].headers)
    assert sent.pop("user-agent").startswith("Jarvis/")
    assert sent.pop("accept").startswith("text/markdown, text/html;q=")
    assert sent == {"host": "page.example", "accept-encoding": "gzip"}


def test_of_its_numbers_one_of_ipv4_is_connected(net):
    """IPv6 is often promised, and not there."""
    net.names["page.example"], net.dead = [[OTHER, PUBLIC]], (OTHER,)

    assert net.fetch("http://page.example/")[0] == b"<p>Hello"
    assert net.connected == [PUBLIC]
    net.dead = (OTHER, PUBLIC)
    assert why(net, "http://page.example/", ServiceUnreachable).startswith("its server can't be reached")


@pytest.mark.parametrize("host", ["page.example", "other.example"])
def test_its_certificate_is_that_of_the_name(tmp_path, monkeypatch, host):
    net = PublicNet()
    net.tls = self_signed(tmp_path / "own.pem", host=host)
    net.pages["page.example/"] = PAGE
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "own.pem"))
    monkeypatch.setenv("NO_PROXY", "*")

    with net:
        if host == "page.example":
            assert net.fetch("https://page.example/")[0] == b"<p>Hello"
        else:
            told = why(net, "https://page.example/", ServiceUnreachable)
            assert "the certificate of page.example is not trusted" in told


def test_a_proxy_finds_the_number_and_what_is_plainly_not_public_never_reaches_it(net, monkeypatch):
    monkeypatch.setenv("http_proxy", net.url)
    monkeypatch.setenv("no_proxy", "near.example")
    net.names["near.example"] = [["10.0.0.1"]]

    assert asyncio.run(fetch("http://page.example/", net.resolve))[0] == b"<p>Hello"
    for host in ("127.0.0.1", "[::1]", "localhost", "router.lan", "near.example"):
        with pytest.raises(ReadFailed, match="only public sites"):
            asyncio.run(fetch(f"http://{host}/", net.resolve))
    assert (len(net.requests), net.asked) == (1, ["near.example"])


@pytest.mark.parametrize(
    ("said", "body"),
    [
        ("text/html", b"x"),
        ("Application/XHTML+XML; charset=utf-8", b"x"),
        ("", b"x"),
        ("text/plain", b"<p>"),
        ("text/csv", b"a,b"),
        ("text/markdown;variant=GFM", b"# x"),
        ("application/json", b"{}"),
        ("application/ld+json", b"{}"),
        ("application/pdf", b"%PDF-1.7"),
    ],
)
def test_its_kind_is_what_its_server_says(net, said, body):
    net.pages["page.example/"] = Answer(body=body, **({"Content_Type": said} if said else {}))

    assert net.fetch("http://page.example/") == (body, said or "text/html")


UNREADABLE = {
    "it is behind a login (401)": Answer(401),
    "behind a login, or lets no program in (403)": Answer(403, b"<p>Log in"),
    "its server says Not Found (404)": Answer(404),
    "its server says Service Unavailable (503)": Answer(503),
    "its server says Found (302)": Answer(302),
    "its server says that it failed (520)": Answer(520),
    "it isn't text, but image/png": Raw(b"\x89PNG", "image/png"),
    "it isn't text, but application/octet-stream": Raw(b"<p>", "application/octet-stream"),
    "it isn't text, but xy.": Raw(b"<p>", "x\x1b[31my\x1b]0;z\x07"),
    "too large: more than 5 MB came": Raw(bytes(6_000_000), "text/html"),
    "more than 5 MB came.": flood(b"x" * 65536, content_type="text/html"),
    "Can't unpack": packed("gzip", b"not gzip at all", "text/html"),
    "Can't unpack its server's answer.": packed("br", b"\x0b\x02\x80hello\x03", "text/html"),
}


@pytest.mark.parametrize("told", UNREADABLE)
def test_what_cannot_be_read_is_told_in_a_line(net, told):
    net.pages["page.example/"] = UNREADABLE[told]

    assert told in why(net, "http://page.example/")


def test_a_bomb_is_left_when_five_megabytes_of_it_are_unpacked(net):
    packing = packed("gzip", bomb(), "text/html")
    net.pages["page.example/"] = packing
    tracemalloc.start()

    assert "more than 5 MB came" in why(net, "http://page.example/")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert packing.began.is_set()
    assert peak < 15_000_000


def test_what_comes_behind_the_end_of_what_was_packed_is_not_read(net):
    packing = packed("gzip", gzip.compress(b"<p>So it is."), "text/html", behind=b"x" * 65536)
    net.pages["page.example/"] = packing
    tracemalloc.start()

    assert net.fetch("http://page.example/") == (b"<p>So it is.", "text/html")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert packing.began.is_set()
    assert peak < 15_000_000


@pytest.mark.long
@pytest.mark.parametrize("page", [flood(b"x", content_type="text/html", delay=0.2), Stall(20)])
def test_ten_seconds_are_all_that_a_page_gets(net, page):
    net.pages["page.example/"] = page
    began = time.monotonic()

    told = why(net, "http://page.example/", ServiceUnreachable)
    assert told == "it took more than 10 s."
    assert SECONDS - 0.1 < time.monotonic() - began < SECONDS + 0.5
