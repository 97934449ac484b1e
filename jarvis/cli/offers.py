"""What a name may mean, offered to the person: the lines that they choose from, and what they chose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..actions import catalogue
from ..core.events import Option
from ..core.text import told_apart
from ..core.types import APP
from ..core.urls import host_of
from ..launcher.fuzzy import Near
from ..launcher.meant import Meaning, Meant, by_kind
from ..launcher.names import keep_name


def offer(number: int, offered: Meaning | Near, titles: Sequence[str]) -> Option:
    """Return the line of *offered*, by its whole address: the title may be somebody's own word for it.

    titles: of all the apps among what is offered.
    """
    if offered.kind == APP:
        return Option(str(number), told_apart(offered.title, offered.target, titles), APP, whole=APP)
    host = host_of(offered.target)
    title = offered.title if offered.title not in ("", host) else offered.target
    return Option(str(number), title, host, offered.target)


def chosen(meaning: Meaning, file: str, tell: Callable[[str], None], *, for_good: bool) -> Meant:
    """Return what a name asks for once *meaning* is what it means. file: keeps it where that is for good."""
    if for_good:
        keep_name(file, meaning.name, meaning.kind, meaning.target, tell)
    action, field = by_kind(meaning.kind, catalogue())
    return Meant(action, {field: meaning.target}, (meaning,))
