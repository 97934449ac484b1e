"""What is an address, and in which one form do we keep it?

Two ways in: *typed* by the person, whose business any host and port is, and *found* by a
search, where whatever is not plainly a public web site is refused. Nothing found is repaired.
"""

from __future__ import annotations

import re

from .errors import BadTarget
from .hostnames import ascii_host, is_ipv4, unreadable
from .typed import NamedTuple

LONGEST = 2048

# White space, control, bidi, invisible and tag characters, surrogates, the backslash and the quote.
# Compiled for those who need it, as it costs what a hundred plain addresses do.
_FORBIDDEN = (
    "[\\x00-\\x20\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f"
    '\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\uffff\\ud800-\\udfff\\U000e0000-\\U000e0fff\\\\"]'
)
# ASCII alone: `(?i)s` would match the long ſ, and `\\d` the digits of every script.
_PARTS = re.compile(r"(?ai)(https?)://([^/?#]*)([^#]*)(#.*)?\Z")
_AUTHORITY = re.compile(r"(?:(.*)@)?(\[[0-9a-fA-F:.]+\]|[^:@\[\]%]+)(?::([0-9]{0,5}))?\Z")
# The last label starts with a letter, so no IP address passes in any of its spellings.
_PUBLIC = r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\Z"
_SPECIAL = tuple(
    ".local .localhost .localdomain .internal .intranet .private .lan .home .corp .test .invalid "
    ".onion .arpa .alt".split()
)
_LOCAL = (".localhost", ".local", ".lan", ".internal", ".home", ".test")
# Browsers encode these themselves; some openers choke on them raw.
_ENCODED = {ord(c): f"%{ord(c):02X}" for c in "<>`{|}^"}

_COUNTRIES = frozenset(
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt "
    "bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er "
    "es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht "
    "hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr "
    "ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng "
    "ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd "
    "se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw "
    "tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw".split()
)
# What follows the last dot of a file's name: such a word is no address unless it has a scheme.
_FILES = frozenset(
    "avi bak bat bin bmp bz2 cfg class conf config cpp css csv dat deb diff dmg doc docx dll eml env epub "
    "exe flac gif git gradle gzip htm html ico ini ipynb iso jar java jpeg jpg json jsonl js jsx key kt "
    "lock log lua m4a mkv mov mp3 mp4 mpeg msi odp ods odt ogg old orig otf patch pdf pem php png ppt "
    "pptx psd pyc pyi rar rpm rst rtf scss sql sqlite svg swift swp tar tex tgz tif tiff tmp toml ts tsv "
    "tsx ttf txt vim vue war wasm wav webm webp whl wma wmv woff woff2 xls xlsx xml yaml yml zsh "
    "7z".split()
)


class Canon(NamedTuple):
    """One address in the form we keep: host in lower case and ASCII, the rest as it was."""

    url: str
    host: str
    userinfo: bool
    port: str


def canon(raw: str) -> Canon:
    """The canonical form of *raw*, which has its scheme.

    Raises BadTarget where it isn't http(s), has no host, could be read in two ways, or is too long.
    """
    if len(raw) > LONGEST:
        raise _too_long()
    if _is_forbidden(raw):
        raise BadTarget("That address has characters that no address has.")
    parts = _PARTS.match(raw)
    if not parts:
        raise BadTarget("Only http:// and https:// addresses are opened.")
    scheme, authority, path, fragment = parts.groups()
    match = _AUTHORITY.match(authority)
    if not match:
        raise unreadable()
    userinfo, host, port = match.group(1), ascii_host(match.group(2)), (match.group(3) or "").lstrip("0")
    if match.group(3) and not 0 < int(port or 0) < 65536:
        raise BadTarget("That address has no such port.")
    before = f"{userinfo.translate(_ENCODED)}@" if userinfo is not None else ""
    after = f":{port}" if port else ""
    rest = (path + (fragment or "")).translate(_ENCODED)
    url = f"{scheme.lower()}://{before}{host}{after}{rest}"
    if len(url) > LONGEST:  # what is encoded is three times as long
        raise _too_long()
    return Canon(url, host, userinfo is not None, port)


