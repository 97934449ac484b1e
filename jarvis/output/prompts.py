"""Asks the person before something is done: on a terminal, by records on stdin, or not at all."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import NoReturn

from ..core.errors import NeedsAnswer
from ..core.events import Question
from ..core.stdlib import loads
from ..core.text import clean
from ..core.types import Options
from ..policy.verdict import UNSURE
from .screen import Screen
from .surface import Surface

_TIED = "\xa0"  # a space at which no line is broken


def answer_to(question: Question, options: Options, screen: Screen) -> str:
    """Return the answer to *question*, asked in the way that *options* and *screen* allow."""
    if said := said_beforehand(question, yes=options.yes):
        return said
    if options.ndjson:
        if (recorded := recorded_answer(screen, question.id)) is None:
            raise nobody_is_left(question)
        return recorded
    if screen.is_interactive and not options.json:
        show_question(screen, question)
        return typed_answer(screen)
    return nobody_answers(question)


def said_beforehand(question: Question, *, yes: bool) -> str:
    """Return the answer that `-y` gives to *question*; empty where it gives none.

    It is a yes to doubts about what was asked for. Whether it was asked for, only the person can say.
    """
    is_settled = yes and question.kind == "approval" and UNSURE not in question.rule.split(", ")
    return question.options[0].id if is_settled else ""


def nobody_answers(question: Question) -> NoReturn:
    named = [(option, option.title if option.host == "app" else "") for option in question.options]
    choices = ", ".join(
        f"{o.id} {title} ({o.host})" if title else f"{o.id} {o.host}" for o, title in named if o.host
    )
    what = f"{question.text} {choices}".strip()
    raise NeedsAnswer(
        f"This needs your answer: {what} ({question.reason})",
        hint="Ask again on a terminal, or say yes beforehand: jarvis -y …",
    )


def show_question(screen: Surface, question: Question) -> None:
    screen.err(clean(question.text))  # an address is never cut
    for line in _lines(question):
        screen.err(_folded(clean(line), screen.width))


def _lines(question: Question) -> Iterator[str]:
    if question.reason:
        yield f"  why asked: {question.reason}"
    for option in question.options:
        if option.host:  # a numbered choice has a line for each
            yield f"  {option.id}  {option.host}  {option.title}"
    # An option's id stays beside what it stands for.
    others = "   ".join(f"{o.id} {o.title}".replace(" ", _TIED) for o in question.options if not o.host)
    yield f"  {others}   or say what to do instead; Enter{_TIED}={_TIED}no"


def _folded(line: str, width: int) -> str:
    import textwrap  # which brings re: few are asked

    folded = textwrap.fill(line, width - 1, subsequent_indent="    ", break_on_hyphens=False)
    return folded.replace(_TIED, " ")


def is_sure(screen: Screen) -> bool:
    """Return whether the person types yes, after reading what would be deleted.

    Call it without an event loop: that would wait for the line before it handles Ctrl-C.
    """
    _forget_typed_ahead(screen)
    screen.prompt("Type yes to go on: ")
    _await_line(screen)
    return screen.stdin.readline().strip().lower() == "yes"


def _await_line(screen: Screen) -> None:
    """Wait for a line in short pieces: a Ctrl-C just before a read begins is not handled until it ends."""
    if sys.platform != "win32":
        import select  # Windows' knows sockets alone

        while not select.select([screen.stdin], [], [], 0.2)[0]:
            pass


def typed_answer(screen: Screen) -> str:
    """Return the line that the person types from now on; what they typed before was no answer to this."""
    begin_to_ask(screen)
    return _line(screen).strip()


def begin_to_ask(screen: Screen) -> None:
    _forget_typed_ahead(screen)
    screen.prompt("> ")


def _forget_typed_ahead(screen: Screen) -> None:
    if sys.platform != "win32":
        import termios  # Windows has none

        with contextlib.suppress(OSError, ValueError, termios.error):
            termios.tcflush(screen.stdin.fileno(), termios.TCIFLUSH)


def recorded_answer(screen: Screen, question: str) -> str | None:
    """Return the answer to *question* in a record; None once stdin is closed. Tell of any other line."""
    while line := _line(screen):
        if (answer := _in_record(line, question)) is not None:
            return answer
        if line.strip():  # whoever wrote it waits
            one = f'{{"question": "{question}", "answer": "y"}}'
            screen.err(f"jarvis: A line on stdin was no answer. An answer looks like this: {one}")
    return None


def _line(screen: Screen) -> str:
    """Return the next line of stdin; empty at its end."""
    raw = getattr(screen.stdin, "buffer", None)  # what is no UTF-8 is no answer, and no fault
    try:
        return raw.readline().decode("utf-8", "replace") if raw else screen.stdin.readline()
    except OSError:  # the terminal is gone
        return ""


def _in_record(line: str, question: str) -> str | None:
    """Return the answer to *question* in `{"answer": …, "question": …}`; None for any other line."""
    try:
        record = loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(record, dict) and record.get("question") == question and "answer" in record:
        return str(record["answer"])
    return None


def nobody_is_left(question: Question) -> NeedsAnswer:
    """Return the error for a program that closed stdin instead of answering."""
    return NeedsAnswer(f"Nobody answered: {question.text}", hint="Answer the `asked` record on stdin.")
