"""Recognizes addresses and puts each in one canonical form.

The user may type any host and port (*address_from_word*). A search result (*found*) must plainly be a public
website. Nothing found is repaired.
"""

import functools
import os
import re
import sys
import unicodedata
from typing import NamedTuple

from .errors import BadTarget

LONGEST = 8000  # characters of one that is opened
_MOST_AROUND = 500  # signs of each kind that are taken off a word: more take long, and are no sentence

DIGITS = "0123456789"
_LABEL = "[a-z0-9_][a-z0-9_-]{0,62}"
_HOST = rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*"
# Browsers take a host for an IP address by its last label: 0x7f.1 is 127.0.0.1.
_NUMBER = r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
# No label ends with a hyphen, and the last one starts with a letter: so no IP address is one, however spelt.
_PUBLIC_HOST = r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
# Endings that are a file's more often than a domain's; and names of files whose ending may be a domain's.
_FILE_ENDINGS = ("md", "py", "sh", "tf")
_FILE_STEMS = frozenset("main mod index makefile configure requirements notes todo readme script".split())
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
# How the numbers begin that lead no further than a network at home.
_NEAR = (*"10. 127. 192.168. 169.254. [::1] [fc [fd [fe8".split(), *(f"172.{n}." for n in range(16, 32)))


def ascii_host(host: str) -> str:
    """Return *host* in lower-case ASCII, an IPv6 address in brackets.

    Raises BadTarget for anything else, and for a host that IDNA or a browser would read differently.
    """
    if host.startswith("["):
        return _ipv6(host[1:-1])
    if "ẞ" in host:  # ss, or ß: that depends on the browser's age
        raise unreadable()
    # One by one: at the end of a word lower() makes another letter of Σ than browsers do.
    labels = "".join(map(str.lower, host)).removesuffix(".").split(".")
    host = ".".join(labels)
    if not host.isascii() or any(label.startswith("xn--") for label in labels):
        host = _encoded(host)
    if not re.fullmatch(_HOST, host) or (re.fullmatch(_NUMBER, host) and not is_ipv4(host)):
        raise unreadable()
    return host


def is_ipv4(host: str) -> bool:
    """Return whether *host* is an IPv4 address, written in the one way that is not ambiguous."""
    return bool(re.fullmatch(rf"{_BYTE}(?:\.{_BYTE}){{3}}", host))


def unreadable() -> BadTarget:
    return BadTarget("Can't read the host in that address.")


def _encoded(host: str) -> str:
    """Return *host*, which has letters of other scripts, or their code, in that code.

    Raises BadTarget for what IDNA 2008 does not take as it is: that could be read in two ways.
    """
    import idna  # only names in other scripts need it

    try:
        encoded = idna.encode(host, strict=True).decode()
        letters = idna.decode(encoded, strict=True)
        if _RIGHT_TO_LEFT.intersection(map(unicodedata.bidirectional, letters)):
            for label in letters.split("."):  # one that is has all of them keep the rule
                idna.check_bidi(label, check_ltr=True)
    except UnicodeError:
        raise BadTarget("The host in that address can be read in two ways.") from None
    return encoded


def _ipv6(text: str) -> str:
    """Return this IPv6 address as RFC 5952 writes it, in its brackets."""
    from ipaddress import IPv6Address  # only for those who type one

    try:
        return f"[{IPv6Address(text).compressed}]"
    except ValueError:
        raise unreadable() from None


# What words end with: countries, as hosts end; what else most sites have, where another may be mistyped or
# mean a file; and what files have, with which a word is no address unless it has a scheme.
with open(os.path.join(os.path.dirname(__file__), "endings.txt"), encoding="ascii") as _file:
    _ENDINGS = {kind: frozenset(words.split()) for kind, _, words in (row.partition(":") for row in _file)}
COUNTRIES, _WELL_KNOWN, FILES = (_ENDINGS[kind] for kind in ("countries", "common", "files"))


def country_in(code: str) -> str:
    """Return the ending of hosts in the country *code* (uk for GB), or ""."""
    ending = {"gb": "uk"}.get(code.lower(), code.lower())
    return ending if ending in COUNTRIES else ""


# Of a network of one's own, or of none.
RESERVED = (
    "local localhost localdomain internal intranet private lan home corp test invalid onion arpa alt".split()
)


def is_well_known(domain: str) -> bool:
    """Return whether people type the top-level *domain*, in lower case. In other scripts, any counts."""
    if domain in COUNTRIES or domain in _WELL_KNOWN or domain in RESERVED:
        return True
    return not domain.isascii() or domain.startswith("xn--")


# An address as a whole.

