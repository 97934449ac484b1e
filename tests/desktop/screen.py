"""A real virtual screen with a window manager, a browser and a home of its own, for any test."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
import uuid
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MARK = "TEST_SESSION"  # every process started for a test inherits it, so all can be found again
BROWSERS = {
    "netsurf-gtk": "netsurf-gtk %U",
    "dillo": "dillo %U",
    "chromium": "chromium --no-sandbox --no-first-run --disable-gpu --disable-dev-shm-usage "
    "--password-store=basic --user-data-dir={home}/profile %U",
}


class Screen(NamedTuple):
    env: dict[str, str]
    home: Path

    def windows(self) -> list[str]:
        """The titles of all windows."""
        run = subprocess.run(["wmctrl", "-lp"], env=self.env, capture_output=True, text=True, check=False)
        return [line.split(None, 4)[-1] for line in run.stdout.splitlines()]


def need(*programs: str) -> None:
    """Skip, or fail where the screen was promised, unless all *programs* are installed."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        give_up(f"not installed: {', '.join(missing)}")


def give_up(reason: str) -> None:
    if os.environ.get("JARVIS_REQUIRE_DESKTOP") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def wait_for(claim: Callable[[], object], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not (true := claim()) and time.monotonic() < end:
        time.sleep(0.05)
    return bool(true)


@contextlib.contextmanager
def virtual_screen(home: Path) -> Iterator[Screen]:
    """An X server with nothing on it but a window manager. All that ran on it ends with it."""
    need("Xvfb", "openbox", "wmctrl")
    env = private_env(home)
    with _x_server(env) as display:
        env["DISPLAY"] = display
        try:
            start(["openbox"], env)
            assert wait_for(lambda: _ran(["wmctrl", "-m"], env)), "openbox did not start"
            yield Screen(env, home)
        finally:
            end_all(env)


def private_env(home: Path) -> dict[str, str]:
    """An environment that shares nothing with the person's own but the programs."""
    runtime = home / "runtime"
    runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": str(runtime),
        "NO_AT_BRIDGE": "1",
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus",  # none: or one would start, and leave files
        MARK: uuid.uuid4().hex,
    }


def set_up_browser(home: Path) -> str:
    """Make the smallest browser there is the default in *home*; its program."""
    program = next((name for name in BROWSERS if shutil.which(name)), "")
    if not program:
        give_up(f"no browser is installed, of {', '.join(BROWSERS)}")
    schemes = "x-scheme-handler/http;x-scheme-handler/https;"
    write_entry(
        home, "test-browser", Name="Test Browser", Exec=BROWSERS[program].format(home=home), MimeType=schemes
    )
    (home / ".config").mkdir(exist_ok=True)
    lines = [f"{scheme}=test-browser.desktop" for scheme in schemes.split(";") if scheme]
    (home / ".config/mimeapps.list").write_text("\n".join(["[Default Applications]", *lines, ""]))
    return program


def write_entry(home: Path, app_id: str, **keys: str) -> Path:
    """A desktop entry in *home*. A key's `_` stands for `[…]`: Name_de."""
    folder = home / ".local/share/applications"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{key.replace('_', '[', 1)}]={value}" if "_" in key else f"{key}={value}"
        for key, value in keys.items()
    ]
    path = folder / f"{app_id}.desktop"
    path.write_text("\n".join(["[Desktop Entry]", "Type=Application", *lines, ""]))
    return path


def start(argv: list[str], env: dict[str, str]) -> None:
    """Start *argv* in the background; it ends with its screen."""
    null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    os.posix_spawn(shutil.which(argv[0]) or argv[0], argv, env, file_actions=null, setsid=True)


def running(env: dict[str, str]) -> list[int]:
    """The processes that were started for the test that *env* belongs to, zombies left out."""
    mark = f"{MARK}={env[MARK]}".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            if mark in file.read().split(b"\0"):
                found.append(int(pid))
    return found


def end_all(env: dict[str, str]) -> None:
    """End, by its id, each process of the test that *env* belongs to."""

    def ended() -> bool:
        for pid in running(env):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        return not running(env)

    assert wait_for(ended), f"still running: {running(env)}"


@contextlib.contextmanager
def _x_server(env: dict[str, str]) -> Iterator[str]:
    reader, writer = os.pipe()
    argv = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"]
    null = subprocess.DEVNULL
    server = subprocess.Popen(argv, env=env, stdin=null, stdout=null, stderr=null, pass_fds=(writer,))
    os.close(writer)
    number = b""
    try:
        # Number and newline are two writes: a pipe closed in between would end the server.
        while not number.endswith(b"\n"):
            piece = os.read(reader, 16)
            assert piece, "Xvfb did not start"
            number += piece
        yield f":{int(number)}"
    finally:
        os.close(reader)
        server.kill()
        server.wait()
        _remove_if_dead(f"/tmp/.X11-unix/X{number.decode().strip()}")


def _remove_if_dead(path: str) -> None:
    """Xvfb leaves its socket behind; by now another server may have taken the number."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
        except FileNotFoundError:
            pass


def _ran(argv: list[str], env: dict[str, str]) -> bool:
    return subprocess.run(argv, env=env, capture_output=True, check=False).returncode == 0
