"""Send one address that is known to the person's browser."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from .. import urls
from ..errors import Refused
from ..turn import Effect, Facts, Outcome
from .base import RUNNING, Desktop, Field, HandsAction

_PLAIN = re.compile(
    r"(?i)(?:(?:please|ok|okay|hey|jarvis)[\s,]+)*"
    r"(?:open(?: up)?|go to|goto|visit|browse to|navigate to|take me to|bring up|pull up)\s+"
    r"(?:(?:the )?(?:web ?site|site|page|url|link|address)\s+)?"
    r"(\S+?)(?:[\s,]+(?:please|thanks|now))?[\s.!]*\Z"
)
_LINE = re.compile(r"(?i)(?:please )?open (?:number )?#?[1-9]\d?(?: please)?[.!]?\Z")


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
        from ..counting import things_named  # a plain command has no use for it

        return things_named(goal)

    def plain(self, words: str) -> Mapping[str, str] | None:
        """`open github.com/user?x=1`, `go to https://…`, `open 2`."""
        match = _PLAIN.match(words.strip())
        if not match:
            return None
        if _LINE.match(words.strip()):
            return {"address": match[1].lstrip("#")}
        # What may as well be a file's name is not plain.
        bare = urls.unwrapped(match[1])
        is_file = bare.lower().endswith((".md", ".py", ".sh", ".tf")) or os.path.isfile(bare)
        url = None if is_file else urls.typed(match[1])
        return {"address": url} if url else None

    def perform(self, desktop: Desktop, target: str) -> Outcome:
        said = "Your browser is starting:" if desktop.open_url(target) == RUNNING else "Sent"
        text = f"{said} {target}" if said != "Sent" else f"Sent {target} to your browser."
        return Outcome("done", text, value=target)

    def not_done(self, target: str) -> str:
        return f"Did not open {target}"

    def would(self, target: str) -> str:
        return f"Would open {target}"


ACTION = OpenWebsite()
