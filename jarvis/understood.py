"""Words that are plain: which action they ask for, read without a model. Cheap, since every request asks."""

from __future__ import annotations

from collections.abc import Mapping

from .actions import catalogue
from .actions.base import Action, HandsAction

# Longer ones are for the loop to read.
_LONGEST = 2200


def understood(text: str) -> tuple[Action, Mapping[str, str]] | None:
    """The action that *text* plainly asks for, with its arguments; None where that isn't plain."""
    if len(text) > _LONGEST or not text.isprintable():
        return None
    for action in catalogue().values():
        if isinstance(action, HandsAction) and (arguments := action.plain(text)) is not None:
            return action, arguments
    return None
