"""Take something off one of the user's own lists."""

from collections.abc import Mapping
from typing import Any

from ...actions.base import BrainAction, Field
from ...core.text import one_line
from ...core.types import Effect, Facts, Outcome
from . import UNKEEP
from .keep import LISTS, MY_LIST, Lists

_LONGEST = 120  # characters of the words for it


class Unkeep(BrainAction):
    name = "unkeep"
    verb = "take off a list"
    description = "take one thing off the person's own lists, such as their wishlist; `what` says which."
    fields = (Field("what", "its line there, or words of its title that nothing else there has"),)
    wants = (UNKEEP,)
    effect = "keeps"
    services = (LISTS,)
    answers = True
    order = rf"(?:take|remove|delete|drop) (?P<what>\d{{1,3}}) (?:off|from)(?: {MY_LIST})?\W*"

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        return Effect("keeps", one_line(str(arguments["what"]), _LONGEST))

    async def perform(self, effect: Effect, lists: Lists) -> Outcome:
        item = await lists.find_item(effect.target)
        await lists.remove(item)
        return Outcome("done", f"Taken off {item.list}: {item.formatted}.", item.title)


ACTION = Unkeep()
