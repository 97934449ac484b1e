"""Start an app that is installed: which one, Python finds out from the name that the person gave."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import NotInstalled, Refused
from ..intent import START
from ..turn import Effect, Facts, Outcome
from .base import RUNNING, Desktop, HandsAction, Want


class OpenApp(HandsAction):
    name = "open_app"
    description = "start the app that the person named; Jarvis knows which one it is on their computer."
    wants = (
        Want(
            START, "start an app, NAME as they spelt it; or browser, mail, files, terminal, editor, settings"
        ),
    )
    named = "app"
    effect = "launches"

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        """The next app of the intent."""
        parts = facts.intent.parts if facts.intent else ()
        place = next((place for place in facts.left if parts[place].form == START), None)
        if place is None:
            raise Refused("you did not ask for an app to be started.")
        name = parts[place].value
        if not (meant := facts.meanings.get(place, ())):
            raise NotInstalled(f"no app called “{name}” is installed.")
        return Effect("launches", meant[0].url, known_as=name, title=meant[0].title)

    def perform(self, desktop: Desktop, target: str) -> Outcome:
        launched = desktop.launch_app(target)
        text = f"Started {launched.name}." if launched.state == RUNNING else f"Told {launched.name} to open."
        return Outcome("done", text, value=launched.name)

    def not_done(self, target: str) -> str:
        return f"Did not start {target}"

    def would(self, target: str) -> str:
        return f"Would start {target}"


ACTION = OpenApp()
