"""A command line, taken apart into options and words, whatever its command."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.errors import UsageError
from ..core.stdlib import NamedTuple
from .options import HELP, REQUEST, VERSION
from .registry import CommandOption, options


class Given(NamedTuple):
    """An option of a command line."""

    typed: str  # its name, as it was typed: `-t`, `--thread`
    option: CommandOption | None = None  # None: no command has it
    value: str | None = None


class CommandLine(NamedTuple):
    """A command line, taken apart."""

    given: Sequence[Given]
    words: Sequence[str]
    only_words: bool  # `--` stood before the first word
    typed: Sequence[str]  # all of it

    def has(self, option: CommandOption) -> bool:
        return any(each.option is option for each in self.given)


def parse_line(argv: Sequence[str]) -> CommandLine:
    """Raises UsageError for an option without its value."""
    given: list[Given] = []
    words: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return CommandLine(given, [*words, *rest], only_words=not words, typed=argv)
        if not _is_option(word):
            words.append(word)
        elif word.startswith("--"):
            given.append(_long(word, rest))
        else:
            given += _short(word, rest)
    return CommandLine(given, words, only_words=False, typed=argv)


def _is_option(word: str) -> bool:
    """A quoted sentence is words, even if it starts with a dash."""
    return word.startswith("-") and word != "-" and (" " not in word or "=" in word.split(" ")[0])


def _long(word: str, rest: list[str]) -> Given:
    """The option in *word*, its value maybe the first of *rest*, of which that is taken."""
    name, equals, value = word.partition("=")
    option = _named(name)
    if option and option.takes and not equals:
        return Given(name, option, _next(name, option, rest))
    return Given(name, option, value if equals else None)


def _short(word: str, rest: list[str]) -> list[Given]:
    """The options in *word*, which may be several in one: `-nt work`, `-twork`."""
    found: list[Given] = []
    for place, letter in enumerate(word[1:], 2):
        name = f"-{letter}"
        option = _named(name)
        if option is None:
            return [*found, Given(name)]
        if option.takes:
            return [*found, Given(name, option, word[place:] or _next(name, option, rest))]
        found.append(Given(name, option))
    return found


def _next(name: str, option: CommandOption, rest: list[str]) -> str:
    if not rest:
        raise UsageError(f"{name} needs {option.needs}.", hint="jarvis --help")
    return rest.pop(0)


def _named(name: str) -> CommandOption | None:
    """The option that is called *name*: a request's, of which most are, else of any command."""
    for several in ((*REQUEST, HELP, VERSION), options()):
        for option in several:
            if name in (option.long, option.short):
                return option
    return None
