"""A question as it stands on a terminal: what is shown of it, and what each key does."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.events import Option, Question
from ..core.text import clean, fitting, one_line
from ..policy.questions import EDIT, FOR_GOOD, NO, YES, rest_of
from .keyboard import CTRL_D, DOWN, ENTER, ESCAPE, RESUMED, TAB, UP
from .screen import Screen

WORDS = "instead: "  # before what they say to do instead
_TIED = "\xa0"  # a space at which no line is broken
_OTHERS = (
    ("Tab", "or e: say in your own words what to do instead; an address is opened in its place, this once"),
    ("Ctrl-C", "stops here: nothing more is done for these words"),
)


class Dialog:
    """One question to the person at *screen*. Whoever reads the keys presses them here."""

    def __init__(self, screen: Screen, question: Question) -> None:
        self.answer: str | None = None  # once they have given it
        self.wants_words = False  # they want to say what to do instead
        self.rest: tuple[str, ...] = ()  # what some type behind the key: the rest of the word, and Enter
        self._screen = screen
        self._question = question
        self._options = {option.id: option for option in question.options if option.id != EDIT}
        self._choices = sum(option.id.isdigit() for option in question.options)
        self._is_shown = False
        self._marked = 0  # the number of a choice

    @property
    def wants_keys(self) -> bool:
        return self.answer is None and not self.wants_words

    def prompt(self) -> None:
        """Show the question, unless it stands there, and wait for keys below it."""
        if not self._is_shown:
            show_question(self._screen, self._question)
            self._is_shown = True
        self._screen.prompt(self._label)

    def leave(self) -> None:
        """End the line at which they were asked, where no answer came."""
        self._screen.end_prompt()

    def press(self, key: str) -> None:
        """Do what *key* does. A key that means nothing here does nothing."""
        if key in (ESCAPE, CTRL_D) or (key == ENTER and not self._marked):
            self._take(NO)
        elif key == ENTER:
            self._take(str(self._marked))
        elif key == FOR_GOOD and self._marked:
            self._take(f"{self._marked}{FOR_GOOD}")
        elif key in (UP, DOWN) or key.isdigit():
            self._mark(key)
        elif key == RESUMED:
            self._is_shown = False
            self.prompt()
        elif key == "?":
            self.explain()
            self.prompt()
        elif key in (TAB, EDIT, "/"):  # of a chat's command no letter is a yes
            self._give_way_to_words()
        elif option := self._option(key):
            self._take(option)
            self.rest = (f"{rest_of(option)}\r", "\r")

    def explain(self) -> None:
        """Tell what each key does, what is kept by it, and how that is undone."""
        self._screen.end_prompt()
        for key, means in _explained(self._question, self._choices):
            self._screen.err(_folded(f"  {key:<6} {means}", self._screen.width, "         "))

    def say(self, words: str) -> None:
        """Take what they say to do instead; without words they are asked again."""
        self.wants_words = False
        if words:
            self.answer = f"{EDIT} {words}"

    def hear(self, line: str) -> None:
        """Take a *line*, where the terminal sends no single keys. Words in it say what to do instead."""
        if line == "?":
            self.explain()
        elif line == EDIT:
            self._give_way_to_words()
        else:
            self.answer = line

    @property
    def _label(self) -> str:
        if not self._marked:
            return "> "
        marked = _named(self._options[str(self._marked)])
        return fitting(f"> {self._marked}  {marked}", self._screen.width - 1)

    def _mark(self, key: str) -> None:
        """Mark a choice: the one of that number, or the next one."""
        if not self._choices:
            return
        if key.isdigit():  # with ten and more, the second figure of a number
            numbers = [number for number in (int(f"{self._marked}{key}"), int(key)) if self._is_one(number)]
            self._marked = numbers[0] if numbers else self._marked
        elif not self._marked:
            self._marked = 1 if key == DOWN else self._choices
        else:
            self._marked = (self._marked - 1 + (1 if key == DOWN else -1)) % self._choices + 1
        self._screen.prompt(self._label, again=True)

    def _is_one(self, number: int) -> bool:
        return 0 < number <= self._choices

    def _option(self, key: str) -> str:
        """Return the option that *key* stands for; a capital letter stands for a yes or a no as well."""
        found = [id_ for id_ in (key, {"Y": YES, "N": NO}.get(key)) if id_ in self._options]
        return found[0] if found else ""

    def _give_way_to_words(self) -> None:
        if takes_words(self._question):
            self.wants_words = True
            self._screen.clear_prompt()

    def _take(self, answer: str) -> None:
        """Take *answer*, and leave on the screen what it was."""
        self.answer = answer
        named = self._options.get(answer.removesuffix(FOR_GOOD))
        told = _named(named) if named and self._marked and answer != NO else ""
        self._screen.prompt(fitting(f"> {answer}  {told}".rstrip(), self._screen.width - 1), again=True)
        self._screen.end_prompt()


def takes_words(question: Question) -> bool:
    """Return whether they may say what to do instead: where nothing was begun, they need not."""
    return question.kind != "name"


def show_question(screen: Screen, question: Question) -> None:
    """Show *question*, with the keys that answer it. No address is cut, nor broken."""
    screen.err(_folded(clean(question.text).replace(" ?", f"{_TIED}?"), screen.width, ""))
    if question.reason:
        screen.err(_folded(f"  why asked: {clean(question.reason)}", screen.width))
    choices = [option for option in question.options if option.id.isdigit()]
    for option in choices:
        screen.err(_folded(f"  {option.id}  {_named(option)}", screen.width, "     "))
    room = screen.width - 4  # a key stays beside what it does
    tied = (key.replace(" ", _TIED) if len(key) < room else key for key in _keys(question, len(choices)))
    keys = "   ".join(tied)
    screen.err(_folded(f"  {clean(keys)}", screen.width, "  "))


def _named(option: Option) -> str:
    """Return what a choice is called, with its whole address: titles are what strangers wrote."""
    return "  ".join(dict.fromkeys(one_line(told) for told in (option.title, option.whole)))


def _keys(question: Question, choices: int) -> Iterator[str]:
    if choices:
        numbers = "1" if choices == 1 else f"1-{choices}"
        yield f"{numbers} or arrows, then Enter this once or {FOR_GOOD} from now on"
    for option in question.options:
        if not option.id.isdigit() and option.id != EDIT:
            yield f"{option.id} {option.title}"
    yield "? more"
    if takes_words(question):
        yield "Tab say what to do instead"
    yield "Enter = none" if choices else "Enter = no"


def _explained(question: Question, choices: int) -> Iterator[tuple[str, str]]:
    """Return each key, and what it does."""
    if choices:
        yield "Enter", "takes the line whose number you typed, or that the arrows chose, this once"
        yield FOR_GOOD, "takes it, and the name means that from now on. To undo it: jarvis alias rm NAME"
    for option in question.options:
        if not option.id.isdigit() and option.id != EDIT:
            yield option.id, clean(option.whole)
    yield from _OTHERS if takes_words(question) else _OTHERS[1:]


def _folded(line: str, width: int, indent: str = "    ") -> str:
    """Return *line*, broken at spaces. A longer word is left to the terminal, so that it can be copied."""
    import textwrap  # which brings re: few are asked

    folded = textwrap.fill(
        line, width - 1, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return folded.replace(_TIED, " ")
