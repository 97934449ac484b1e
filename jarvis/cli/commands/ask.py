"""`jarvis WORDS…`, `jarvis ask WORDS…`: decide who does a request. Without words, on a terminal: a chat."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...core.errors import Interrupted, JarvisError, NoKey, Terminated, not_installed
from ...core.text import words_in
from ...core.types import Options
from ...language.command_grammar import of_list
from ...launcher.command import is_name, meant_by
from ...output.screen import holds_material
from ..router import are_few
from ..work import guarded, own_thread, settings_for, wants_brain

if TYPE_CHECKING:
    from ...core.events import Question
    from ...launcher.meant import Meant
    from ...output.screen import Screen
    from ..router import RequestLine

# Imported when first used: each way to do a request brings its own, and what is plain must cost no more.


def ask(request: RequestLine, screen: Screen) -> int:
    """Do what the words ask; return the exit status."""
    options, words = request.options, request.words
    if options.answer is not None:
        from ..answer import answer_question

        return answer_question(options, words, screen, lambda: _by_model(options, "", "", screen))
    if _begins_chat(request, screen):
        from ..chat.chat import run_chat

        return run_chat(options, screen)
    return guarded(options, screen, lambda: _done(request, screen))


def _begins_chat(request: RequestLine, screen: Screen) -> bool:
    """Return whether to begin a chat. Not after a lone `--`: a script may have had nothing to say."""
    options = request.options
    is_for_program = options.json or options.ndjson or options.csv
    return (
        not (request.words or request.are_words or options.files or is_for_program) and screen.is_interactive
    )


def _done(request: RequestLine, screen: Screen) -> int:
    """Do what the words ask, by the cheapest way that can; return the exit status."""
    options = request.options
    if options.resume:
        from ..resuming import resumed  # few pick a thread

        options = resumed(options, screen)
    own, piped = words_of(options, request.words, screen)
    instead = ""
    while not piped and (done := _plainly(own, options, screen, are_words=request.are_words)):
        status, instead = done
        if not instead:
            return status
        screen.ended = None  # what they say in its place is another turn
        own = words_in(instead)
    piped = piped or _piped_beside(own, options, screen)
    if not instead:
        check_spelling(request, screen.environment, has_material=bool(piped))
    if not (piped or options.files or options.ndjson or options.quiet):
        _tell_unread_files(own, screen)
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
        from ..following import do_follow_up

        if done := do_follow_up(options, own, screen, are_words=are_words):
            return done
    if meant := _meant(own, options, screen):
        from ..one_shot import do_plain

        return do_plain(meant, options, own, screen)
    return None


def _meant(own: str, options: Options, screen: Screen) -> Meant | None:
    """Return what *own* plainly asks for, or what the person picks for a name in it."""
    return meant_by(own, options, screen.environment) or _picked(own, options, screen)


def _is_given_key(options: Options, screen: Screen) -> bool:
    """Ask for the key of the model where somebody can answer; return whether one was kept."""
    if not screen.is_interactive or options.json or options.ndjson:
        return False
    from ...config.keys import GOOGLE, NEEDS_MODEL
    from ..key_prompt import ask_for_key

    screen.err(NEEDS_MODEL)
    return ask_for_key(GOOGLE, options, screen)


def check_spelling(
    request: RequestLine, environment: Mapping[str, str], *, has_material: bool = False
) -> None:
    """Raise UsageError for a few words that are plain but for a slip, or only begin to ask for something."""
    if not request.are_words and are_few(request.words):
        from ..nearly_plain import refuse_nearly_plain  # most requests are longer

        refuse_nearly_plain(request.words, request.options, environment, has_material=has_material)


def _picked(own: str, options: Options, screen: Screen) -> Meant | None:
    """Ask what a name that only comes near means; return what *own* plainly means then.

    Raises NotInstalled for a program that is not here, where nobody can be asked, or Refused.
    """
    if not is_name(own):
        return None
    is_asked = screen.is_interactive and not (options.json or options.ndjson or options.yes)
    from ..missing import Missing, missing

    gone = missing(own, options, screen.environment)
    if isinstance(gone, Missing):
        if not is_asked:
            raise gone.error
        from ...output.prompts import answer_to

        return gone.picked(answer_to(gone.question, options, screen), screen.err)
    if gone or not is_asked:
        return gone
    from ..suggestions import pick_one

    return pick_one(own, options, screen)


def _by_brain(options: Options, own: str, piped: str, screen: Screen) -> int | None:
    """Have the brain do what *own* asks; return the exit status.

    None, with nothing begun, where no brain can be started.
    """
    from ...brain.client import Client, ask_for
    from ...config.paths import folders_of
    from ...desktop import hands_for

    cache = folders_of(screen.environment, options.env_file).cache
    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=cache)
    request = ask_for(options, screen, hands.pictures(), own_thread(screen), own, piped)
    answer = partial(_answer, options=options, screen=screen)
    client = Client(request, screen, hands, answer, options.env_file)
    with _signals(client.cancel):
        return client.run()


def _answer(question: Question, options: Options, screen: Screen) -> str | None:
    """Return the person's answer to *question*; None where stdin is closed."""
    from ...output.prompts import answer_at, recorded_answer

    return recorded_answer(screen, question.id) if options.ndjson else answer_at(screen, question)


