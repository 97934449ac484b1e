"""Find what a name means on this machine: an alias of the person's, a known site, an installed app."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from ..core.errors import JarvisError
from ..core.intent import SITE as SITE_FORM
from ..core.intent import START, Part, folded
from ..core.text import told_apart
from ..core.types import ADDRESS, ALIAS, APP, FILE, SITE, Address, AppsFound, Meanings, NameMatch
from ..core.urls import without_addresses
from ..desktop import own_platform
from ..language import lexicon, sites
from ..language.command_grammar import Name, ParsedWords, parse_name, parse_words
from ..language.lexicon import GOES, OPENS, RETURNS, SHOWS, STARTS
from . import aliases
from .aliases import QUERY, Alias

_MOST_SITES = 6  # names of sites that are offered
_LONGEST = 3  # words of a name
# The lists of sites that count, by the kind of verb: a site's name may name other things as well.
_AMONG = {
    OPENS: sites.ALL,
    GOES: (sites.SITES, sites.INSTITUTIONS, sites.SOFTWARE),
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

    def meanings(self, text: str) -> tuple[NameMatch, ...]:
        """Return everything whose whole name is what *text* says after its verb.

        Of several, return only the one picked before, if any. Raises SettingsError if aliases can't be read.
        """
        meant = parse_words(text)
        if meant.verb in ("", SHOWS) or meant.doubts:
            return ()
        own = aliases.load(self._file)
        named = parse_name(meant)
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

    def of(self, name: str, here: NameMatch | None = None) -> tuple[NameMatch, ...]:
        """Return everything whose full name is *name*, in lower case without signs; no role, nothing near.

        here: the file of that name. It counts beside what else there is, unless that is an alias or a pick.
        """
        own = aliases.load(self._file)
        pick = own.get(name)
        if pick and pick.kind == ALIAS:
            return (NameMatch(ALIAS, name, url),) if (url := pick.address("")) else ()
        found = [NameMatch(SITE, name, url)] if (url := sites.site(name)) else []
        found += [app for app in self._apps((name,), name, roles=False) if _is_full(name, app)]
        picked = [meaning for meaning in found if pick and _is(meaning, pick)]
        return tuple(picked or ([here] if here and found else []) + found)

    def _found(self, meant: ParsedWords, named: Name) -> list[NameMatch]:
        known = [] if named.kind == "app" else _sites(meant, named)
        if named.kind == "site":
            return known
        apps = self._apps(_names_of_app(named), named.names[-1])
        if named.kind_said and not apps and (url := sites.site(f"{named.names[-1]} app")):
            return [NameMatch(SITE, f"{named.names[-1]} app", url)]
        # “Launch” and “run” mean the app, if there is one of that name, and not the site.
        return apps if apps and meant.verb == STARTS else known + apps

    def _apps(self, called: tuple[str, ...], name: str, *, roles: bool = True) -> list[NameMatch]:
        """Return the apps that are *called* so, as meanings of *name*."""
        listed = own_platform(self._environment, cache=self._cache).called(called, roles=roles)
        if len(listed) == 1:
            return [NameMatch(APP, name, called[-1], listed[0][0])]
        alike = len({title for title, _ in listed}) < len(listed)
        return [NameMatch(APP, name, id_ if alike else title, title) for title, id_ in listed]


def _is_full(name: str, app: NameMatch) -> bool:
    """Return whether *name* is the app's own, and not short for a longer one."""
    from ..desktop.apps import SHORT_NAMES  # few words are an app's name

    return name not in SHORT_NAMES or app.title.casefold() == name


def _names_of_app(named: Name) -> tuple[str, ...]:
    """Return the names under which to look for an app.

    After a loose article, the name without it counts only if it is a role: “run the browser”.
    """
    if named.loose:
        from ..desktop.apps import ROLES  # few names have such an article

        return named.names if named.names[-1] in ROLES else named.names[:1]
    return named.names


