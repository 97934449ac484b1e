"""Decides what may be done to what: to a web site, an app, a file; and what is doubtful about it."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from ..core import urls
from ..core.errors import BadTarget
from ..core.intent import MOST_LINES, Form, Part, by_ids
from ..core.types import APP, NOT_ASKED, SEVERAL, Address, Effect, Facts, Meanings
from ..core.urls import is_well_known
from ..search.hosts import suffix_of

# The guard's verdict on an effect.


ALLOW = "allow"
ASK = "ask"
REFUSE = "refuse"

# Doubts about the words, which no rule settles.
UNSURE, PASTED = "unsure", "pasted"
A_RULE_ASKS, CHANGES = "a rule asks", "changes something"
COSTS = "costs something"  # which no rule settles either
MANY = "many searches"
AFTER_PRIVATE = "after something private"  # has been read: a search might tell of it
SENT = "shown to the model"  # what is on the screen, or was copied
UNSAFE = "perhaps a key"  # in a file, which would be sent to the model
SHARED = "shared folder"  # in which a file lies that would be read
WHOSE = "nothing vouches"  # for the site of a name as its own


class Doubt(NamedTuple):
    """Why the person is asked first."""

    kind: str  # as a rule may name it: rules.DOUBTS; or one of the above, or SEVERAL
    reason: str


class Verdict(NamedTuple):
    verdict: str  # ALLOW | ASK | REFUSE
    reason: str = ""  # for the person, where it is not simply allowed
    rule: str = ""  # what lets it pass, or is asked about, for `jarvis why`
    choices: tuple[Address, ...] = ()  # what they may mean, the likeliest first
    is_marked: bool = False  # whether Enter takes the first of them
    doubts: tuple[Doubt, ...] = ()
    part: int = 0  # as in Request
    code: str = ""  # of the outcome, where it is refused
    closes: bool = False  # as in Outcome


def refuse(reason: str, rule: str = "", code: str = "refused") -> Verdict:
    return Verdict(REFUSE, reason, rule, code=code)


def allowed(part: int, facts: Facts, doubts: tuple[Doubt, ...] = ()) -> Verdict:
    """Allow what the part of that number asks for; *doubts* are what is doubtful all the same."""
    told = by_ids([facts.intent.part(part).told], facts.typed)[0] if facts.intent else ""
    choices, is_marked = _choices(facts.meant(part), [doubt.kind for doubt in doubts])
    return Verdict(ALLOW, "", f"you asked: {told}", choices, is_marked, doubts, part)


def _choices(named: Meanings, doubts: Sequence[str]) -> tuple[tuple[Address, ...], bool]:
    """Return what a name may mean, what they chose for it last first; and whether the first is marked."""
    if SEVERAL not in doubts and WHOSE not in doubts:
        return (), False
    meant, last = named.addresses if SEVERAL in doubts else named.site.choices, named.site.last
    ordered = sorted(meant, key=lambda each: each.url != last)
    return tuple(ordered), WHOSE in doubts or ordered[0].url == last


def not_asked(reason: str = "you did not ask for it.") -> Verdict:
    """Refuse what nobody asked for: it changes neither the turn's status nor its exit status."""
    return refuse(reason, "not asked for", NOT_ASKED)


# Decides whether an address may be opened: which part of the intent asks for it, and what is doubtful.


_ROUTERS = (".ip", ".home.arpa")  # of a network of one's own, beside those in core/urls.py


def opening(effect: Effect, facts: Facts) -> Verdict:
    address = effect.address
    if address is None or facts.addresses.get(address.id) != address or address.url != effect.target:
        return refuse("that address is not one that you named or that was found.")
    try:
        canon = urls.canon(effect.target)
    except BadTarget as error:
        return refuse(error.message)
    if canon.url != effect.target:
        return refuse("that address is not in the form in which it was kept.")
    fits = [
        (n, _doubts(part, facts.meant(n), address, canon, facts))
        for n, part in facts.parts_left
        if _asks_for(part, facts.meant(n), address, facts)
    ]
    if not fits:
        return _not_asked(facts)
    # Where several parts fit this address, the one with the fewest doubts counts.
    n, doubts = min(fits, key=lambda fit: len(fit[1]))
    return allowed(n, facts, tuple(doubts))


