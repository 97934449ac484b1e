"""Find what a name means on this machine: an alias of the person's, a known site, an installed app.

The sites and programs that are known by name stand in known_names.txt, in sections.
"""

import functools
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..core.types import ALIAS, APP, SITE, NameMatch, ParsedWords
from ..core.urls import host_of
from ..desktop.apps import ROLES, SHORT_NAMES, normalise
from ..desktop.desktop import own_platform
from ..language import command_grammar as grammar
from ..language.command_grammar import Name
from . import aliases
from .aliases import QUERY, Alias

_FILE = os.path.join(os.path.dirname(__file__), "known_names.txt")
# The sections of sites: a site's name may name other things as well. Which count, by the kind of verb.
_SITES, _INSTITUTIONS, _PLACES, _SOFTWARE = _ALL = ("sites", "institutions", "places", "software")
_AMONG = {
    grammar.OPENS: _ALL,
    grammar.GOES: (_SITES, _INSTITUTIONS, _SOFTWARE),
    grammar.STARTS: (_SITES, _INSTITUTIONS),
    grammar.RETURNS: (_SITES,),
}


@functools.cache
def _known_sites() -> Mapping[str, Mapping[str, tuple[str, str]]]:
    """Return the names in each section, each with the first one on its line, and the address there."""
    sections: dict[str, dict[str, tuple[str, str]]] = {}
    with open(_FILE, encoding="utf-8") as file:
        for line in file:
            address, *names = line.rstrip("|\n").split("|")
            if line.startswith("["):
                section = sections.setdefault(line.strip("[]\n"), {})
            elif names:
                section.update(dict.fromkeys(names, (names[0], f"https://{address}")))
    return sections


def known_site(name: str, among: Sequence[str] = _ALL) -> str:
    """Return the address of the site called *name* (lower case, without signs), or "".

    among: the sections to search.
    """
    candidates = (
        _known_sites()[section].get(each) for each in (name, name.replace(" ", "")) for section in among
    )
    return next((address for _, address in filter(None, candidates)), "")


@functools.cache
def known_sites() -> Mapping[str, str]:
    """Return every name of a site with its address."""
    return {name: address for section in _ALL for name, (_, address) in _known_sites()[section].items()}


@functools.cache
def known_hosts() -> frozenset[str]:
    """Return the hosts of these sites, without www."""
    return frozenset(host_of(url).removeprefix("www.") for url in known_sites().values())


def known_program(name: str) -> tuple[str, str]:
    """Return the program of that *name*, in lower case, as (what to call it, its maker's address).

    Both are empty where none is known.
    """
    return _known_sites()["programs"].get(name, ("", ""))


class Names(NamedTuple):
    """All that can be opened by its name on this machine."""

    environment: Mapping[str, str]
    file: str  # of the aliases
    cache: str  # the folder for lists of apps

    def meanings(self, parsed: ParsedWords) -> tuple[NameMatch, ...]:
        """Return everything whose whole name is what they say after their verb.

        Of several, return only the one that they always mean, if any. Raises SettingsError if aliases can't
        be read.
        """
        if parsed.verb in ("", grammar.SHOWS) or parsed.doubts:
            return ()
        own, parsed_name = aliases.lasting(self.file), grammar.parse_name(parsed)
        if own and (alias := _alias(parsed, parsed_name, own)):
            return (alias,)
        if parsed_name is None:
            return ()
        found, pick = self._found(parsed, parsed_name), own.get(parsed_name.names[-1])
        if pick and len(found) > 1:
            found = [meaning for meaning in found if _is(meaning, pick)] or found
        elif pick and not (found or parsed_name.loose):
            found = self._chosen(parsed, parsed_name, pick)
        # It is not known what is running. “Switch to” and “go back to” more likely mean an app than a site.
        apps = [meaning for meaning in found if meaning.kind == APP]
        return tuple(apps if apps and parsed.verb == grammar.RETURNS else found)

    def folder(self, parsed: ParsedWords) -> str:
        """Return the path of the person's folder for downloads, where they ask to open that."""
        parsed_name = grammar.parse_name(parsed)
        if (
            parsed.verb != grammar.OPENS
            or not parsed_name
            or parsed_name.kind
            or parsed_name.names[-1] not in grammar.DOWNLOADS
        ):
            return ""
        return os.path.realpath(own_platform(self.environment).downloads())

    def of(self, name: str, here: NameMatch | None = None) -> tuple[NameMatch, ...]:
        """Return everything whose full name is *name* (lower case, without signs), but no roles or similar
        names.

        here: the file of that name. An alias or a stored choice hides it.
        """
        pick = aliases.lasting(self.file).get(name)
        if pick and pick.kind == ALIAS:
            return (NameMatch(ALIAS, name, url),) if (url := pick.address("")) else ()
        found = [NameMatch(SITE, name, url)] if (url := known_site(name)) else []
        apps = self._apps((name,), name, roles=False)
        # What is short for another name is not its full one.
        found += [app for app in apps if name not in SHORT_NAMES or app.title.casefold() == name]
        picked = [meaning for meaning in found if pick and _is(meaning, pick)]
        return tuple(picked or ([here] if here and found else []) + found)

    def _found(self, parsed: ParsedWords, parsed_name: Name) -> list[NameMatch]:
        sites = [] if parsed_name.kind == "app" else _sites(parsed, parsed_name)
        if parsed_name.kind == "site":
            return sites
        apps = self._apps(_names_of_app(parsed_name), parsed_name.names[-1])
        if parsed_name.kind_said and not apps and (url := known_site(name := f"{parsed_name.names[-1]} app")):
            return [NameMatch(SITE, name, url)]
        # “Launch” and “run” mean the app, if there is one of that name, and not the site.
        return apps if apps and parsed.verb == grammar.STARTS else sites + apps

    def _chosen(self, parsed: ParsedWords, parsed_name: Name, pick: Alias) -> list[NameMatch]:
        """Return the user's earlier choice for a name that means nothing else."""
        if pick.kind == APP:
            return self._apps((normalise(pick.target),), pick.name)
        is_site = parsed_name.kind != "app" and parsed.verb in (grammar.OPENS, grammar.GOES)
        return [NameMatch(SITE, pick.name, pick.target)] if is_site else []

    def _apps(self, called: tuple[str, ...], name: str, *, roles: bool = True) -> list[NameMatch]:
        """Return the apps that are *called* so, as meanings of *name*."""
        listed = own_platform(self.environment, cache=self.cache).called(called, roles=roles)
        if len(listed) == 1:
            return [NameMatch(APP, name, called[-1], listed[0][0])]
        alike = len({title for title, _ in listed}) < len(listed)
        return [NameMatch(APP, name, id_ if alike else title, title) for title, id_ in listed]


