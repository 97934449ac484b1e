"""What a name means on this machine: a known site."""

from __future__ import annotations

from typing import NamedTuple

from .phrases import OPENS, Called, Said, called, said
from .sites import site

SITE = "site"


class Meaning(NamedTuple):
    """One thing that goes by a name."""

    kind: str  # SITE
    name: str  # as it was said, folded
    target: str  # its address


class Names:
    """What can be opened by its name, here."""

    def meanings(self, text: str) -> tuple[Meaning, ...]:
        """All that *text*, after a verb, is the whole name of; best first."""
        meant = said(text)
        named = called(meant)
        return tuple(self._known(meant, named)) if named else ()

    def _known(self, meant: Said, named: Called) -> list[Meaning]:
        found = []
        if named.kind != "app":
            is_place = meant.verb != OPENS and not _says_site(meant)
            found += [Meaning(SITE, name, url) for name in named.names if (url := site(name, goes=is_place))][
                :1
            ]
        return found


def _says_site(meant: Said) -> bool:
    return meant.text.endswith(("site", "page"))
