"""The client against a SerpAPI that misbehaves, on a real local server."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import gzip
import json
import logging
import os
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from jarvis.config.keys import Secret
from jarvis.core.errors import (
    JarvisError,
    KeyRefused,
    NoKey,
    RateLimited,
    SearchFailed,
    ServiceUnreachable,
    SettingsError,
)
from jarvis.search.serpapi import SerpApi
from tests.certificates import self_signed
from tests.twins.serpapi import SerpApiTwin, results

KEY = "k3y-that-nobody-may-see"
RESULTS = {
    "knowledge_graph": {"title": "Acme", "website": "https://www.acme.com/"},
    "organic_results": [{"title": f"Page {n}", "link": f"https://p{n}.example.com/"} for n in range(15)],
}


class Twin:
    """A SerpAPI that answers as it is told, and keeps a log of what it was asked and what it did."""

    def __init__(self):
        self.behave = say(200, json.dumps(RESULTS))
        self.asked = []  # (path, parameters) of each request
        self.did = []  # the fault that was fired
        self.connections = set()
        self.sleeping, self.over = threading.Event(), threading.Event()
        twin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                twin.connections.add(self.client_address)
                parts = urlsplit(self.path)
                twin.asked.append((parts.path, {k: v[0] for k, v in parse_qs(parts.query).items()}))
                try:
                    twin.behave(twin, self)
                except OSError:
                    self.close_connection = True

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()

    def close(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


def say(status, body, fault="", **headers):
    data = body if isinstance(body, bytes) else body.encode()

    def behave(twin, handler):
        twin.did.append(fault)
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return behave


def error(text, status=200):
    return say(status, json.dumps({"search_metadata": {"status": "Success"}, "error": text}), "error")


def sleep(twin, handler):
    twin.did.append("sleep")
    twin.sleeping.set()
    twin.over.wait(20)
    handler.close_connection = True


def trickle(twin, handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(1000):
        twin.did.append("trickle")
        handler.wfile.write(b" ")
        if twin.over.wait(0.02):
            return


def trickle_headers(twin, handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not twin.over.wait(0.02):
        twin.did.append("trickle")
        handler.wfile.write(b"x")


def reset(twin, handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"organic_results": [')
    twin.did.append("reset")
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(handler.connection.detach())
    handler.close_connection = True


def cut_off(twin, handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"{}")
    handler.close_connection = True
    twin.did.append("cut off")


@pytest.fixture
def twin():
    twin = Twin()
    yield twin
    twin.close()
    gc.collect()  # what a thread left open is reported here, not in another test


@contextlib.asynccontextmanager
async def asking(twin, key=KEY, seconds=10.0):
    api = SerpApi(Secret(key), twin.url, seconds)
    try:
        yield api
    finally:
        await api.close()


def search(twin, names=(), query="acme", seconds=10.0, key=KEY):
    async def run():
        async with asking(twin, key, seconds) as api:
            return await api(query, names)

    return asyncio.run(run())


def failure(twin, **how):
    """What a search fails with; no trace of the key is in it."""
    with pytest.raises(JarvisError) as caught:
        search(twin, **how)
    chain, at = [], caught.value
    while at is not None:
        chain.append(f"{at} {at!r} {getattr(at, 'hint', '')}")
        at = at.__cause__ or at.__context__
    assert KEY not in " ".join(chain)
    assert caught.value.hint
    return caught.value


def test_one_search_is_one_request_to_google(twin):
    search(twin, query="acme & sons")

    ((path, parameters),) = twin.asked
    assert path == "/search"
    assert (parameters["engine"], parameters["q"]) == ("google", "acme & sons")
    assert (parameters["api_key"], parameters["output"]) == (KEY, "json")


def test_the_ten_best_addresses_come_back_and_the_wanted_site_first(twin):
    found = search(twin, names=["Acme"])

    assert len(found) == 10
    assert (found[0].url, bool(found[0].official)) == ("https://www.acme.com/", True)
    assert search(twin)[0].url == "https://p0.example.com/"


def test_the_website_in_the_knowledge_graph_is_among_the_ten_whoever_is_asked_about(twin):
    found = search(twin)

    assert [item.url for item in found if item.official] == ["https://www.acme.com/"]
    assert len(found) == 10


def test_an_answer_is_read_beside_the_event_loop(twin):
    """A large one would hold up every other thread's turn."""
    read_by = []

    class Names(list):
        def __getitem__(self, at):
            read_by.append(threading.current_thread().name)
            return super().__getitem__(at)

    found = search(twin, names=Names(["Acme"]))

    assert found[0].url == "https://www.acme.com/"
    assert set(read_by) == {"aside"}


def test_searches_share_one_connection(twin):
    async def run():
        async with asking(twin) as api:
            for _ in range(3):
                await api("acme", ())

    asyncio.run(run())

    assert (len(twin.asked), len(twin.connections)) == (3, 1)


def test_a_compressed_answer_is_read(twin):
    twin.behave = say(200, gzip.compress(json.dumps(RESULTS).encode()), Content_Encoding="gzip")

    assert len(search(twin)) == 10


def test_no_results_are_no_failure(twin):
    twin.behave = error("Google hasn't returned any results for this query.")

    assert search(twin) == ()
    assert twin.did == ["error"]


def test_without_a_key_nothing_is_asked(twin):
    wrong = failure(twin, key="")

    assert isinstance(wrong, NoKey)
    assert "jarvis keys set serpapi" in wrong.hint
    assert "https://serpapi.com/manage-api-key" in wrong.hint
    assert twin.asked == []


HTML = "<html><body>Bad gateway</body></html>"


