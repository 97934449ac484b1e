"""Asks the person before something is done: on a terminal, by records on stdin, or not at all."""

from __future__ import annotations

import contextlib
import sys
from json import loads
from typing import NoReturn

from ..core.errors import NeedsAnswer
from ..core.events import Question
from ..core.types import Options
from ..policy.questions import left_open
from ..policy.targets import UNSURE
from .dialog import WORDS, Dialog
from .keyboard import Keyboard, keyboard_at
from .screen import Screen, is_tty


def answer_to(question: Question, options: Options, screen: Screen) -> str:
    """Return the answer to *question*, asked in the way that *options* and *screen* allow."""
    if said := said_beforehand(question, yes=options.yes):
        return said
    if options.ndjson:
        if (recorded := recorded_answer(screen, question.id)) is None:
            raise nobody_is_left(question)
        return recorded
    if screen.is_interactive and not options.json:
        return answer_at(screen, question)
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


def answer_at(screen: Screen, question: Question) -> str:
    """Return the answer of the person at *screen*. What they typed before was no answer to this.

    Raises NeedsAnswer where the terminal is gone.
    """
    try:
        return _answer_in(screen, question)
    except EOFError:
        raise left_open(question) from None


def _answer_in(screen: Screen, question: Question) -> str:
    dialog = Dialog(screen, question)
    keyboard = keyboard_at(screen)
    while dialog.answer is None:
        if keyboard:
            _answer_by_keys(keyboard, dialog)
        else:
            _forget_typed_ahead(screen)
            dialog.prompt()
            dialog.hear(_typed_line(screen) or _unless_gone(screen))
        if dialog.wants_words:
            screen.prompt(WORDS)
            dialog.say(_typed_line(screen) or _unless_gone(screen))
    return dialog.answer


def _answer_by_keys(keyboard: Keyboard, dialog: Dialog) -> None:
    with keyboard:
        dialog.prompt()
        while dialog.wants_keys:
            dialog.press(keyboard.read())


def _unless_gone(screen: Screen) -> str:
    """Return an empty line. Raises EOFError where it was none: nothing can be typed any more."""
    if not is_tty(screen.stdin):
        raise EOFError
    return ""


def typed_answer(screen: Screen) -> str:
    """Return the line that the person types from now on; what they typed before was no answer to this."""
    _forget_typed_ahead(screen)
    screen.prompt("> ")
    return _typed_line(screen)


def _typed_line(screen: Screen) -> str:
    line = _line(screen)
    screen.end_prompt(is_echoed=line.endswith("\n"))
    return line.strip()


def is_sure(screen: Screen) -> bool:
    """Return whether the person types yes, after reading what would be deleted.

    Call it without an event loop: that would wait for the line before it handles Ctrl-C.
    """
    _forget_typed_ahead(screen)
    screen.prompt("Type yes to go on: ")
    _await_line(screen)
    return _typed_line(screen).lower() == "yes"


def _await_line(screen: Screen) -> None:
    """Wait for a line in short pieces: a Ctrl-C just before a read begins is not handled until it ends."""
    if sys.platform != "win32":
        import select  # Windows' knows sockets alone

        while not select.select([screen.stdin], [], [], 0.2)[0]:
            pass


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
