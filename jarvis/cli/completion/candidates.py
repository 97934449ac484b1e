"""Completes a word by the registry's rows: options, commands, and the values of their arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..grammar import CommandLine, parse_line
from ..options import ENV_FILE, HELP, REQUEST, THREAD, VERSION
from ..registry import COMMANDS, Group
from ..rows import Argument, Command, CommandOption
from .values import Candidate, Spot, values

_HERE = "\0"  # stands for the word under the cursor


class _Row(NamedTuple):
    """The command that words begin with, and the rest of the words."""

    row: Command | Group | None
    rest: Sequence[str]


def candidates(
    typed: Sequence[str], environment: Mapping[str, str], *, thread: str | None = None
) -> list[Candidate]:
    """Return what the last word of *typed* may become. typed: the words after `jarvis`, as far as the cursor.

    thread: the one that they are typed in, where that is known. Raises JarvisError for files of the person's
    that can't be read.
    """
    *before, begun = typed
    name, equals, value = begun.partition("=")
    if begun.startswith("--") and equals:  # the value stands in the same word
        found = candidates([*before, name, value], environment, thread=thread)
        return [each._replace(word=f"{name}={each.word}") for each in found]
    line = parse_line([*before, _HERE])
    named = {each.option.field: each.value for each in line.given if each.option and each.value != _HERE}
    spot = Spot(begun, environment, named.get(ENV_FILE.field), named.get(THREAD.field) or thread)
    for each in line.given:
        if each.option and each.value == _HERE:
            return values(each.option.kind, spot)
    said = [] if line.only_words else line.words[:-1]
    if begun.startswith("-") and "--" not in before:
        return _beginning(_options(_row(said).row, line), begun)
    return _word(said, line, spot)


def _word(said: Sequence[str], line: CommandLine, spot: Spot) -> list[Candidate]:
    if line.only_words:
        return values("words", spot._replace(said=line.words[:-1]))
    if not said:
        return [*_beginning(_named(COMMANDS.values()), spot.begun), *values("words", spot)]
    row, rest = _row(said)
    if isinstance(row, Group):
        return [] if rest else _beginning(_named(row.commands), spot.begun)
    if row is None:
        return values("words", spot._replace(said=said))
    argument, own = _argument(row, rest)
    return values(argument.kind, spot._replace(said=own, words=rest)) if argument else []


def _row(words: Sequence[str]) -> _Row:
    row = COMMANDS.get(words[0]) if words else None
    if isinstance(row, Group):
        for each in row.commands:
            if words[1:2] == [each.name]:
                return _Row(each, words[2:])
    return _Row(row, words[1:]) if row else _Row(None, words)


def _argument(row: Command, words: Sequence[str]) -> tuple[Argument | None, Sequence[str]]:
    """Return the argument that the next word belongs to, and those of *words* that it has already."""
    left = list(words)
    for argument in row.arguments:
        if len(left) < argument.most:
            return argument, left
        left = left[argument.most :]
    return None, []


def _options(row: Command | Group | None, line: CommandLine) -> Iterator[Candidate]:
    """Yield the options of *row*; without one, those of a request. One that is given already is left out."""
    of_row = row.options if isinstance(row, Command) else ()
    for option in (*(of_row if row else (*REQUEST, VERSION)), HELP):
        if option.counts or not _is_given(option, line):
            yield Candidate(option.long, option.help)


def _is_given(option: CommandOption, line: CommandLine) -> bool:
    return any(each.option and each.option.long == option.long for each in line.given)


def _named(rows: Iterable[Command | Group]) -> Iterator[Candidate]:
    return (Candidate(row.name, row.help) for row in rows)


def _beginning(found: Iterable[Candidate], begun: str) -> list[Candidate]:
    return [each for each in found if each.word.startswith(begun)]