def found(raw: object) -> str | None:
    """*raw*, out of search results, as we keep it; None where it may not be opened.

    Refused are other schemes, loopback, LAN and special hosts, IP addresses and userinfo.
    A text fragment (`#:~:text=`) is dropped.
    """
    if not isinstance(raw, str):
        return None
    try:
        address = canon(raw.strip().split("#:~:", 1)[0])
    except BadTarget:
        return None
    return address.url if is_public(address) else None


def is_public(address: Canon) -> bool:
    """Whether *address* is plainly a public web site: safe to open when a stranger named it."""
    return (
        not address.userinfo and bool(re.match(_PUBLIC, address.host)) and not address.host.endswith(_SPECIAL)
    )


def typed(word: str) -> str | None:
    """The address that the person meant by *word*, as we keep it; None where it is none.

    Without a scheme, a host on this network gets http, any other https.
    """
    word = unwrapped(word)
    if not re.match(r"(?i)https?://", word):
        host = re.match(r"(?:\[[0-9a-fA-F:.]+\]|[^/?#:@\[\]]+)(?=[/?#]|:\d{1,5}(?:[/?#]|\Z)|\Z)", word)
        if not host or "//" in word.split("?")[0] or not _looks_like_host(host[0].lower(), word):
            return None
        word = f"{'http' if _is_near(host[0].lower()) else 'https'}://{word}"
    try:
        return canon(word).url
    except BadTarget:
        return None


def typed_addresses(words: str) -> list[str]:
    """Every address in *words*, in order, each once."""
    return list(dict.fromkeys(url for word in words.split() if (url := typed(word))))


def host_of(url: str) -> str:
    """The host in *url*, without `www.`; empty where there is none."""
    parts = _PARTS.match(url)
    match = _AUTHORITY.match(parts[2]) if parts else None
    return match[2].lower().removeprefix("www.") if match else ""


def key_of(url: str) -> str:
    """What two spellings of one address have in common."""
    return re.sub(r"\Ahttps?://(?:www\.)?", "", url).rstrip("/")


def as_read(host: str) -> str:
    """How a browser may show *host*, where that is not what it is; else empty."""
    if not any(label.startswith("xn--") for label in host.split(".")):
        return ""
    try:
        return host.encode().decode("idna")
    except UnicodeError:
        return "in no way that can be told"


def unwrapped(word: str) -> str:
    """*word* without the quotes, brackets and stops that a sentence puts around it."""
    while True:
        bare = word.lstrip("'`\"“”‘’<({").rstrip("“”‘’>.,;:!?")
        # A bracket or quote at the end that has its partner within belongs to the address.
        for opening, closing in ("()", "[]", "{}", "''", '""', "``"):
            if bare.endswith(closing) and opening not in bare[:-1]:
                bare = bare[:-1]
        if bare == word:
            return word
        word = bare


def _is_forbidden(raw: str) -> bool:
    if raw.isascii():
        return not raw.isprintable() or any(sign in raw for sign in ' \\"')
    return bool(re.search(_FORBIDDEN, raw))


def _is_near(host: str) -> bool:
    return host == "localhost" or host.startswith("[") or is_ipv4(host) or host.endswith(_LOCAL)


def _looks_like_host(host: str, word: str) -> bool:
    if host == "localhost" or is_ipv4(host) or host.startswith("["):
        return True
    stem, dot, last = host.rpartition(".")
    if not dot or not stem or not all(stem.split(".")) or "@" in word.split("/")[0]:
        return False
    if len(last) == 2 and last.isascii():
        return last in _COUNTRIES
    return last.startswith("xn--") or (last.isalpha() and len(last) > 2 and last not in _FILES)


def _too_long() -> BadTarget:
    return BadTarget("That address is too long.", hint=f"At most {LONGEST} characters.")
