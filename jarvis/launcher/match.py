"""Finds the meanings of a name that isn't the whole name of one thing: a similar one, or one inside the
words.

It is slow to import, so a plain command imports it only if needed. It opens nothing.
"""

import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence

from rapidfuzz.distance import OSA

from ..core.intent import SHORT_NAME, Form, Part
from ..core.text import distinct_title, fold_case
from ..core.types import ALIAS, APP, SITE, Address, AppsFound, Meanings, NameMatch, ParsedWords, Site
from ..core.urls import without_addresses
from ..desktop.apps import App, distinct, nearest, nearness, normalise, rated
from ..language.command_grammar import RETURNS, STARTS, Name, letters
from ..search.hosts import without_the
from .aliases import CHOSEN, LAST, Alias
from .names import known_site, known_sites

_MOST_SITES = 6  # names of sites that are offered
_MOST = 5
_DEFINED = (ALIAS, CHOSEN)  # the kinds of a name that stands for an address
_SHORTEST = 3
_SHORTEST_NEAR = 5  # letters of a name


def near(parsed: ParsedWords, parsed_name: Name, apps: Sequence[App]) -> list[NameMatch]:
    """Return the meanings of a similar name, the most similar first. A site has no title, as with an
    alias.
    """
    typed_name = parsed_name.names[-1]
    name = normalise(typed_name)
    # “Switch to linux”, “I want to open a bakery”: words like these mostly hold no name.
    is_order = not (parsed.wished or parsed_name.loose or parsed.verb == RETURNS)
    if not is_order or len(name) < _SHORTEST or len(name.split()) > SHORT_NAME:
        return []
    found: list[tuple[float, NameMatch]] = []  # each with its nearness
    if parsed_name.kind != "site":
        own = distinct(apps)
        titles = [app.name for app in own]
        keys = {app: app.key if titles.count(app.name) > 1 else app.name for app in own}
        found += [
            (rate, NameMatch(APP, typed_name, keys[app], app.name)) for rate, app in rated(typed_name, own)
        ]
    if parsed.verb != STARTS and parsed_name.kind != "app":
        sites = ((nearness(name, called), url) for called, url in known_sites().items())
        found += [(rate, NameMatch(ALIAS, typed_name, url)) for rate, url in sites]
    return list(dict.fromkeys(each for _, each in nearest(found)))[:_MOST]


# What a name in the intent, or among any words, means.


async def look_up(
    part: Part,
    *,
    find_apps: Callable[[str], Awaitable[AppsFound]],
    sites: Sequence[Address],
    entries: Callable[[str], str],
    kept: Callable[[], Mapping[str, Alias]],
) -> Meanings | None:
    """Return the meanings of the name in *part*, or None if *part* has no name.

    sites: known sites that the words name. entries: name → the site of a knowledge graph entry that a search
    of this conversation showed. kept: returns the user's own names.
    """
    if not part.is_name:
        return None
    names = kept()
    pick = names.get(fold_case(part.value))
    last = pick.target if pick and pick.kind == LAST else ""
    own = Meanings(site=known_site_of(part.value, names, entries)._replace(last=last))
    same_name = [each for each in sites if fold_case(each.official_name) == fold_case(part.value)][:1]
    if part.form == Form.SITE and not same_name:
        return own
    found = await find_apps(part.value)
    titles = [app.title for app in found.apps]
    apps = [
        Address(f"a{n}", app.id, distinct_title(app.title, app.id, titles), source=APP)
        for n, app in enumerate(found.apps, 1)
    ]
    exact = [app for app in apps if fold_case(app.title) == fold_case(part.value)]
    if same_name and exact and not found.is_near:
        return own._replace(addresses=_chosen((*same_name, *exact), pick))
    if part.form == Form.SITE:
        return own
    return own._replace(addresses=_chosen(tuple(apps), pick), is_near=found.is_near)


def known_site_of(name: str, kept: Mapping[str, Alias], entries: Callable[[str], str]) -> Site:
    """Return the site of *name*, if it is known without a search, else the site of a similar name.

    kept, entries: as in `look_up`.
    """
    names = dict.fromkeys(
        " ".join(letters(spelling.casefold()).split()) for spelling in (name, without_the(name))
    )
    for spelling in names:
        alias = kept.get(spelling)
        own = alias.address("") if alias and alias.kind in _DEFINED else ""
        if url := own or known_site(spelling):
            return Site(url)
    if url := entries(name):
        return Site(url)
    joined = "".join(letters(name.casefold()).split())
    near = (url for each, url in _long_names() if OSA.distance(joined, each, score_cutoff=1) <= 1)
    return Site(near=next(near, ""))


@functools.cache
def _long_names() -> list[tuple[str, str]]:
    """Return the names of known sites that stay unique with one letter changed, without spaces."""
    return [
        ("".join(each.split()), url) for each, url in known_sites().items() if len(each) >= _SHORTEST_NEAR
    ]


def _chosen(meanings: tuple[Address, ...], pick: Alias | None) -> tuple[Address, ...]:
    """Return the one of *meanings* that the user set for this name, or all of them."""
    if pick is None or pick.kind == LAST or len(meanings) < 2:
        return meanings
    targets = (pick.target, pick.name)
    found = [m for m in meanings if m.url in targets or fold_case(m.title) == fold_case(pick.target)]
    return tuple(found[:1]) or meanings


def named_in(words: str, own: Mapping[str, Alias]) -> list[tuple[str, str, str]]:
    """Return the known names in *words* as (address, source, name). own: aliases."""
    # What they picked among what is known here is no other name for it.
    theirs = [each for each in own.values() if each.kind == ALIAS or not known_site(each.name)]
    defined = {each.name: url for each in theirs if each.kind in _DEFINED and (url := each.address(""))}
    found = _known_in(words, defined)
    sites = [(url, SITE, name) for name, url in _known_in(words, known_sites()) if name not in dict(found)]
    return [(url, ALIAS, name) for name, url in found] + sites


def _known_in(words: str, sites: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return up to six *sites* sites in *words*, each as (name, address).

    Skips addresses among the words: their hosts name no site here.
    """
    # As names are kept: in lower case, without signs but + and #, without “'s”.
    bare = f"{without_addresses(words).casefold()} ".replace("’", "'").replace("'s ", " ")
    typed_words = letters(bare).split()
    found: dict[str, str] = {}
    at = 0
    while at < len(typed_words) and len(found) < _MOST_SITES:
        spans = (" ".join(typed_words[at : at + count]) for count in range(SHORT_NAME, 0, -1))
        name = next((span for span in spans if span in sites), "")
        if name:
            found.setdefault(name, sites[name])
        at += len(name.split()) or 1
    return list(found.items())
