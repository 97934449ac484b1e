"""The front door: find out which command a line is, or that it is words, and do it."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence

from .cli.router import RequestLine, are_few, command_in, request_in, without_env_file
from .core.errors import JarvisError, UsageError, not_installed
from .core.text import refuse_keys
from .output.screen import Screen

# Imported when first used: plain words take no Typer, and commands nothing of what does a request.


def main(argv: Sequence[str]) -> int:
    """Do `jarvis ARGV…`; return the exit status."""
    screen, (rest, env_file) = Screen(), without_env_file(argv)
    try:
        if "_JARVIS_COMPLETE" in os.environ:
            from .cli.app import complete

            return complete(env_file)
        refuse_keys(" ".join(argv))  # first: what is wrong with a line is told with its words
        return _done(read(rest, env_file), env_file, screen)
    except ModuleNotFoundError as error:
        return _told(not_installed(error), argv, screen)
    except UsageError as error:
        return _told(error, argv, screen)


def read(argv: Sequence[str], env_file: str | None = None) -> list[str] | RequestLine:
    """Return the command that *argv* is, as its line; or the request. Raises UsageError for neither."""
    misfit: UsageError | None = None
    if line := command_in(argv):
        from .cli.app import misfit_of

        error = misfit_of(line)
        if error is None:
            return line
        misfit = error if error.is_near else None
    try:
        request = request_in(argv, env_file)
    except UsageError as error:
        raise misfit or error from None
    if misfit and are_few(request.words):
        raise misfit
    return request


def _done(meant: list[str] | RequestLine, env_file: str | None, screen: Screen) -> int:
    if not isinstance(meant, RequestLine):
        from .cli.app import run_command

        return run_command(meant, screen, env_file)
    if meant.asks_for:
        from .cli.front_page import FRONT_PAGE, VERSION

        screen.out(VERSION if meant.asks_for == "version" else FRONT_PAGE)
        return int(screen.has_lost_output)
    if _begins_chat(meant, screen):
        from .cli.chat import run_chat

        return run_chat(meant.options, screen)
    from .cli.request import do_line

    return do_line(meant, screen)


def _begins_chat(request: RequestLine, screen: Screen) -> bool:
    """Return whether to begin a chat. Not after a lone `--`: a script may have had nothing to say."""
    options = request.options
    is_for_program = options.json or options.ndjson or options.csv or options.answer is not None
    is_empty = not (request.words or request.are_words or options.files or is_for_program)
    return is_empty and screen.is_at_terminal and screen.is_interactive and not screen.is_dumb


def _told(error: JarvisError, argv: Sequence[str], screen: Screen) -> int:
    """Tell *error*, and return its exit status."""
    from .output.records import show_error

    own = argv[: argv.index("--")] if "--" in argv else argv
    return show_error(screen, error, as_json="--json" in own, as_records="--ndjson" in own)


def run() -> None:
    """Run the program, and leave at once: tearing a big process down would only cost time."""
    gc.disable()
    try:
        status = main(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more can't undo the end
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            status = status or 1
    os._exit(status)


if __name__ == "__main__":
    run()
