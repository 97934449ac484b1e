"""The ways to do a request, of the command line and of a chat: plainly, by the brain, or in this process."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..core.errors import NoKey, not_installed
from ..core.signals import on_signals
from ..core.text import words_in
from ..core.types import Options
from ..language.command_grammar import of_list
from ..launcher.command import is_name, meant_by
from .work import own_thread, settings_for, wants_brain

if TYPE_CHECKING:
    from ..core.events import Question
    from ..launcher.meant import Meant
    from ..output.screen import Screen

# Imported when first used: each way to do a request brings its own, and what is plain must cost no more.


def do_plainly(
    words: str, options: Options, screen: Screen, *, are_words: bool = False
) -> tuple[int | None, str]:
    """Do what *words* plainly ask for, or what the person says to do instead; return the exit status.

    None, with nothing begun, where it takes the model; with it the words that do.
    """
    while done := _plainly(words, options, screen, are_words=are_words):
        status, instead = done
        if not instead:
            return status, words
        screen.ended = None  # what they say in its place is another turn
        words = words_in(instead)
    return None, words


def do_by_model(options: Options, own: str, piped: str, screen: Screen) -> int:
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
    return _in_process(options, own, piped, screen) if status is None else status


def _plainly(own: str, options: Options, screen: Screen, *, are_words: bool) -> tuple[int, str] | None:
    """Do what *own* plainly asks for, as `do_plain` does; None, with nothing begun, where it is not plain."""
    if of_list(own):
        from .following import do_follow_up

        if done := do_follow_up(options, own, screen, are_words=are_words):
            return done
    if meant := _meant(own, options, screen):
        from .one_shot import do_plain

        return do_plain(meant, options, own, screen)
    return None


def _meant(own: str, options: Options, screen: Screen) -> Meant | None:
    """Return what *own* plainly asks for, or what the person picks for a name in it."""
    return meant_by(own, options, screen.environment) or _picked(own, options, screen)


def _is_given_key(options: Options, screen: Screen) -> bool:
    """Ask for the key of the model where somebody can answer; return whether one was kept."""
    if not screen.is_interactive or options.json or options.ndjson:
        return False
    from ..config.keys import GOOGLE, NEEDS_MODEL
    from .key_prompt import ask_for_key

    screen.err(NEEDS_MODEL)
    return ask_for_key(GOOGLE, options, screen)


def _picked(own: str, options: Options, screen: Screen) -> Meant | None:
    """Ask what a name that only comes near means; return what *own* plainly means then.

    Raises NotInstalled for a program that is not here, where nobody can be asked, or Refused.
    """
    if not is_name(own):
        return None
    from .name_choice import NameChoice, missing, nearby

    is_asked = screen.is_interactive and not (options.json or options.ndjson or options.yes)
    found = missing(own, options, screen.environment)
    if found is None and is_asked:
        found = nearby(own, options, screen.environment)
    if not isinstance(found, NameChoice):
        return found
    if found.error and not is_asked:
        raise found.error
    from ..output.questions import answer_to

    return found.picked(answer_to(found.question, options, screen), screen.err)


def _by_brain(options: Options, own: str, piped: str, screen: Screen) -> int | None:
    """Have the brain do what *own* asks; return the exit status.

    None, with nothing begun, where no brain can be started.
    """
    from ..brain.client import Client, ask_for
    from ..config.paths import folders_of
    from ..desktop import hands_for

    cache = folders_of(screen.environment, options.env_file).cache
    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=cache)
    pictures, thread = hands.pictures(), own_thread(screen)
    request = ask_for(options, screen, pictures, thread, own, piped, is_chat=screen.is_chat)
    answer = partial(_answer, options=options, screen=screen)
    client = Client(request, screen, hands, answer, options.env_file)
    with on_signals(client.cancel):
        return client.run()


def _answer(question: Question, options: Options, screen: Screen) -> str | None:
    """Return the person's answer to *question*; None where stdin is closed."""
    from ..output.questions import answer_at, recorded_answer

    return recorded_answer(screen, question.id) if options.ndjson else answer_at(screen, question)


def _in_process(options: Options, own: str, piped: str, screen: Screen) -> int:
    """Do what *own* asks in this process; return the exit status."""
    # Importing the stack takes seconds, and silence is resented as much as the delay.
    screen.passing("starting…")
    settings = settings_for(options, screen, needs_model=True)
    try:
        from .in_process import turn_of
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("jarvis"):
            raise
        raise not_installed(error) from None
    turn = turn_of(options, own, piped, settings, screen)
    with on_signals(turn.cancel):
        return turn.run()
