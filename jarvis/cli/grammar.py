"""Which command a command line is: a first word is one only if the whole line fits, else it is a request."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.errors import UsageError
from ..core.stdlib import Any, NamedTuple
from .options import HELP, VERSION
from .parser import CommandLine, Given, parse_line
from .registry import Call, Command, Group, builtin, command, command_names

_MOST_MISUSED = 3  # words of a command that does not fit: “policy allow remote work” is a sentence
_ALIKE = 0.8  # of two words, as typos.py has it


class _Named(NamedTuple):
    """What words begin with."""

    row: Command | Group
    names: Sequence[str]
    rest: Sequence[str]  # of the words

    @property
    def is_misused(self) -> bool:
        """Whether they name one of a group's commands and little more: hardly a sentence."""
        words = [*self.names, *self.rest]
        return len(self.names) == 2 and len(words) <= _MOST_MISUSED and not words[-1].endswith("?")

    def fits(self, *, asks_for_help: bool) -> bool:
        """Whether they are a command as a whole."""
        if isinstance(self.row, Group):
            return len(self.rest) <= int(asks_for_help)
        if asks_for_help and not self.rest:
            return True
        return self.row.least <= len(self.rest) <= self.row.most and self.row.fits(self.rest)


def resolve(argv: Sequence[str]) -> Call:
    """Return the command that *argv* is.

    Raises UsageError for what nearly fits one, and for options and words that it does not take.
    """
    line = parse_line(argv)
    words = [] if line.only_words else line.words
    asks_for_help = line.has(HELP)
    named = _named(words)
    if named and (named.fits(asks_for_help=asks_for_help) or named.is_misused):
        if asks_for_help or isinstance(named.row, Group):
            return Call(builtin("help"), named.names, {})
        return _call(named.row, named.rest, line)
    if asks_for_help:
        return Call(builtin("help"), (), {})
    if line.has(VERSION):
        return Call(builtin("version"), (), {})
    if words[:1] == ["ask"]:
        return _call(builtin("ask"), words[1:], line)
    _refuse_misspelt(words)
    return _call(builtin("ask"), line.words, line)


def _named(words: Sequence[str]) -> _Named | None:
    row = command(words[0]) if words and words[0] != "ask" else None
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
    if extra := words[row.most :]:
        raise UsageError(f"Got unexpected extra argument(s) ({' '.join(extra)})", hint=_hint(line))
    return Call(row, words, values, line.only_words)


def _values(row: Command, line: CommandLine) -> dict[str, Any]:
    known = {option.long: option for option in row.options}
    values: dict[str, Any] = {}
    for each in line.given:
        option = known.get(each.option.long) if each.option else None
        if option is None:
            raise _unknown(each, [*known, HELP.long], line)
        if option.takes:
            values[option.field] = option.read(each.value or "")
        elif each.value is not None:
            raise UsageError(f"Option '{each.typed}' does not take a value.", hint=_hint(line))
        else:
            values[option.field] = values.get(option.field, 0) + 1 if option.counts else True
    return values


def _unknown(given: Given, known: Sequence[str], line: CommandLine) -> UsageError:
    from .typos import near_options  # few have to

    near = near_options(given.typed, known)
    meant = f" (Possible options: {', '.join(near)})" if near else ""
    return UsageError(f"No such option: {given.typed}{meant}", hint=_hint(line, is_unknown=True))


def _hint(line: CommandLine, *, is_unknown: bool = False) -> str:
    """An option that there is not may have been meant as a word; one that there is, never."""
    named = _named(line.words)
    if named and named.is_misused:
        return f"jarvis {' '.join(named.names)} --help"
    if not is_unknown or not line.words:
        return "jarvis --help"
    from .typos import as_words  # few have to

    # The wrapper, scripts/jarvis, puts this before what they typed.
    return as_words(line.typed[2:] if line.typed[0] == "--env-file" else line.typed)


def _refuse_misspelt(words: Sequence[str]) -> None:
    """Raises UsageError for one or two words that nearly fit a command."""
    if len(words) in (1, 2) and any(_is_like(words[0], name) for name in command_names()):
        from .typos import refuse_misspelt  # few have to

        refuse_misspelt(words)


def _is_like(word: str, name: str) -> bool:
    """Whether they may have most letters in common: importing difflib would cost each request."""
    common = sum(min(word.count(letter), name.count(letter)) for letter in set(word))
    return 2 * common >= _ALIKE * (len(word) + len(name))
