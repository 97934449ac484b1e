"""Find what a name may mean that is no whole name of one thing: one that comes near, one among other words.

This is slow to import, and to be imported where a plain command needs it. It opens nothing.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from rapidfuzz.distance import OSA

from ..core.intent import SHORT_NAME, Form, Part
from ..core.text import folded, told_apart
from ..core.types import ALIAS, APP, SITE, Address, AppsFound, Meanings, NameMatch
from ..core.urls import without_addresses
from ..desktop.apps import App, distinct, nearest, nearness, normalise, rated
from ..language.command_grammar import RETURNS, STARTS, Name, ParsedWords, letters
from ..search.hosts import without_the
from .aliases import Alias
from .names import known_site, known_sites

_MOST_SITES = 6  # names of sites that are offered
_MOST = 5
_SHORTEST = 3
_SHORTEST_NEAR = 5  # letters of a name: of a shorter one, another letter mostly makes another name


def near(meant: ParsedWords, named: Name, apps: Sequence[App]) -> list[NameMatch]:
    """Return what the name may mean, the nearest first; a site as an alias would name it, without a title."""
    said = named.names[-1]
    name = normalise(said)
    # “Switch to linux”, “I want to open a bakery”: words like these mostly hold no name.
    is_order = not (meant.wished or named.loose or meant.verb == RETURNS)
    if not is_order or len(name) < _SHORTEST or len(name.split()) > SHORT_NAME:
        return []
    found: list[tuple[float, NameMatch]] = []  # each with its nearness
    if named.kind != "site":
        own = distinct(apps)
        titles = [app.name for app in own]
        keys = {app: app.key if titles.count(app.name) > 1 else app.name for app in own}
        found += [(rate, NameMatch(APP, said, keys[app], app.name)) for rate, app in rated(said, own)]
    if meant.verb != STARTS and named.kind != "app":
        sites = ((nearness(name, called), url) for called, url in known_sites().items())
        found += [(rate, NameMatch(ALIAS, said, url)) for rate, url in sites]
    return list(dict.fromkeys(each for _, each in nearest(found)))[:_MOST]


# What a name in the intent, or among any words, means.


async def look_up(
    part: Part,
    *,
    find_apps: Callable[[str], Awaitable[AppsFound]],
    sites: Sequence[Address],
    picks: Callable[[], Mapping[str, Alias]],
) -> Meanings | None:
    """Return what the name in *part* means; None if *part* has no name.

    sites: known sites that the words name. picks: returns what the person picked or opened before, by name.
    """
    if not part.is_name:
        return None
    url, near = known_address(part.value, picks())
    own = Meanings(None, is_near=bool(near), site=url, near_site=near)
    site = [each for each in sites if folded(each.official_name) == folded(part.value)][:1]
    if part.form == Form.SITE and not site:
        return own
    found = await find_apps(part.value)
    titles = [app.title for app in found.apps]
    apps = [
        Address(f"a{n}", app.id, told_apart(app.title, app.id, titles), source=APP)
        for n, app in enumerate(found.apps, 1)
    ]
    exact = [app for app in apps if folded(app.title) == folded(part.value)]
    if site and exact and not found.is_near:
        return own._replace(addresses=_picked(part.value, (*site, *exact), picks), is_near=False)
    if part.form == Form.SITE:
        return own
    return own._replace(addresses=_picked(part.value, tuple(apps), picks), is_near=found.is_near)


def known_address(name: str, own: Mapping[str, Alias]) -> tuple[str, str]:
    """Return the address of the site that *name* is known by here; and that of one whose name it comes near.

    own: the person's aliases, and what they picked or opened under a name. One of the two is empty, or both.
    """
    names = dict.fromkeys(" ".join(letters(said.casefold()).split()) for said in (name, without_the(name)))
    for said in names:
        alias = own.get(said)
        if alias and alias.kind != APP and (url := alias.address("")):
            return url, ""
        if url := known_site(said):
            return url, ""
    asked = "".join(letters(name.casefold()).split())
    known = {"".join(each.split()): url for each, url in known_sites().items() if len(each) >= _SHORTEST_NEAR}
    near = [url for each, url in known.items() if OSA.distance(asked, each, score_cutoff=1) <= 1]
    return "", near[0] if near else ""


def _picked(
    name: str, meanings: tuple[Address, ...], picks: Callable[[], Mapping[str, Alias]]
) -> tuple[Address, ...]:
    """Return the one of *meanings* that the person picked before; all of them if they picked none."""
    pick = picks().get(folded(name)) if len(meanings) > 1 else None
    targets = (pick.target, pick.name) if pick else ()
    found = [m for m in meanings if pick and (m.url in targets or folded(m.title) == folded(pick.target))]
    return tuple(found[:1]) or meanings


def named_in(words: str, own: Mapping[str, Alias]) -> list[tuple[str, str, str]]:
    """Return what *words* name that is known by its name, as (address, source, name). own: aliases."""
    # What they picked among what is known here is no other name for it.
    theirs = [
        each
        for each in own.values()
        if each.kind == ALIAS or (each.kind == SITE and not known_site(each.name))
    ]
    defined = {each.name: url for each in theirs if (url := each.address(""))}
    named = _known_in(words, defined)
    sites = [(url, SITE, name) for name, url in sites_named(words) if name not in dict(named)]
    return [(url, ALIAS, name) for name, url in named] + sites


def sites_named(words: str) -> list[tuple[str, str]]:
    """Return the known sites that *words* name, each as (name, address); at most six.

    Addresses among the words are skipped: their hosts name no site here.
    """
    return _known_in(words, known_sites())


def _known_in(words: str, known: Mapping[str, str]) -> list[tuple[str, str]]:
    # As names are kept: in lower case, without signs but + and #, without “'s”.
    bare = f"{without_addresses(words).casefold()} ".replace("’", "'").replace("'s ", " ")
    said = letters(bare).split()
    found: dict[str, str] = {}
    at = 0
    while at < len(said) and len(found) < _MOST_SITES:
        spans = (" ".join(said[at : at + count]) for count in range(SHORT_NAME, 0, -1))
        name = next((span for span in spans if span in known), "")
        if name:
            found.setdefault(name, known[name])
        at += len(name.split()) or 1
    return list(found.items())