def _names_of_app(parsed_name: Name) -> tuple[str, ...]:
    """Return the names to look up as an app.

    After a loose article, the name without it counts only if it is a role: “run the browser”.
    """
    return (
        parsed_name.names[:1]
        if parsed_name.loose and parsed_name.names[-1] not in ROLES
        else parsed_name.names
    )


def _sites(parsed: ParsedWords, parsed_name: Name) -> list[NameMatch]:
    article = parsed.words[0].lower()
    # “A starbucks” is a shop and “go to the amazon” the river, but “go to the wall street journal” the site.
    is_bare = (
        article == "the"
        and parsed.verb in (grammar.GOES, grammar.RETURNS)
        and " " not in parsed_name.names[-1]
    )
    is_said = parsed_name.kind_said == "site"
    points = article in parsed.articles and not (parsed_name.loose or is_bare)  # “a starbucks” is any shop
    # “I want to go to harvard” is about the place, too.
    wished = (_PLACES, _INSTITUTIONS) if parsed.wished else ()
    among = _ALL if is_said else [each for each in _AMONG[parsed.verb] if each not in wished]
    found = (
        known_site(name, among)
        for name in (parsed_name.names if is_said or points else parsed_name.names[:1])
    )
    return [NameMatch(SITE, parsed_name.names[-1], url) for url in found if url][:1]


def _alias(parsed: ParsedWords, parsed_name: Name | None, own: Mapping[str, Alias]) -> NameMatch | None:
    """Return the alias that the words are, or begin with if it takes a query."""
    if parsed_name and parsed_name.kind_said != "app":
        for name in parsed_name.names:
            if (alias := own.get(name)) and alias.kind == ALIAS and (url := alias.address("")):
                return NameMatch(ALIAS, name, url)
    is_app = parsed_name.names[-1] if parsed_name and parsed_name.kind_said == "app" else ""
    for count in range(1, min(4, len(parsed.words)) if parsed.verb != grammar.STARTS else 1):
        name = " ".join(word.lower() for word in parsed.words[:count])
        alias, query = own.get(name), _query(parsed, count)
        # `open gh x and …`, `open gh x in chrome`: there may be more to it than a query.
        goes_on = not query or any(w.lower() in grammar.GOES_ON or w.endswith(",") for w in query)
        if alias and QUERY in alias.target and not goes_on and name != is_app:
            return NameMatch(ALIAS, name, url) if (url := alias.address(" ".join(query))) else None
    return None


def _query(parsed: ParsedWords, count: int) -> tuple[str, ...]:
    """Return the query after the first *count* words, without polite words that are surely no part of it."""
    words, after = parsed.words[count:], parsed.after
    if words[-1].endswith(","):
        after = ()
    while after and after[-1].lower().strip(",.!?") in grammar.PLEASE:
        after = after[:-1]
    *query, last = *words, *after
    # A question mark belongs to a polite request here; any other would be a doubt.
    return tuple(filter(None, (*query, last.rstrip(",?"))))


def _is(meaning: NameMatch, pick: Alias) -> bool:
    is_same_kind = (meaning.kind == APP) == (pick.kind == APP)
    return is_same_kind and pick.target in (meaning.target, meaning.title)
