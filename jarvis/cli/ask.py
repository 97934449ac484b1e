"""Runs requests: plainly if possible, else with the model, in the brain or in this process."""

from functools import partial

from ..actions.base import desktop_for
from ..config.keys import NEEDS_MODEL
from ..config.settings import check_model_key
from ..config.sources import folders_of
from ..core.errors import NoKey, on_signals
from ..core.events import Question, Words
from ..core.text import words_in
from ..core.types import Options, ParsedWords
from ..language.command_grammar import list_request_in, parse_name, parse_words
from ..launcher import parse_command
from ..output.screen import Screen
from ..output.tellers import teller_for
from .line import RequestLine, are_few, own_thread
from .material import files_for, link_notices, missing_in, missing_notice, read_piped, words_and_material


def do_line(request: RequestLine, screen: Screen) -> int:
    """Run *request* with its material. Returns the exit status."""
    options, words = request.options, request.words
    if options.answer is not None:
        return do_request(request, parse_words(""), screen)
    if words and words[-1] != "-" and not options.files:
        return do_request(request, parse_words(words_in(" ".join(words))), screen)
    own, piped, later = words_and_material(options, words, screen)
    return do_request(request._replace(options=options._replace(files=later)), own, screen, piped)


def do_request(request: RequestLine, parsed: ParsedWords, screen: Screen, piped: str = "") -> int:
    """Run the *parsed* words here or in a chat, in the cheapest way. Returns the exit status.

    request: as typed, perhaps with a typo. piped: its material.
    """
    own = parsed
    while not piped and (done := _do_plainly(request, own, screen)):
        status, instead = done
        if not instead:
            return status
        screen.ended = None  # what they say in its place is another turn
        request = request._replace(options=request.options._replace(answer=None))
        own = parse_words(words_in(instead))
    return do_by_model(request, own, piped, screen, is_as_typed=own is parsed)


def _do_plainly(request: RequestLine, own: ParsedWords, screen: Screen) -> tuple[int, str] | None:
    """Run *own* as a plain command, or a late answer. Returns the same as `do_plainly`.

    None, with nothing begun, if it isn't plain.
    """
    is_answer = request.options.answer is not None
    listed = "" if is_answer else list_request_in(own)  # then names are looked up where no list has it
    command = None if is_answer or listed else parse_command(own, request.options, screen.environment)
    if not (is_answer or listed or command or parse_name(own)):
        return None
    from . import plain  # history and the guard, which a client of the brain does without

    if is_answer:
        return plain.answer_question(request, screen)
    return plain.do_plainly(request, own, listed, command, screen)


# By the model.


def do_by_model(
    request: RequestLine, own: ParsedWords, piped: str, screen: Screen, *, is_as_typed: bool = True
) -> int:
    """Run a request that needs the model, and ask for a key if there is none. Returns the exit status.

    is_as_typed: *own* is the typed text, not an answer to a question.
    """
    options = request.options
    if options.answer is None:
        piped = piped or read_piped(own, options, screen)
        if is_as_typed and not screen.is_chat and are_few(request.words):
            from .did_you_mean import refuse_mistyped  # difflib: what is plain or longer goes without

            refuse_mistyped(request, screen.environment, has_material=bool(piped))
    files = files_for(own.as_typed, request.words, options)
    missing = missing_in(own.as_typed, files)
    notices = (*map(missing_notice, missing), *link_notices(files))
    answer = options.answer or ""
    words = Words(own.as_typed, piped, answer=answer, files=files, missing=missing, notices=notices)
    try:
        return _do_request(options, words, screen)
    except NoKey:  # nothing was begun
        if not screen.is_interactive or options.json or options.ndjson:
            raise
        from .commands.keys import ask_for_model_key  # Typer: a key is seldom asked for

        screen.err(NEEDS_MODEL)
        if not ask_for_model_key(options, screen):
            raise
    return _do_request(options, words, screen)


def _do_request(options: Options, words: Words, screen: Screen) -> int:
    """Run a request that needs the model. Returns the exit status. Raises NoKey, with nothing begun."""
    status = _by_brain(options, words, screen)
    if status is not None:
        return status
    from .invocation import settings_for  # history, which a client of the brain does without

    # Importing the stack takes seconds, and silence is resented as much as the delay.
    screen.passing("starting…")
    settings = settings_for(options, screen, with_keys=True)
    check_model_key(settings)
    from .in_process import do_in_process  # the stack and the packs, which a brain has otherwise

    return do_in_process(options, words, settings, screen)


def _by_brain(options: Options, words: Words, screen: Screen) -> int | None:
    """Let the brain run *words*. Returns the exit status.

    None, with nothing begun, if no brain is wanted or can start.
    """
    from ..brain.client import Client, ask_for, may_use_brain  # what is plain does without

    if not may_use_brain(options, screen.environment):
        return None
    folders = folders_of(screen.environment, options.env_file)
    desktop = desktop_for(screen.environment, dry_run=options.dry_run, cache=folders.cache)
    thread = own_thread(screen.environment, screen.has_terminal)
    wanted = ask_for(options, screen, desktop.pictures(), thread, words)

    def answer(question: Question) -> str | None:
        """Return the user's answer to *question*, or None once stdin is closed."""
        from ..output.questions import dialog_on, recorded_answer  # few are asked: it brings the guard

        if options.ndjson:
            return recorded_answer(screen, question.id)
        return dialog_on(screen, question).answer_now()

    teller = partial(teller_for, options, screen, folders.state)
    client = Client(wanted, screen, desktop, answer, teller, options.env_file)
    with on_signals(client.cancel):
        return client.run()
