"""Asks the person before something is done: on a terminal, by records on stdin, or not at all.

A question is shown before the library that reads its answer is imported: dialog.py, by prompt_toolkit.
"""

from __future__ import annotations

from json import loads
from typing import NoReturn

from ..core.errors import NeedsAnswer
from ..core.events import Question
from ..core.signals import on_signals, stop
from ..core.types import Options
from ..policy.targets import UNSURE
from .question_text import show_question
from .screen import Screen


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


async def answered(question: Question, options: Options, screen: Screen) -> str:
    """Return the answer to *question*, for a turn that has an event loop, as `answer_to` does."""
    from ..core.concurrency import aside  # asyncio, which a plain command does without

    is_read = options.ndjson or options.json or not screen.is_interactive
    if is_read or said_beforehand(question, yes=options.yes):
        return await aside(lambda: answer_to(question, options, screen))
    show_question(screen, question)
    from .dialog import answer  # prompt_toolkit, while the person reads

    return await answer(screen, question)


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


# On a terminal, by a short event loop for each question.


def answer_at(screen: Screen, question: Question) -> str:
    """Return the answer of the person at *screen*. What they typed before is no answer to this.

    Raises Interrupted for Ctrl-C, NeedsAnswer where the terminal is gone.
    """
    show_question(screen, question)
    from .dialog import answer, run_until_signal  # as above

    return run_until_signal(answer(screen, question))


def typed_line(screen: Screen, label: str, *, is_hidden: bool = False) -> str:
    """Return the line that the person types behind *label*, as `answer_at` does; empty for Ctrl-D."""
    from .dialog import read_line, run_until_signal  # as above

    return run_until_signal(read_line(screen, label, is_hidden=is_hidden))


def is_sure(screen: Screen) -> bool:
    """Return whether the person types yes, after reading what would be deleted."""
    return typed_line(screen, "Type yes to go on: ").lower() == "yes"


# By records on stdin.


def recorded_answer(screen: Screen, question: str) -> str | None:
    """Return the answer to *question* in a record; None once stdin is closed. Tell of any other line."""
    with on_signals(stop):
        return _awaited(screen, question)


def _awaited(screen: Screen, question: str) -> str | None:
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
