"""What is an address, and in which one form is it kept?

There are two ways in: *typed* by the person, who may name any host and port, and *found* by a search, where
whatever is not plainly a public web site is refused. Nothing found is repaired.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .errors import BadTarget
from .hostnames import COUNTRIES, DIGITS, FILES, LETTERS, RESERVED, ascii_host, is_ipv4, unreadable

LONGEST = 2048

# White space, control, bidi, invisible and tag characters, surrogates, the backslash and the quote.
# Compiled for those who need it, as it costs what a hundred plain addresses do.
_FORBIDDEN = (
    "[\\x00-\\x20\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f"
    '\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\uffff\\ud800-\\udfff\\U000e0000-\\U000e0fff\\\\"]'
)
_SCHEMES = ("http", "https")
# What a sentence puts before an address, behind it, and on both sides.
_BEFORE, _AFTER = "'`\"“”‘’„‚«»‹›<({", "“”‘’„‚«»‹›>.,;:!?"
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("'", "'"), ('"', '"'), ("`", "`"))
_IN_PAIRS = "()[]{}'`\""
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
    port: str


def canon(raw: str) -> Canon:
    """Return the canonical form of *raw*, which has its scheme.

    Raises BadTarget where it isn't http(s), has no host, could be read in two ways, or is too long.
    """
    if len(raw) > LONGEST:
        raise _too_long()
    if _is_forbidden(raw):
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
    if len(url) > LONGEST:  # what is encoded is three times as long
        raise _too_long()
    return Canon(url, host, before, port)


def found(raw: object) -> Canon | None:
    """Return *raw*, out of search results, in the form that is kept; None where it may not be opened.

    Refused are other schemes, loopback, LAN and special hosts, IP addresses and userinfo.
    A text fragment (`#:~:text=`) is dropped.
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
    labels = address.host.split(".")
    # The last label starts with a letter, so no IP address passes in any of its spellings.
    is_name = len(labels) > 1 and all(map(_is_label, labels)) and labels[-1][0] not in DIGITS + "_"
    return not address.userinfo and is_name and "_" not in labels[-1] and not address.host.endswith(_SPECIAL)


def typed(word: str) -> str | None:
    """Return the address that the person meant by *word*, in the form that is kept; None where it is none.

    Without a scheme, a host on this network gets http, any other https.
    """
    word = unwrapped(word)
    if len(word) > LONGEST:
        return None
    try:
        if not word[:8].lower().startswith(("http://", "https://")):
            authority = _authority(word)
            host = _host_and_port(authority)[0].lower()
            if authority.endswith(":") or "//" in word.split("?")[0] or not _looks_like_host(host, word):
                return None
            word = f"{'http' if _is_near(host) else 'https'}://{word}"
        address = canon(word)
        return address.url if address.host not in _SCHEMES else None  # pasted twice: https://https://…
    except BadTarget:
        return None


def typed_addresses(words: str) -> list[str]:
    """Return every address in *words*, in order, each once."""
    return list(dict.fromkeys(url for word in words.split() if (url := typed(word))))


def without_addresses(words: str) -> str:
    """Return *words* without those that are addresses."""
    return " ".join(word for word in words.split() if not typed(word))


def host_of(url: str) -> str:
    """Return the host in *url*, without `www.`; empty where there is none."""
    scheme, _, rest = url.partition("://")
    try:
        host, _ = _host_and_port(_authority(rest).rpartition("@")[2])
    except BadTarget:
        return ""
    return host.lower().removeprefix("www.") if scheme.lower() in _SCHEMES else ""


def as_read(host: str) -> str:
    """Return how a browser may show *host*, where that is not what it is; else empty."""
    if not any(label.startswith("xn--") for label in host.split(".")):
        return ""
    try:
        return host.encode().decode("idna")
    except UnicodeError:
        return "in no way that can be told"


def unwrapped(word: str) -> str:
    """Return *word* without the quotes, brackets and stops that a sentence puts around it."""
    left = {sign: word.count(sign) for sign in _IN_PAIRS}  # of what is left between start and end
    start, end, before = 0, len(word), -1
    while end - start != before:
        before = end - start
        while start < end and word[start] in _BEFORE:
            left[word[start]] = left.get(word[start], 0) - 1
            start += 1
        while start < end and word[end - 1] in _AFTER:
            end -= 1
        # A bracket or quote at the end that has its partner within belongs to the address.
        for opening, closing in _PAIRS:
            partners = left[opening] if opening != closing else left[closing] // 2 * 2
            if start < end and word[end - 1] == closing and left[closing] > partners:
                left[closing] -= 1
                end -= 1
    return word[start:end]


def _authority(rest: str) -> str:
    """Return what *rest*, all that comes behind a scheme, has before its path."""
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


def _is_label(label: str) -> bool:
    return 0 < len(label) <= 63 and not label.strip(LETTERS) and label[0] != "-" != label[-1]


def _is_forbidden(raw: str) -> bool:
    if raw.isascii():
        return not raw.isprintable() or any(sign in raw for sign in ' \\"')
    return bool(re.search(_FORBIDDEN, raw))


def _is_near(host: str) -> bool:
    return host == "localhost" or host.startswith("[") or _ends_in_number(host) or host.endswith(_LOCAL)


def _ends_in_number(host: str) -> bool:
    """Return whether the last label of *host* is a number: then it is an IPv4 address, or no host."""
    return not host.rpartition(".")[2].strip(DIGITS)


def _looks_like_host(host: str, word: str) -> bool:
    if host == "localhost" or host.startswith("["):
        return True
    if _ends_in_number(host):
        return is_ipv4(host)
    stem, dot, last = host.rpartition(".")
    if not dot or not stem or not all(stem.split(".")) or "@" in word.split("/")[0]:
        return False
    if len(last) == 2 and last.isascii():
        return last in COUNTRIES
    return last.startswith("xn--") or (last.isalpha() and len(last) > 1 and last not in FILES)


def _too_long() -> BadTarget:
    return BadTarget("That address is too long.", hint=f"At most {LONGEST} characters.")
