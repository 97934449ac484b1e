"""Whether an address may be opened: where it is known from, and whether the words mean it."""

from __future__ import annotations

from .. import urls
from ..endings import is_well_known
from ..errors import BadTarget
from ..light import re
from ..turn import FORBIDDEN, SAID, Address, Effect, Facts, Grant
from .letters import imitates
from .verdict import Verdict, allow, ask, refuse

# They lead where nobody can see beforehand.
_SHORTENERS = frozenset(
    "bit.ly t.co tinyurl.com goo.gl is.gd ow.ly buff.ly rb.gy cutt.ly lnkd.in t.ly tiny.cc shorturl.at "
    "bl.ink rebrand.ly s.id v.gd dub.sh adf.ly soo.gd qr.ae trib.al shorte.st".split()
)
# What stands before theirs is somebody else's: a subdomain is had by whoever asks.
_LETS_OUT = tuple(
    f".{host}"
    for host in (
        "substack.com github.io gitlab.io blogspot.com wordpress.com netlify.app vercel.app pages.dev "
        "workers.dev herokuapp.com web.app firebaseapp.com wixsite.com myshopify.com tumblr.com "
        "medium.com weebly.com square.site webflow.io onrender.com fly.dev glitch.me repl.co "
        "replit.app azurewebsites.net cloudfront.net amazonaws.com bandcamp.com itch.io "
        "livejournal.com notion.site carrd.co ghost.io sites.google.com r2.dev surge.sh neocities.org "
        "squarespace.com godaddysites.com"
    ).split()
)
# “Find three bakeries and open the second one” points at nothing that was listed before.
_SEEKS = r"(?i)\b(?:find|search|look (?:up|for)|google|locate)\b"


# Whoever wants so many may mean those of the list, or what was found just now.
_ALL = 6


def opening(effect: Effect, grant: Grant, facts: Facts) -> Verdict:
    address = effect.address
    if address is None or facts.addresses.get(address.id) != address or address.url != effect.target:
        return refuse("that address is not one that you named or that was found.")
    try:
        canon = urls.canon(effect.target)
    except BadTarget as error:
        return refuse(error.message)
    if canon.url != effect.target:
        return refuse("that address is not in the form in which it was kept.")
    # An alias is typed as well; it counts as theirs where the words were nothing but its name.
    is_theirs = address.source == "typed" or (address.source == "alias" and address.url in grant.named)
    if not is_theirs and not urls.is_public(canon):
        return refuse("only an address that you typed may lead elsewhere than to a public web site.")
    if grant.opens == FORBIDDEN:
        return refuse("you said that nothing is to be opened.")
    if facts.done.count("opens") >= grant.most:
        return refuse(f"what you said asks for {_things(grant.most)} to be opened, and no more.")
    return _meant(address, canon, grant, facts)


def _meant(address: Address, canon: urls.Canon, grant: Grant, facts: Facts) -> Verdict:
    if address.source == "typed" and address.url in grant.named:
        return _typed(canon)
    if address.source in ("site", "alias") and address.url in grant.named:
        return allow(f"the {address.source} of that name")  # the words were nothing but its name
    if address.source == "site" and address.url in grant.sites:
        return allow("the site of that name")
    if grant.lines and facts.shown and (verdict := _by_line(address, grant, facts)):
        return verdict
    if grant.lines and not facts.shown and address.source == "found" and not re.search(_SEEKS, grant.words):
        return ask("no list was shown that they could point at", "no such line")
    if grant.opens != SAID or (grant.is_pick and address.id not in facts.shown):
        return ask("you did not plainly ask for anything to be opened", "asked for")
    if address.source == "typed" and address.url in urls.typed_addresses(grant.words):
        return ask("you did not plainly ask for it to be opened", "asked for")
    if reason := _doubt(canon):
        return ask(reason, "odd address")
    if address.source == "piped":
        return ask("it stood in what was piped in", "piped in")
    if facts.said_no:
        return ask("you did not say yes to another one", "after a no")
    return _found(address, grant, facts) if _found_now(address, facts) else _earlier(address, grant, facts)


def _by_line(address: Address, grant: Grant, facts: Facts) -> Verdict | None:
    """Where they point at lines of the list last shown; None: that does not settle it."""
    pointed = [facts.shown[line - (line > 0)] for line in grant.lines if abs(line) <= len(facts.shown)]
    if address.id in pointed:
        return allow("the line you pointed at") if grant.opens == SAID else None
    if _found_now(address, facts) and (len(grant.lines) >= _ALL or re.search(_SEEKS, grant.words)):
        return None
    if not pointed:
        return ask("the list last shown has no such line", "no such line")
    return refuse(f"you pointed at another line of the list: {', '.join(pointed)}.")


def _typed(canon: urls.Canon) -> Verdict:
    """Theirs to open, unless it may only look like what they think they typed."""
    read = urls.as_read(canon.host)
    if read and imitates(read):
        return ask(f"its name has letters that imitate others (it reads {read})", "odd address")
    name = canon.userinfo.rstrip("@").partition(":")[0]
    if "." in name and is_well_known(name.lower().rpartition(".")[2]):
        return ask(f"it leads to {canon.host}, and not to {name}", "odd address")
    return allow("you named it")


def _found(address: Address, grant: Grant, facts: Facts) -> Verdict:
    """Found for these words: unless they ask for somebody's own site, and another one is theirs."""
    official = [a for id_ in _beside(address, grant, facts) if (a := facts.addresses.get(id_)) and a.official]
    hosts = sorted({urls.host_of(a.url) for a in official})
    if hosts and not any(_is_same_site(urls.host_of(address.url), host) for host in hosts):
        return ask(f"it is not the official address, which is {' or '.join(hosts)}", "another is official")
    from .pointing import may_be_found

    if not may_be_found(address, grant):
        return ask("it was found, and what you asked to be opened is something else", "something else")
    return allow(
        "the official address, found for these words" if address.official else "found for these words"
    )


def _beside(address: Address, grant: Grant, facts: Facts) -> frozenset[str]:
    """What was found for the same: where somebody's own site is wanted, by any search of this turn."""
    if grant.site:
        return frozenset().union(*facts.searches)
    return next(found for found in reversed(facts.searches) if address.id in found)


def _earlier(address: Address, grant: Grant, facts: Facts) -> Verdict:
    from .pointing import choices, why_meant

    if meant := why_meant(address, grant, facts):
        return allow(meant)
    return ask(
        "it was found earlier, and you may mean another", "earlier address", choices(address, grant, facts)
    )


def _doubt(canon: urls.Canon) -> str:
    """Why an address that a stranger named is not opened unasked; empty: it may be."""
    if read := urls.as_read(canon.host):
        return f"its name has letters that can imitate others (it reads {read})"
    if canon.host.removeprefix("www.") in _SHORTENERS:
        return "it is a shortener: where it leads can't be seen"
    if canon.port not in ("", "80", "443"):
        return f"it is on an unusual port ({canon.port})"
    return ""


def _found_now(address: Address, facts: Facts) -> bool:
    return any(address.id in found for found in facts.searches)


def _is_same_site(host: str, official: str) -> bool:
    host, official = host.removeprefix("www."), official.removeprefix("www.")
    if any(name.endswith(_LETS_OUT) for name in (f".{host}", f".{official}")):
        return host == official
    return host == official or host.endswith(f".{official}") or official.endswith(f".{host}")


def _things(count: int) -> str:
    return "one thing" if count == 1 else f"{count} things"
