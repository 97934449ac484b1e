"""Start an app that is installed."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import Refused
from ..text import one_line
from ..turn import Effect, Facts, Outcome
from .base import RUNNING, Desktop, Field, HandsAction


class OpenApp(HandsAction):
    name = "open_app"
    description = "start an app installed on the person's computer; `app` is its name as the person said it."
    fields = (Field("app", "the app's name, as the person named it"),)
    effect = "launches"

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        said = str(arguments.get("app") or "")
        name = one_line(said, 80)
        if not name:
            raise Refused("Which app to start was not said.")
        if any("\ud800" <= letter <= "\udfff" for letter in said):  # what is left may be another
            raise Refused("That app has a name that is no text.", hint="Start it from its menu.")
        return Effect("launches", name, known_as=facts.apps.get(name, ""))

    def limit(self, goal: str) -> int:
        from ..words.counting import things_named  # a plain command has no use for it

        return things_named(goal)

    def perform(self, desktop: Desktop, target: str) -> Outcome:
        launched = desktop.launch_app(target)
        text = f"Started {launched.name}." if launched.state == RUNNING else f"Told {launched.name} to open."
        return Outcome("done", text, value=launched.name)

    def not_done(self, target: str) -> str:
        return f"Did not start {target}"

    def would(self, target: str) -> str:
        return f"Would start {target}"


ACTION = OpenApp()
