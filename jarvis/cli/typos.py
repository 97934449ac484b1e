"""Typo checks: the command or option that a line may be meant for, and how to send it as words instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.errors import UsageError
from ..language.slips import is_one_edit, is_slip
from .app import command as named
from .app import misfit_of
from .router import COMMANDS, as_words, refuse

_SHORTEST_BEGINNING, _LONG = 3, 6  # letters
_NO_VERB = "for"  # it is no half of “forget”: “shop for desks”
# What other programs call a command of ours. The first word of each line is ours.
_SAME = """
rm remove del delete erase forget drop
delete rm remove del erase forget drop
list ls
add new create set
show view cat print
search find grep
stop kill end quit
status state info
restart reload start begin
rename mv
allow permit
deny forbid block
test check
"""


def refuse_misspelt(words: Sequence[str]) -> None:
    """Raise UsageError where *words*, up to three, are nearly a command."""
    first, *rest = words
    near = [name for name in COMMANDS if is_one_edit(first, name) or _is_near(first, name)]
    for name in [first] if first in COMMANDS else near:
        command = named(name)
        if form := _form(command, first, rest):
            refuse(form, words)
        # Alone, one letter off a long name is hardly another word: “docter”.
        if not rest and (_is_near(first, name) or len(name) >= _LONG):
            raise UsageError(f"That is nearly the command: jarvis {_told(command)}", hint=as_words(words))


def _form(command: Any, first: str, rest: Sequence[str]) -> Sequence[str]:
    """Return the line that is meant by *first*, nearly *command*, and *rest*; nothing if none is."""
    if not rest:
        return ()
    if first == "help":
        return _form_of_help(rest)
    if hasattr(command, "commands"):
        verb, *more = rest
        meant = (each for each in command.commands.values() if _is_verb(verb, each, more))
        found = ((command.name, each.name, *more) for each in meant if _may_follow(command, each, more))
        return next(found, ())
    # Any words may follow some commands: that they do tells nothing.
    form = (command.name, *rest)
    return form if first != command.name and command.name != "ask" and misfit_of(form) is None else ()


def _form_of_help(words: Sequence[str]) -> Sequence[str]:
    """Return the line that tells of the command that *words* nearly name; nothing where they name none."""
    name = next((name for name in sorted(COMMANDS) if _is_near(words[0], name)), None)
    if name is None:
        return ()
    commands = getattr(named(name), "commands", ())
    verbs = [each for each in commands if words[1:] and _is_near(words[1], each)]
    return (name, *verbs[:1], "--help") if len(words) == 1 or verbs else ()


def _may_follow(group: Any, command: Any, words: Sequence[str]) -> bool:
    """Return whether *words* are what it takes, or the beginning of that."""
    least = sum(param.required for param in command.params if param.param_type_name == "argument")
    return len(words) < least or misfit_of((group.name, command.name, *words)) is None


def _is_near(typed: str, name: str) -> bool:
    """Return whether *typed* may be meant as *name*: with a slip, as one of several, or half typed."""
    is_half = len(typed) >= _SHORTEST_BEGINNING and name.startswith(typed)
    is_same = typed in (name, f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies")
    return is_half or is_same or any(is_slip(typed, each) for each in (name, name.removesuffix("s")))


def _is_verb(typed: str, command: Any, more: Sequence[str]) -> bool:
    """Return whether *typed*, behind a group's name, may be meant as *command*; *more* follow."""
    if typed == _NO_VERB:
        return False
    same = next((line.split() for line in _SAME.splitlines() if line.startswith(f"{command.name} ")), ())
    if any(_is_near(typed, each) for each in (command.name, *same)):
        return True
    is_half = len(typed) > 1 and command.name.startswith(typed)
    # “policy best practices” is a sentence: any words may follow the test that it is one letter away from.
    return is_half or (is_one_edit(typed, command.name) and (not more or _has_meaning(command)))


def _has_meaning(command: Any) -> bool:
    """Return whether not just any words may follow *command*."""
    return any(param.callback for param in command.params)


def _told(command: Any) -> str:
    names = " | ".join(getattr(command, "commands", ()))
    return f"{command.name} ({names})" if names else str(command.name)
