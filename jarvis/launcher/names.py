"""What a name means on this machine: an alias of the person's, a known site, an installed app."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..core.errors import JarvisError
from ..core.stdlib import NamedTuple
from ..core.types import ALIAS, APP, SITE, Address
from ..desktop import apps_called
from ..language import lexicon, sites
from ..language.command_grammar import Called, Said, called, said
from ..language.lexicon import GOES, OPENS, RETURNS, SHOWS, STARTS
from . import aliases
from .aliases import QUERY, Alias

# What is meant by a name depends on what is to be done: they are others' names as well.
_AMONG = {
    OPENS: sites.ALL,
    GOES: (sites.SITES, sites.INSTITUTIONS, sites.PROGRAMS),
    STARTS: (sites.SITES, sites.INSTITUTIONS),
    RETURNS: (sites.SITES,),
}


class Meaning(NamedTuple):
    """One thing that goes by a name."""

    kind: str  # ALIAS | SITE | APP
    name: str  # as it was said, folded
    target: str  # its address; what the app is to be asked for by
    title: str = ""  # what the app is called in its menu


class Names:
    """What can be opened by its name, here."""

    def __init__(self, environment: Mapping[str, str], file: str, cache: str) -> None:
        """file: where aliases are kept. cache: a folder of ours."""
        self._environment = environment
        self._file = file
        self._cache = cache

    def meanings(self, text: str) -> tuple[Meaning, ...]:
        """All that *text*, after a verb, is the whole name of; of several, what was picked before.

        Raises SettingsError where aliases can't be read.
        """
        meant = said(text)
        if meant.verb in ("", SHOWS) or meant.doubts:
            return ()
        own = aliases.load(self._file)
        named = called(meant)
        if own and (alias := _alias(meant, named, own)):
            return (alias,)
        found = self._found(meant, named) if named else []
        pick = own.get(named.names[-1]) if named else None
        if pick and len(found) > 1:
            found = [meaning for meaning in found if _is(meaning, pick)] or found
        elif pick and named and not (found or named.loose) and pick.kind == APP:
            from ..desktop.match import normalise  # few picked an app by another name

            found = self._apps((normalise(pick.target),), pick.name)
        # Nobody knows here what is running: who switches to it, or goes back, rather means the app.
        apps = [meaning for meaning in found if meaning.kind == APP]
        return tuple(apps if apps and meant.verb == RETURNS else found)

    def _found(self, meant: Said, named: Called) -> list[Meaning]:
        known = [] if named.kind == "app" else _sites(meant, named)
        if named.kind == "site":
            return known
        apps = self._apps(_names_of_app(named), named.names[-1])
        if named.kind_said and not apps and (url := sites.site(f"{named.names[-1]} app")):
            return [Meaning(SITE, f"{named.names[-1]} app", url)]
        # A site is not launched, nor run, where there is an app of that name.
        return apps if apps and meant.verb == STARTS else known + apps

    def _apps(self, called: tuple[str, ...], name: str) -> list[Meaning]:
        """Those that are *called* so, as meanings of *name*."""
        listed = apps_called(called, self._environment, cache=self._cache)
        if len(listed) == 1:
            return [Meaning(APP, name, called[-1], listed[0][0])]
        alike = len({title for title, _ in listed}) < len(listed)
        return [Meaning(APP, name, id_ if alike else title, title) for title, id_ in listed]


def _names_of_app(named: Called) -> tuple[str, ...]:
    """Behind an article that may belong to another thing, only a role is an app: “run the browser”."""
    if named.loose:
        from ..desktop.apps import ROLES  # few names come so loosely

        return named.names if named.names[-1] in ROLES else named.names[:1]
    return named.names


def _sites(meant: Said, named: Called) -> list[Meaning]:
    article = meant.words[0].lower()
    # “A starbucks” is a shop, and one goes to the Amazon by boat; but to the Wall Street Journal.
    is_bare = article == "the" and meant.verb in (GOES, RETURNS) and " " not in named.names[-1]
    is_said = named.kind_said == "site"
    points = article in lexicon.POINTING and not (named.loose or is_bare)
    found = [
        sites.site(name, _among(meant, is_said=is_said))
        for name in (named.names if is_said or points else named.names[:1])
    ]
    return [Meaning(SITE, named.names[-1], url) for url in found if url][:1]


def _among(meant: Said, *, is_said: bool) -> tuple[str, ...]:
    """The lists of sites that count."""
    if is_said:
        return sites.ALL
    listed = _AMONG[meant.verb]
    return (
        tuple(each for each in listed if each not in (sites.PLACES, sites.INSTITUTIONS))
        if meant.wished
        else listed
    )


def _alias(meant: Said, named: Called | None, own: Mapping[str, Alias]) -> Meaning | None:
    """The alias that the words are, or begin with where it takes a query."""
    if named and named.kind_said != "app":
        for name in named.names:
            if (alias := own.get(name)) and alias.kind == ALIAS and (url := alias.address("")):
                return Meaning(ALIAS, name, url)
    is_app = named.names[-1] if named and named.kind_said == "app" else ""
    for count in range(1, min(4, len(meant.words)) if meant.verb != STARTS else 1):
        name = " ".join(word.lower() for word in meant.words[:count])
        alias, query = own.get(name), _query(meant, count)
        goes_on = not query or query[0].lower() in lexicon.GOES_ON or _is_more(query) or _is_way(query)
        if alias and QUERY in alias.target and not goes_on and name != is_app:
            return Meaning(ALIAS, name, url) if (url := alias.address(" ".join(query))) else None
    return None


def _query(meant: Said, count: int) -> tuple[str, ...]:
    """What the words after the first *count* look for; polite words at its end are cut only for certain."""
    words, after = meant.words[count:], meant.after
    if words[-1].endswith(","):
        after = ()
    while after and after[-1].lower().strip(",.!?") in lexicon.PLEASE:
        after = after[:-1]
    *query, last = *words, *after
    # It was asked politely, or it would be a doubt.
    return tuple(filter(None, (*query, last.rstrip(",?"))))


def _is_more(query: tuple[str, ...]) -> bool:
    """Whether *query* goes on with something else to do: `… and open the first one`."""
    ends = [n for n, word in enumerate(query) if word.lower() in lexicon.LINKS or word.endswith(",")]
    starts = [" ".join(query[n + 1 :]) for n in ends]
    return any(said(rest).verb or lexicon.DOES_MORE.intersection(rest.lower().split()[:1]) for rest in starts)


def _is_way(query: tuple[str, ...]) -> bool:
    """Whether *query* ends with where it is to be opened: `… in chrome`, `… in a new tab`."""
    *before, last = [word.lower().rstrip(".!") for word in query]
    return last in lexicon.BROWSERS and not lexicon.WITHIN.isdisjoint(before[-3:])


def _is(meaning: Meaning, pick: Alias) -> bool:
    return meaning.kind == pick.kind and pick.target in (meaning.target, meaning.title)


def remember_name(file: str, words: str, chosen: Address, tell: Callable[[str], None]) -> None:
    """Have the name in *words* mean what they chose from now on; whoever listens is told."""
    named = called(said(words))
    if not named:
        return
    name, kind = named.names[-1], APP if chosen.source == APP else SITE
    try:
        aliases.picked(file, name, kind, chosen.url)
    except JarvisError as error:  # what they said counts, now
        tell(f"{error.message} It counts this once.")
    else:
        tell(f"“{name}” means this from now on. To undo it: jarvis alias rm {name}")
