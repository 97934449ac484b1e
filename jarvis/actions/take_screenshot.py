"""Save a picture of the screen, in the person's pictures folder."""

import os
from collections.abc import Mapping

from ..core.intent import Form
from ..core.types import Effect, Facts, Outcome, ParsedWords
from ..desktop.desktop import Platform, picture_path
from ..language.command_grammar import is_picture
from .base import DesktopAction, Want


class TakeScreenshot(DesktopAction):
    name = "take_screenshot"
    description = "save a picture of the screen as a file. You don't get to see it."
    wants = (
        Want(Form.PICTURE, "take a picture of their screen, now"),
        Want(Form.PART, "of a window or region"),
    )
    name_arg = "what"
    effect = "captures"

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        """Choose the path before the act: a file there means that it was done."""
        is_part = arguments.get("what") == "window"
        return Effect("captures", picture_path(facts, "Screenshot"), {"is_part": is_part})

    def plain(self, words: ParsedWords) -> Mapping[str, str] | None:
        """Read `take a screenshot`, `screenshot`, `capture my screen`, with nothing else."""
        return {} if is_picture(words) else None

    def perform(self, effect: Effect, platform: Platform) -> Outcome:
        path = effect.target
        width, height = platform.capture(path, is_part=effect.arguments["is_part"])
        return Outcome("done", f"Saved {path} ({width}x{height}, it stays on this machine).", value=path)

    def cut_off(self, target: str) -> Outcome:
        """Take the file for a proof: it gets its name once it is whole."""
        if not os.path.isfile(target):
            return super().cut_off(target)
        return Outcome("done", f"Saved {target} (it stays on this machine).", value=target)

    def not_done(self, target: str) -> str:
        return "Did not take a screenshot"

    def would(self, target: str) -> str:
        return f"Would save a screenshot as {target}"


ACTION = TakeScreenshot()
