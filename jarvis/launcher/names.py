"""Find what a name means on this machine: an alias of the person's, a known site, an installed app."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..core.errors import JarvisError
from ..core.intent import folded
from ..core.types import ADDRESS, ALIAS, APP, FILE, SITE, Address
from ..desktop import apps_called
from ..language import lexicon, sites
from ..language.command_grammar import Called, Said, called, said
from ..language.lexicon import GOES, OPENS, RETURNS, SHOWS, STARTS
from . import aliases
from .aliases import QUERY, Alias
from .meant import Meaning

# The lists of sites that count, by the kind of verb: a site's name may name other things as well.
_AMONG = {
    OPENS: sites.ALL,
    GOES: (sites.SITES, sites.INSTITUTIONS, sites.PROGRAMS),
    STARTS: (sites.SITES, sites.INSTITUTIONS),
    RETURNS: (sites.SITES,),
}


class Names:
    """All that can be opened by its name on this machine."""

    def __init__(self, environment: Mapping[str, str], file: str, cache: str) -> None:
        """file: the file of the aliases. cache: the folder for lists of apps."""
        self._environment = environment
        self._file = file
        self._cache = cache

    def meanings(self, text: str) -> tuple[Meaning, ...]:
        """Return everything whose whole name is what *text* says after its verb.

        Of several, return only the one picked before, if any. Raises SettingsError if aliases can't be read.
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
            from ..desktop.apps import normalise  # few apps were picked by another name

            found = self._apps((normalise(pick.target),), pick.name)
        # It is not known what is running. “Switch to” and “go back to” more likely mean an app than a site.
        apps = [meaning for meaning in found if meaning.kind == APP]
        return tuple(apps if apps and meant.verb == RETURNS else found)

    def of(self, name: str, here: Meaning | None = None) -> tuple[Meaning, ...]:
        """Return everything whose full name is *name*, in lower case without signs; no role, nothing near.

        here: the file of that name. It counts beside what else there is, unless that is an alias or a pick.
        """
        own = aliases.load(self._file)
        pick = own.get(name)
        if pick and pick.kind == ALIAS:
            return (Meaning(ALIAS, name, url),) if (url := pick.address("")) else ()
        found = [Meaning(SITE, name, url)] if (url := sites.site(name)) else []
        found += [app for app in self._apps((name,), name, roles=False) if _is_full(name, app)]
        picked = [meaning for meaning in found if pick and _is(meaning, pick)]
        return tuple(picked or ([here] if here and found else []) + found)

    def _found(self, meant: Said, named: Called) -> list[Meaning]:
        known = [] if named.kind == "app" else _sites(meant, named)
        if named.kind == "site":
            return known
        apps = self._apps(_names_of_app(named), named.names[-1])
        if named.kind_said and not apps and (url := sites.site(f"{named.names[-1]} app")):
            return [Meaning(SITE, f"{named.names[-1]} app", url)]
        # “Launch” and “run” mean the app, if there is one of that name, and not the site.
        return apps if apps and meant.verb == STARTS else known + apps

    def _apps(self, called: tuple[str, ...], name: str, *, roles: bool = True) -> list[Meaning]:
        """Return the apps that are *called* so, as meanings of *name*."""
        listed = apps_called(called, self._environment, cache=self._cache, roles=roles)
        if len(listed) == 1:
            return [Meaning(APP, name, called[-1], listed[0][0])]
        alike = len({title for title, _ in listed}) < len(listed)
        return [Meaning(APP, name, id_ if alike else title, title) for title, id_ in listed]


def _is_full(name: str, app: Meaning) -> bool:
    """Return whether *name* is the app's own, and not short for a longer one."""
    from ..desktop.apps import SHORT_NAMES  # few words are an app's name

    return name not in SHORT_NAMES or app.title.casefold() == name


def _names_of_app(named: Called) -> tuple[str, ...]:
    """Return the names under which to look for an app.

    After a loose article, the name without it counts only if it is a role: “run the browser”.
    """
    if named.loose:
        from ..desktop.apps import ROLES  # few names have such an article

        return named.names if named.names[-1] in ROLES else named.names[:1]
    return named.names


def _sites(meant: Said, named: Called) -> list[Meaning]:
    article = meant.words[0].lower()
    # “A starbucks” is a shop and “go to the amazon” the river, but “go to the wall street journal” the site.
    is_bare = article == "the" and meant.verb in (GOES, RETURNS) and " " not in named.names[-1]
    is_said = named.kind_said == "site"
    points = article in lexicon.POINTING and not (named.loose or is_bare)
    found = [
        sites.site(name, _among(meant, is_said=is_said))
        for name in (named.names if is_said or points else named.names[:1])
    ]
    return [Meaning(SITE, named.names[-1], url) for url in found if url][:1]


def _among(meant: Said, *, is_said: bool) -> tuple[str, ...]:
    """Return the lists of sites that count."""
    if is_said:
        return sites.ALL
    listed = _AMONG[meant.verb]
    return (
        tuple(each for each in listed if each not in (sites.PLACES, sites.INSTITUTIONS))
        if meant.wished
        else listed
    )


def _alias(meant: Said, named: Called | None, own: Mapping[str, Alias]) -> Meaning | None:
    """Return the alias that the words are, or with which they begin if it takes a query."""
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
    """Return the query after the first *count* words, without polite words that surely are no part of it."""
    words, after = meant.words[count:], meant.after
    if words[-1].endswith(","):
        after = ()
    while after and after[-1].lower().strip(",.!?") in lexicon.PLEASE:
        after = after[:-1]
    *query, last = *words, *after
    # A question mark belongs to a polite request here; any other would be a doubt.
    return tuple(filter(None, (*query, last.rstrip(",?"))))


def _is_more(query: tuple[str, ...]) -> bool:
    """Return whether *query* goes on with something else to do: `… and open the first one`."""
    ends = [n for n, word in enumerate(query) if word.lower() in lexicon.LINKS or word.endswith(",")]
    starts = [" ".join(query[n + 1 :]) for n in ends]
    return any(said(rest).verb or lexicon.DOES_MORE.intersection(rest.lower().split()[:1]) for rest in starts)


def _is_way(query: tuple[str, ...]) -> bool:
    """Return whether *query* ends with where it is to be opened: `… in chrome`, `… in a new tab`."""
    *before, last = [word.lower().rstrip(".!") for word in query]
    return last in lexicon.BROWSERS and not lexicon.WITHIN.isdisjoint(before[-3:])


def _is(meaning: Meaning, pick: Alias) -> bool:
    return meaning.kind == pick.kind and pick.target in (meaning.target, meaning.title)


def remember_name(file: str, name: str, chosen: Address, tell: Callable[[str], None]) -> None:
    """Have *name* mean *chosen* from now on, and tell the person."""
    # A file lies in this folder alone, and an address needs no name.
    if name and chosen.source not in (FILE, ADDRESS):
        keep_name(file, folded(name), APP if chosen.source == APP else SITE, chosen.url, tell)


def keep_name(file: str, name: str, kind: str, target: str, tell: Callable[[str], None]) -> None:
    """Have *name* mean *target* from now on, and tell the person."""
    try:
        aliases.picked(file, name, kind, target)
    except JarvisError as error:  # their choice counts this once all the same
        tell(f"{error.message} It counts this once.")
    else:
        tell(f"“{name}” means this from now on. To undo it: jarvis alias rm {name}")
