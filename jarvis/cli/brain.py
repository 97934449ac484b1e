"""`jarvis brain status|stop|restart`: the processes that plan and search, and stay for a while."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

import typer

from ..brain.client import Starting
from ..brain.resident import connect
from ..brain.socket_path import Place, holder, place_of
from ..core.errors import BrainFailed
from ..core.stdlib import NamedTuple
from ..core.text import counted, one_line
from ..output.screen import Screen
from .command_options import EnvFile

_HELP = "The process that plans and searches, and stays for a while."
app = typer.Typer(add_completion=False, rich_markup_mode=None, help=_HELP)

_PATIENCE = 6.0  # seconds, for turns under way to end in order


Work = Callable[[Place, str | None, Screen], int]


class Brain(NamedTuple):
    """One that is running."""

    place: Place
    pid: int
    version: str
    seconds: float  # since it was started


@app.command()
def status(context: typer.Context, env_file: EnvFile = None) -> None:
    """Tell which brains of yours are running. Exit status 1: none."""
    _guarded(context, env_file, _status)


@app.command()
def stop(context: typer.Context, env_file: EnvFile = None) -> None:
    """End them; a turn that is under way is ended in order."""
    _guarded(context, env_file, _stop)


@app.command()
def restart(context: typer.Context, env_file: EnvFile = None) -> None:
    """End them, and start a new one."""
    _guarded(context, env_file, _restart)


def running(folder: str) -> Iterator[Brain]:
    """Those that live in *folder*, for whatever settings."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".lock"))
    except OSError:
        return
    for name in names:
        place = Place(folder, name.removesuffix(".lock"))
        if pid := holder(place):
            with open(place.lock, encoding="utf-8", errors="replace") as file:
                version = one_line((*file.read().split(), "", "")[1], 40)
            yield Brain(place, pid, version, max(0.0, time.time() - os.stat(place.lock).st_mtime))


def _status(place: Place, env_file: str | None, screen: Screen) -> int:
    found = list(running(place.folder))
    for brain in found:
        whose = "for these settings" if brain.place == place else "for other settings"
        minutes = counted(int(brain.seconds // 60), "minutes")
        screen.out(f"process {brain.pid}, Jarvis {brain.version}, {whose}, running for {minutes}")
    if not found:
        screen.out("No brain is running; the next request that needs one starts it.")
    return int(not found)


def _stop(place: Place, env_file: str | None, screen: Screen) -> int:
    found = list(running(place.folder))
    for brain in found:
        end(brain)
        screen.out(f"Stopped process {brain.pid}.")
    if not found:
        screen.out("No brain is running.")
    return 0


def _restart(place: Place, env_file: str | None, screen: Screen) -> int:
    _stop(place, env_file, screen)
    connection = connect(screen.environment, env_file, Starting(screen))
    if connection is None:
        raise BrainFailed("No brain can be started here.", hint="Requests are done without: jarvis …")
    screen.out(f"Started process {holder(place._replace(name=connection.name))}.")
    connection.close()
    return 0


def end(brain: Brain) -> None:
    """Have it end its turns and leave; kill it where it does not."""
    deadline = time.monotonic() + _PATIENCE
    with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
        if holder(brain.place) == brain.pid:
            os.kill(brain.pid, signal.SIGTERM)
        while holder(brain.place) == brain.pid:
            if time.monotonic() > deadline:
                os.kill(brain.pid, 9)
                return
            time.sleep(0.02)  # it is no child of ours: nothing tells when it has ended


def _guarded(context: typer.Context, env_file: str | None, work: Work) -> None:
    from ..core.options import Options
    from .errors import guarded

    screen: Screen = context.obj
    screen.clear()

    def done() -> int:
        if sys.platform == "win32":
            screen.out("On this system each request plans in its own process: there is none that stays.")
            return 1
        where = os.path.abspath(env_file) if env_file else None
        return work(place_of(screen.environment, where), where, screen)

    raise typer.Exit(guarded(Options(), screen, done))
