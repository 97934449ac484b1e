"""Do two names mean the same? Needed to say whose website an address is."""

from __future__ import annotations

import re
import unicodedata

from .hosts import names_of, set_of

_LEGAL = set_of(
    "ab ag bv co com company corp corporation gmbh inc incorporated kg limited llc llp ltd net nv org oy "
    "plc pty sa se spa srl"
)
# Left out of acronyms.
_SMALL = set_of("a and at de der des di du et for fur in la le of on the to und y")
# Words that say what kind of thing a name is, and may be missing from one of two spellings.
_KINDS = set_of(
    "band bank city club company county country dc fc group language municipality of official programming "
    "project software state team the town university village"
)
_UMLAUTS: dict[int, str] = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"}
# Words that impostors add to a name.
_DESKS = set_of(
    "account accounts billing care customer desk download help helpdesk helpline hotline login number "
    "phone refund secure service signin support verification verify"
)


def same_name(asked: str, title: str) -> bool:
    """Whether *title* names what was *asked* for: as a whole, in part, or by its acronym."""
    ours, theirs = words(asked), words(title)
    if not ours or not theirs:
        return False
    if "".join(ours) == "".join(theirs) or _possessive(asked) == _possessive(title):
        return True
    if _stands_for(ours, theirs) or _stands_for(theirs, ours):
        return True
    # More in the title is fine: the search knew who was meant. More in what was asked is not,
    # unless it only says what kind of thing it is: “Acme Easton” isn't “Acme”.
    rest = _without(theirs, ours)
    if rest is not None:
        return not _DESKS & set(rest)
    rest = _without(ours, theirs)
    return rest is not None and set(rest) <= _KINDS


def begins_with(title: str, asked: str) -> bool:
    """Whether *title* is *asked*, perhaps with a branch or a trade after it."""
    ours, theirs = words(asked), words(title)
    return bool(ours) and theirs[: len(ours)] == ours and not _DESKS & set(theirs[len(ours) :])


def is_host_of(host: str, asked: str) -> bool:
    """Whether *host* is *asked* itself and nothing around it: acme.co.uk, but not acme-help.com."""
    if _DESKS & set(words(asked)):  # “Acme support” as a host is what an impostor would take
        return False
    return any(_spells(label, spelling) for label in names_of(host) for spelling in _spellings(asked))


def imitates(host: str, asked: str) -> bool:
    """Whether *host* wears the name that was *asked* for without being it: acme.com.evil.example."""
    if _DESKS & set(words(asked)):  # somebody's support: what impostors live on
        return True
    bare = host.replace("-", "").replace(".", "")
    names = {"".join(spelling) for spelling in _spellings(asked)}
    worn = any(len(name) > 2 and name in bare for name in names)
    with_form = {name + form for name in names for form in ("company", "gmbh", "inc", "llc", "ltd")}
    return worn and not is_host_of(host, asked) and with_form.isdisjoint(names_of(host))


def words(name: str) -> list[str]:
    """The words of *name* without case, accents, stops, a leading “the” and a legal form."""
    found = re.findall(r"\w+", re.sub(r"['’.]", "", _folded(re.sub(r"(?i)\.(com|org|net)\b", r" \1", name))))
    if len(found) > 1 and found[0] == "the":
        del found[0]
    while len(found) > 1 and found[-1] in _LEGAL:
        del found[-1]
    return found


def _folded(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in letters if not unicodedata.combining(c))


def _possessive(name: str) -> list[str]:
    # “McDonald's website” asks for McDonald, whose name is McDonald's.
    return words(re.sub(r"['’]s?\Z", "", name.strip()))


def _stands_for(short: list[str], long: list[str]) -> bool:
    if len(short) != 1 or len(short[0]) < 2 or len(long) < 2:
        return False
    every = "".join(word[0] for word in long)
    weighty = "".join(word[0] for word in long if word not in _SMALL)
    return short[0] in (every, weighty)


def _without(long: list[str], short: list[str]) -> list[str] | None:
    """What is left of *long* once the words of *short* are taken out of it in one piece."""
    for start in range(len(long) - len(short) + 1):
        if long[start : start + len(short)] == short:
            return long[:start] + long[start + len(short) :]
    return None


def _spells(label: str, name: tuple[str, ...]) -> bool:
    """Whether *label* is *name*, with hyphens between its words at most: face-book isn't Facebook."""
    parts, at = label.split("-"), 0
    ends = {sum(map(len, name[:n])) for n in range(1, len(name) + 1)}
    return "".join(parts) == "".join(name) and all((at := at + len(part)) in ends for part in parts)


def _spellings(asked: str) -> set[tuple[str, ...]]:
    """The words in which a host may write *asked*: with or without legal form and article, ü as u or ue."""
    german = asked.casefold().translate(_UMLAUTS)
    names = {asked, german, asked.replace("&", " and "), re.sub(r"(?i)\A(the )?(city|town) of ", "", asked)}
    whole = {tuple(re.findall(r"\w+", re.sub(r"['’]", "", _folded(name)))) for name in names}
    return {name for name in whole | {tuple(words(name)) for name in names} if name}
