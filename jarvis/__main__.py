"""The front door: a plain command first, anything else to the full command line."""

import os
import sys

from . import __version__


def main(argv: list[str]) -> int:
    """The exit status of `jarvis ARGV…`. What is plain costs no heavy import."""
    if argv == ["--version"]:
        return _say(f"jarvis {__version__}\n")
    from .commandline import USAGE, simple

    if argv in (["-h"], ["--help"]):
        return _say(USAGE)
    line = simple(argv)
    if line is not None:
        from .frontends.oneshot import plainly
        from .frontends.screen import Screen

        status = plainly(*line, Screen())
        if status is not None:
            return status
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        # Importing the stack takes seconds, and silence is resented as much as the delay.
        sys.stderr.write("starting…\r")
        sys.stderr.flush()
    try:
        from .cli import main as full
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("jarvis"):
            raise
        sys.stderr.write(f"jarvis: {error.name} is not installed.\n  hint: Set up first: scripts/jarvis …\n")
        return 78
    return full(argv)


def _say(text: str) -> int:
    sys.stdout.write(text)
    return 0


def run() -> None:
    """The program. It leaves at once: tearing a big process down costs time for nothing."""
    import gc

    gc.disable()
    try:
        status = main(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            status = status or 1
    os._exit(status)


if __name__ == "__main__":
    run()
