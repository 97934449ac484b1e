"""A twin of the public net: all its names and pages on loopback, whatever number is connected.

with PublicNet() as net:
    net.pages["page.example/"] = Raw(b"<p>Hello", "text/html")  # by the Host that is asked for, and the path
    net.fetch("http://page.example/")  # or: fetch(url, net.resolve, net.build)
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from jarvis.pages.fetch import fetch
from jarvis.search.http import BoundedTransport

from .faults import Raw
from .wire import Twin

if TYPE_CHECKING:
    from jarvis.core.errors import JarvisError
    from jarvis.search.http import HttpAnswer, HttpRequest
    from jarvis.search.web_service import WebService

    from .wire import Exchange, Request, Step

PUBLIC = "93.184.216.34"  # what a name is that nothing else is said of


class Answer:
    """An answer with a head of any kind."""

    def __init__(self, status: int = 200, body: bytes = b"", **headers: str) -> None:
        self.status, self.body, self.headers = status, body, headers

    def send(self, exchange: Exchange, request: Request) -> None:
        exchange.send_response(self.status)
        for name, value in {**self.headers, "Content-Length": str(len(self.body))}.items():
            exchange.send_header(name.replace("_", "-"), value)
        exchange.end_headers()
        exchange.push(self.body)


def redirect(location: str, status: int = 302) -> Answer:
    return Answer(status, Location=location, Set_Cookie="id=7; Path=/")


class PublicNet(Twin):
    """All of the public net on loopback: the names that it has, and what stands at its addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, list[list[str]]] = {}  # what a name is each time that it is asked for
        self.pages: dict[str, Step] = {}
        self.asked: list[str] = []  # names
        self.connected: list[str] = []  # numbers
        self.dead: tuple[str, ...] = ()  # numbers at which nobody answers

    @property
    def port(self) -> int:
        return int(self._server.server_port)

    def hear(self, request: Request) -> Request:
        self.note(request)
        return request

    def answer(self, exchange: Exchange, request: Request) -> None:
        page = self.pages.get(request.headers["host"] + request.path, Raw(b"", status=404))
        page.send(exchange, request)

    async def resolve(self, host: str) -> list[str]:
        self.asked.append(host)
        answers = self.names.get(host, [[PUBLIC]])
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def build(
        self, server: WebService, failure: type[JarvisError], size: int, at_once: int
    ) -> BoundedTransport:
        return Led(self, server, failure, size, at_once)

    def fetch(self, url: str) -> tuple[bytes, str]:
        return asyncio.run(fetch(url, self.resolve, self.build))


class Led(BoundedTransport):
    """What notes the number that is to be connected, and connects the twin instead."""

    def __init__(self, net: PublicNet, *of: Any) -> None:
        super().__init__(*of)
        self._net = net

    async def handle_async_request(self, request: HttpRequest) -> HttpAnswer:
        number = request.url.host
        self._net.connected.append(number)
        port = 1 if number in self._net.dead else self._net.port
        request.url = request.url.copy_with(host="127.0.0.1", port=port)
        return await super().handle_async_request(request)
