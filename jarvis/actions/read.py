"""Read the text of a known page, or a file that they named, as a picture: the next plan sees it."""

import os
from collections.abc import Mapping

from ..core.errors import JarvisError, Refused
from ..core.types import ASIDE, Effect, Facts, Outcome
from ..core.urls import host_of
from .base import READ, BrainAction, Field, Reader, Service


class Read(BrainAction):
    name = READ
    description = (
        "read one of the offered addresses, files, pictures or folders, where title and snippet do not "
        "answer what they ask, or where they point at it; `address` is its id."
    )
    fields = (Field("address", "one offered", offered=True),)
    services = (Service(READ),)
    attempts = times = 3

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        id_ = str(arguments.get("address"))
        if file := facts.files.get(id_):
            return Effect("reads", file.path, {"digest": file.digest}, file=file)
        address = facts.addresses.get(id_)
        if address is None or not address.url:
            raise Refused("That is nothing that you named or that was found.")
        return Effect("reads", address.url, address=address)

    async def perform(self, effect: Effect, read: Reader) -> Outcome:
        try:
            return await read(effect)
        except JarvisError as error:
            if effect.address and effect.address.source == "found":
                error.code = ASIDE  # the reply does without
            raise

    def not_done(self, target: str) -> str:
        return f"Can't read {host_of(target) or os.path.basename(target) or 'it'}"


ACTION = Read()
