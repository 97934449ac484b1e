"""What a name in the intent means on this machine: installed apps, and the known site of that very name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from ..core.intent import SITE, START, Part, folded
from ..core.types import ALIAS, APP, Address, AppsFound, Meanings
from ..core.urls import without_addresses
from ..language.sites import names
from .aliases import Alias
from .command import told_apart

_MOST = 6  # names of sites that are offered
_MOST_WORDS = 3  # of a name


class Lookup:
    def __init__(
        self,
        find_apps: Callable[[str], Awaitable[AppsFound]],
        sites: Sequence[Address],
        picks: Callable[[], Mapping[str, Alias]],
    ) -> None:
        """sites: the known sites that the words name. picks: which one they picked before, by its name."""
        self._find_apps = find_apps
        self._sites = sites
        self._picks = picks

    async def __call__(self, part: Part) -> Meanings | None:
        """None for a part without a name that could mean several things."""
        if part.form not in (START, SITE):
            return None
        site = [each for each in self._sites if folded(each.official_name) == folded(part.value)][:1]
        if part.form == SITE and not site:
            return None
        found = await self._find_apps(part.value)
        titles = [app.title for app in found.apps]
        apps = [
            Address(f"a{n}", app.id, told_apart(app.title, app.id, titles), source=APP)
            for n, app in enumerate(found.apps, 1)
        ]
        exact = [app for app in apps if folded(app.title) == folded(part.value)]
        if site and exact and not found.is_near:
            return Meanings(self._picked(part.value, (*site, *exact)))
        if part.form == SITE:
            return None
        return Meanings(self._picked(part.value, tuple(apps)), found.is_near)

    def _picked(self, name: str, meanings: tuple[Address, ...]) -> tuple[Address, ...]:
        """The one of *meanings* that they picked before; all of them where they did not."""
        pick = self._picks().get(folded(name)) if len(meanings) > 1 else None
        targets = (pick.target, pick.name) if pick else ()
        found = [m for m in meanings if pick and (m.url in targets or folded(m.title) == folded(pick.target))]
        return tuple(found[:1]) or meanings


def sites_named(words: str) -> list[tuple[str, str]]:
    """The known sites that *words* name, word by word, each as (name, address); at most a few.

    The host of an address is no word.
    """
    return _named(words, dict(names()))


def aliases_named(words: str, own: Mapping[str, Alias]) -> list[tuple[str, str]]:
    """The same for the person's own aliases."""
    return _named(words, {alias.name: url for alias in own.values() if (url := _address(alias))})


def _address(alias: Alias) -> str | None:
    return alias.address("") if alias.kind == ALIAS else None


def _named(words: str, known: Mapping[str, str]) -> list[tuple[str, str]]:
    said = _letters(without_addresses(words)).split()
    found: dict[str, str] = {}
    at = 0
    while at < len(said) and len(found) < _MOST:
        spans = (" ".join(said[at : at + count]) for count in range(_MOST_WORDS, 0, -1))
        name = next((span for span in spans if span in known), "")
        if name:
            found.setdefault(name, known[name])
        at += len(name.split()) or 1
    return list(found.items())


def _letters(words: str) -> str:
    """*words* as names are kept: in lower case, without signs but + and #; whose they are is left out."""
    bare = words.casefold().replace("’", "'").replace("'s ", " ")
    return "".join(c if c.isalnum() or c in "+#" else "" if c == "'" else " " for c in f"{bare} ")
