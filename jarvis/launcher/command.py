"""Words that are plain: which action they ask for, read without a model. Cheap, since every request asks."""

from __future__ import annotations

from collections.abc import Mapping

from ..actions import catalogue
from ..actions.base import Action, HandsAction
from ..core.options import Options
from ..core.stdlib import TYPE_CHECKING, NamedTuple
from ..core.text import MARK
from ..core.types import APP
from ..language import command_grammar

if TYPE_CHECKING:
    from .names import Meaning, Names

# Longer ones are for the loop to read.
_LONGEST = 2200


class Meant(NamedTuple):
    """What words plainly ask for."""

    action: Action
    arguments: Mapping[str, str]
    meanings: tuple[Meaning, ...] = ()  # where it was asked for by a name: what goes by it, best first


def understood(text: str, names: Names | None = None) -> Meant | None:
    """What *text* plainly asks for; None where that isn't plain. names: those that are known here."""
    if len(text) > _LONGEST or not text.isprintable() or MARK in text:
        return None
    actions = catalogue()
    for action in actions.values():
        if isinstance(action, HandsAction) and (arguments := action.plain(text)) is not None:
            return Meant(action, arguments)
    meanings = names.meanings(text) if names else ()
    if not meanings:
        return None
    action, field = by_kind(meanings[0].kind, actions)
    return Meant(action, {field: meanings[0].target}, meanings)


def by_kind(kind: str, actions: Mapping[str, Action]) -> tuple[Action, str]:
    """The action that opens what a name of that *kind* means, and the field that takes it."""
    action = actions["open_app" if kind == APP else "open_website"]
    return action, action.argument


def is_line(named: str) -> bool:
    """Whether what is to be opened is given as the number of a line; -1 is the last one."""
    return named.removeprefix("-").isdigit()


def meant_by(text: str, options: Options, environment: Mapping[str, str]) -> Meant | None:
    """None where that isn't plain. Raises SettingsError where what it may name here can't be read."""
    if (meant := understood(text)) or not command_grammar.said(text).verb:
        return meant
    # Only for what may be a name.
    from ..config.settings import read_settings
    from .names import Names

    folders = read_settings(environment, env_file=options.env_file).folders
    return understood(text, Names(environment, folders.aliases, folders.cache))


def is_name(text: str) -> bool:
    """Whether *text* asks for something to be opened by a name, whatever that may mean here."""
    return command_grammar.called(command_grammar.said(text)) is not None
