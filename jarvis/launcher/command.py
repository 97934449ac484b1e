"""Words that are plain: which action they ask for, read without a model. Cheap, since every request asks."""

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


def commanded(meant: Meant, part: Part, known: Facts, sites: Sequence[Address]) -> Facts:
    """*known*, with what a plain command asks for. sites: what its name means, under their ids."""
    apps = [meaning for meaning in meant.meanings if meaning.kind == APP]
    titles = [app.title for app in apps]
    # Sites stand before apps among the meanings, too.
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
    """What a plain command asks for, as a reading of its words would say it.

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
    """Return what an app is called, and what tells it from others where several have its *title*."""
    return title if titles.count(title) == 1 else f"{title} ({key})"


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
