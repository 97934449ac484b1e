"""Which address of an earlier turn do the words mean? Judged by Python, never by the model."""

from __future__ import annotations

import re

from .. import urls
from ..search.names import is_host_of, same_name
from ..search.wanted import wanted_site
from ..turn import Address, Facts, Grant
from .starting import without_how

_MOST_CHOICES = 9
_AGAIN = re.compile(r"(?i)\b(?:again|once more|re-?open|back|same)\b")
_THAT = re.compile(
    r"(?i)(?:it|that|this|there|that one|this one|(?:the )?(?:same|last) (?:one|page|site|link|web ?site))?"
    r"\W*(?:again|once more|back|up|please|now|for me|\W)*"
)
_REFERS = re.compile(
    r"(?i)\b(?:their|its|his|her|that|this|these|the) (?:[\w'’]+ )?(?:(?:official|own|main|actual) )*"
    r"(?:web ?sites?|(?:home|web|main)? ?-?pages?|sites?|links?)\b"
    r"|\b(?:the|their|its) official one\b|\A\W*(?:it|that|this|there|that one|this one)\b"
)
# Places of a site, too: what has one is no app.
_A_SITE = re.compile(
    r"(?i)\b(?:web ?sites?|sites?|(?:home|web|landing|main)? ?-?pages?|urls?|online|wikis?|repos?|repository|"
    r"docs|documentation|blog|channel|profile|twitter|instagram|subreddit|forum)\b"
)
_THING = r"(?:one|web ?site|site|(?:home ?)?page|article|link|result|entry)"


def why_meant(address: Address, grant: Grant, facts: Facts) -> str:
    """By what the words point at *address*, which was known before this turn; empty: they don't."""
    if facts.opened and address.id == facts.opened[0][0] and _is_again(grant):
        return "what you opened last"
    if (address.id, grant.words) in facts.opened:
        return "you opened it with the same words"
    if _names(address, grant):
        return "you named it"
    if _points_by_host(address, grant, facts):
        return "you named its host"
    if not _refers(grant):
        return ""
    official = _officials(facts)
    if official == {urls.host_of(address.url)} and address.official:
        return "the only official address that was found"
    return "the only one that was listed" if facts.shown == (address.id,) and not official else ""


def _is_again(grant: Grant) -> bool:
    """“Open it again”, “reopen that page”: not “open firefox again”, nor “go back to github”."""
    return bool(_AGAIN.search(grant.words)) and any(
        _THAT.fullmatch(thing) or _REFERS.search(thing) for thing in grant.things
    )


def may_be_found(address: Address, grant: Grant) -> bool:
    """Whether *address*, found just now, may be what the words ask to be opened.

    Not where they name addresses and nothing else, nor for a bare name that isn't its host's: “open firefox”.
    """
    return any(_is_sought(thing, address, grant) for thing in grant.things)


def _is_sought(thing: str, address: Address, grant: Grant) -> bool:
    if grant.named and (urls.typed_addresses(thing) or _REFERS.search(thing)):
        return False
    if thing not in grant.objects or _REFERS.search(thing) or _A_SITE.search(thing):
        return True
    # “Open github with firefox”, “on my laptop”: its name ends before that.
    name = wanted_site(f"open {without_how(thing)}", "")
    if name is None:  # not somebody's own site: whatever was found for it, but for an app
        return thing not in grant.runs
    if is_host_of(urls.host_of(address.url), name):
        return True
    return bool(address.official and same_name(name, address.title))


def choices(address: Address, grant: Grant, facts: Facts) -> tuple[str, ...]:
    """The ids of what they may mean, if there is more than one: what the list showed, or is official."""
    official = [a.id for a in _before(facts) if a.official] if _refers(grant) else []
    likely = official if len(official) > 1 else [id_ for id_ in facts.shown if id_ in facts.addresses]
    found = tuple(dict.fromkeys([*likely[: _MOST_CHOICES - 1], address.id]))
    return found if len(found) > 1 else ()


def _names(address: Address, grant: Grant) -> bool:
    """Whether it is the own site of the one whose site they want, or stands in their words."""
    host = urls.host_of(address.url)
    if any(_has_a_path(url) for url in grant.named if urls.host_of(url) == host):
        return False  # they named another page of it
    if re.search(rf"(?i)(?<![\w.-]){re.escape(host)}(?![\w.-]*\w)", _things(grant)):
        return True
    if not grant.site:
        return False
    return is_host_of(host, grant.site) or bool(address.official and same_name(grant.site, address.title))


def _has_a_path(url: str) -> bool:
    return not re.fullmatch(r"\w+://[^/?#]*/?", url)


def _points_by_host(address: Address, grant: Grant, facts: Facts) -> bool:
    """“The wikipedia one”, where one host only is called so."""
    labels = urls.host_of(address.url).split(".")
    # Anybody may put wikipedia. before their own: that counts only where it was seen in the list.
    for label in labels[:-1] if address.id in facts.shown else labels[-2:-1]:
        spaced = " ?".join(map(re.escape, label))  # “the serious eats one”
        says = re.compile(rf"(?i)\b(?:the |that |this )?{spaced}(?:['’]s)? {_THING}\b")
        if len(label) > 2 and says.search(_things(grant)):
            others = [a for a in _before(facts) if label in urls.host_of(a.url).split(".")]
            return {urls.host_of(a.url) for a in others} == {urls.host_of(address.url)}
    return False


def _refers(grant: Grant) -> bool:
    """Whether what is to be opened is only pointed at: “their website”, “it”."""
    return any(_REFERS.search(thing) or not thing for thing in grant.things)


def _things(grant: Grant) -> str:
    return " \n".join(grant.things)


def _officials(facts: Facts) -> set[str]:
    return {urls.host_of(address.url) for address in _before(facts) if address.official}


def _before(facts: Facts) -> list[Address]:
    now = frozenset().union(*facts.searches)
    return [a for a in facts.addresses.values() if a.source == "found" and a.id not in now]
