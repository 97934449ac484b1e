"""`jarvis brain status|stop|restart`: find the user's running brains by their locks, and end them."""

import contextlib
import os
import signal
import time

import typer

from ...brain.address import Place, holder, kill, place_of
from ...brain.client import connect, has_brains
from ...core.errors import JarvisError
from ...core.text import one_line, pluralize
from ...output.screen import Screen
from ..invocation import current

_PATIENCE = 6.0  # seconds, for turns under way to end in order


app = typer.Typer(name="brain", help="The background process that plans and searches for you.")


@app.command("status", help="Show the background process. Exits 1 if none runs.")
def show_brains() -> int:
    screen, place = current().screen, _place()
    found = running(place.folder)
    for each, about in found.items():
        screen.out(f"{about}, for {'these' if each == place else 'other'} settings")
    if not found:
        screen.out("No background process is running. The next request that needs one starts it.")
    return int(not found)


@app.command("stop", help="Stop the background process. Requests in progress end cleanly.")
def stop_brains() -> None:
    _stop(_place(), current().screen)


@app.command("restart", help="Stop the background process and start a new one.")
def restart_brain() -> None:
    screen, options = current()
    _stop(_place(), screen)
    connection = connect(screen.environment, options.env_file, screen.passing)
    if connection is None:
        raise JarvisError(
            "Can't start a background process here.",
            hint="Requests work without one: jarvis …",
            code="brain_failed",
        )
    connection.await_ready(screen.passing)
    screen.out(f"Started process {holder(connection.place)}.")
    connection.close()


def _place() -> Place:
    """Return the place of the brain for these settings. Raises JarvisError if there is none."""
    if not has_brains():
        message = "This system has no background process. Each request does its own planning."
        raise JarvisError(message, hint="Requests work without one: jarvis …", code="brain_failed")
    screen, options = current()
    return place_of(screen.environment, os.path.abspath(options.env_file) if options.env_file else None)


def _stop(place: Place, screen: Screen) -> None:
    found = running(place.folder)
    for each in found:
        screen.out(f"Stopped process {end(each)}.")
    if not found:
        screen.out("No background process is running.")


def running(folder: str) -> dict[Place, str]:
    """Return the brains in *folder*, for any settings, each with its description."""
    found = {}
    for name, ending in map(os.path.splitext, sorted(os.listdir(folder)) if os.path.isdir(folder) else ()):
        place = Place(folder, name)
        if ending == ".lock" and (pid := holder(place)):
            with open(place.lock, encoding="utf-8", errors="replace") as file:
                version = one_line(file.read().partition(" ")[2], 40)
            minutes = int(time.time() - os.stat(place.lock).st_mtime) // 60
            found[place] = f"process {pid}, Jarvis {version}, running for {pluralize(minutes, 'minutes')}"
    return found


def end(place: Place) -> int:
    """Let the brain at *place* end its turns and exit, or kill it. Returns its process.

    At SIGTERM it would leave its turns to another one.
    """
    pid, deadline = holder(place), time.monotonic() + _PATIENCE
    with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
        if pid:
            os.kill(pid, signal.SIGINT)
    while pid and holder(place) == pid:
        if time.monotonic() > deadline:
            kill(place)
            break
        time.sleep(0.02)  # not our child process: nothing signals its end
    return pid
