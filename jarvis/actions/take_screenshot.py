"""Save a picture of the whole screen, in the person's pictures folder."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from ..intent import PICTURE
from ..light import re
from ..phrases import said
from ..turn import Effect, Facts, Outcome
from .base import Desktop, HandsAction, Want

_MOST_WORDS = 10
_SCREEN = (
    r"(?:(?:my|the|this)(?: (?:whole|entire|full|current))? (?:screen|desktop|display|monitor)"
    r"|screen|desktop)"
)
_SHOT = r"screen(?: |-)?(?:shot|grab|cap|capture)"
_PICTURE = r"(?:picture|photo|image|snapshot|shot|capture)"
_PLAIN = (
    # “Get the screenshot” means one that is there.
    r"(?:(?:(?:take|grab|capture|make|save|do|get|snap|shoot|create)(?: me)? )?(?:(?:a|an|another|one) )?"
    r"|(?:take|grab|capture|make|do|snap|shoot) the )"
    rf"(?:new |quick |full ?screen |full )*(?:{_SHOT}(?: of {_SCREEN})?|{_PICTURE} of {_SCREEN})"
    rf"|(?:screenshot|capture|grab|snap|photograph) {_SCREEN}"
)
_NEEDED = ("screen", "desktop", "display", "monitor")  # one of them at least


class TakeScreenshot(HandsAction):
    name = "take_screenshot"
    description = "save a picture of the whole screen as a file. You don't get to see it."
    wants = (Want(PICTURE, "take a picture of their screen, now"),)
    effect = "captures"

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        """The path is chosen before the act: a file there means that it was done."""
        stem = os.path.join(facts.pictures, "Jarvis", time.strftime("Screenshot %Y-%m-%d %H-%M-%S"))
        path, n = f"{stem}.png", 2
        while os.path.lexists(path):
            path, n = f"{stem} ({n}).png", n + 1
        return Effect("captures", path)

    def plain(self, words: str) -> Mapping[str, str] | None:
        """`take a screenshot`, `screenshot`, `capture my screen`; nothing on how, of what or where to."""
        meant = said(words)
        if meant.verb or meant.doubts or len(meant.words) > _MOST_WORDS:
            return None
        # Most words are about something else, and need not wait until the expression is compiled.
        is_near = any(word in meant.text for word in _NEEDED)
        return {} if is_near and re.fullmatch(_PLAIN, meant.text) else None

    def perform(self, desktop: Desktop, target: str) -> Outcome:
        width, height = desktop.capture(target)
        return Outcome("done", f"Saved {target} ({width}x{height}, it stays on this machine).", value=target)

    def not_done(self, target: str) -> str:
        return "Did not take a screenshot"

    def would(self, target: str) -> str:
        return f"Would save a screenshot as {target}"


ACTION = TakeScreenshot()
