"""Shows the model the user's screen or clipboard with the next plan, after the user agrees."""

from collections.abc import Mapping

from ..core.intent import Form
from ..core.text import pluralize
from ..core.types import Effect, Facts, Outcome
from ..desktop.desktop import Platform, picture_path
from .base import DesktopAction, Want


class Look(DesktopAction):
    name = "look_at"
    verb = "look at your"
    description = "see their screen, of which a picture is kept, or clipboard with your next plan."
    wants = (
        Want(Form.SCREEN, "asks about what is on their screen now, perhaps with a picture of it"),
        Want(Form.WINDOW, "asks about a window or region"),
        Want(Form.CLIPBOARD, "asks about what they copied"),
    )
    name_arg = "what"
    effect = "shows"
    answers = False

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        """Choose the path of a picture. Clipboard text is not saved."""
        what = arguments.get("what")
        title, name = ("clipboard", "Clipboard") if what == "clipboard" else ("screen", "Screenshot")
        return Effect("shows", picture_path(facts, name), {"is_part": what == "window"}, title=title)

    def perform(self, effect: Effect, platform: Platform) -> Outcome:
        path, what = effect.target, f"Their {effect.title}"
        if effect.title == "screen":
            platform.capture(path, is_part=effect.arguments["is_part"])
        elif text := platform.clipboard(path):
            message = f"Read the clipboard ({pluralize(len(text.split()), 'words')})."
            return Outcome("done", message, page=f"{what}:\n\n{text}")
        message = f"Saved {path}, which the model is shown."
        shown = f"{what} is shown below. If it isn't there, it is gone."
        return Outcome("done", message, value=path, page=shown, picture=path)


ACTION = Look()
