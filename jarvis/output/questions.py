"""Asks the user before something is done: on a terminal, by records on stdin, or not at all.

A question is on the screen before dialog.py imports prompt_toolkit, which reads the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from ..core.errors import NeedsAnswer, on_signals, stop
from ..core.events import Question
from ..core.text import clean, one_line
from ..core.types import APP, FILE, Effect, Options
from ..policy.rules import BY_YES, CHANGES
from .records import json_in
from .screen import Screen, cut_words, wrapped
from .styles import BOLD

if TYPE_CHECKING:
    from .dialog import Dialog


def answer_to(question: Question, options: Options, screen: Screen) -> str:
    """Return the answer to *question*, asked in the way that *options* and *screen* allow.

    Raises NeedsAnswer if nobody can answer or the terminal is gone, Interrupted for Ctrl-C.
    """
    answer = answer_without_prompt(question, options, screen)
    return dialog_on(screen, question).answer_now() if answer is None else answer


def dialog_on(screen: Screen, question: Question) -> Dialog:
    """Show *question* to the user at *screen*, and return the dialog that reads the answer."""
    show_question(screen, question)
    from .dialog import Dialog  # prompt_toolkit, while the user reads

    return Dialog(screen, question, partial(show_question, screen, question))


def answer_without_prompt(question: Question, options: Options, screen: Screen) -> str | None:
    """Return the answer that `-y` or a record gives, or None to ask on a terminal."""
    if answer := answer_from_yes_flag(question, yes=options.yes):
        return answer
    if options.ndjson:
        recorded = recorded_answer(screen, question.id)
        return nobody_answers(question) if recorded is None else recorded
    return None if screen.is_interactive and not options.json else nobody_answers(question)


def answer_from_yes_flag(question: Question, *, yes: bool) -> str:
    """Return the answer that `-y` gives to *question*, or "" if it may not settle all doubts."""
    doubts = question.doubts if question.kind == "approval" else ()
    return question.options[0].id if yes and doubts and BY_YES.issuperset(doubts) else ""


def nobody_answers(question: Question) -> NoReturn:
    choices = ", ".join(
        f"{each.id} {each.title} ({each.host})" if each.host in (APP, FILE) else f"{each.id} {each.host}"
        for each in question.options
        if each.host
    )
    what = one_line(f"{question.text} {choices}")
    hint = ", or answer yes in advance: jarvis -y …" if answer_from_yes_flag(question, yes=True) else ""
    if question.host:  # of a write
        hint = f", or always allow it: jarvis policy allow write {question.host}"
    raise NeedsAnswer(
        f"This needs your answer: {what} ({question.reason})", hint=f"Ask again on a terminal{hint}"
    )


# By records on stdin.


def recorded_answer(screen: Screen, question: str) -> str | None:
    """Return the answer to *question* in a record, or None once stdin is closed. Reports other lines."""
    with suppress(OSError, ValueError), on_signals(stop):  # stdin can't be read any more
        while line := screen.stdin.readline():
            record = json_in(line)
            if isinstance(record, dict) and record.get("question") == question and "answer" in record:
                return str(record["answer"])
            if line.strip():  # whoever wrote it waits
                one = f'{{"question": "{question}", "answer": "y"}}'
                screen.err(f"jarvis: A line on stdin isn't an answer. Use this form: {one}")
    return None


# The part of a question that stays as keys are pressed. The rest is drawn by dialog.py.


def show_question(screen: Screen, question: Question) -> None:
    """Show what *question* asks, about what, and why. An address is cut only if it is very long."""
    for text in preview(question, screen):
        screen.ask(wrapped(text, screen.width))
    query, *about = cut_words(clean(question.text)).split("\n")
    screen.ask(wrapped(query, screen.width), BOLD)
    is_told = question.reason and question.reason != f"it {CHANGES}"  # which a write always does
    for line in [*about, *([_sentence(clean(question.reason))] if is_told else [])]:
        screen.ask(wrapped(f"  {line}", screen.width))


def preview(subject: Effect | Question, screen: Screen) -> Iterator[str]:
    """Yield notes on the data to send, then its rows and their sums."""
    yield from map(clean, subject.lines)
    if subject.table:
        from .grid import laid_out  # rich, for the few questions with a table

        yield laid_out(subject.table, screen.width, 0, color=screen.err_color)
        yield clean(subject.table.note)


def _sentence(reason: str) -> str:
    """Return *reason* as a sentence. A host that begins it, and an address that ends it, stay as they are."""
    begun = reason[0].upper() + reason[1:] if reason.partition(" ")[0].isalpha() else reason
    return begun if reason.endswith(".") or ": " in reason else f"{begun}."
