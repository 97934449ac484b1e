"""The sources and lines that a reply cites, and the hosts in it that nothing confirms.

A mark such as [r3] becomes the number of its source while the reply is being written. A mark of an offer in
this turn's tables becomes the number of its line. Sources are then numbered after the lines. If the turn
lists nothing and an earlier list is still valid, marks become its lines.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from ..core.errors import BadTarget
from ..core.types import OFFER, Address
from ..core.urls import FILES, ascii_host, host_of
from ..search.hosts import site_of, suffix_of
from .schema import partial_reply

_ID = r"[ursof]\d{1,6}"
_MARK = re.compile(rf"[ ]?\[ ?({_ID}(?: ?[,;] ?{_ID}){{0,9}}) ?\]")
# As long as the longest mark: what is held back may still become one.
_UNFINISHED = re.compile(r"[ ]?\[[^\]\[\n]{0,120}\Z|[ ]\Z")


class Writing:
    """A reply in progress: ids become numbers, and new text is shown at once."""

    def __init__(
        self,
        addresses: Sequence[Address],
        listed: Sequence[str] = (),
        show: Callable[[str], None] | None = None,
        *,
        keeps_list: bool = False,
        offers: int = 0,
    ) -> None:
        """listed: the ids on the numbered lines, in order. show: gets new text, or None.

        keeps_list: whether that list stays valid. Then the reply has no sources. offers: how many offer ids
        the thread has used.
        """
        self.shown = ""
        self._addresses = {} if keeps_list else {address.id: address for address in addresses}
        self._lines = {id_: line for line, id_ in reversed([*enumerate(listed, 1)])}
        self._before = len(listed)
        self._ours = {*(address.id for address in addresses), *listed}
        self._offers = offers
        self._show = show
        self.cited: list[Address] = []

    def go_on(self, text: str) -> bool:
        """Show the new part of the reply in *text*, the plan so far. Empty: it begins again.

        Returns whether any of it was shown.
        """
        if not text:
            self.cited = []  # what an answer of no use cited counts no more
        elif self._show is not None:
            self.show(self.rewritten(partial_reply(text), is_whole=False))
        return bool(self.shown)

    def show(self, text: str) -> None:
        """Show what is new of *text*, which begins with what was shown so far."""
        if self._show is not None and len(text) > len(self.shown):
            self._show(text[len(self.shown) :])
            self.shown = text

    def rewritten(self, text: str, *, is_whole: bool = True) -> str:
        """Return *text* with numbers for ids. If incomplete, leave out an end that may still change."""
        if not is_whole and (unfinished := _UNFINISHED.search(text)):
            text = text[: unfinished.start()]
        return _MARK.sub(self._numbers, text)

    def _numbers(self, match: re.Match[str]) -> str:
        ids = [id_ for id_ in re.findall(_ID, match[1]) if id_ in self._ours or self._was_offered(id_)]
        if not ids and _is_code(match):
            return match[0]  # no mark of ours
        numbers = dict.fromkeys(filter(None, map(self._number, ids)))
        space = " " if match[0].startswith(" ") and numbers else ""
        return space + "".join(f"[{number}]" for number in numbers)

    def _was_offered(self, id_: str) -> bool:
        return id_.startswith(OFFER) and 1 <= int(id_[1:]) <= self._offers

    def _number(self, id_: str) -> int:
        """Return the number of a line or a source, which may be new, or 0."""
        if id_ in self._lines or id_ not in self._addresses:
            return self._lines.get(id_, 0)
        address, urls = self._addresses[id_], [each.url for each in self.cited]
        self.cited += [] if address.url in urls else [address]
        return self._before + [*urls, address.url].index(address.url) + 1


def _is_code(match: re.Match[str]) -> bool:
    """Return whether a mark is in code, or right after a word, as `arr[u8]` is."""
    before = match.string[: match.start()]
    return before.count("`") % 2 == 1 or (match[0][0] == "[" and before[-1:].isalnum())


MOST = 20  # hosts that are told
# What a name without scheme and path ends in, if it is an address for sure. Left out are those that are
# common in code (`main.py`, `self.id`, `logging.info`) or in words that a sentence's stop runs into.
_SURE = frozenset(
    "com org net edu gov mil biz online website xyz icu vip "
    "ae ar au az ba bd bg bo br ca ch ci cl cn co cr cu cz de dk dz ec ee eg es eu fi fr ge gg gh gr hk hr "
    "hu ie il io ir jo jp ke kr kw kz lb li lk lt lu lv ly ma mx ng nl np nz pa pe ph pk pt qa ro ru sa se "
    "sg si sk su th tk tn tr tv tw ua ug uk us uy uz ve vn ws za zw".split()
)
_AROUND = r"\s<>\"'`()\[\]{}|*“”„«»‹›"
# A scheme, if it has one; what may be a host; a path.
_ADDRESS = re.compile(rf"(?i:((?:https?|ftp):[/\\]{{2,}})?)([^{_AROUND},;/\\?#]+)([/\\?#][^{_AROUND}]*)?")


def unverified(text: str, urls: Iterable[str], known_hosts: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the https addresses in *text* whose host is not in *urls*, each host once.

    urls: URLs. known_hosts: without www. A subdomain that a provider rents out (x.github.io) doesn't count
    as the provider's.
    """
    hosts = {host_of(url) for url in urls} | set(known_hosts)
    by_host: dict[str, str] = {}
    for scheme, authority, path in _ADDRESS.findall(text):
        host = _host(authority, has_scheme=bool(scheme), has_path=bool(path))
        bare = host.removeprefix("www.")
        if bare and bare not in by_host and not _is_known(bare, hosts):
            by_host[bare] = f"https://{host}"
        if len(by_host) == MOST:
            break
    return tuple(by_host.values())


def _host(authority: str, *, has_scheme: bool, has_path: bool) -> str:
    """Return the host in *authority* in ASCII, or "" if it is probably something else."""
    name = authority.rpartition("@")[2].partition(":")[0].strip("._-!").lower()
    try:
        host = ascii_host(name)
    except BadTarget:  # no browser may read it as one host; what is told is how it is written
        return name if has_scheme else ""
    suffix, ending = suffix_of(host), host.rpartition(".")[2]
    is_sure = has_path or ending in _SURE or "." in suffix or ending.startswith("xn--")
    is_domain = suffix and ending not in FILES and is_sure and "@" not in authority
    return host if has_scheme or is_domain or (host.startswith("www.") and host.count(".") > 1) else ""


def _is_known(host: str, hosts: set[str]) -> bool:
    site, labels = site_of(host), host.split(".")
    overs = (".".join(labels[at:]) for at in range(len(labels)))
    return any(over in hosts and site_of(over) == site for over in overs)
