"""`jarvis brain status|stop|restart`: the processes that plan and search, and stay for a while."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ...core.errors import BrainFailed
from ...core.stdlib import TYPE_CHECKING
from ...core.text import counted
from ..errors import guarded
from ..options import ENV_FILE
from ..registry import Call, Command, Group

if TYPE_CHECKING:
    from ...brain.socket_path import Place
    from ...output.screen import Screen


def _status(place: Place, env_file: str | None, screen: Screen) -> int:
    from ..brain import running  # help imports this file too

    found = list(running(place.folder))
    for brain in found:
        whose = "for these settings" if brain.place == place else "for other settings"
        minutes = counted(int(brain.seconds // 60), "minutes")
        screen.out(f"process {brain.pid}, Jarvis {brain.version}, {whose}, running for {minutes}")
    if not found:
        screen.out("No brain is running; the next request that needs one starts it.")
    return int(not found)


def _stop(place: Place, env_file: str | None, screen: Screen) -> int:
    from ..brain import end, running  # help imports this file too

    found = list(running(place.folder))
    for brain in found:
        end(brain)
        screen.out(f"Stopped process {brain.pid}.")
    if not found:
        screen.out("No brain is running.")
    return 0


def _restart(place: Place, env_file: str | None, screen: Screen) -> int:
    # Help imports this file too.
    from ...brain.client import Starting
    from ...brain.resident import connect
    from ...brain.socket_path import holder

    _stop(place, env_file, screen)
    connection = connect(screen.environment, env_file, Starting(screen))
    if connection is None:
        raise BrainFailed("No brain can be started here.", hint="Requests are done without: jarvis …")
    screen.out(f"Started process {holder(place._replace(name=connection.name))}.")
    connection.close()
    return 0


def _guarded(work: Callable[[Place, str | None, Screen], int]) -> Callable[[Call, Screen], int]:
    """*work* as a command: on the place of the brain that is for these settings."""

    def run(call: Call, screen: Screen) -> int:
        def done() -> int:
            from ...brain.socket_path import place_of  # help imports this file too

            if sys.platform == "win32":
                screen.out("On this system each request plans in its own process: there is none that stays.")
                return 1
            env_file = call.options.env_file
            where = os.path.abspath(env_file) if env_file else None
            return work(place_of(screen.environment, where), where, screen)

        return guarded(call.options, screen, done)

    return run


COMMAND = Group(
    "brain",
    "the process that plans and searches for you, and stays for a while",
    (
        Command(
            "status",
            "tell which brains of yours are running; exit status 1: none",
            _guarded(_status),
            options=(ENV_FILE,),
        ),
        Command(
            "stop",
            "end them; a turn that is under way is ended in order",
            _guarded(_stop),
            options=(ENV_FILE,),
        ),
        Command("restart", "end them, and start a new one", _guarded(_restart), options=(ENV_FILE,)),
    ),
)
