"""Reads a line of a chat: which command of the registry it is, if any."""

from __future__ import annotations

import difflib
import re

from ...core.errors import UsageError
from ..registry import SLASHES

# A path such as /etc/hosts is none, nor is what begins with a space.
_LIKE_ONE = re.compile(r"/([A-Za-z?][\w-]*)?(?:\s|\Z)")


def command_in(line: str) -> tuple[str, str] | None:
    """Return the name and the argument of the command that *line* is; None for words.

    Raises UsageError for a command that does not exist, or an argument that it does not take.
    """
    words = line.split()
    for command in SLASHES:
        if len(words) == 1 and words[0].casefold() in command.words:
            return command.name, ""
    if not (found := _LIKE_ONE.match(line)):
        return None
    name = (found[1] or "help").casefold()
    known = {command.name: command for command in SLASHES}
    if name not in known:
        raise _unknown(name, list(known))
    argument = line[found.end() :].strip()
    if len(argument.split()) > (1 if known[name].argument else 0):
        raise UsageError(f"/{name} does not take that.", hint=known[name].shown)
    return name, argument


def _unknown(name: str, known: list[str]) -> UsageError:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    meant = f"Did you mean /{near[0]}?" if near else "/help lists those there are."
    return UsageError(
        f"There is no command /{name}. {meant}", hint="To send it as words, begin with a space."
    )