# White space, control, bidi, invisible and tag characters, surrogates, the backslash and the quote.
_FORBIDDEN = (
    "[\\x00-\\x20\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f"
    '\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\uffff\\ud800-\\udfff\\U000e0000-\\U000e0fff\\\\"]'
)
_SCHEMES = ("http", "https")
# What a sentence puts before an address, behind it, and on both sides.
_BEFORE, _AFTER = "'`\"“”‘’„‚«»‹›<({", "“”‘’„‚«»‹›>.,;:!?"
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("'", "'"), ('"', '"'), ("`", "`"))
_IN_IPV6 = DIGITS + "abcdefABCDEF:."
_SPECIAL = tuple(f".{name}" for name in RESERVED)
_LOCAL = (".localhost", ".local", ".lan", ".internal", ".home", ".test")
# Browsers encode these themselves; some openers choke on them raw.
_ENCODED = {ord(c): f"%{ord(c):02X}" for c in "<>`{|}^"}


class Canon(NamedTuple):
    """One address in the form that is kept: host in lower case and ASCII, the rest as it was."""

    url: str
    host: str
    userinfo: str  # what stands before the host, with its @
    port: str  # empty: that of its scheme

    @property
    def place(self) -> str:
        """Its host with its port."""
        return f"{self.host}:{self.port or {'http': 80, 'https': 443}[self.url.partition(':')[0]]}"


def canon(raw: str, longest: int = LONGEST) -> Canon:
    """Return the canonical form of *raw*, which has its scheme. longest: how many characters it may have.

    Raises BadTarget where it isn't http(s), has no host, could be read in two ways, or is too long.
    """
    if re.search(_FORBIDDEN, raw):
        raise BadTarget("That address has characters that an address can't have.")
    scheme, sign, rest = raw.partition("://")
    if scheme.lower() not in _SCHEMES or not sign:
        raise BadTarget("Only http:// and https:// addresses are opened.")
    authority = _authority(rest)
    userinfo, at, host_and_port = authority.rpartition("@")
    host, digits = _host_and_port(host_and_port)
    host, port = ascii_host(host), digits.lstrip("0")
    if digits and not 0 < int(port or 0) < 65536:
        raise BadTarget("That address has a port that does not exist: the last is 65535.")
    before, after = userinfo.translate(_ENCODED) + at, f":{port}" if port else ""
    url = f"{scheme.lower()}://{before}{host}{after}{rest[len(authority) :].translate(_ENCODED)}"
    if len(url) > longest:
        raise BadTarget(f"That address has {len(url):,} characters. Jarvis opens up to {longest:,}.")
    return Canon(url, host, before, port)


def found(raw: object) -> Canon | None:
    """Return a search result's address *raw* in canonical form, or None if opening it isn't allowed.

    It refuses other schemes, loopback, LAN and special hosts, IP addresses, and userinfo. It drops a text
    fragment (`#:~:text=`).
    """
    if not isinstance(raw, str):
        return None
    try:
        address = canon(raw.strip().split("#:~:", 1)[0])
    except BadTarget:
        return None
    return address if is_public(address) else None


def is_public(address: Canon) -> bool:
    """Return whether *address* is plainly a public web site: safe to open when a stranger named it."""
    is_name = re.fullmatch(_PUBLIC_HOST, address.host) and not address.host.endswith(_SPECIAL)
    return bool(is_name and not address.userinfo)


def is_here(address: Canon) -> bool:
    """Return whether *address* belongs to this machine, without asking a name server."""
    is_name = address.host in ("localhost", "[::1]")
    return is_name or (is_ipv4(address.host) and address.host.startswith("127."))


def is_own_network(address: Canon) -> bool:
    """Return whether *address* is of this machine or a network of one's own."""
    is_number = is_ipv4(address.host) or address.host.startswith("[")
    return address.host.startswith(_NEAR) if is_number else not is_public(address._replace(userinfo=""))


def page_url(text: object) -> str:
    """Return the http(s) address *text* of a database row, or ""."""
    return _page_url(text) if isinstance(text, str) else ""


@functools.lru_cache(maxsize=256)  # each node of a turn reads the same rows again
def _page_url(text: str) -> str:
    try:
        return canon(text).url
    except BadTarget:
        return ""


def address_from_word(word: str, longest: int = LONGEST) -> str | None:
    """Parse *word* as a typed address in canonical form, or return None.

    Without a scheme, a host on this network gets http, any other https. longest: as in `canon`.
    """
    word = unwrapped(word)
    has_scheme = word[:8].lower().startswith(("http://", "https://"))
    if not (has_scheme or "." in word or word[:9].lower() == "localhost" or word[:1] == "["):
        return None  # most words: they need not be read
    try:
        address = canon(word if has_scheme else f"https://{word}", longest)
    except BadTarget:
        return None
    if has_scheme:  # pasted twice: https://https://…
        return address.url if address.host not in _SCHEMES else None
    if "@" in word.split("/")[0] or _authority(word).endswith(":") or not _looks_like_host(address.host):
        return None
    return address.url.replace("https", "http", 1) if _is_near(address.host) else address.url


