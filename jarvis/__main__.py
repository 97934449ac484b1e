"""The front door: a plain command first, anything else to the full command line."""

from __future__ import annotations

import os
import sys

from . import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .core.options import Options
    from .output.screen import Screen


def main(argv: list[str]) -> int:
    """The exit status of `jarvis ARGV…`. What is plain costs no heavy import."""
    if argv == ["--version"]:
        return _say(f"jarvis {__version__}\n")
    from .core.options import USAGE, may_be_command, simple

    if argv in (["-h"], ["--help"]):
        return _say(USAGE)
    from .core.errors import SettingsError
    from .launcher.command import meant_by
    from .output.screen import Screen

    line, screen = simple(argv), Screen()
    meant, tried = None, ""
    try:
        if line is not None and line[1][-1:] != ["-"]:  # what is piped in belongs to what they say
            tried = " ".join(line[1])
            meant = meant_by(tried, line[0], screen.environment)
    except SettingsError:  # told where the request is done
        tried = ""
    if line is not None and meant:
        from .cli.one_shot import plainly

        return plainly(*line, screen, meant)
    if line is not None and "--" not in argv and _is_chat(*line, screen):
        from .cli.chat.chat import run as chat

        return chat(line[0], screen)
    if line is not None and not may_be_command(line[1]):
        from .cli.request import ask

        return ask(*line, screen, tried=tried)
    # Importing the stack takes seconds, and silence is resented as much as the delay.
    screen.passing("starting…")
    try:
        from .cli.app import main as full
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("jarvis"):
            raise
        screen.err(f"jarvis: {error.name} is not installed.\n  hint: Set up first: scripts/jarvis …")
        return 78
    return full(argv, screen)


def _is_chat(options: Options, words: list[str], screen: Screen) -> bool:
    return words == ["chat"] or (not words and screen.is_interactive and not (options.json or options.ndjson))


def _say(text: str) -> int:
    if not sys.stdout:
        return 1
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from .output.screen import Screen

        return Screen().lost(error)
    return 0


def run() -> None:
    """The program. It leaves at once: tearing a big process down costs time for nothing."""
    import gc

    gc.disable()
    try:
        status = main(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    from .core.stdlib import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more can't undo the end
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            status = status or 1
    os._exit(status)


if __name__ == "__main__":
    run()
