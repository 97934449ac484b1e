"""Looks whether a pack is one, and what its actions raise: they may be anybody's, and are to stop nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

from ..actions.base import Action, BrainAction, Field, Want
from ..actions.kinds import KINDS
from ..config.keys import KEYS
from ..config.settings import Budgets
from ..core.errors import ActionFailed, JarvisError
from ..core.text import one_line
from ..core.types import EFFECTS
from .pack import Pack

_LONGEST = 160  # characters of what an error says


class BrokenPack(JarvisError):
    code = "broken_pack"


def why_left_out(name: str, why: str) -> str:
    return f"The pack {one_line(name, 40)} is left out: {why}."


def fault_of(error: BaseException) -> str:
    """Return what went wrong when a part of a pack was imported."""
    return one_line(f"{type(error).__name__}: {error}", _LONGEST).rstrip(".")


def fault_in_pack(pack: object, name: str) -> str:
    """Return what is wrong with the PACK in the folder *name*; empty: nothing."""
    if not isinstance(pack, Pack):
        return "its PACK is no Pack"
    if pack.name != name:
        return f"its PACK has another name than its folder: {one_line(str(pack.name), 40)}"
    wrong = next((field for field, is_right in _RIGHT.items() if not is_right(getattr(pack, field))), "")
    return f"`{wrong}` in its PACK makes no sense" if wrong else ""


def fault_in_action(action: object, name: str, taken: Collection[str]) -> str:
    """Return what is wrong with the ACTION in the module *name*; empty: nothing. taken: names of others."""
    if not isinstance(action, BrainAction):
        return f"the ACTION in {name}.py is no BrainAction"
    if getattr(action, "name", "") != name:
        return f"the ACTION in {name}.py has another name than its file"
    if name in taken:
        return f"there is an action of the name {name} already"
    if not isinstance(getattr(action, "description", None), str):
        return f"{name} has no description"
    if action.effect not in EFFECTS:
        return f"{name} has no effect that there is"
    if not all(isinstance(field, Field) and field.kind in KINDS for field in action.fields):
        return f"{name} has a field of no kind that there is"
    return ""


@contextmanager
def as_failure(action: Action) -> Iterator[None]:
    """Raise what nobody foresaw in this block as an ActionFailed: it ends its step, and not the turn.

    It says where in the action's own file, if it came from there; the log has the rest.
    """
    try:
        yield
    except JarvisError:
        raise
    except Exception as error:  # a pack's code may be anybody's
        import logging  # completion looks at packs, and needs none of it

        logging.getLogger(__name__).exception("a bug in an action")
        path, place, frame = sys.modules[type(action).__module__].__file__ or "", "", error.__traceback__
        while frame:
            place = f", line {frame.tb_lineno}" if frame.tb_frame.f_code.co_filename == path else place
            frame = frame.tb_next
        text = f"There is a bug in {os.path.basename(path)}{place}: {type(error).__name__}."
        raise ActionFailed(text, hint="The log has more: what the same command prints with -v.") from error


def _all(kind: type) -> Callable[[object], bool]:
    """Return what tells whether a value is a tuple of that *kind*: a text would be one of letters."""
    return lambda value: isinstance(value, tuple) and all(isinstance(each, kind) for each in value)


def _texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values())


def _budgets(value: object) -> bool:
    if not isinstance(value, Mapping) or not {*value} <= {*Budgets._fields}:
        return False
    return all(isinstance(most, int | float) for most in value.values())


_RIGHT: Mapping[str, Callable[..., bool]] = {
    "purpose": lambda value: isinstance(value, str),
    "words": _texts,
    "actions": _all(str),
    "tables": _all(str),
    "needs": lambda value: _all(str)(value) and {*value} <= {*KEYS},
    "budgets": _budgets,
    "wants": _all(Want),
}
