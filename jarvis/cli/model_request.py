"""Does what takes the language model: the brain does it, or this process."""

from functools import partial

from ..actions import desktop_for
from ..brain.client import Client, ask_for, connect
from ..config.keys import GOOGLE, NEEDS_MODEL
from ..config.settings import check_model_key
from ..config.sources import folders_of
from ..core.errors import NoKey, on_signals
from ..core.events import Question, Words
from ..core.types import Options, ParsedWords
from ..output.screen import Screen
from ..output.tellers import teller_for
from .did_you_mean import refuse_mistyped
from .line import RequestLine
from .material import files_for, missing_in, piped_beside, told_links, told_missing
from .work import own_thread, settings_for, wants_brain


def do_by_model(
    request: RequestLine, own: ParsedWords, piped: str, screen: Screen, *, is_as_typed: bool = True
) -> int:
    """Do what takes the model, for which a key is asked where none is kept; return the exit status.

    is_as_typed: nobody said *own* in place of what was typed, when they were asked.
    """
    options = request.options
    if options.answer is None:
        piped = piped or piped_beside(own, options, screen)
        if is_as_typed and not screen.is_chat:
            refuse_mistyped(request, screen.environment, has_material=bool(piped))
    files = files_for(own.said, request.words, options)
    missing = missing_in(own.said, files)
    notices = (*map(told_missing, missing), *told_links(files))
    words = Words(own.said, piped, answer=options.answer or "", files=files, missing=missing, notices=notices)
    try:
        return _done(options, words, screen)
    except NoKey:  # nothing was begun
        if not screen.is_interactive or options.json or options.ndjson:
            raise
        from .commands.keys import ask_for_key  # Typer: a key is seldom asked for

        screen.err(NEEDS_MODEL)
        if not ask_for_key(GOOGLE, options, screen):
            raise
    return _done(options, words, screen)


def _done(options: Options, words: Words, screen: Screen) -> int:
    """Do what takes the model; return the exit status. Raises NoKey, with nothing begun."""
    status = _by_brain(options, words, screen) if wants_brain(options, screen.environment) else None
    if status is not None:
        return status
    # Importing the stack takes seconds, and silence is resented as much as the delay.
    screen.passing("starting…")
    settings = settings_for(options, screen, with_keys=True)
    check_model_key(settings)
    from .in_process import do_in_process  # the stack and the packs, which a brain has otherwise

    return do_in_process(options, words, settings, screen)


def warm_up(options: Options, screen: Screen) -> None:
    """Start a brain before there is a turn, which tells what keeps that from being done."""
    if not wants_brain(options, screen.environment):
        return
    if connection := connect(screen.environment, options.env_file, lambda _: None):
        connection.await_ready(lambda _: None)
        connection.close()


def _by_brain(options: Options, words: Words, screen: Screen) -> int | None:
    """Have the brain do what *words* ask; return the exit status.

    None, with nothing begun, where no brain can be started.
    """
    folders = folders_of(screen.environment, options.env_file)
    desktop = desktop_for(screen.environment, dry_run=options.dry_run, cache=folders.cache)
    wanted = ask_for(options, screen, desktop.pictures(), own_thread(screen), words)

    def answer(question: Question) -> str | None:
        """Return the person's answer to *question*; None where stdin is closed."""
        from ..output.questions import dialog_on, recorded_answer  # few are asked: it brings the guard

        if options.ndjson:
            return recorded_answer(screen, question.id)
        return dialog_on(screen, question).answer_now()

    teller = partial(teller_for, options, screen, folders.state)
    client = Client(wanted, screen, desktop, answer, teller, options.env_file)
    with on_signals(client.cancel):
        return client.run()
