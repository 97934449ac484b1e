"""Tells whose a host is: the site that it belongs to, and whether that is the own one of a name."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.text import folded
from ..core.types import Found
from ..core.urls import DIGITS, host_of

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

IN_GRAPH = "its entry in Google's knowledge graph"
BY_HOST = "its host is the name"
_FIRST_ORGANIC = 5  # further down, a host with the right name is more likely somebody else's
# Endings under which a bare name is rarely somebody else's. Under those of most countries, and under
# the newer ones such as .support or .shop, anyone takes any name.
_OWNED = frozenset(("com", "org", "edu", "gov"))
_UMLAUTS: dict[int, str] = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"}
# Hosts where anybody may have pages: below a path, or on a subdomain. From what the help of each says of
# addresses; whoever lets out subdomains and told the public suffix list so isn't repeated.
_BY_PATH = frozenset(
    "about.me archive.org behance.net bitbucket.org bsky.app buymeacoffee.com canva.com change.org "
    "chatgpt.com chromewebstore.google.com claude.ai codeberg.org codepen.io colab.research.google.com "
    "dev.to deviantart.com discord.com discord.gg docs.google.com dribbble.com drive.google.com "
    "dropbox.com ebay.com etsy.com eventbrite.com facebook.com fb.com figma.com flickr.com flipboard.com "
    "forms.gle gemini.google.com gist.github.com github.com gitlab.com gofundme.com goodreads.com "
    "groups.google.com hub.docker.com huggingface.co imgur.com instagram.com issuu.com kickstarter.com "
    "ko-fi.com launchpad.net linkedin.com linktr.ee mastodon.social medium.com meetup.com mixcloud.com "
    "myspace.com notion.so npmjs.com ok.ru patreon.com photos.google.com pinterest.com play.google.com "
    "producthunt.com pypi.org quora.com reddit.com replit.com scribd.com script.google.com "
    "sites.google.com slideshare.net snapchat.com soundcloud.com sourceforge.net stackoverflow.com "
    "steamcommunity.com storage.cloud.google.com substack.com t.me telegram.me threads.com threads.net "
    "tiktok.com trello.com tumblr.com twitch.tv twitter.com vimeo.com vk.com wattpad.com weibo.com x.com "
    "youtube.com".split()
)
_DEPTHS = {"docs.google.com": 3, "drive.google.com": 3}  # parts of a path that are somebody's, where not one
_DRESS = re.compile(
    r"\A(?:www|m|mobile|touch|old|new|np|[a-z]{2}(?:-[a-z]{2})?)\."
)  # m.facebook.com, de.linkedin.com
_BY_SUBDOMAIN = frozenset(
    "bandcamp.com deviantart.com fandom.com itch.io jimdo.com livejournal.com medium.com notion.site "
    "podbean.com slack.com squarespace.com strikingly.com substack.com tumblr.com typepad.com webnode.com "
    "weebly.com wixsite.com wordpress.com".split()
)


def site_of(host: str) -> str:
    """Return the part of *host* that somebody registered: `a.b.example.co.uk` → example.co.uk.

    Where a provider lets out subdomains, each is a site of its own: `x.github.io` → x.github.io.
    A host that has no such part (an IP address, localhost, a public suffix itself) is returned whole.
    """
    host = host.lower().rstrip(".")
    is_number = not host.rpartition(".")[2].strip(DIGITS)  # so it is an IP address
    return host if is_number else suffix_list().privatesuffix(host) or host


def suffix_of(host: str) -> str:
    """Return the public suffix of *host*: co.uk, github.io; empty for one that does not exist."""
    known = suffix_list()
    return (known.publicsuffix(host) or "") if known.privatesuffix(host, accept_unknown=False) else ""


@functools.cache
def suffix_list(*, only_registries: bool = False) -> PublicSuffixList:
    """Return the list of public suffixes, with providers who let out subdomains, or without them."""
    from publicsuffixlist import PublicSuffixList  # not before it is asked whose a host is

    return PublicSuffixList(only_icann=only_registries)


def is_within(url: str, base: str) -> bool:
    """Return whether *url* is on the site of *base*: anywhere in the domain that somebody registered.

    Where anybody may have pages it is only there at or below the path of *base*, and on its very host.
    """
    here, own = _place(url), _place(base)
    if site_of(here) != site_of(own):
        return False
    ours, theirs = _segments(base), _segments(url)
    if here in _BY_PATH:
        # Below the front page of all of them are everybody's.
        is_somebodys = len(ours) >= _DEPTHS.get(here, 1)
        return here == own and (theirs[: len(ours)] == ours if is_somebodys else theirs == ours)
    is_ones_own = site_of(own) in _BY_SUBDOMAIN or (own in _BY_PATH and bool(ours))
    return here == own or not is_ones_own


def _place(url: str) -> str:
    """Return the host of *url*, without `www.` and, where anybody may have pages, without other dress."""
    host = host_of(url)
    bare = _DRESS.sub("", host, count=1)
    return bare if bare in _BY_PATH else host.removeprefix("www.")


def _segments(url: str) -> list[str]:
    path = re.split(r"[?#]", url.partition("://")[2].partition("/")[2])[0]
    return [part.lower() for part in path.split("/") if part]


def name_words(name: str) -> list[str]:
    """Return the words of *name* without case, accents and apostrophes."""
    return re.findall(r"[^\W_]+", re.sub("['’]", "", folded(name)))


def without_the(name: str) -> str:
    """Return *name* without its article: “the Louvre”, and “The Verge”, which a host may write either way."""
    first, _, rest = name.strip().partition(" ")
    return rest if rest and first.casefold() == "the" else name


def vouched(found: Sequence[Found], name: str, country: str) -> list[Found]:
    """Return *found*, what a search for *name* alone found, with its own site marked official.

    The best voucher counts alone: the knowledge graph's entry of that name, else a host that is the bare
    name, unless another site is so too. country: the person's, as hosts end there ("uk").
    """
    own = [item for item in found if item.section == "knowledge_graph" and _is_about(item, name)]
    if own:
        return [_verified(item, IN_GRAPH, name) if item in own else item for item in found]
    sites = {site_of(item.host) for item in found if _bears(item.host, name)}
    first = [item for item in found if item.section == "organic"][:_FIRST_ORGANIC]
    # How a name reads in other letters may be somebody else's.
    owned = [site for site in sites if _is_owned(suffix_of(site), country) and not site.startswith("xn--")]
    if len(sites) != 1 or not owned or not any(site_of(item.host) in owned for item in first):
        return list(found)
    return [_verified(item, BY_HOST, name) if site_of(item.host) in owned else item for item in found]


def rivals(found: Sequence[tuple[str, str]], name: str) -> list[str]:
    """Return the ids of *found*, one of each site; first those whose host bears the *name*.

    found: ids and addresses, in their order. Of those a front page goes before others.
    """

    def rank(each: tuple[str, str]) -> tuple[bool, bool]:
        is_bearer = _bears(host_of(each[1]), name)
        return not is_bearer, is_bearer and bool(_segments(each[1]))

    sites: dict[str, str] = {}
    for id_, url in sorted(found, key=rank):
        host = host_of(url)
        is_shared = _place(url) in _BY_PATH or site_of(host) in _BY_SUBDOMAIN
        sites.setdefault(url if is_shared else site_of(host), id_)
    return list(sites.values())


def _is_about(entry: Found, name: str) -> bool:
    """Return whether *entry* of the knowledge graph is about *name*, and not about a namesake."""
    title, asked = name_words(without_the(entry.title)), name_words(without_the(name))
    if not (title and asked):
        return False
    if "".join(title) == "".join(asked):
        return True
    # A longer or a shorter name of it, or its capitals, count only where the host is the name, too.
    is_related = set(asked) <= set(title) or set(title) <= set(asked)
    capitals = "".join(filter(str.isupper, entry.title)).casefold()
    return (is_related or "".join(asked) == capitals) and _bears(entry.host, name)


def _bears(host: str, name: str) -> bool:
    """Return whether the site of *host* is called by the bare *name*: acme.co.uk, but not acme-help.com."""
    return site_of(host).partition(".")[0] in _spellings(name) | _spellings(without_the(name))


def _is_owned(suffix: str, country: str) -> bool:
    """Return whether a bare name under *suffix* is likely its owner's. country: the person's, as in hosts."""
    first, _, last = suffix.partition(".")
    if last and suffix_list(only_registries=True).publicsuffix(suffix) != suffix:
        return False  # lima-city.de lets them out to anybody, for nothing
    is_official = first in ("ac", "edu", "gov") and len(last) == 2
    return suffix in _OWNED or is_official or bool(country and (last or first).rpartition(".")[2] == country)


def _spellings(asked: str) -> set[str]:
    """Return how a host may write *asked*: with or without hyphens, ü as u or ue, & as and."""
    names = (asked, asked.casefold().translate(_UMLAUTS), asked.replace("&", " and "))
    return {sign.join(name_words(name)) for name in names for sign in ("", "-")} - {""}


def _verified(item: Found, why: str, name: str) -> Found:
    return item._replace(official=why, official_name=name)
