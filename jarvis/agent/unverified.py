"""The hosts in a reply that nothing vouches for: it may repeat what a stranger wrote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ..core.errors import BadTarget
from ..core.hostnames import FILES, ascii_host
from ..core.urls import host_of
from ..search.hosts import site_of, suffix_of

MOST = 20  # hosts that are told
_LONGEST = 253  # characters of a host
# What a name without scheme and path ends in, if it is an address for sure. Left out are those that are
# common in code (`main.py`, `self.id`, `logging.info`) or in words that a sentence's stop runs into.
_SURE = frozenset(
    "com org net edu gov mil biz online website xyz icu vip "
    "ae ar au az ba bd bg bo br ca ch ci cl cn co cr cu cz de dk dz ec ee eg es eu fi fr ge gg gh gr hk hr "
    "hu ie il io ir jo jp ke kr kw kz lb li lk lt lu lv ly ma mx ng nl np nz pa pe ph pk pt qa ro ru sa se "
    "sg si sk su th tk tn tr tv tw ua ug uk us uy uz ve vn ws za zw".split()
)
_IPV6 = r"\[[0-9A-Fa-f:.]{2,45}\]"
# As far as a terminal takes an address to go.
_WORD = re.compile(rf"(?:[^\s<>\"'`()\[\]{{}}|“”„«»‹›]|(?<=//){_IPV6})+")
_DOTS = "。．｡"  # which browsers read as one
_NAME = re.compile(rf"[\w.{_DOTS}-]+|{_IPV6}")
# Browsers take https:evil.example for an address too.
_SIGNS = re.compile(r"((?i:https?):[/\\]*|[/\\?#]+)")
_PORT = re.compile(r"(?::\d{1,5})?\Z")
# Written without spaces: words before and after an address are none of its labels.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SCRIPTS = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")


# By what a name is told to be a host.
_SCHEME, _PATH, _NOTHING = "scheme", "path", "nothing"


def unverified(text: str, known: Iterable[str], known_hosts: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the addresses in *text* whose host is none of *known* nor part of one: https, each host once.

    In one pass over the text, which may be long, and made to be slow.

    known: URLs. known_hosts: without www. A subdomain that a provider lets out (x.github.io) is no part of
    the provider's site.
    """
    hosts = {host_of(url) for url in known} | set(known_hosts)
    told: dict[str, str] = {}
    for name, by in _each_once(_written(text)):
        host = _host(name, by)
        bare = host.removeprefix("www.")
        if host and bare not in told and not _is_known(bare, hosts):
            told[bare] = f"https://{host}"
            if len(told) == MOST:
                break
    return tuple(told.values())


def _each_once(written: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    seen: set[tuple[str, str]] = set()
    for each in written:
        if each not in seen:
            seen.add(each)
            yield each


def _written(text: str) -> Iterator[tuple[str, str]]:
    """Yield each name in *text* that may be a host, and what tells that it is one."""
    for word in _WORD.finditer(text):
        if "." in word[0] or "//" in word[0] or any(dot in word[0] for dot in _DOTS):
            before, *rest = _SIGNS.split(word[0])
            yield from _in_part(before, _NOTHING, "".join(rest[:1]))
            for at in range(0, len(rest), 2):
                sign, part, after = rest[at], rest[at + 1], "".join(rest[at + 2 : at + 3])
                if sign[0] in "hH":
                    yield from _in_part(part, _SCHEME if sign[-1] != ":" or "." in part else _NOTHING, after)
                elif sign == "//":  # of another scheme, or of none
                    yield from _in_part(part, _NOTHING, after)


def _in_part(part: str, by: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield the names in *part* of a word. What stands before the first tells that it is a host: *by*.

    after: the sign that ends the part, if one does.
    """
    if by == _SCHEME:
        part = part.rpartition("@")[2]
    for name in _NAME.finditer(part):
        if part[max(0, name.start() - 1) : name.start()] == "@" or part[name.end() : name.end() + 1] == "@":
            continue  # of a mail address
        has_path = after[:1] in ("/", "\\", "?", "#") and _PORT.match(part, name.end())
        for host in _parts(name[0]):
            yield host, by if by == _SCHEME else _PATH if has_path else _NOTHING
        by = _NOTHING


def _parts(name: str) -> list[str]:
    """Cut *name* where no host goes on: at several dots, and between scripts without spaces and others."""
    if name.startswith("["):
        return [name]
    for dot in _DOTS:
        name = name.replace(dot, ".")
    parts: list[list[str]] = [[]]
    for label in name.split("."):
        pieces = _SCRIPTS.findall(label)
        parts[-1] += pieces[:1]
        if len(pieces) != 1:
            parts.append(pieces[-1:])
    return [host for part in parts if (host := ".".join(part).strip(".-_"))]


def _host(name: str, by: str) -> str:
    """Return the host that *name* is, in ASCII; empty where it is none, or as likely something else."""
    if len(name) > _LONGEST:
        return ""
    name = unicodedata.normalize("NFKC", name).lower()
    try:
        host = ascii_host(name)
    except BadTarget:  # no browser may read it as one host; what is told is how it is written
        return name if by == _SCHEME else ""
    return host if by == _SCHEME or _is_domain(host, by) else ""


def _is_domain(host: str, by: str) -> bool:
    """Return whether *host*, which has no scheme, is plainly a domain, not a file or the like."""
    suffix, ending = suffix_of(host), host.rpartition(".")[2]
    if host.startswith("www.") and host.count(".") > 1:
        return True
    if not suffix or ending in FILES:
        return False
    return by == _PATH or ending in _SURE or "." in suffix or ending.startswith("xn--")


def _is_known(host: str, known: set[str]) -> bool:
    site, labels = site_of(host), host.split(".")
    return any(
        over in known and site_of(over) == site
        for over in (".".join(labels[at:]) for at in range(len(labels)))
    )
