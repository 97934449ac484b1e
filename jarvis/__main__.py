"""The front door: find out which command a line is, or that it is words, and do it.

Words are done plainly, in this process, where that can be; else as cli/model_request.py does.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from types import ModuleType

from .cli import line
from .cli.line import RequestLine, are_few, as_words, command_in, guarded, request_in, without_env_file
from .cli.material import words_and_material
from .core.errors import UsageError
from .core.text import refuse_keys, words_in
from .core.types import Options
from .language.command_grammar import of_list
from .launcher import is_name, meant_by
from .output.screen import Screen


def main(argv: Sequence[str]) -> int:
    """Do `jarvis ARGV…`; return the exit status."""
    own, screen = argv[: argv.index("--")] if "--" in argv else argv, Screen()
    form = Options(
        json="--json" in own, ndjson="--ndjson" in own
    )  # in which a line that can't be read is told
    return guarded(form, screen, lambda: _done(argv, screen))


def _done(argv: Sequence[str], screen: Screen) -> int:
    rest, env_file = without_env_file(argv)
    meant: list[str] | RequestLine = []
    if line.VARIABLE not in os.environ:
        refuse_keys(" ".join(argv))  # first: what is wrong with a line is told with its words
        meant = read(rest, env_file)
    if isinstance(meant, RequestLine):
        return _requested(meant, screen)
    status: int = _app().run_command(meant, screen, env_file) if meant else _app().complete(env_file)
    return status


def _app() -> ModuleType:
    """Return cli/app.py."""
    from .cli import app  # Typer: words take none

    return app


def read(argv: Sequence[str], env_file: str | None = None) -> list[str] | RequestLine:
    """Return the command that *argv* is, as its line; or the request. Raises UsageError for neither."""
    command, request = command_in(argv), request_in(argv, env_file)
    if request and not command:
        return request
    # For the second: Click tells what is wrong with options.
    misfit = _app().misfit_of(command or ["ask", *argv])
    if command and not misfit:
        return command
    if request and not (misfit and misfit.is_near and are_few(request.words)):
        return request
    if misfit and not command and any(" " in word or word[:1] != "-" for word in argv):
        misfit.hint = as_words(argv)
    raise misfit or UsageError("These options make no sense.", hint="jarvis help ask")


# What a request asks for.


def _requested(request: RequestLine, screen: Screen) -> int:
    """Do what *request* asks for; return the exit status."""
    if request.asks_for in ("help", "version"):
        screen.out(line.VERSION if request.asks_for == "version" else line.FRONT_PAGE)
        return 0
    if request.options.resume:
        from .cli.commands.threads import resumed  # Typer: few pick a thread

        request = request._replace(options=resumed(request.options, screen))
    if _begins_chat(request, screen):
        from .cli.chat import run_chat  # prompt_toolkit and the brain

        return run_chat(request.options, screen, do_request)
    return guarded(request.options, screen, lambda: _read_and_do(request, screen))


def _begins_chat(request: RequestLine, screen: Screen) -> bool:
    """Return whether to begin a chat. Not after a lone `--`: a script may have had nothing to say."""
    is_for_program = any(getattr(request.options, field) for field in line.NOT_OF_CHATS)
    if request.asks_for == "chat":
        if is_for_program:
            told = "A chat takes none of -f, --answer, --json, --ndjson and --csv."
            raise UsageError(told, hint="jarvis chat --help")
        return True
    is_empty = not (request.words or request.are_words or is_for_program)
    return is_empty and screen.is_at_terminal and screen.is_interactive


def _read_and_do(request: RequestLine, screen: Screen) -> int:
    options, words = request.options, request.words
    if options.answer is not None:
        return do_request(request, "", screen)
    if words and words[-1] != "-" and not options.files:
        return do_request(request, words_in(" ".join(words)), screen)
    own, piped = words_and_material(options, words, screen)
    return do_request(request, own, screen, piped)


def do_request(request: RequestLine, said: str, screen: Screen, piped: str = "") -> int:
    """Do what the person *said*, here or in a chat, by the cheapest way that can; return the exit status.

    request: what they typed, which may be mistyped. piped: material that they named.
    """
    own = said
    while not piped and (done := _do_plainly(request, own, screen)):
        status, instead = done
        if not instead:
            return status
        screen.ended = None  # what they say in its place is another turn
        own = words_in(instead)
    from .cli.model_request import do_by_model  # the client of the brain: what is plain does without

    return do_by_model(request, own, piped, screen, is_as_typed=own == said)


def _do_plainly(request: RequestLine, own: str, screen: Screen) -> tuple[int, str] | None:
    """Do what *own* plainly asks for, or the answer that is given later; return as `do_plainly` does.

    None, with nothing begun, where it is not plain.
    """
    is_answer = request.options.answer is not None
    is_list = not is_answer and bool(of_list(own))  # then names are looked up where no list has it
    meant = None if is_answer or is_list else meant_by(own, request.options, screen.environment)
    if not (is_answer or is_list or meant or is_name(own)):
        return None
    from .cli import plain  # history and the guard, which a client of the brain does without

    if is_answer:
        return plain.answer_question(request, screen)
    return plain.do_plainly(request, own, meant, screen)


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
