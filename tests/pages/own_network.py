"""A network of its own: fetch the addresses on stdin there, with its real names and its real numbers.

unshare --user --map-root-user --net --mount python -m tests.pages.own_network < ADDRESSES

Prints, as JSON, what came of each address, which numbers were connected, and which do answer there.
HOSTS says what a name has; one server is at all NUMBERS.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.request import urlopen

from jarvis.core.errors import JarvisError
from jarvis.pages.fetch import fetch

PUBLIC, OTHER = "93.184.216.34", "198.41.0.4"
NEAR = ("127.0.0.1", "127.9.8.7", "10.0.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1")
NUMBERS = (PUBLIC, OTHER, *NEAR)
HOSTS = {
    "page.example": [PUBLIC],
    "two.example": [PUBLIC, OTHER],
    **{f"near{n}.example": [number] for n, number in enumerate(NEAR)},
    **{f"half{n}.example": [PUBLIC, number] for n, number in enumerate(NEAR)},
}


class Everywhere(BaseHTTPRequestHandler):
    """Answers at every number, leads to what is asked behind /to/, and notes who was connected."""

    connected: list[str] = []

    def setup(self) -> None:
        super().setup()
        self.connected.append(self.connection.getsockname()[0])

    def do_GET(self) -> None:
        _, _, target = self.path.partition("/to/")
        self.send_response(302 if target else 200)
        self.send_header("Content-Type", "text/html")
        if target:
            self.send_header("Location", target)
        self.end_headers()
        self.wfile.write(b"<p>Hello")

    def log_message(self, *_: object) -> None:
        pass


def set_up() -> None:
    """Give this network its numbers, and this process its names."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for number in NUMBERS:
        if not number.startswith("127."):
            subprocess.run(["ip", "address", "add", f"{number}/32", "dev", "lo"], check=True)
    with tempfile.NamedTemporaryFile("w", prefix="hosts-") as file:
        file.writelines(f"{number} {name}\n" for name, numbers in HOSTS.items() for number in numbers)
        file.flush()
        subprocess.run(["mount", "--bind", file.name, "/etc/hosts"], check=True)


def came_of(url: str) -> str:
    try:
        return asyncio.run(fetch(url))[0].decode()
    except JarvisError as error:
        return error.message


if __name__ == "__main__":
    set_up()
    server = ThreadingHTTPServer(("0.0.0.0", 80), Everywhere)
    Thread(target=server.serve_forever, daemon=True).start()
    told = {url: came_of(url) for url in sys.stdin.read().split()}
    connected = [*Everywhere.connected]
    answer = [number for number in NUMBERS if urlopen(f"http://{number}/").read()]
    print(json.dumps({"told": told, "connected": connected, "answer": answer}))
