"""What words plainly ask for on this machine, where names mean apps, sites and aliases of theirs."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.options import Options
from ..language import command_grammar
from .command import Meant, understood


def meant_by(text: str, options: Options, environment: Mapping[str, str]) -> Meant | None:
    """None where that isn't plain. Raises SettingsError where what it may name here can't be read."""
    if (meant := understood(text)) or not command_grammar.said(text).verb:
        return meant
    from ..config.settings import read
    from .names import Names

    folders = read(environment, env_file=options.env_file).folders
    return understood(text, Names(environment, folders.aliases, folders.cache))


def is_name(text: str) -> bool:
    """Whether *text* asks for something to be opened by a name, whatever that may mean here."""
    return command_grammar.called(command_grammar.said(text)) is not None
