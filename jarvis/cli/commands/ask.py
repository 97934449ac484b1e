"""`jarvis WORDS…`, `jarvis ask WORDS…`: decide who does a request. Without words, on a terminal: a chat."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...core.errors import UsageError
from ...core.text import words_in
from ...core.types import Options
from ...launcher.command import is_name, meant_by
from ...output.screen import holds_material
from ..router import are_few, as_words, refuse
from ..ways import do_by_model, do_plainly
from ..work import guarded

if TYPE_CHECKING:
    from ...output.screen import Screen
    from ..router import RequestLine

# Imported when first used: each way to do a request brings its own, and what is plain must cost no more.


def ask(request: RequestLine, screen: Screen) -> int:
    """Do what the words ask; return the exit status."""
    options, words = request.options, request.words
    if options.answer is not None:
        from ..answer import answer_question

        return answer_question(options, words, screen, lambda: do_by_model(options, "", "", screen))
    if _begins_chat(request, screen):
        from ..chat.chat import run_chat

        return run_chat(options, screen)
    return guarded(options, screen, lambda: _done(request, screen))


def _begins_chat(request: RequestLine, screen: Screen) -> bool:
    """Return whether to begin a chat. Not after a lone `--`: a script may have had nothing to say."""
    options = request.options
    is_for_program = options.json or options.ndjson or options.csv
    is_empty = not (request.words or request.are_words or options.files or is_for_program)
    return is_empty and screen.is_at_terminal and screen.is_interactive and not screen.is_dumb


def _done(request: RequestLine, screen: Screen) -> int:
    """Do what the words ask, by the cheapest way that can; return the exit status."""
    options = request.options
    if options.resume:
        from ..resuming import resumed  # few pick a thread

        options = resumed(options, screen)
    said, piped = words_of(options, request.words, screen)
    own = said
    if not piped:
        status, own = do_plainly(said, options, screen, are_words=request.are_words)
        if status is not None:
            return status
    piped = piped or _piped_beside(own, options, screen)
    if own == said:
        check_spelling(request, screen.environment, has_material=bool(piped))
    if not (piped or options.files or options.ndjson or options.quiet):
        _tell_unread_files(own, screen)
    return do_by_model(options, own, piped, screen)


def check_spelling(
    request: RequestLine, environment: Mapping[str, str], *, has_material: bool = False
) -> None:
    """Raise UsageError for a few words that are plain but for a slip, or only begin to ask for something."""
    words = request.words
    if request.are_words or not are_few(words):
        return
    from ...language.slips import is_unfinished, misspelt_verb, repaired, seeks  # most requests are longer

    for meant in repaired(words):
        if meant_by(" ".join(meant), request.options, environment):
            refuse(meant, words)
    if verb := misspelt_verb(words[0]):
        if len(words) == 1:
            refuse((verb,), words, more=" …")
        if seeks(verb) or is_name(" ".join((verb, *words[1:]))):
            refuse((verb, *words[1:]), words)
    if is_unfinished(words) and not has_material:
        typed = " ".join(words)
        raise UsageError(f"“{typed}” says too little. Say what: jarvis {typed} …", hint=as_words(words))


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
