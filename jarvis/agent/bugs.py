"""Makes a failure of what an action's own code raises: it ends its step, and not the turn."""

from __future__ import annotations

import inspect
import logging
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from ..actions.base import Action
from ..core.errors import ActionFailed, JarvisError

_log = logging.getLogger(__name__)


@contextmanager
def as_failure(action: Action) -> Iterator[None]:
    """Raise what nobody foresaw in this block as an ActionFailed, which says where; the log has the rest."""
    try:
        yield
    except JarvisError:
        raise
    except Exception as error:  # a pack's code may be anybody's
        _log.exception("a bug in an action")
        text = f"There is a bug in {_place(action, error)}: {type(error).__name__}."
        raise ActionFailed(text, hint="The log has more: what the same command prints with -v.") from error


def _place(action: Action, error: Exception) -> str:
    """Return the file of *action*, and the line in it where *error* came from, if it came from there."""
    path = inspect.getfile(type(action))
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return f"{os.path.basename(path)}, line {lines[-1]}" if lines else os.path.basename(path)
