"""The public web, as a proxy has it: pages under any address of http, on loopback.

with WebTwin() as web:
    web.pages["http://docs.example/uv"] = "<p>Version 9 came out.</p>"
    …  # with HTTP_PROXY=web.url and NO_PROXY=127.0.0.1
    assert web.read == ["http://docs.example/uv"]
"""

from __future__ import annotations

from .wire import Exchange, Request, Twin

HTML = "text/html; charset=utf-8"


class WebTwin(Twin):
    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, str | bytes | tuple[int, str, bytes]] = {}  # or status, kind and body

    @property
    def read(self) -> list[str]:
        return [request.url for request in self.requests]

    def hear(self, request: Request) -> Request:
        return self.note(request)

    def answer(self, exchange: Exchange, request: Request) -> None:
        page = self.pages.get(request.url, (404, HTML, b"<h1>Not found</h1>"))
        if isinstance(page, str | bytes):
            page = 200, HTML, page.encode() if isinstance(page, str) else page
        status, kind, body = page
        exchange.reply(body, kind, status)
