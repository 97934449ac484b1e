"""One request from the command line: done by the brain that stays, or in this process. Imports little."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.options import Options
from ..core.stdlib import TYPE_CHECKING
from ..core.text import LONGEST_PIPED, piped_in, said
from ..launcher.command import is_name, meant_by
from ..output.screen import Screen
from .errors import guarded

if TYPE_CHECKING:
    from ..launcher.command import Meant


def ask(options: Options, words: Sequence[str], screen: Screen, *, tried: str = "") -> int:
    """Do what *words* ask, plain or not; the exit status. tried: words known not to be plain."""

    def work() -> int:
        own, piped = words_of(words, screen)
        meant = None if piped or own == tried else meant_by(own, options, screen.environment)
        if not piped and not meant:
            meant = _picked(own, options, screen)
        if not meant:
            from ..brain.thin import by_brain, is_for_brain

            if is_for_brain(options, screen):
                status = by_brain(options, own, piped, screen)
                if status is not None:
                    return status
        from .one_shot import here

        return here(options, own, piped, screen, meant)

    return guarded(options, screen, work)


def _picked(own: str, options: Options, screen: Screen) -> Meant | None:
    """What is plain now that they were asked what they mean by a name that only comes near."""
    if not screen.is_interactive or options.json or options.ndjson or options.yes or not is_name(own):
        return None
    from .suggestions import picked  # few have to

    return picked(own, options, screen)


def words_of(words: Sequence[str], screen: Screen) -> tuple[str, str]:
    """The person's own words, and what they piped in besides.

    stdin is read where the last word is `-`, or where there are no words and it is no terminal; never
    just because it is no terminal: nobody may ever write to it.
    """
    if (words and words[-1] != "-") or (len(words) != 1 and screen.stdin.isatty()):
        return said(" ".join(words)), ""
    raw = getattr(screen.stdin, "buffer", None)
    # One more than is allowed, so that too long is told as too long.
    piped = raw.read(4 * LONGEST_PIPED + 4).decode("utf-8", "replace") if raw else screen.stdin.read()
    own = " ".join(words[:-1])
    if own.strip():
        return said(own), piped_in(piped)
    # Down a pipe alone, a line is what they want; several are material, in which nobody asks for anything.
    is_line = "\n" not in piped.strip()
    return (piped_in(piped, alone=True), "") if is_line else ("", piped_in(piped))
