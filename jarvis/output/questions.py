"""Asks the person before something is done: on a terminal, by records on stdin, or not at all.

A question is shown before the library that reads its answer is imported: dialog.py, by prompt_toolkit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from ..core.errors import NeedsAnswer, on_signals, stop
from ..core.events import Question
from ..core.text import clean
from ..core.types import APP, FILE, Options
from ..policy.questions import EDIT, EXPLAIN, FOR_GOOD
from ..policy.rules import BY_YES
from .records import json_in
from .screen import TIED, Screen, as_typed_at, cut_words, wrapped

if TYPE_CHECKING:
    from .dialog import Dialog


def answer_to(question: Question, options: Options, screen: Screen) -> str:
    """Return the answer to *question*, asked in the way that *options* and *screen* allow.

    Raises NeedsAnswer where nobody can answer, or the terminal is gone; Interrupted for Ctrl-C.
    """
    said = answer_without_prompt(question, options, screen)
    return dialog_on(screen, question).answer_now() if said is None else said


def dialog_on(screen: Screen, question: Question) -> Dialog:
    """Show *question* to the person at *screen*, and return what reads the answer."""
    show_question(screen, question)
    from .dialog import Dialog  # prompt_toolkit, while the person reads

    return Dialog(screen, question, partial(_show_again, screen, question))


def answer_without_prompt(question: Question, options: Options, screen: Screen) -> str | None:
    """Return the answer that is given beforehand, or in a record; None where it is asked on a terminal."""
    if said := answer_from_yes_flag(question, yes=options.yes):
        return said
    if options.ndjson:
        said_in_record = recorded_answer(screen, question.id)
        return nobody_answers(question) if said_in_record is None else said_in_record
    return None if screen.is_interactive and not options.json else nobody_answers(question)


def answer_from_yes_flag(question: Question, *, yes: bool) -> str:
    """Return the answer that `-y` gives to *question*; empty where it may not settle all of its doubts."""
    doubts = question.doubts if question.kind == "approval" else ()
    return question.options[0].id if yes and doubts and BY_YES.issuperset(doubts) else ""


def nobody_answers(question: Question) -> NoReturn:
    choices = ", ".join(
        f"{each.id} {each.title} ({each.host})" if each.host in (APP, FILE) else f"{each.id} {each.host}"
        for each in question.options
        if each.host
    )
    what = f"{question.text} {choices}".strip()
    hint = ", or say yes beforehand: jarvis -y …" if answer_from_yes_flag(question, yes=True) else ""
    if question.host:  # of what is changed there
        hint = f", or allow it for good: jarvis policy allow write {question.host}"
    raise NeedsAnswer(
        f"This needs your answer: {what} ({question.reason})", hint=f"Ask again on a terminal{hint}"
    )


# By records on stdin.


def recorded_answer(screen: Screen, question: str) -> str | None:
    """Return the answer to *question* in a record; None once stdin is closed. Tell of any other line."""
    with suppress(OSError, ValueError), on_signals(stop):  # nothing can be read any more
        while line := screen.stdin.readline():
            record = json_in(line)
            if isinstance(record, dict) and record.get("question") == question and "answer" in record:
                return str(record["answer"])
            if line.strip():  # whoever wrote it waits
                one = f'{{"question": "{question}", "answer": "y"}}'
                screen.err(f"jarvis: A line on stdin was no answer. An answer looks like this: {one}")
    return None


# How a question looks on a terminal: what is asked, the keys that answer it, and what each of them does.


def show_question(screen: Screen, question: Question) -> None:
    """Show *question*, with the keys that answer it. No address is broken, nor cut unless it is very long."""
    for line in question.lines:
        screen.ask(wrapped(f"  {clean(line)}", screen.width))
    screen.ask(wrapped(cut_words(clean(question.text)).replace(" ?", f"{TIED}?"), screen.width))
    if question.reason:
        screen.ask(wrapped(f"  why asked: {clean(question.reason)}", screen.width))
    room = screen.width - 4  # a key stays beside what it does
    keys = (shown for shown, _, _ in _keys(question) if shown)
    tied = (key.replace(" ", TIED) if len(key) < room else key for key in keys)
    screen.ask(wrapped(f"  {clean('   '.join(tied))}", screen.width))


def _show_again(screen: Screen, question: Question, key: str) -> None:
    """Show *question* once more; after a `?` also what each key does and keeps, and how to undo it."""
    for _, name, means in _keys(question) if key == EXPLAIN else ():
        if means:
            screen.ask(wrapped(f"  {name:<6} {as_typed_at(screen, means)}", screen.width))
    show_question(screen, question)


def _keys(question: Question) -> Iterator[tuple[str, str, str]]:
    """Yield each key as the line of keys shows it, by its name, and with all that it does."""
    if offered := len(question.choices):
        numbers = "1" if offered == 1 else f"1-{offered}"
        taken = "takes the marked line, this once; a number or the arrows mark one"
        yield f"{numbers} or arrows, then Enter this once or {FOR_GOOD} from now on", "Enter", taken
        yield "", FOR_GOOD, "takes it, and the name means that from now on. To undo it: jarvis alias rm NAME"
    for option in question.options:
        if not option.id.isdigit():
            yield f"{option.id} {option.title}", option.id, clean(option.whole)
    yield "? more", "", ""
    if question.takes_words:
        instead = "say in your own words what to do instead"
        yield "Tab say what to do instead", "Tab", f"or {EDIT}: {instead}"
    yield (
        f"Enter = {question.marked or ('none' if offered else 'no')}",
        "Ctrl-C",
        "stops here: nothing more is done for these words",
    )
