"""The type of a pack: what is known of it before any of its actions is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..actions.base import Want


class Pack(NamedTuple):
    """Actions that belong together, and are open to the model when the words are about them."""

    name: str  # as people type it, and that of its folder
    purpose: str  # for people, and for the model, in a line
    # Words that open it, by the language: whole ones in small letters, and signs such as $. They decide what
    # is offered to the model, never what may happen.
    words: Mapping[str, str]
    actions: tuple[str, ...]  # the names of the modules in its folder that have an ACTION
    tables: tuple[str, ...] = ()  # the kinds of tables that its actions make
    needs: tuple[str, ...] = ()  # the names of the keys without which it can't be used
    budgets: Mapping[str, float] = {}  # what a turn may use up where it is open, by the names of Budgets
    is_on: bool = False  # where config.toml does not say which are
    wants: tuple[Want, ...] = ()  # the parts of an intent that its actions need and the core's don't have
