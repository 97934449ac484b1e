"""The front door: which command a line is, and that it is done."""

from __future__ import annotations

import gc
import os
import sys


def main(argv: list[str]) -> int:
    """The exit status of `jarvis ARGV…`."""
    # The front door imports what the command needs, once the collector is off and Ctrl-C is minded.
    from .cli.grammar import resolve
    from .core.errors import UsageError
    from .output.screen import Screen

    screen = Screen()
    try:
        call = resolve(argv)
    except UsageError as error:
        from .output.summary import show_error  # few have to

        own = argv[: argv.index("--")] if "--" in argv else argv
        return show_error(screen, error, as_json="--json" in own, as_records="--ndjson" in own)
    return call.command.run(call, screen)


def run() -> None:
    """The program. It leaves at once: tearing a big process down costs time for nothing."""
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
