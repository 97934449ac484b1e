"""A brain that stays, started as the program starts one, but under the name that its environment gives it.

JARVIS_BENCH_FAULTS names a file for what faulthandler has to say if it crashes; JARVIS_BENCH_WAIT, where it
is set, is how many seconds a Postgres server has for an answer.
"""

from __future__ import annotations

import faulthandler
import os
import sys


def main() -> None:
    faulthandler.enable(open(os.environ["JARVIS_BENCH_FAULTS"], "w"))  # noqa: SIM115 (for as long as we live)
    if seconds := os.environ.get("JARVIS_BENCH_WAIT"):
        _waits(float(seconds))
    from jarvis.brain.__main__ import main as live
    from jarvis.brain.socket_path import place_of

    sys.argv[1:] = [f"--resident={place_of(os.environ).name}"]
    live()


def _waits(seconds: float) -> None:
    """Set how long a server is waited for, before anything takes that from where it stands."""
    try:
        from jarvis.store import postgres_connections as room
    except ImportError:  # an older checkout
        from jarvis.store import postgres as room
    assert room.WAIT
    room.WAIT = seconds


if __name__ == "__main__":
    main()
