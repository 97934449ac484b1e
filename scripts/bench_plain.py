"""Commands that need no model, each as a whole process beside a bare start of the same moment."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator, Sequence

from bench_times import JARVIS, RUNS, bare_times, medians, ms, process_times

OPEN = ["open", "example.org"]
APP = "[Desktop Entry]\nType=Application\nName=Calculator\nExec=true\n"
SCREEN = "wayland-0"
NOBODY = "postgresql://me@127.0.0.1:1/jarvis"  # no server listens there


def plain() -> None:
    from tests.postgres import Server

    with home() as own:
        for argv in (OPEN, ["open", "youtube"], ["--help"], ["--version"]):
            measured(" ".join(argv), argv, own)
        # Not for the others: with a screen it is xdg-open that is measured.
        measured("launch calculator", ["launch", "calculator"], own | {"WAYLAND_DISPLAY": SCREEN})
        with Server() as server:
            measured("open …, on Postgres", OPEN, own | {"DATABASE_URL": server.url(server.database())})
        measured("open …, Postgres is down", OPEN, own | {"DATABASE_URL": NOBODY})


def measured(name: str, argv: Sequence[str], environment: dict[str, str], bench: str = "plain") -> None:
    command = [*JARVIS, *argv]
    process_times(command, environment)  # a new home is set up, and the index of apps kept
    pairs = [(process_times(command, environment), bare_times()) for _ in range(RUNS)]
    (cpu, wall), (bare_cpu, bare_wall) = (medians(side) for side in zip(*pairs, strict=True))
    print(f"{bench:<7} jarvis {name:<25} {ms(cpu)}  {cpu / bare_cpu:5.2f}x, wall {wall / bare_wall:5.2f}x")


@contextlib.contextmanager
def home() -> Iterator[dict[str, str]]:
    """The environment of a person with one app, whose browser returns at once; there is a screen as well."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as screen:
        apps = os.path.join(folder, "share", "applications")
        os.makedirs(apps)
        with open(os.path.join(apps, "calculator.desktop"), "w") as file:
            file.write(APP)
        os.utime(apps, (1e9, 1e9))  # a folder that was changed just now is looked through each time
        screen.bind(os.path.join(folder, SCREEN))
        screen.listen()
        yield {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "JARVIS_HOME": folder,
            "BROWSER": "true",
            "XDG_DATA_HOME": os.path.join(folder, "share"),
            "XDG_DATA_DIRS": os.path.join(folder, "none"),
            "XDG_RUNTIME_DIR": folder,
        }
