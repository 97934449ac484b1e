"""What is asked by way of a proxy: SOCKS works, and one that is broken is told by its variable."""

import select
import socket
import struct
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest

from jarvis.core.errors import ServiceUnreachable, SettingsError
from jarvis.search import http
from jarvis.search.web_service import proxy_for
from tests.agent.test_gemini import HELLO, ask
from tests.search.test_serpapi import FOUND, failure, search
from tests.twins.gemini import GeminiTwin

DEAD = "http://me:s3cret@127.0.0.1:1"


class _Tunnel(BaseRequestHandler):
    """A connection that SOCKS 5 leads on to where the client wants."""

    def handle(self):
        self.request.recv(100)
        self.request.sendall(b"\x05\x00")  # no name and no password
        wanted = self.request.recv(300)
        is_name = wanted[3] == 3
        host = wanted[5:-2].decode() if is_name else socket.inet_ntoa(wanted[4:-2])
        (port,) = struct.unpack(">H", wanted[-2:])
        self.server.asked.append((host, port))
        with socket.create_connection((host, port)) as there:
            self.request.sendall(b"\x05\x00\x00\x01" + bytes(6))
            ends = {self.request: there, there: self.request}
            while piece := (end := select.select([*ends], [], [])[0][0]).recv(9999):
                ends[end].sendall(piece)


@pytest.fixture
def socks():
    """A proxy of SOCKS 5 on this machine."""
    with ThreadingTCPServer(("127.0.0.1", 0), _Tunnel) as server:
        server.daemon_threads, server.asked = True, []
        Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize(
    ("variable", "kind"),
    [("ALL_PROXY", "socks5"), ("http_proxy", "socks5h"), ("all_proxy", "socks")],  # as GNOME writes it
)
def test_searches_and_the_model_are_asked_by_way_of_socks(socks, serpapi, monkeypatch, variable, kind):
    monkeypatch.setenv(variable, f"{kind}://127.0.0.1:{socks.server_address[1]}")
    serpapi.finds(FOUND, FOUND)

    with GeminiTwin() as gemini:
        gemini.plans(HELLO)
        ask(gemini)
        assert [item.url for item in search(serpapi.url)] == ["https://a.example/"]

    ports = [int(twin.url.rpartition(":")[2]) for twin in (gemini, serpapi)]
    assert socks.asked == [("127.0.0.1", port) for port in ports]
    monkeypatch.setenv(variable, "not a url")
    monkeypatch.setenv("NO_PROXY", "a.example, 127.0.0.1")
    assert search(serpapi.url)


NETWORKS = "10.0.0.0/8, x/y, 192.168.7.0/24,fd00::/8"


@pytest.mark.parametrize(
    ("host", "is_excepted"),
    [
        *(("10.1.2.3:8080", True), ("192.168.7.9", True), ("[fd00::1]", True), ("11.1.2.3", False)),
        *(("192.168.8.1", False), ("[fe00::1]", False), ("a.example", False)),
    ],
)
def test_networks_in_no_proxy_count(host, is_excepted, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", DEAD)
    monkeypatch.setenv("NO_PROXY", NETWORKS)

    assert (proxy_for(f"http://{host}/x") is None) == is_excepted


def test_a_log_of_tls_keys_that_cannot_be_written_is_told_as_that(monkeypatch, tmp_path):
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "none/keys.log"))
    http._certificates.cache_clear()

    error = failure("http://127.0.0.1:9")

    assert isinstance(error, SettingsError)
    assert error.message.startswith(f"Can't write the file that SSLKEYLOGFILE names: {tmp_path}/none/keys")
    assert error.hint == "unset SSLKEYLOGFILE"


@pytest.mark.parametrize(
    ("proxies", "kind", "told", "cure"),
    [
        ({"HTTP_PROXY": DEAD}, ServiceUnreachable, "127.0.0.1:1 (HTTP_PROXY): no connection", "HTTP_PROXY"),
        ({"ALL_PROXY": "socks5://127.0.0.1:1"}, ServiceUnreachable, "127.0.0.1:1 (ALL_PROXY)", "ALL_PROXY"),
        ({"HTTP_PROXY": "me:s3cret/@p:x"}, SettingsError, "HTTP_PROXY names no proxy", "unset HTTP_PROXY"),
        ({"HTTP_PROXY": "ftp://me:s3cret@p.example:1"}, SettingsError, "(p.example:1)", "socks5://HOST:PORT"),
        ({"HTTP_PROXY": DEAD, "http_proxy": "x y"}, SettingsError, "http_proxy names no", "unset http_proxy"),
    ],
)
def test_a_proxy_that_does_not_work_is_told_in_a_line(socks, monkeypatch, proxies, kind, told, cure):
    for variable, value in proxies.items():
        monkeypatch.setenv(variable, value)

    error = failure("http://127.0.0.1:9")

    assert isinstance(error, kind)
    assert (told in error.message, cure in error.hint) == (True, True)
    assert "s3cret" not in error.message + error.hint


@pytest.mark.parametrize(("value", "status"), [(DEAD, 69), ("not a url", 78)])
def test_whatever_is_asked_tells_of_a_broken_proxy_and_doctor_finds_it(shell, value, status):
    proxy = {"HTTP_PROXY": value, "NO_PROXY": ""}

    for words in (["what is MIT?"], ["keys", "test", "google"], ["keys", "test", "serpapi"], ["models"]):
        done = shell.jarvis(*words, environment=proxy)
        assert (done.status, done.stdout, len(done.stderr.splitlines())) == (status, "", 2)
        assert "HTTP_PROXY" in done.stderr.splitlines()[0]
        assert "unset HTTP_PROXY" in done.stderr.splitlines()[1]

    examined = shell.jarvis("doctor", environment=proxy)
    assert (examined.status, "unset HTTP_PROXY" in examined.stdout) == (1, True)
    assert "s3cret" not in examined.stdout
    assert "proxy: none" in shell.jarvis("doctor").stdout
