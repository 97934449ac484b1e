"""Typo checks: the command or option that a line may be meant for, and how to send it as words instead."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from ..core.errors import UsageError
from ..language.slips import is_one_edit, is_slip
from .options import HELP, VERSION
from .registry import COMMANDS, SHOW_HELP, Group
from .rows import WORDS, Command

Fits = Callable[[Command, Sequence[str]], bool]  # whether words may follow a command

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


def refuse_misspelt(words: Sequence[str], fits: Fits) -> None:
    """Raise UsageError where *words*, up to three, are nearly a command."""
    first, *rest = words
    near = [row for name, row in COMMANDS.items() if is_one_edit(first, name) or _is_near(first, name)]
    for row in [COMMANDS[first]] if first in COMMANDS else near:
        if form := _form(row, first, rest, fits):
            refuse(form, words)
        # Alone, one letter off a long name is hardly another word: “docter”.
        if not rest and (_is_near(first, row.name) or len(row.name) >= _LONG):
            raise UsageError(f"That is nearly the command: jarvis {_told(row)}", hint=as_words(words))


def refuse(form: Sequence[str], words: Sequence[str], more: str = "") -> NoReturn:
    """Raise UsageError for *words*, which are nearly *form*. more: what that still lacks."""
    raise UsageError(f"That is nearly the command: jarvis {shlex.join(form)}{more}", hint=as_words(words))


def near_options(typed: str, known: Sequence[str]) -> list[str]:
    """Return the options that *typed* may be meant for. known: those of its command."""
    import difflib  # which takes longer than all else here

    if near := difflib.get_close_matches(typed, (HELP.long, VERSION.long), n=1, cutoff=0.8):
        return near
    return sorted(difflib.get_close_matches(typed, known, cutoff=0.7)) if typed.startswith("--") else []


def as_words(words: Iterable[str]) -> str:
    """Return a hint: how to send *words* as words, whatever they look like."""
    return f"To send it as words: jarvis -- {shlex.join(words)}"


def _form(row: Command | Group, first: str, rest: Sequence[str], fits: Fits) -> Sequence[str]:
    """Return the line that is meant by *first*, nearly the name of *row*, and *rest*; nothing if none is."""
    if not rest:
        return ()
    if first == SHOW_HELP.name:
        return _form_of_help(rest)
    if isinstance(row, Group):
        verb, *more = rest
        meant = (each for each in row.commands if _is_verb(verb, each, more))
        found = (each for each in meant if _may_follow(each, more, fits))
        return next(((row.name, each.name, *more) for each in found), ())
    # Any words may follow some commands: that they do tells nothing.
    is_meant = first != row.name and row.arguments != (WORDS,) and fits(row, rest)
    return (row.name, *rest) if is_meant else ()


def _form_of_help(words: Sequence[str]) -> Sequence[str]:
    """Return the line that tells of the command that *words* nearly name; nothing where they name none."""
    row = next((row for name, row in COMMANDS.items() if _is_near(words[0], name)), None)
    if row is None:
        return ()
    verbs = [each.name for each in _commands(row) if words[1:] and _is_near(words[1], each.name)]
    return (row.name, *verbs[:1], "--help") if len(words) == 1 or verbs else ()


def _may_follow(row: Command, words: Sequence[str], fits: Fits) -> bool:
    """Return whether *words* are what it takes, or the beginning of that."""
    return len(words) < sum(argument.least for argument in row.arguments) or fits(row, words)


def _is_near(typed: str, name: str) -> bool:
    """Return whether *typed* may be meant as *name*: with a slip, as one of several, or half typed."""
    is_half = len(typed) >= _SHORTEST_BEGINNING and name.startswith(typed)
    is_same = typed in (name, f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies")
    return is_half or is_same or any(is_slip(typed, each) for each in (name, name.removesuffix("s")))


def _is_verb(typed: str, row: Command, more: Sequence[str]) -> bool:
    """Return whether *typed*, behind a group's name, may be meant as the command *row*; *more* follow."""
    if typed == _NO_VERB:
        return False
    same = next((line.split() for line in _SAME.splitlines() if line.startswith(f"{row.name} ")), ())
    if any(_is_near(typed, each) for each in (row.name, *same)):
        return True
    is_half = len(typed) > 1 and row.name.startswith(typed)
    # “policy best practices” is a sentence: any words may follow the test that it is one letter away from.
    return is_half or (is_one_edit(typed, row.name) and (not more or bool(row.fits)))


def _commands(row: Command | Group) -> Sequence[Command]:
    return row.commands if isinstance(row, Group) else ()


def _told(row: Command | Group) -> str:
    names = " | ".join(each.name for each in _commands(row))
    return f"{row.name} ({names})" if names else row.name
