"""The front door: find out which command a line is, and do it."""

from __future__ import annotations

import gc
import os
import sys


def main(argv: list[str]) -> int:
    """Do `jarvis ARGV…`; return the exit status."""
    from .cli.entry import enter  # once the collector is off, and Ctrl-C is minded

    return enter(argv)


def run() -> None:
    """Run the program, and leave at once: tearing a big process down would only cost time."""
    gc.disable()
    try:
        status = main(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    import signal  # once the collector is off

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more can't undo the end
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            status = status or 1
    os._exit(status)


if __name__ == "__main__":
    run()
