"""Finds models that could be used instead of one that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

# The days from which models are no more, as Google announced them; its list of models does not say.
ENDS = {"gemini-2.5-flash": "2026-12-01"}
_OTHER_USES = {"embedding", "tts", "image", "audio", "live", "aqa"}
_EARLY = {"preview", "exp", "experimental"}
_SIZES = ("lite", "flash", "pro")  # cheapest first; a flash-lite is a lite


class ListedModel(Protocol):
    """A model as Google's client lists it."""

    name: str | None
    supported_actions: list[str] | None


def alternatives(listed: Iterable[ListedModel]) -> list[str]:
    """Return the names of those that write text, newest first."""
    able = [model.name or "" for model in listed if "generateContent" in (model.supported_actions or ())]
    names = [name.removeprefix("models/") for name in able]
    return sorted(filter(_writes_text, names), key=_rank)


def _writes_text(name: str) -> bool:
    return bool(name) and _OTHER_USES.isdisjoint(name.split("-"))


def _rank(name: str) -> tuple[bool, tuple[int, ...], bool, int, str]:
    """Sort by family and version; of one version those that will stay first, then by size."""
    words = name.split("-")
    version = re.search(r"-(\d+(?:\.\d+)?)(?=-|$)", name)
    newest_first = tuple(-int(part) for part in version[1].split(".")) if version else (1,)
    size = next((at for at, each in enumerate(_SIZES) if each in words), len(_SIZES))
    return not name.startswith("gemini-"), newest_first, not _EARLY.isdisjoint(words), size, name
