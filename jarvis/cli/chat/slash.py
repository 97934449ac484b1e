"""Reads a line of a chat: which command it is, if any; one of the chat's own, or one of the command line."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from ...core.errors import UsageError
from ..router import COMMANDS, command_in

# A path such as /etc/hosts is none, nor is what begins with a space.
_LIKE_ONE = re.compile(r"/([A-Za-z?][\w-]*)?(?:\s|\Z)")
MANY = 1000  # words: as many as there are


class Slash(NamedTuple):
    """A command that only a chat has: `/new [NAME]`."""

    name: str
    argument: str  # how help shows it; empty: it takes none
    help: str
    words: tuple[str, ...] = ()  # that mean the same, alone on a line
    most: int = 1  # words of its argument

    @property
    def shown(self) -> str:
        return f"/{self.name} {self.argument}".rstrip()


SLASHES = (
    Slash("help", "", "what can be said here", words=("help", "?")),
    Slash("new", "[NAME]", "begin a new thread", words=("reset",)),
    Slash("threads", "", "list the threads"),
    Slash("resume", "[N|NAME]", "go on in a thread, by its number, name or part of its title", most=MANY),
    Slash("title", "NAME", "name this conversation", most=MANY),
    Slash("model", "[NAME]", "tell which model is asked here, or ask another"),
    Slash("copy", "", "copy the last reply, as Markdown, and its tables"),
    Slash("open", "N", "open what is on that line of the last list", most=MANY),
    Slash("retry", "", "ask the last request once more"),
    Slash("quit", "", "leave, as Ctrl-D does", words=("exit", "quit")),
)


class Slashed(NamedTuple):
    """A command of the chat's own, and what was typed behind it."""

    slash: Slash
    argument: str


class CommandLine(NamedTuple):
    """What may be a command of the command line."""

    words: Sequence[str]
    is_sure: bool  # it began with a slash: it is never sent


def command_of(line: str) -> Slashed | CommandLine | None:
    """Return the command that *line* may be; None for words.

    Raises UsageError for a command that does not exist, or an argument that it does not take.
    """
    words = line.split()
    for slash in SLASHES:
        if len(words) == 1 and words[0].casefold() in slash.words:
            return Slashed(slash, "")
    if not (found := _LIKE_ONE.match(line)):
        named = _cut(line)[words[:1] == ["jarvis"] :] if "\n" not in line else []
        typed = command_in(named)
        return CommandLine(typed, is_sure=False) if typed else None
    name = (found[1] or "help").casefold()
    argument = line[found.end() :].strip()
    own = next((slash for slash in SLASHES if slash.name == name), None)
    if own and len(argument.split()) <= (own.most if own.argument else 0):
        return Slashed(own, argument)
    if name in COMMANDS:
        return CommandLine([name, *_cut(argument)], is_sure=True)
    raise UsageError(f"/{name} does not take that.", hint=own.shown) if own else _unknown(name)


def _cut(line: str) -> list[str]:
    """Return the words of *line*, as a shell cuts it."""
    try:
        return shlex.split(line)
    except ValueError:  # it has an apostrophe
        return line.split()


def _unknown(name: str) -> UsageError:
    near = difflib.get_close_matches(name, [*(slash.name for slash in SLASHES), *COMMANDS], n=1, cutoff=0.5)
    meant = f"Did you mean /{near[0]}?" if near else "/help lists those there are."
    return UsageError(
        f"There is no command /{name}. {meant}", hint="To send it as words, begin with a space."
    )
