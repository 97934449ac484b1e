"""Typo checks: the command or option that a line may be meant for, and how to send it as words instead."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence

from ..core.errors import UsageError
from .options import HELP, VERSION
from .registry import COMMANDS
from .rows import Command, Group

ALIKE = 0.8  # of two words, from 0 to 1


def refuse_misspelt(words: Sequence[str]) -> None:
    """Raise UsageError where *words*, one or two, are nearly a command."""
    known = {name: row for name, row in COMMANDS.items() if row.near}
    for name in _near(words[0], known):
        if _is_meant(known[name], words):
            raise UsageError(f"That is nearly the command {_told(known[name])}.", hint=as_words(words))


def near_options(typed: str, known: Sequence[str]) -> list[str]:
    """Return the options that *typed* may be meant for. known: those of its command."""
    if near := _near(typed, (HELP.long, VERSION.long)):
        return near
    return sorted(difflib.get_close_matches(typed, known)) if typed.startswith("--") else []


def as_words(words: Iterable[str]) -> str:
    """Return a hint: how to send *words* as words, whatever they look like."""
    return f"To send it as words: jarvis -- {shlex.join(words)}"


def _is_meant(row: Command | Group, words: Sequence[str]) -> bool:
    """Return whether *words*, the first of which is nearly its name, are hardly a sentence."""
    if words[0] == row.name:
        return len(words) <= row.near
    return len(words) == 1 or bool(_near(words[1], _names_in(row)))


def _told(row: Command | Group) -> str:
    names = _names_in(row)
    return f"{row.name} ({' | '.join(names)})" if names else row.name


def _names_in(row: Command | Group) -> list[str]:
    return [each.name for each in row.commands] if isinstance(row, Group) else []


def _near(word: str, names: Iterable[str]) -> list[str]:
    """Return the one of *names* that is most like *word*, if any is."""
    return difflib.get_close_matches(word, list(names), n=1, cutoff=ALIKE)
