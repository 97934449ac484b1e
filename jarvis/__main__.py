"""The entry point: runs a line as a command or as words."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the current folder, from which nothing may be imported

import gc
import os
import signal
from collections.abc import Sequence

from .cli import line
from .cli.line import RequestLine, command_or_words, telling_failures, without_env_file
from .core.errors import UsageError
from .core.files import end_process
from .core.text import refuse_keys
from .core.types import Options
from .output.screen import Screen


def main(argv: Sequence[str]) -> int:
    """Run `jarvis ARGV…`. Returns the exit status."""
    own, screen = argv[: argv.index("--")] if "--" in argv else argv, Screen()
    # The form in which errors of an invalid line are printed.
    form = Options(json="--json" in own, ndjson="--ndjson" in own)
    return telling_failures(form, screen, lambda: _run(argv, screen))


def _run(argv: Sequence[str], screen: Screen) -> int:
    rest, env_file = without_env_file(argv)
    command: list[str] | RequestLine = []
    if line.VARIABLE not in os.environ:
        refuse_keys(" ".join(argv))  # first: errors quote the words of a line
        command = read(rest, env_file)
    if isinstance(command, RequestLine):
        return _requested(command, screen)
    from .cli.app import complete, run_command  # Typer: words take none

    return run_command(command, screen, env_file) if command else complete(env_file)


def read(argv: Sequence[str], env_file: str | None = None) -> list[str] | RequestLine:
    """Parse *argv* as a command's line or a request. Raises UsageError for neither."""

    def misfit_of(words: Sequence[str]) -> UsageError | None:
        from .cli.app import misfit_of  # Typer: words take none

        return misfit_of(words)

    return command_or_words(argv, misfit_of, env_file)


# Running a request.


def _requested(request: RequestLine, screen: Screen) -> int:
    """Run *request*. Returns the exit status."""
    if request.asks_for in ("help", "version"):
        screen.out(line.VERSION if request.asks_for == "version" else line.FRONT_PAGE)
        return 0
    if request.options.resume:
        from .cli.thread_list import resumed  # history: few pick a thread

        request = request._replace(options=resumed(request.options, screen))
    if _begins_chat(request, screen):
        from .cli.chat import run_chat  # prompt_toolkit and the brain

        return telling_failures(request.options, screen, lambda: run_chat(request.options, screen))
    from .cli.ask import do_line  # settings, names, history: `--version` does without

    return telling_failures(request.options, screen, lambda: do_line(request, screen))


def _begins_chat(request: RequestLine, screen: Screen) -> bool:
    """Return whether to begin a chat. Not after a lone `--`: a script may have had nothing to say."""
    is_for_program = any(getattr(request.options, field) for field in line.NOT_OF_CHATS)
    if request.asks_for == "chat":
        if is_for_program:
            message = "Can't use -f, --answer, --json, --ndjson, or --csv in a chat."
            raise UsageError(message, hint="jarvis chat --help")
        return True
    is_empty = not (request.words or request.are_words or is_for_program)
    return is_empty and screen.is_at_terminal and screen.is_interactive and not screen.is_dumb


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
    end_process(status)


if __name__ == "__main__":
    run()
