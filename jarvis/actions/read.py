"""Read the text of a known page, or a file that they named, as a picture: the next plan sees it."""

import os
from collections.abc import Mapping

from ..core.errors import ReadFailed, Refused, ServiceUnreachable
from ..core.text import one_line
from ..core.types import ASIDE, FILE, Effect, Facts, Outcome
from ..core.urls import host_of
from . import READ, READER, BrainAction, Field, Reader, Service

_QUOTED = 200  # characters of it that are kept with the turn


class Read(BrainAction):
    name = READ
    description = (
        "read one of the offered addresses, files, pictures or folders, where title and snippet do not "
        "answer what they ask, or where they point at it; `address` is its id."
    )
    fields = (Field("address", "one offered", offered=True),)
    services = (Service(READER),)
    attempts = 3
    times = 3

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        address = facts.addresses.get(str(arguments.get("address")))
        if address is None or not address.url:
            raise Refused("That is nothing that you named or that was found.")
        return Effect("reads", address.url, address=address)

    async def perform(self, effect: Effect, reader: Reader) -> Outcome:
        is_file = effect.address is not None and effect.address.source == FILE
        name = os.path.basename(effect.target) if is_file else host_of(effect.target).removeprefix("www.")
        try:
            page = await reader(effect.target)
        except (ReadFailed, ServiceUnreachable) as error:
            outcome = Outcome("failed", error.message, "", error.code, error.hint, error.exit_status)
            # Of a page that was only found, the reply does without.
            is_theirs = effect.address is not None and effect.address.source != "found"
            return outcome if is_theirs else outcome._replace(code=ASIDE)
        told = f"{page.words:,} words): {one_line(page.text, _QUOTED)}" if page.words else "a picture)."
        text = f"{page.title}\n\n{page.text}".strip()
        return Outcome("done", f"Read {name} ({told}", value=effect.target, page=text, picture=page.picture)


ACTION = Read()
