"""Reads a line of a chat: which command it is, if any; one of the chat's own, or one of the command line."""

from __future__ import annotations

import difflib
import re
import shlex
from typing import NamedTuple

from ...core.errors import UsageError
from ..grammar import Call, resolve
from ..registry import ASK, COMMANDS, SLASHES
from ..rows import Slash

# A path such as /etc/hosts is none, nor is what begins with a space.
_LIKE_ONE = re.compile(r"/([A-Za-z?][\w-]*)?(?:\s|\Z)")


class Slashed(NamedTuple):
    """A command of the chat's own, and what was typed behind it."""

    slash: Slash
    argument: str


def command_in(line: str) -> Slashed | Call | None:
    """Return the command that *line* is; None for words.

    Raises UsageError for a command that does not exist, or an argument that it does not take.
    """
    words = line.split()
    for slash in SLASHES:
        if len(words) == 1 and words[0].casefold() in slash.words:
            return Slashed(slash, "")
    if not (found := _LIKE_ONE.match(line)):
        return _hinted(line) if words[:1] == ["jarvis"] and "\n" not in line else None
    name = (found[1] or "help").casefold()
    argument = line[found.end() :].strip()
    own = next((slash for slash in SLASHES if slash.name == name), None)
    if own and len(argument.split()) <= (own.most if own.argument else 0):
        return Slashed(own, argument)
    if name in COMMANDS:
        return _call(name, argument)
    raise UsageError(f"/{name} does not take that.", hint=own.shown) if own else _unknown(name)


def _call(name: str, argument: str) -> Call:
    """Return the command of the command line, where the whole line fits it: it is never sent as words."""
    try:
        call = resolve([name, *_cut(argument)])
    except UsageError as error:  # whose hints are for the command line
        raise UsageError(error.message.replace(": jarvis ", ": /"), hint=f"/help {name}") from None
    if call.command is ASK and name != ASK.name:
        raise UsageError(f"/{name} does not take that.", hint=f"/help {name}")
    return call


def _hinted(line: str) -> Call | None:
    """Return the command of the command line that *line* is, as hints name it; None for words."""
    try:
        call = resolve(_cut(line)[1:])
    except UsageError:  # nearly one: it is no hint of ours
        return None
    return None if call.command is ASK else call


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
