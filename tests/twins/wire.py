"""A real HTTP/1.1 server for one test: what the twins share.

A thread per connection; what is written leaves at once; leaving the block ends every connection and thread.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import ssl
import struct
import sys
import threading
import traceback
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any, Protocol, Self
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

JSON = "application/json; charset=UTF-8"


class Request:
    """What a client asked for."""

    def __init__(self, method: str, target: str, headers: dict[str, str], raw: bytes) -> None:
        parts = urlsplit(target)
        self.method = method
        self.url = target  # the whole of it, where a proxy is asked
        self.path = parts.path
        self.params = dict(parse_qsl(parts.query, keep_blank_values=True))
        self.headers = headers  # names in lower case
        self.raw = raw
        self.gone = False  # the client hung up before the end


class Step(Protocol):
    """One scripted answer, or one way to fail."""

    def send(self, exchange: Exchange, request: Any) -> None: ...


class Exchange(BaseHTTPRequestHandler):
    """One connection: reads requests and writes what the twin answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # the headers wait for the first piece and leave with it
    server: Server

    def do_GET(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = self.server.twin.hear(Request(self.command, self.path, headers, raw))
        try:
            self.server.twin.answer(self, request)
        except ConnectionError:
            request.gone = not self.server.closing
            self.close_connection = True

    do_POST = do_GET  # noqa: N815 - the name that http.server looks for

    def reply(self, body: bytes, content_type: str = JSON, status: int = 200, **headers: str) -> None:
        self.head(content_type, status, length=len(body), **headers)
        self.push(body)

    def head(
        self, content_type: str, status: int = 200, *, length: int | None = None, **headers: str
    ) -> None:
        """Begin a response: of *length* bytes, or else in chunks."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def push(self, piece: bytes) -> None:
        self.wfile.write(piece)
        self.wfile.flush()

    def chunk(self, piece: bytes) -> None:
        """One piece of a chunked response; an empty one ends it."""
        self.push(b"%x\r\n%b\r\n" % (len(piece), piece))

    def wait(self, seconds: float) -> None:
        """Let time pass. Raises ConnectionAbortedError as soon as the client hangs up."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            raise ConnectionAbortedError

    def cut(self) -> None:
        """Close after what was written, complete or not."""
        self.close_connection = True

    def reset(self) -> None:
        """End the connection with a TCP reset."""
        self.cut()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())

    def finish(self) -> None:
        with contextlib.suppress(OSError):  # the client may be gone
            super().finish()
        self.rfile.close()

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.closing = False
        self.connections: dict[threading.Thread, socket.socket] = {}
        super().__init__(("127.0.0.1", 0), Exchange)

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # HTTPServer's own asks DNS for our name
        self.server_name, self.server_port = self.server_address[:2]

    def serve(self) -> None:
        # serve_forever polls: it would cost every test up to half a second to stop.
        while not self.closing:
            self.handle_request()

    def verify_request(self, *_: object) -> bool:
        return not self.closing

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), daemon=True
        )
        self.connections[thread] = request
        thread.start()

    def handle_error(self, *_: object) -> None:
        if not isinstance(sys.exception(), OSError):  # a client that is gone is no mistake of the test
            self.twin.note_error()

    def stop(self, accepting: threading.Thread) -> None:
        self.closing = True
        socket.create_connection(self.server_address[:2]).close()  # wakes the accepting thread
        accepting.join()
        for thread, connection in self.connections.items():
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(5)
        self.server_close()


class Twin:
    """A service that answers from a script; a context manager, and safe to call from many threads."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.unexpected: list[str] = []  # what the script had no answer for; a test should find it empty
        self.tls: ssl.SSLContext | None = None  # set before it is entered, it speaks TLS alone
        self._script: deque[Any] = deque()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._server = Server(self)
        if self.tls:
            self._server.socket = self.tls.wrap_socket(self._server.socket, server_side=True)
        self._accepting = threading.Thread(target=self._server.serve, daemon=True)
        self._accepting.start()
        self.url = f"http{'s' if self.tls else ''}://127.0.0.1:{self._server.server_port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(self._accepting)

    @property
    def connections(self) -> int:
        """How many were accepted so far."""
        return len(self._server.connections)

    def hear(self, request: Request) -> Any:
        """Note a request, in the twin's own words."""
        raise NotImplementedError

    def answer(self, exchange: Exchange, request: Any) -> None:
        raise NotImplementedError

    def note(self, request: Any) -> Any:
        with self._lock:
            self.requests.append(request)
        return request

    def note_error(self) -> None:
        with self._lock:
            self.unexpected.append(traceback.format_exc())

    def next_step(self, request: Any, otherwise: Callable[[], Any]) -> Any:
        """The next thing the script says; a callable one is asked with the request."""
        with self._lock:
            step = self._script.popleft() if self._script else None
        if step is None:
            step = otherwise()
        return step(request) if callable(step) else step
