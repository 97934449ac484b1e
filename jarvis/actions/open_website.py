"""Send one address that is known to the person's browser."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from .. import urls
from ..errors import Refused
from ..phrases import GOES, OPENS, line, said, spelt
from ..turn import Effect, Facts, Outcome
from .base import RUNNING, Desktop, Field, HandsAction

# They may stand before an address.
_CALLED = frozenset(("website", "site", "page", "url", "link", "address"))


class OpenWebsite(HandsAction):
    name = "open_website"
    description = (
        "send one of the offered addresses to the person's browser; `address` is its id. "
        "Prefer one marked official. Search first if none fits."
    )
    fields = (Field("address", "the id of the offered address to open", offered=True),)
    effect = "opens"
    stands_in_for = ("launches",)  # an app that is missing may have a site

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        address = facts.addresses.get(str(arguments.get("address")))
        if address is None:
            raise Refused("That address is not one that you named or that was found.")
        return Effect("opens", address.url, address)

    def limit(self, goal: str) -> int:
        from ..words.counting import things_named  # a plain command has no use for it

        return things_named(goal)

    def plain(self, words: str) -> Mapping[str, str] | None:
        """`open github.com/user?x=1`, `go to news dot ycombinator dot com`, `open the second one`."""
        meant = said(words)
        if meant.doubts:
            return None
        if number := line(meant):
            return {"address": str(number)}
        if meant.verb not in (OPENS, GOES):
            return None
        named = meant.words[meant.words[0].lower() == "the" :] if meant.words else ()
        if named and named[0].lower() in _CALLED:
            meant = meant._replace(words=named[1:])
        url = _address(meant.words)
        return {"address": url} if url else None

    def perform(self, desktop: Desktop, target: str) -> Outcome:
        said = "Your browser is starting:" if desktop.open_url(target) == RUNNING else "Sent"
        text = f"{said} {target}" if said != "Sent" else f"Sent {target} to your browser."
        return Outcome("done", text, value=target)

    def not_done(self, target: str) -> str:
        return f"Did not open {target}"

    def would(self, target: str) -> str:
        return f"Would open {target}"


def _address(words: Sequence[str]) -> str | None:
    """The one address that *words* are. What may as well be a file's name is not plain."""
    word = words[0] if len(words) == 1 else spelt(words)
    bare = urls.unwrapped(word)
    is_file = bare.lower().endswith((".md", ".py", ".sh", ".tf")) or os.path.isfile(bare)
    return None if is_file else urls.typed(word)


ACTION = OpenWebsite()
