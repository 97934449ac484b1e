"""The front door: find out which command a line is, and do it."""

from __future__ import annotations

import gc
import os
import sys


def main(argv: list[str]) -> int:
    """Do `jarvis ARGV…`; return the exit status."""
    if os.name == "nt":
        from .output.screen import write_utf8  # others need none of it

        write_utf8()
    # The front door imports what the command needs, once the collector is off and Ctrl-C is minded.
    if argv in (["--help"], ["-h"], ["--version"]):
        from .cli.commands.help import show_alone  # takes none of the rest

        return show_alone(*argv)
    if argv[:1] == ["--complete"] or (argv[:1] == ["--env-file"] and argv[2:3] == ["--complete"]):
        from .cli.completion.answer import answer_shell  # no person types this: see completion/scripts.py

        return answer_shell(argv)
    # As above: once the collector is off.
    from .cli.grammar import named_function, resolve
    from .core.errors import UsageError
    from .core.text import refuse_keys
    from .output.screen import Screen

    screen = Screen()
    try:
        refuse_keys(" ".join(argv))  # first: what is wrong with a line is told with its words
        call = resolve(argv)
    except UsageError as error:
        from .output.results import show_error  # failures are rare

        own = argv[: argv.index("--")] if "--" in argv else argv
        return show_error(screen, error, as_json="--json" in own, as_records="--ndjson" in own)
    status: int = named_function(call.command.run)(call, screen)
    return status


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
