"""Open the own website of a name that the person said. Python finds out which one it is."""

from collections.abc import Mapping

from ..core.errors import ActionFailed, Refused
from ..core.intent import Form
from ..core.types import APP, NOT_ASKED, Address, Effect, Facts, Meanings, Outcome
from ..desktop.desktop import Platform, sent
from .base import OPEN_SITE, DesktopAction, Want


class OpenSite(DesktopAction):
    name = OPEN_SITE
    verb = "open"
    description = "open the own website of a name that the person said; Jarvis finds out which one it is."
    wants = (Want(Form.SITE, "open the own website of NAME: theirs, its, a company's, a known site's"),)
    name_arg = "site"
    effect = "opens"

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        """Return the opening of the site of the name, or of the likeliest one where they have to choose."""
        name = str(arguments.get("site"))
        part = facts.part_naming(name)
        if not part:
            raise Refused("you did not ask for it to be opened.", code=NOT_ASKED)
        if address := _address(facts.meaning_of(part), facts):
            return Effect("opens", address.url, address=address, known_as=name)
        hint = f'jarvis "search the web for {name}"'
        raise ActionFailed(f"Nothing was found for “{name}”.", hint=hint, code="not_found")

    def perform(self, effect: Effect, platform: Platform) -> Outcome:
        return sent(effect.target, "your browser", platform.open_url(effect.target))


def _address(meanings: Meanings, facts: Facts) -> Address | None:
    """Return the address of a name's site, or None if it isn't known."""
    own = [each for each in meanings.addresses if each.source != APP]
    same_site = [each for each in facts.addresses.values() if each.url == meanings.site.url != ""]
    return next(iter(own or same_site or meanings.site.choices), None)


ACTION = OpenSite()
