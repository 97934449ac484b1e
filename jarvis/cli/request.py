"""Does what words ask for: plainly, in this process, where that can be; else as model_request.py does."""

from ..core.text import words_in
from ..core.types import ParsedWords
from ..language.command_grammar import of_list, parse_name, parse_words
from ..launcher import meant_by
from ..output.screen import Screen
from .line import RequestLine
from .material import words_and_material


def do_line(request: RequestLine, screen: Screen) -> int:
    """Do what *request* asks for, with the material that it names; return the exit status."""
    options, words = request.options, request.words
    if options.answer is not None:
        return do_request(request, parse_words(""), screen)
    if words and words[-1] != "-" and not options.files:
        return do_request(request, parse_words(words_in(" ".join(words))), screen)
    own, piped, later = words_and_material(options, words, screen)
    return do_request(request._replace(options=options._replace(files=later)), own, screen, piped)


def do_request(request: RequestLine, said: ParsedWords, screen: Screen, piped: str = "") -> int:
    """Do what the person *said*, here or in a chat, by the cheapest way that can; return the exit status.

    request: what they typed, which may be mistyped. piped: material that they named.
    """
    own = said
    while not piped and (done := _do_plainly(request, own, screen)):
        status, instead = done
        if not instead:
            return status
        screen.ended = None  # what they say in its place is another turn
        own = parse_words(words_in(instead))
    from .model_request import do_by_model  # the client of the brain: what is plain does without

    return do_by_model(request, own, piped, screen, is_as_typed=own is said)


def _do_plainly(request: RequestLine, own: ParsedWords, screen: Screen) -> tuple[int, str] | None:
    """Do what *own* plainly asks for, or the answer that is given later; return as `do_plainly` does.

    None, with nothing begun, where it is not plain.
    """
    is_answer = request.options.answer is not None
    listed = "" if is_answer else of_list(own)  # then names are looked up where no list has it
    meant = None if is_answer or listed else meant_by(own, request.options, screen.environment)
    if not (is_answer or listed or meant or parse_name(own)):
        return None
    from . import plain  # history and the guard, which a client of the brain does without

    if is_answer:
        return plain.answer_question(request, screen)
    return plain.do_plainly(request, own, listed, meant, screen)