@pytest.mark.parametrize(
    ("behave", "family", "said"),
    [
        (error("Invalid API key. Your API key should be here: …", 401), KeyRefused, "refused the key"),
        (error("Invalid API key. Your API key should be here: …"), KeyRefused, "refused the key"),
        (say(401, HTML, "html"), ServiceUnreachable, "A web page came instead"),
        (error("Your account has run out of searches."), RateLimited, "your SerpAPI plan are used up"),
        (error("Your account has run out of searches.", 429), RateLimited, "your SerpAPI plan are used up"),
        (error("You may make 50 searches per hour.", 429), RateLimited, "within this hour"),
        (error("Too many", 429), RateLimited, "no more searches"),
        (say(429, "", "empty"), RateLimited, "no more searches"),
        (error("Missing query `q` parameter.", 400), SearchFailed, "Missing query"),
        (
            error(f"Odd \x1b[31mthing with api_key={KEY} and {KEY}"),
            SearchFailed,
            "Odd thing with api_key=[key]",
        ),
        (error({"code": 7}), SearchFailed, "SerpAPI says"),
        (say(404, "{}", "404"), SearchFailed, "answered with status 404"),
        (say(200, HTML, "html"), ServiceUnreachable, "(200 from 127.0.0.1:"),
        (say(200, "", "empty"), SearchFailed, "no JSON object"),
        (say(200, "[1, 2]", "list"), SearchFailed, "no JSON object"),
        (say(200, "[" * 100_000, "deep"), SearchFailed, "no JSON object"),
        (say(502, HTML, "502"), ServiceUnreachable, "502"),
        (say(503, "{}", "503"), ServiceUnreachable, "503"),
        (say(200, b" " * 5_000_000, "large"), SearchFailed, "too large: more than 3 MB came."),
        (
            say(200, gzip.compress(b" " * 5_000_000), "bomb", Content_Encoding="gzip"),
            SearchFailed,
            "too large",
        ),
        (say(200, b"not gzip at all", "bad gzip", Content_Encoding="gzip"), SearchFailed, "unpacked"),
        (reset, ServiceUnreachable, "broke off"),
        (cut_off, ServiceUnreachable, "broke off"),
    ],
)
def test_a_faulty_answer_is_told_for_what_it_is(twin, behave, family, said):
    twin.behave = behave

    wrong = failure(twin)

    assert type(wrong) is family
    assert said in wrong.message
    assert (len(twin.asked), len(twin.did)) == (1, 1)


@pytest.mark.parametrize("is_there", [True, False])
def test_what_is_wrong_with_certificates_is_told_as_that(tmp_path, monkeypatch, is_there):
    file, there = tmp_path / "own.pem", SerpApiTwin()
    there.tls = self_signed(file)
    if not is_there:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))

    with there:
        wrong = failure(there)

    server = there.url.removeprefix("https://")
    if is_there:
        why = f"the certificate of {server} is not trusted: self-signed certificate."
        assert (wrong.message, wrong.exit_status) == (f"SerpAPI can't be reached: {why}", 69)
        assert "SSL_CERT_FILE" in wrong.hint
    else:
        assert "gone.pem, which SSL_CERT_FILE names, can't be read" in wrong.message
        assert wrong.exit_status == 78
    assert there.requests == []


def test_a_certificate_that_is_named_is_trusted(tmp_path, monkeypatch):
    there, file = SerpApiTwin(), tmp_path / "own.pem"
    there.tls = self_signed(file)
    there.finds(results([]))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))

    with there:
        assert search(there) == ()


@pytest.mark.slow
@pytest.mark.parametrize("behave", [sleep, trickle, trickle_headers])
def test_a_search_has_one_deadline_for_all_of_it(twin, behave):
    twin.behave = behave
    started = time.monotonic()

    wrong = failure(twin, seconds=0.3)

    assert type(wrong) is ServiceUnreachable
    assert wrong.message == "SerpAPI did not answer within 0.3 s."
    assert time.monotonic() - started < 10  # of the 20 that it would take
    assert twin.did
    assert len(twin.asked) == 1


def test_a_redirect_is_not_followed(twin):
    elsewhere = Twin()
    twin.behave = say(302, "", "redirect", Location=f"{elsewhere.url}/search")

    wrong = failure(twin)

    elsewhere.close()
    assert isinstance(wrong, SearchFailed)
    assert (twin.did, elsewhere.asked) == (["redirect"], [])


def test_where_no_one_listens_it_says_so(twin):
    twin.close()

    wrong = failure(twin)

    assert isinstance(wrong, ServiceUnreachable)
    assert "can't be reached" in wrong.message
    assert twin.asked == []


def test_a_host_without_a_name_server_entry_is_told(twin):
    twin.url = "http://nowhere.invalid"

    assert isinstance(failure(twin, seconds=5), ServiceUnreachable)


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1", "http://", "http://[::1"])
def test_a_base_url_that_is_none_is_a_bad_setting(twin, url):
    twin.url = url

    assert isinstance(failure(twin), SettingsError)


def test_who_is_cancelled_hangs_up_at_once(twin):
    twin.behave = sleep

    async def run():
        async with asking(twin) as api:
            task = asyncio.create_task(api("acme", ()))
            await asyncio.to_thread(twin.sleeping.wait, 5)
            started = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.monotonic() - started

    assert asyncio.run(run()) < 10  # of the 20 that the twin sleeps
    assert twin.did == ["sleep"]


def test_the_key_is_in_no_log_and_no_repr(twin, caplog):
    with caplog.at_level(logging.DEBUG):
        search(twin)

    assert "api_key=[key]" in caplog.text
    assert KEY not in caplog.text
    assert KEY not in repr(SerpApi(Secret(KEY))) + repr(vars(SerpApi(Secret(KEY))))
