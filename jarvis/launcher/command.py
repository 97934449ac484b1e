"""Find the action that plain words ask for, without a model. It is cheap, since every request comes here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..actions import catalogue
from ..actions.base import Action, HandsAction
from ..core.intent import LINE, SITE, START, TYPED, Intent, Part
from ..core.stdlib import TYPE_CHECKING, NamedTuple
from ..core.text import MARK
from ..core.types import APP, Address, Facts, Options
from ..language import command_grammar

if TYPE_CHECKING:
    from .names import Meaning, Names

# Longer words are left to the loop.
_LONGEST = 2200


class Meant(NamedTuple):
    """What words plainly ask for: an action and its arguments."""

    action: Action
    arguments: Mapping[str, str]
    meanings: tuple[Meaning, ...] = ()  # where they have a name: what it means here, best first


def understood(text: str, names: Names | None = None) -> Meant | None:
    """Return what *text* plainly asks for; None if that isn't plain. names: those known on this machine."""
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
    """Return the action that opens a meaning of that *kind*, and the field of the action that takes it."""
    action = actions["open_app" if kind == APP else "open_website"]
    return action, action.argument


def is_line(named: str) -> bool:
    """Return whether *named*, what is to be opened, is the number of a line; -1 is the last one."""
    return named.removeprefix("-").isdigit()


def commanded(meant: Meant, part: Part, known: Facts, sites: Sequence[Address]) -> Facts:
    """Return *known* with what a plain command asks for. sites: those that its name means, with their ids."""
    apps = [meaning for meaning in meant.meanings if meaning.kind == APP]
    titles = [app.title for app in apps]
    # Sites come before apps, as they do in `meant.meanings`.
    meanings = (
        *(site for site in sites if meant.meanings),
        *(
            Address(f"a{n}", app.target, told_apart(app.title, app.target, titles), source=APP)
            for n, app in enumerate(apps, 1)
        ),
    )
    is_named = bool(apps) or len(meanings) > 1
    return known._replace(
        intent=Intent.of_command(part), left=(0,), meanings={0: meanings} if is_named else {}
    )


def part_of(meant: Meant, line: int = 0) -> Part:
    """Return what a plain command asks for, in the form in which a reading of its words has it.

    line: the number of the line that is meant; 0: none.
    """
    if line:
        return Part(LINE, str(line))
    if meant.meanings:
        first = meant.meanings[0]
        return Part(START if first.kind == APP else SITE, first.name)
    form = meant.action.wants[0].form
    return Part(form, "1") if form == TYPED else Part(form)


def told_apart(title: str, key: str, titles: Sequence[str]) -> str:
    """Return the *title* of an app, with its *key* if others of *titles* are the same."""
    return title if titles.count(title) == 1 else f"{title} ({key})"


def meant_by(text: str, options: Options, environment: Mapping[str, str]) -> Meant | None:
    """Return what *text* plainly asks for, or None. Raises SettingsError if the known names can't be read."""
    if (meant := understood(text)) or not command_grammar.said(text).verb:
        return meant
    # Only needed for words that may hold a name.
    from ..config.settings import read_settings
    from .names import Names

    folders = read_settings(environment, env_file=options.env_file).folders
    return understood(text, Names(environment, folders.aliases, folders.cache))


def is_name(text: str) -> bool:
    """Return whether *text* asks to open something by a name, whatever the name means here."""
    return command_grammar.called(command_grammar.said(text)) is not None