def typed_addresses(words: str) -> list[str]:
    """Return every address in *words*, in order, each once."""
    return list(dict.fromkeys(url for word in words.split() if (url := address_from_word(word))))


def of_any_length(word: str) -> str:
    """Parse *word* as a typed address, even one too long to open, or return ""."""
    return address_from_word(word, sys.maxsize) or ""


def refuse_longer(words: str) -> None:
    """Raise BadTarget where an address in *words* is too long to be opened."""
    for url in filter(None, map(of_any_length, words.split())):
        canon(url)


def without_addresses(words: str) -> str:
    """Return *words* without those that are addresses."""
    return " ".join(word for word in words.split() if not address_from_word(word))


def host_of(url: str) -> str:
    """Return the host in *url* without `www.`, or ""."""
    scheme, _, rest = url.partition("://")
    try:
        host, _ = _host_and_port(_authority(rest).rpartition("@")[2])
    except BadTarget:
        return ""
    return host.lower().removeprefix("www.") if scheme.lower() in _SCHEMES else ""


def without_scheme(url: str) -> str:
    """Return the host and path of *url*, to be read: without scheme, user, query, and fragment."""
    host_and_path = re.split("[?#]", url.partition("://")[2])[0]
    return re.sub(r"\A(?:[^/]*@)?(?:www\.)?", "", host_and_path).rstrip("/")


def may_be_file(word: str) -> bool:
    """Return whether *word* is a file's name more likely, with or without the number of a line."""
    if "://" in word:
        return False
    host, name = host_of(f"https://{word}"), word.partition(":")[0]
    if name != word and os.path.lexists(name):
        return True
    if name.lower() != host:  # it has a path, or www
        return False
    stem, _, ending = host.rpartition(".")
    is_bundle = ending == "app" and not (name.islower() or name.isupper())  # of macOS: Safari.app
    return ending in _FILE_ENDINGS or stem in _FILE_STEMS or "_" in stem or is_bundle


def as_read(host: str) -> str:
    """Return how a browser may display *host*, if that differs from *host*, or ""."""
    if not any(label.startswith("xn--") for label in host.split(".")):
        return ""
    try:
        return host.encode().decode("idna")
    except UnicodeError:
        return "in a way that no one can predict"


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


def unwrapped(word: str) -> str:
    """Return *word* without the quotes, brackets and stops that a sentence puts around it."""
    for _ in range(_MOST_AROUND):
        before, word = word, word.lstrip(_BEFORE).rstrip(_AFTER)
        # A bracket or quote at the end that has its partner within belongs to the address.
        for opening, closing in _PAIRS:
            count = word.count(closing)
            partners = count // 2 * 2 if opening == closing else word.count(opening)
            if word.endswith(closing) and count > partners:
                word = word[:-1]
        if word == before:
            break
    return word


def _authority(rest: str) -> str:
    """Return the part of *rest* (all after the scheme) before its path."""
    return rest[: min((at for sign in "/?#" if (at := rest.find(sign)) >= 0), default=len(rest))]


def _host_and_port(text: str) -> tuple[str, str]:
    """Return the host, an IPv6 address in its brackets, and the port's digits. Raises BadTarget."""
    if text.startswith("["):
        inside, sign, after = text[1:].partition("]")
        host, is_host = f"[{inside}]", bool(sign and inside) and not inside.strip(_IN_IPV6)
        colon, port = after[:1], after[1:]
    else:
        host, colon, port = text.partition(":")
        is_host = bool(host) and not any(sign in host for sign in "@[]%")
    if not is_host or colon not in ("", ":") or len(port) > 5 or port.strip(DIGITS):
        raise unreadable()
    return host, port


def _is_near(host: str) -> bool:
    return host == "localhost" or host.startswith("[") or is_ipv4(host) or host.endswith(_LOCAL)


def _looks_like_host(host: str) -> bool:
    """Return whether *host*, of a word without a scheme, is one: not a file, a number or an abbreviation."""
    if _is_near(host):
        return True
    stem, _, last = host.rpartition(".")
    if len(last) == 2:
        return bool(stem) and last in COUNTRIES
    letters = last[4:].encode().decode("punycode") if last.startswith("xn--") else last
    is_name = len(letters) > 1 and all(unicodedata.category(letter)[0] in "LM" for letter in letters)
    return bool(stem) and is_name and last not in FILES