def _asks_for(part: Part, named: Meanings, address: Address, facts: Facts) -> bool:
    """Return whether *part*, whose name may mean what is *named* so, asks for *address*."""
    at = slice(part.number - 1, part.number)
    pointed = {Form.TYPED: facts.typed[at], Form.LINE: facts.shown[at], Form.LINES: facts.shown[:MOST_LINES]}
    if part.form in pointed:
        return address.id in pointed[part.form]
    if part.form == Form.FILE:  # of a file's name, where that may be an address as well
        return _is_meant(named, address)
    # What stands in their words now was not found for a name, unless it was found besides.
    if address.id in facts.typed and address.id not in facts.found:
        return False
    return part.form == Form.FOUND or (part.is_name and _may_be_meant(part, named, address, facts))


def _is_meant(named: Meanings, address: Address) -> bool:
    return address.url in [each.url for each in named.addresses if each.source != APP]


def _may_be_meant(part: Part, named: Meanings, address: Address, facts: Facts) -> bool:
    """Return whether the address is what Python found the name in *part* to mean, or one of what it may mean.

    Of a plain command it is what the name is known by here.
    """
    if _is_meant(named, address):
        return True
    if (facts.intent and facts.intent.is_command) or (part.form == Form.START and named.addresses):
        return not named.addresses
    site = named.site
    return address.url == site.url if site.url else address.id in [each.id for each in site.choices]


def _doubts(part: Part, named: Meanings, address: Address, canon: urls.Canon, facts: Facts) -> list[Doubt]:
    # A known site stands in our own table.
    is_theirs = part.form in (Form.TYPED, Form.FILE) or address.source in ("alias", "site")
    doubts = _about_typed(canon) if is_theirs else _about_found(address, canon)
    is_plain = facts.intent and facts.intent.is_command  # then they know what they typed
    if part.form == Form.TYPED and not is_plain and urls.may_be_file(canon.url.partition("://")[2]):
        doubts.append(Doubt(UNSURE, f"{canon.host} may be the name of a file"))
    if part.form in (Form.SITE, Form.START):
        doubts += _about_name(part.value, named, address, is_plain=bool(is_plain))
    return doubts


def _about_typed(canon: urls.Canon) -> list[Doubt]:
    """Return the doubts about an address that the person typed: it may only look like what they meant."""
    doubts = []
    read = urls.as_read(canon.host)
    if read and imitates(read):
        doubts.append(Doubt("odd letters", f"its name has letters that imitate others (it reads {read})"))
    if name := canon.userinfo and _host_in(canon.userinfo):
        doubts.append(Doubt("another host", f"it leads to {canon.host}, and not to {name}"))
    return doubts


def _host_in(userinfo: str) -> str:
    """Return what may be taken for the host in what stands before it: paypal.com%2Flogin@; else empty."""
    said = re.sub("%2e|[。．]", ".", userinfo, flags=re.IGNORECASE)
    found = re.findall(r"[^\W_]+(?:\.[^\W_]+)+", said)
    return next((each for each in found if any(map(is_well_known, each.lower().split(".")[1:]))), "")


def _about_found(address: Address, canon: urls.Canon) -> list[Doubt]:
    """Return the doubts about an address that a stranger may have named."""
    doubts = []
    if read := urls.as_read(canon.host):
        reason = f"its name has letters that can imitate others (it reads {read})"
        doubts.append(Doubt("odd letters", reason))
    if canon.userinfo:
        doubts.append(Doubt("another host", f"it leads to {canon.host}, whatever stands before the @"))
    if _is_private(canon):
        doubts.append(Doubt("private", f"{canon.host} is no public web site, by its name"))
    if address.source == "piped":
        doubts.append(Doubt("piped in", "it stood in what was piped in"))
    return doubts


