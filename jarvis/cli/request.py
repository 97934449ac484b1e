"""Does what a person asks for in words, here or in a chat: plainly, by the brain, or in this process."""

from __future__ import annotations

import os
import shlex
from functools import partial
from typing import TYPE_CHECKING

from ..config.keys import GOOGLE, NEEDS_MODEL
from ..config.sources import folders_of
from ..core.errors import NoKey, on_signals
from ..core.text import words_in
from ..core.types import Options
from ..desktop import desktop_for
from ..language.command_grammar import of_list
from ..launcher import is_name, meant_by
from ..output.screen import Screen
from .failures import guarded
from .material import piped_beside, words_and_material
from .router import RequestLine, are_few
from .work import own_thread, settings_for, wants_brain

if TYPE_CHECKING:
    from ..core.events import Question

# Imported when first used: each way to do a request brings its own, and what is plain must cost no more.


def do_line(request: RequestLine, screen: Screen) -> int:
    """Do what a line of the command line asks; return the exit status."""
    return guarded(request.options, screen, lambda: _read_and_do(request, screen))


def _read_and_do(request: RequestLine, screen: Screen) -> int:
    options, words = request.options, request.words
    if options.answer is not None:
        done = _do_plainly(request, "", screen)
        return done[0] if done else _do_by_model(options, "", "", screen)
    if options.resume:
        from .commands.threads import resumed  # Typer: few pick a thread

        request = request._replace(options=resumed(options, screen))
    if words and words[-1] != "-" and not options.files:
        return do_request(request, words_in(" ".join(words)), screen)
    own, piped = words_and_material(options, words, screen)
    return do_request(request, own, screen, piped)


def do_request(request: RequestLine, said: str, screen: Screen, piped: str = "") -> int:
    """Do what the person *said* by the cheapest way that can; return the exit status.

    request: what they typed, which may be mistyped. piped: material that they named.
    """
    options, own = request.options, said
    while not piped and (done := _do_plainly(request, own, screen)):
        status, instead = done
        if not instead:
            return status
        screen.ended = None  # what they say in its place is another turn
        own = words_in(instead)
    piped = piped or piped_beside(own, options, screen)
    if own == said and not screen.is_chat:
        if are_few(request.words) and not request.are_words:
            from .did_you_mean import refuse_mistyped  # difflib, for few words alone

            refuse_mistyped(request, screen.environment, has_material=bool(piped))
        if not (piped or options.files or options.ndjson or options.quiet):
            _tell_unread_files(own, screen)
    return _do_by_model(options, own, piped, screen)


def _tell_unread_files(own: str, screen: Screen) -> None:
    """Tell of the files that *own* only names: the answer may sound as if they had been read."""
    words = [] if is_name(own) else [each.rstrip(".,:;?!") for each in own.split() if "." in each]
    if names := [each for each in words if os.path.isfile(each)]:
        options = " ".join(f"-f {shlex.quote(each)}" for each in names)
        screen.err(f"Not read, only named: {', '.join(names)}. To have it read: jarvis {options} …")


def _do_plainly(request: RequestLine, own: str, screen: Screen) -> tuple[int, str] | None:
    """Do what *own* plainly asks for, or the answer that is given later; return as `do_plainly` does.

    None, with nothing begun, where it is not plain.
    """
    is_answer = request.options.answer is not None
    is_list = not is_answer and bool(of_list(own))  # then names are looked up where no list has it
    meant = None if is_answer or is_list else meant_by(own, request.options, screen.environment)
    if not (is_answer or is_list or meant or is_name(own)):
        return None
    from . import plain  # history and the guard, which a client of the brain does without

    if is_answer:
        return plain.answer_question(request, screen)
    return plain.do_plainly(request, own, meant, screen)


# By the model: the brain does it, or this process.


def _do_by_model(options: Options, own: str, piped: str, screen: Screen) -> int:
    """Do what takes the model, for which a key is asked where none is kept; return the exit status."""
    try:
        return _by_model(options, own, piped, screen)
    except NoKey:  # nothing was begun
        if not _is_given_key(options, screen):
            raise
    return _by_model(options, own, piped, screen)


def _by_model(options: Options, own: str, piped: str, screen: Screen) -> int:
    """Do what takes the model; return the exit status. Raises NoKey, with nothing begun."""
    status = None
    if wants_brain(options, screen.environment):
        status = _by_brain(options, own, piped, screen)
    if status is not None:
        return status
    # Importing the stack takes seconds, and silence is resented as much as the delay.
    screen.passing("starting…")
    settings = settings_for(options, screen, needs_model=True)
    from .in_process import do_in_process

    return do_in_process(options, own, piped, settings, screen)


def _is_given_key(options: Options, screen: Screen) -> bool:
    """Ask for the key of the model where somebody can answer; return whether one was kept."""
    if not screen.is_interactive or options.json or options.ndjson:
        return False
    from .commands.keys import ask_for_key

    screen.err(NEEDS_MODEL)
    return ask_for_key(GOOGLE, options, screen)


def _by_brain(options: Options, own: str, piped: str, screen: Screen) -> int | None:
    """Have the brain do what *own* asks; return the exit status.

    None, with nothing begun, where no brain can be started.
    """
    from ..brain.client import Client, ask_for  # what is plain does without

    cache = folders_of(screen.environment, options.env_file).cache
    desktop = desktop_for(screen.environment, dry_run=options.dry_run, cache=cache)
    wanted = ask_for(
        options, screen, desktop.pictures(), own_thread(screen), own, piped, is_chat=screen.is_chat
    )
    client = Client(
        wanted, screen, desktop, partial(_asked, options=options, screen=screen), options.env_file
    )
    with on_signals(client.cancel):
        return client.run()


def _asked(question: Question, options: Options, screen: Screen) -> str | None:
    """Return the person's answer to *question*; None where stdin is closed."""
    from ..output.questions import answer_at, recorded_answer  # few are asked

    return recorded_answer(screen, question.id) if options.ndjson else answer_at(screen, question)
