"""Find what a name in the intent means on this machine: installed apps, and the known site of that name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from ..core.intent import SITE, START, Part, folded
from ..core.text import told_apart
from ..core.types import ALIAS, APP, Address, AppsFound, Meanings
from ..core.types import SITE as SITE_NAMED
from ..core.urls import without_addresses
from ..language.sites import names
from .aliases import Alias

_MOST = 6  # names of sites that are offered
_MOST_WORDS = 3  # of a name


class Lookup:
    def __init__(
        self,
        find_apps: Callable[[str], Awaitable[AppsFound]],
        sites: Sequence[Address],
        picks: Callable[[], Mapping[str, Alias]],
    ) -> None:
        """sites: known sites that the words name. picks: returns what the person picked before, by name."""
        self._find_apps = find_apps
        self._sites = sites
        self._picks = picks

    async def __call__(self, part: Part) -> Meanings | None:
        """Return what the name in *part* means; None if *part* has no name that could mean several things."""
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
        """Return the one of *meanings* that the person picked before; all of them if they picked none."""
        pick = self._picks().get(folded(name)) if len(meanings) > 1 else None
        targets = (pick.target, pick.name) if pick else ()
        found = [m for m in meanings if pick and (m.url in targets or folded(m.title) == folded(pick.target))]
        return tuple(found[:1]) or meanings


def named_in(words: str, own: Mapping[str, Alias]) -> list[tuple[str, str, str]]:
    """Return what *words* name that is known by its name, as (address, source, name). own: aliases."""
    aliases = aliases_named(words, own)
    sites = [(url, SITE_NAMED, name) for name, url in sites_named(words) if name not in dict(aliases)]
    return [(url, ALIAS, name) for name, url in aliases] + sites


def sites_named(words: str) -> list[tuple[str, str]]:
    """Return the known sites that *words* name, each as (name, address); at most six.

    Addresses among the words are skipped: their hosts name no site here.
    """
    return _named(words, dict(names()))


def aliases_named(words: str, own: Mapping[str, Alias]) -> list[tuple[str, str]]:
    """Return the person's own aliases that *words* name, each as (name, address)."""
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
    """Return *words* as names are kept: in lower case, without signs but + and #, without “'s”."""
    bare = words.casefold().replace("’", "'").replace("'s ", " ")
    return "".join(c if c.isalnum() or c in "+#" else "" if c == "'" else " " for c in f"{bare} ")
