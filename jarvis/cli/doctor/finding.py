"""The types of what doctor looks at, and of what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ...config.settings import Settings
from ...core.errors import JarvisError, foreseen

FINE, NOTED, WRONG = "ok", "note", "wrong"


class Patient(NamedTuple):
    """What is looked at."""

    environment: Mapping[str, str]
    env_file: str | None
    settings: Settings
    is_online: bool  # whether services are asked


class Finding(NamedTuple):
    """What was found out about one thing."""

    name: str
    text: str
    cure: str = ""  # to be pasted, where that is possible
    state: str = FINE


def finding(name: str, look: Callable[[], str], lesser: type[JarvisError] | None = None) -> Finding:
    """Return what *look* tells of the thing called *name*; where it raises, that is wrong with it.

    lesser: an error of which the cause is told by another finding.
    """
    try:
        with foreseen():
            return Finding(name, look())
    except JarvisError as error:
        if lesser and isinstance(error, lesser):
            return Finding(name, error.message, state=NOTED)
        return Finding(name, error.message, error.hint, WRONG)
