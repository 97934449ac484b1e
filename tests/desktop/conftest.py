"""Sessions to act in: a real virtual screen, and one of which only the socket is real."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, NamedTuple

import pytest
from PIL import Image

from tests.desktop.screen import Screen, end_all, private_env, set_up_browser, virtual_screen
from tests.twins.web import WebTwin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """One real screen for each worker, with a home in which a real browser is the default."""
    home = tmp_path_factory.mktemp("home")
    with virtual_screen(home) as screen:
        set_up_browser(home)
        yield screen


@pytest.fixture
def site() -> Iterator[WebTwin]:
    with WebTwin() as site:
        yield site


class Shims(NamedTuple):
    """Programs of our own making; each notes its arguments before it does what it is told to."""

    folder: Path
    log: Path

    def add(self, name: str, then: str = "exit 0") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"#!/bin/sh\nprintf '%s\\0' \"$0\" \"$@\" >> '{self.log}'; echo >> '{self.log}'\n{then}\n"
        )
        path.chmod(0o755)
        return path

    def calls(self) -> list[list[str]]:
        """Every call so far: the program's name, then its arguments."""
        lines = self.log.read_text().split("\0\n")[:-1] if self.log.exists() else []
        return [[path.rpartition("/")[2], *rest] for path, *rest in (line.split("\0") for line in lines)]


@pytest.fixture
def shims(tmp_path: Path) -> Shims:
    (tmp_path / "bin").mkdir()
    return Shims(tmp_path / "bin", tmp_path / "calls")


@pytest.fixture
def env(tmp_path: Path, shims: Shims) -> Iterator[dict[str, str]]:
    """A session without any program but the shims, and whose screen is a socket that only answers."""
    env = private_env(tmp_path / "home")
    env |= {
        "PATH": str(shims.folder),
        "WAYLAND_DISPLAY": "wayland-0",
        "XDG_DATA_DIRS": str(tmp_path / "share"),
    }
    with socket.socket(socket.AF_UNIX) as answering:
        answering.bind(f"{env['XDG_RUNTIME_DIR']}/wayland-0")
        answering.listen()
        yield env
    end_all(env)


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """What the programs in these tests take the screen to look like."""
    picture = Image.new("RGB", (60, 40), "red")
    picture.putpixel((0, 0), (0, 0, 255))
    picture.save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "Pictures/Jarvis/Screenshot.png"
