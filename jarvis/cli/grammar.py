"""Reads a command line: takes options and words apart, and finds its command in the registry.

A first word is a command only if the whole line fits one; any other line is a request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.errors import UsageError
from ..core.types import Options
from .options import HELP, VERSION
from .registry import ASK, COMMANDS, SHOW_HELP, SHOW_VERSION, Group, single_commands
from .rows import Command, CommandOption

_MOST_MISUSED = 3  # words of a command that does not fit: “policy allow remote work” is a sentence
_ALIKE = 0.7  # of two words, from 0 to 1: no more than typos.py wants


class Given(NamedTuple):
    """An option that a command line gives."""

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


class Call(NamedTuple):
    """A command line that was understood."""

    command: Command
    words: Sequence[str]  # its arguments
    values: Mapping[str, Any]  # of its options, each by its field
    only_words: bool = False  # it is said that they are words: by `--` before them, or by `ask`

    @property
    def options(self) -> Options:
        return Options(**{name: self.values[name] for name in Options._fields if name in self.values})


class _Named(NamedTuple):
    """The command that words begin with."""

    row: Command | Group
    names: Sequence[str]
    rest: Sequence[str]  # of the words

    @property
    def is_misused(self) -> bool:
        """Whether they name a command of a group and have few words more: hardly a sentence."""
        words = [*self.names, *self.rest]
        return len(self.names) == 2 and len(words) <= _MOST_MISUSED and not words[-1].endswith("?")

    def fits(self, *, asks_for_help: bool) -> bool:
        """Return whether the whole line fits the command."""
        if isinstance(self.row, Group):
            return len(self.rest) <= int(asks_for_help)
        if asks_for_help and not self.rest:
            return True
        least = sum(argument.least for argument in self.row.arguments)
        if not least <= len(self.rest) <= _most(self.row):
            return False
        return not self.row.fits or bool(named_function(self.row.fits)(self.rest))


def named_function(name: str) -> Any:
    """Return the function that a row names, such as `commands.threads.show_thread`."""
    module, _, function = name.rpartition(".")
    return getattr(__import__(f"{__package__}.{module}", fromlist=[function]), function)


def resolve(argv: Sequence[str]) -> Call:
    """Return the command that *argv* is.

    Raises UsageError for a line that nearly fits a command, or has options or words that it does not take.
    """
    line = parse_line(argv)
    words = [] if line.only_words else line.words
    asks_for_help = line.has(HELP)
    named = _named(words)
    if named and (named.fits(asks_for_help=asks_for_help) or named.is_misused):
        if asks_for_help or isinstance(named.row, Group):
            return Call(SHOW_HELP, named.names, {} if asks_for_help else _values(SHOW_HELP, line))
        return _call(named.row, named.rest, line)
    if asks_for_help:
        return Call(SHOW_HELP, (), {})
    if line.has(VERSION):
        return Call(SHOW_VERSION, (), {})
    if words[:1] == [ASK.name]:
        return _call(ASK, words[1:], line)._replace(only_words=True)
    _refuse_misspelt(words)
    return _call(ASK, line.words, line)


def parse_line(argv: Sequence[str]) -> CommandLine:
    """Take *argv* apart, whatever its command. Raises UsageError for an option without its value."""
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
    """Return whether *word* is an option. A quoted sentence is words, even if it starts with a dash."""
    return word.startswith("-") and word != "-" and (" " not in word or "=" in word.split(" ")[0])


def _long(word: str, rest: list[str]) -> Given:
    """Return the option in *word*; its value may be the first of *rest*, which is then taken out."""
    name, equals, value = word.partition("=")
    option = _option(name)
    if option and option.takes and not equals:
        return Given(name, option, _next(name, option, rest))
    return Given(name, option, value if equals else None)


def _short(word: str, rest: list[str]) -> list[Given]:
    """Return the options in *word*, which may be several in one: `-nt work`, `-twork`."""
    found: list[Given] = []
    for place, letter in enumerate(word[1:], 2):
        name = f"-{letter}"
        option = _option(name)
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


def _option(name: str) -> CommandOption | None:
    """Return the option called *name*, of any command: each name means one thing."""
    # Most lines are requests: those of groups are imported only where none of these is meant.
    places = ((HELP, VERSION), ASK.options, _of_commands())
    found = (option for options in places for option in options if name in (option.long, option.short))
    return next(found, None)


def _of_commands() -> Iterator[CommandOption]:
    return (option for row in single_commands() for option in row.options)


def _named(words: Sequence[str]) -> _Named | None:
    row = COMMANDS.get(words[0]) if words and words[0] != ASK.name else None
    if row is None:
        return None
    for each in row.commands if isinstance(row, Group) else ():
        if words[1:2] == [each.name]:
            return _Named(each, words[:2], words[2:])
    return _Named(row, words[:1], words[1:])


def _call(row: Command, words: Sequence[str], line: CommandLine) -> Call:
    values = _values(row, line)
    needed = 0
    for argument in row.arguments:
        needed += argument.least
        if len(words) < needed:
            raise UsageError(f"Missing argument '{argument.name}'.", hint=_hint(line))
    if extra := words[_most(row) :]:
        raise UsageError(f"Got unexpected extra argument(s) ({' '.join(extra)})", hint=_hint(line))
    return Call(row, words, values, line.only_words)


def _most(row: Command) -> int:
    """Return how many words may follow its name."""
    return sum(argument.most for argument in row.arguments)


def _values(row: Command, line: CommandLine) -> dict[str, Any]:
    """Return the values of the options in *line*, each by its field."""
    known = {option.long: option for option in row.options}
    values: dict[str, Any] = {}
    for each in line.given:
        option = known.get(each.option.long) if each.option else None
        if option is None:
            raise _unknown(each, [*known, HELP.long], line)
        if option.takes:
            text = each.value or ""
            value = named_function(option.read)(text) if option.read else text
            values[option.field] = (*values.get(option.field, ()), value) if option.repeats else value
        elif each.value is not None:
            raise UsageError(f"Option '{each.typed}' does not take a value.", hint=_hint(line))
        else:
            values[option.field] = values.get(option.field, 0) + 1 if option.counts else True
    return values


def _unknown(given: Given, known: Sequence[str], line: CommandLine) -> UsageError:
    from .typos import near_options  # typos are rare

    near = near_options(given.typed, known)
    meant = f" (Possible options: {', '.join(near)})" if near else ""
    return UsageError(f"No such option: {given.typed}{meant}", hint=_hint(line, is_unknown=True))


def _hint(line: CommandLine, *, is_unknown: bool = False) -> str:
    """Return what to try instead. Only an unknown option may have been meant as a word."""
    named = _named(line.words)
    if named and named.is_misused:
        return f"jarvis {' '.join(named.names)} --help"
    if not is_unknown or not line.words:
        return "jarvis --help"
    from .typos import as_words  # typos are rare

    # The wrapper, scripts/jarvis, puts this before what they typed.
    return as_words(line.typed[2:] if line.typed[0] == "--env-file" else line.typed)


def _refuse_misspelt(words: Sequence[str]) -> None:
    """Raise UsageError for up to three words that nearly fit a command; a quoted sentence is none."""
    if are_few(words) and any(_is_like(words[0], name) for name in COMMANDS):
        from .typos import refuse_misspelt  # typos are rare

        refuse_misspelt(words, lambda row, rest: _Named(row, (), rest).fits(asks_for_help=False))


def are_few(words: Sequence[str]) -> bool:
    """Return whether *words* may be a command with a typo: up to three, none quoted, and no question."""
    return 0 < len(words) <= _MOST_MISUSED and words[-1][-1:] != "?" and not any(" " in w for w in words)


def _is_like(word: str, name: str) -> bool:
    """Return whether they have most letters in common: cheaper than typos.py for each request."""
    common = sum(min(word.count(letter), name.count(letter)) for letter in set(word))
    return name.startswith(word) or 2 * common >= _ALIKE * (len(word) + len(name))