def _sites(meant: ParsedWords, named: Name) -> list[NameMatch]:
    article = meant.words[0].lower()
    # “A starbucks” is a shop and “go to the amazon” the river, but “go to the wall street journal” the site.
    is_bare = article == "the" and meant.verb in (GOES, RETURNS) and " " not in named.names[-1]
    is_said = named.kind_said == "site"
    points = article in lexicon.POINTING and not (named.loose or is_bare)
    found = [
        sites.site(name, _among(meant, is_said=is_said))
        for name in (named.names if is_said or points else named.names[:1])
    ]
    return [NameMatch(SITE, named.names[-1], url) for url in found if url][:1]


def _among(meant: ParsedWords, *, is_said: bool) -> tuple[str, ...]:
    """Return the lists of sites that count."""
    if is_said:
        return sites.ALL
    listed = _AMONG[meant.verb]
    return (
        tuple(each for each in listed if each not in (sites.PLACES, sites.INSTITUTIONS))
        if meant.wished
        else listed
    )


def _alias(meant: ParsedWords, named: Name | None, own: Mapping[str, Alias]) -> NameMatch | None:
    """Return the alias that the words are, or with which they begin if it takes a query."""
    if named and named.kind_said != "app":
        for name in named.names:
            if (alias := own.get(name)) and alias.kind == ALIAS and (url := alias.address("")):
                return NameMatch(ALIAS, name, url)
    is_app = named.names[-1] if named and named.kind_said == "app" else ""
    for count in range(1, min(4, len(meant.words)) if meant.verb != STARTS else 1):
        name = " ".join(word.lower() for word in meant.words[:count])
        alias, query = own.get(name), _query(meant, count)
        # `open gh x and …`, `open gh x in chrome`: there may be more to it than a query.
        goes_on = not query or any(w.lower() in lexicon.GOES_ON or w.endswith(",") for w in query)
        if alias and QUERY in alias.target and not goes_on and name != is_app:
            return NameMatch(ALIAS, name, url) if (url := alias.address(" ".join(query))) else None
    return None


def _query(meant: ParsedWords, count: int) -> tuple[str, ...]:
    """Return the query after the first *count* words, without polite words that surely are no part of it."""
    words, after = meant.words[count:], meant.after
    if words[-1].endswith(","):
        after = ()
    while after and after[-1].lower().strip(",.!?") in lexicon.PLEASE:
        after = after[:-1]
    *query, last = *words, *after
    # A question mark belongs to a polite request here; any other would be a doubt.
    return tuple(filter(None, (*query, last.rstrip(",?"))))


def _is(meaning: NameMatch, pick: Alias) -> bool:
    return meaning.kind == pick.kind and pick.target in (meaning.target, meaning.title)


# What a name in the intent, or among any words, means.


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
        if part.form not in (START, SITE_FORM):
            return None
        site = [each for each in self._sites if folded(each.official_name) == folded(part.value)][:1]
        if part.form == SITE_FORM and not site:
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
        if part.form == SITE_FORM:
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
    defined = {name: url for name, each in own.items() if each.kind == ALIAS and (url := each.address(""))}
    named = _known_in(words, defined)
    sites = [(url, SITE, name) for name, url in sites_named(words) if name not in dict(named)]
    return [(url, ALIAS, name) for name, url in named] + sites


def sites_named(words: str) -> list[tuple[str, str]]:
    """Return the known sites that *words* name, each as (name, address); at most six.

    Addresses among the words are skipped: their hosts name no site here.
    """
    return _known_in(words, dict(sites.names()))


def _known_in(words: str, known: Mapping[str, str]) -> list[tuple[str, str]]:
    parse_words = _bare_letters(without_addresses(words)).split()
    found: dict[str, str] = {}
    at = 0
    while at < len(parse_words) and len(found) < _MOST_SITES:
        spans = (" ".join(parse_words[at : at + count]) for count in range(_LONGEST, 0, -1))
        name = next((span for span in spans if span in known), "")
        if name:
            found.setdefault(name, known[name])
        at += len(name.split()) or 1
    return list(found.items())


def _bare_letters(words: str) -> str:
    """Return *words* as names are kept: in lower case, without signs but + and #, without “'s”."""
    bare = words.casefold().replace("’", "'").replace("'s ", " ")
    return "".join(c if c.isalnum() or c in "+#" else "" if c == "'" else " " for c in f"{bare} ")


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