@contextlib.contextmanager
def _signals(cancel: Callable[[JarvisError], None]) -> Iterator[None]:
    """Have Ctrl-C and the like cancel the turn instead of ending this process."""
    reasons: dict[int, JarvisError] = {signal.SIGINT: Interrupted("Interrupted.")}
    ends = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]  # Windows has no SIGHUP
    reasons |= {number: Terminated("Terminated.") for number in ends if number}
    before = {
        number: signal.signal(number, lambda *_, reason=reason: cancel(reason))
        for number, reason in reasons.items()
        if signal.getsignal(number) != signal.SIG_IGN  # as nohup wants it, and scripts with an & do
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_process(options: Options, own: str, piped: str, screen: Screen) -> int:
    """Do what *own* asks in this process; return the exit status."""
    # Importing the stack takes seconds, and silence is resented as much as the delay.
    screen.passing("starting…")
    settings = settings_for(options, screen, needs_model=True)
    try:
        from ..in_process import turn_of
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("jarvis"):
            raise
        raise not_installed(error) from None
    turn = turn_of(options, own, piped, settings, screen)
    with _signals(turn.cancel):
        return turn.run()


def words_of(options: Options, words: Sequence[str], screen: Screen) -> tuple[str, str]:
    """Return the person's own words, and the material that they name. Raises UsageError."""
    if words and words[-1] != "-" and not options.files:
        return words_in(" ".join(words)), ""
    from ..material import words_and_material  # as above: what is plain does without

    return words_and_material(options, words, screen)


def _piped_beside(own: str, options: Options, screen: Screen) -> str:
    """Return what is piped in beside *own*, which is not plain; empty where nothing is, or may be read."""
    if not holds_material(screen.stdin):
        return ""
    from ..material import joined, may_read, read_stdin, tell_unread  # as above

    if may_read(own, options, screen):
        return joined((), read_stdin(screen), screen)
    if not (options.ndjson or options.quiet):
        tell_unread(screen)
    return ""


def _tell_unread_files(own: str, screen: Screen) -> None:
    """Tell of the files that *own* only names: the answer may sound as if they had been read."""
    words = [] if is_name(own) else [each.rstrip(".,:;?!") for each in own.split() if "." in each]
    if names := [each for each in words if os.path.isfile(each)]:
        import shlex  # few words name a file

        options = " ".join(f"-f {shlex.quote(each)}" for each in names)
        screen.err(f"Not read, only named: {', '.join(names)}. To have it read: jarvis {options} …")