def _is_private(canon: urls.Canon) -> bool:
    host = canon.host
    if not urls.is_public(canon._replace(userinfo="")) or host.startswith("wpad.") or host.endswith(_ROUTERS):
        return True
    return not (is_well_known(host.rpartition(".")[2]) or suffix_of(host))


def _about_name(name: str, named: Meanings, address: Address, *, is_plain: bool) -> list[Doubt]:
    """Return the doubts whether the address is the site of that *name* which they mean."""
    if len(named.addresses) > 1 and address.id in [each.id for each in named.addresses]:
        return [Doubt(SEVERAL, f"“{name}” can mean each of these")]
    is_known = address.url in (named.site.url, *(each.url for each in named.addresses))
    return [] if is_known or is_plain else [Doubt(WHOSE, f"it is not certain which site “{name}” is")]


def _not_asked(facts: Facts) -> Verdict:
    sites = [(part.value, facts.meant(n).site.url) for n, part in facts.parts_left]
    if known := [(name, url) for name, url in sites if url]:
        return not_asked("; ".join(f"the site of {name} is {urls.host_of(url)}" for name, url in known) + ".")
    lines = [part.number for _, part in facts.parts_left if part.form == Form.LINE]
    if not lines:
        return not_asked("you did not ask for it to be opened.")
    if max(lines) > len(facts.shown):
        return refuse(f"the list last shown has no line {max(lines)}.", "no such line", NOT_ASKED)
    return not_asked(f"you pointed at line {lines[0]} of the list.")


# What looks like letters of English in most typefaces: Cyrillic and Greek ones, and three of phonetics.
_ALIKE = frozenset("авеёкмнорстухіїјѕԁԛԝһӏьѵɡɑǀαβγικνοпρτυχωϲ")


def imitates(read: str) -> bool:
    """Return whether a part of *read*, a host as it is displayed, can be taken for another.

    It mixes scripts, is all of letters that look Latin, or has a sign that looks like another.
    """
    return any(_is_odd(label) for label in read.casefold().split(".") if not label.isascii())


def _is_odd(label: str) -> bool:
    if any(unicodedata.category(sign).startswith("P") for sign in label if not sign.isascii()):
        return True  # a dash that looks like a hyphen, a quote
    letters = [letter for letter in label if letter.isalpha()]
    scripts = {unicodedata.name(letter, "?").split()[0] for letter in letters}
    if scripts <= {"LATIN"}:
        return not _ALIKE.isdisjoint(letters)
    # Japanese is written in several at once.
    mixed = len(scripts - {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"}) > 1
    return mixed or "LATIN" in scripts or _ALIKE.issuperset(letters)


# Decides whether an app may be started: only one that Python found for a name in the intent.


# What goes by the name of a site, or of a file here, may be an app.
_NAMED = (Form.START, Form.SITE, Form.FILE)


def starting(effect: Effect, facts: Facts) -> Verdict:
    for n, part in facts.parts_left:
        named = facts.meant(n) if part.form in _NAMED else Meanings()
        if effect.target in [address.url for address in named.addresses if address.source == APP]:
            return allowed(n, facts, _app_doubts(part.value, named))
    return not_asked("you did not ask for it to be started.")


def _app_doubts(name: str, named: Meanings) -> tuple[Doubt, ...]:
    if len(named.addresses) > 1:
        return (Doubt(SEVERAL, f"“{name}” can mean each of these"),)
    return (Doubt("near name", f"“{name}” only comes near its name"),) if named.is_near else ()


# Decides whether a file may be opened: only one that the person typed, in a plain command of their own.


def showing(effect: Effect, facts: Facts) -> Verdict:
    file, intent = effect.address, facts.intent
    if file is None or facts.addresses.get(file.id) != file or file.url != effect.target:
        return refuse("that is not a file that you named.")
    if intent is None or not intent.is_command:
        return not_asked()
    for n, part in facts.parts_left:
        if part.form == Form.FILE and file.id == f"f{part.value}":
            # What lies here under a name may be what they mean by it, or not.
            is_other = len(facts.meant(n).addresses) > 1
            return allowed(n, facts, (Doubt(SEVERAL, "a file of that name lies here"),) * is_other)
    return not_asked()
