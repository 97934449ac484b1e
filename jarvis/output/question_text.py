"""How a question looks on a terminal: what is asked, the keys that answer it, and what each of them does."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.events import Option, Question
from ..core.text import clean, fitting, one_line
from ..policy.questions import EDIT, FOR_GOOD
from .screen import Screen

_TIED = "\xa0"  # a space at which no line is broken
_OTHERS = (
    ("Tab", "or e: say in your own words what to do instead; an address is opened in its place, this once"),
    ("Ctrl-C", "stops here: nothing more is done for these words"),
)


def takes_words(question: Question) -> bool:
    """Return whether they may say what to do instead: where nothing was begun, they need not."""
    return question.kind != "name"


def choices(question: Question) -> list[Option]:
    """Return the options that have a number."""
    return [option for option in question.options if option.id.isdigit()]


def show_question(screen: Screen, question: Question) -> None:
    """Show *question*, with the keys that answer it. No address is cut, nor broken."""
    screen.ask(broken_at_spaces(clean(question.text).replace(" ?", f"{_TIED}?"), screen.width, ""))
    if question.reason:
        screen.ask(broken_at_spaces(f"  why asked: {clean(question.reason)}", screen.width))
    room = screen.width - 4  # a key stays beside what it does
    tied = (key.replace(" ", _TIED) if len(key) < room else key for key in _keys(question))
    keys = "   ".join(tied)
    screen.ask(broken_at_spaces(f"  {clean(keys)}", screen.width, "  "))


def explain(screen: Screen, question: Question) -> None:
    """Tell what each key does, what is kept by it, and how that is undone."""
    for key, means in _explained(question):
        screen.ask(broken_at_spaces(f"  {key:<6} {means}", screen.width, "         "))


def choice_lines(question: Question, width: int, marked: str = "") -> list[str]:
    """Return a line of each choice, broken where it has to be; *marked* is the number of the marked one."""
    rows = ((option, "›" if option.id == marked else " ") for option in choices(question))
    return [
        broken_at_spaces(f"{mark} {option.id}  {choice_name(option)}", width, "     ")
        for option, mark in rows
    ]


def told_answer(question: Question, answer: str, width: int) -> str:
    """Return the line that says what was answered, or is marked: a choice with its name."""
    number = answer.removesuffix(FOR_GOOD)
    named = next((f"  {choice_name(each)}" for each in choices(question) if each.id == number), "")
    return fitting(f"> {answer}{named}", width - 1)


def choice_name(option: Option) -> str:
    """Return what a choice is called, with its whole address: titles are what strangers wrote."""
    return "  ".join(dict.fromkeys(one_line(told) for told in (option.title, option.whole)))


def _keys(question: Question) -> Iterator[str]:
    if offered := len(choices(question)):
        numbers = "1" if offered == 1 else f"1-{offered}"
        yield f"{numbers} or arrows, then Enter this once or {FOR_GOOD} from now on"
    for option in question.options:
        if not option.id.isdigit() and option.id != EDIT:
            yield f"{option.id} {option.title}"
    yield "? more"
    if takes_words(question):
        yield "Tab say what to do instead"
    yield "Enter = none" if offered else "Enter = no"


def _explained(question: Question) -> Iterator[tuple[str, str]]:
    """Return each key, and what it does."""
    if choices(question):
        yield "Enter", "takes the line whose number you typed, or that the arrows chose, this once"
        yield FOR_GOOD, "takes it, and the name means that from now on. To undo it: jarvis alias rm NAME"
    for option in question.options:
        if not option.id.isdigit() and option.id != EDIT:
            yield option.id, clean(option.whole)
    yield from _OTHERS if takes_words(question) else _OTHERS[1:]


def broken_at_spaces(line: str, width: int, indent: str = "    ") -> str:
    """Return *line*, broken at spaces. A longer word is left to the terminal, so that it can be copied."""
    import textwrap  # few are asked

    lines = textwrap.fill(
        line,
        width - 1,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace(_TIED, " ")
