"""Start an app that is installed. Python finds out which one from the name that the person gave."""

from collections.abc import Mapping

from ..core.errors import NotInstalled, Refused
from ..core.intent import ROLES, Form
from ..core.types import NOT_ASKED, Effect, Facts, Outcome
from ..desktop.desktop import RUNNING, Platform
from .base import DesktopAction, Want


class OpenApp(DesktopAction):
    name = "open_app"
    verb = "start"
    description = "start the app that the person named; Jarvis knows which one it is on their computer."
    wants = (Want(Form.START, f"start an app, NAME as they spelt it; or one of {', '.join(ROLES)}"),)
    name_arg = "app"
    effect = "launches"

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        """Return the next app of the intent, or the first of those that its name may mean."""
        for n, part in facts.parts_left:
            meanings = facts.meaning_of(n).addresses
            apps = [meaning for meaning in meanings if meaning.source == "app"]
            # A name that is a site's as well is started once they chose the app.
            if apps and (part.form == Form.START or len(meanings) == 1):
                return Effect("launches", apps[0].url, known_as=part.value, title=apps[0].title)
            if part.form == Form.START and not meanings:
                raise NotInstalled(f"no app called “{part.value}” is installed.")
        raise Refused("you did not ask for it to be started.", code=NOT_ASKED)

    def perform(self, effect: Effect, platform: Platform) -> Outcome:
        launched = platform.launch_app(effect.target)
        text = f"Started {launched.name}." if launched.state == RUNNING else f"Told {launched.name} to open."
        return Outcome("done", text, value=launched.name)


ACTION = OpenApp()
