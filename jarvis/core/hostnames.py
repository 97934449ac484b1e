"""The name of a host as the DNS has it, where browsers can read it in one way only."""

from __future__ import annotations

import unicodedata

from .errors import BadTarget
from .stdlib import re

# No regular expressions for plain hosts: to compile them costs a plain command more than all else here.
DIGITS = "0123456789"
LETTERS = DIGITS + "abcdefghijklmnopqrstuvwxyz_-"
# What IDNA drops though it is called a letter or a mark; compiled for other scripts only.
_DROPPED = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3002\u3164\ufe00-\ufe0f\uffa0]"
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_IN_BOTH = {"EN", "ES", "CS", "ET", "ON", "NSM"}


def ascii_host(host: str) -> str:
    """*host* in ASCII and lower case, an IPv6 address in its brackets.

    Raises BadTarget for what is no host, and for what IDNA or a browser would take for another one.
    """
    if host.startswith("["):
        return _ipv6(host[1:-1])
    if "ẞ" in host:  # ss, or ß: that depends on the browser's age
        raise _ambiguous()
    # One by one: at the end of a word lower() makes another letter of Σ than browsers do.
    labels = "".join(map(str.lower, host)).removesuffix(".").split(".")
    if not host.isascii() or any(label.startswith("xn--") for label in labels):
        labels = _encoded([_spelt(label) for label in labels])
    host = ".".join(labels)
    if not _is_host(host) or (_is_number(host) and not is_ipv4(host)):
        raise unreadable()
    return host


def is_ipv4(host: str) -> bool:
    """Whether *host* is an IPv4 address, in the one way to write it."""
    parts = host.split(".")
    return len(parts) == 4 and all(
        part and not part.strip(DIGITS) and len(part) < 4 and part == str(int(part)) and int(part) < 256
        for part in parts
    )


def _is_host(host: str) -> bool:
    return len(host) <= 253 and all(
        0 < len(label) <= 63 and label[0] != "-" and not label.strip(LETTERS) for label in host.split(".")
    )


def _is_number(host: str) -> bool:
    """Browsers take such a last label for a number, and the host for an IP address: 0x7f.1 is 127.0.0.1."""
    last = host.rpartition(".")[2]
    return not last.strip(DIGITS) or (last.startswith("0x") and not last[2:].strip(DIGITS + "abcdef"))


def unreadable() -> BadTarget:
    return BadTarget("That address has no host that can be read.")


def _ambiguous() -> BadTarget:
    return BadTarget("That address has a host that can be read in two ways.")


def _spelt(label: str) -> str:
    """*label* in the letters that it stands for."""
    if not label.startswith("xn--"):
        return label
    try:
        spelt = label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        raise unreadable() from None
    if spelt.isascii() or spelt.startswith("xn--") or _punycode(spelt) != label:
        raise _ambiguous()
    return spelt


def _encoded(labels: list[str]) -> list[str]:
    if not all(label.isascii() or _has_one_spelling(label) for label in labels) or not _reads_one_way(labels):
        raise _ambiguous()
    return [label if label.isascii() else _punycode(label) for label in labels]


def _punycode(label: str) -> str:
    return "xn--" + label.encode("punycode").decode()


def _has_one_spelling(label: str) -> bool:
    """Whether IDNA leaves *label* as it is: what it maps or drops has two readings."""
    from encodings.idna import nameprep  # only names in other scripts need it

    kinds = [unicodedata.category(character) for character in label]
    if re.search(_DROPPED, label) or kinds[0].startswith("M") or {"Cn", "Cf", "Co", "Cs"} & set(kinds):
        return False
    kept = label.replace("ß", "").replace("ς", "")  # casefold() would change them, browsers don't
    try:
        prepared = nameprep(kept)
    except UnicodeError:
        return False
    return kept == prepared == unicodedata.normalize("NFKC", kept.casefold())


def _reads_one_way(labels: list[str]) -> bool:
    """The rule of RFC 5893 for names that are written from right to left, without Arabic digits.

    Besides them such a name has Latin labels only.
    """
    classes = [[unicodedata.bidirectional(character) for character in label] for label in labels]
    if not any(_RIGHT_TO_LEFT & set(each) for each in classes):
        return True
    plain = all(label.isascii() or each[0] != "L" for label, each in zip(labels, classes, strict=True))
    return plain and all(map(_is_one_direction, classes))


def _is_one_direction(classes: list[str]) -> bool:
    while classes and classes[-1] == "NSM":
        classes = classes[:-1]
    own = {"R", "AL"} if classes and classes[0] in _RIGHT_TO_LEFT else {"L"}
    return (
        bool(classes) and classes[0] in own and classes[-1] in own | {"EN"} and set(classes) <= own | _IN_BOTH
    )


def _ipv6(text: str) -> str:
    """The one way to write this IPv6 address, in its brackets: RFC 5952."""
    from ipaddress import IPv6Address  # only for those who type one

    try:
        number = int(IPv6Address(text))
    except ValueError:
        raise unreadable() from None
    groups = ":".join(f"{number >> shift & 0xFFFF:x}" for shift in range(112, -1, -16))
    longest = max(re.findall(r"\b0(?::0)+\b", groups), key=len, default="")
    return f"[{re.sub(rf'(?:^|:){longest}(?:$|:)', '::', groups, count=1) if longest else groups}]"
