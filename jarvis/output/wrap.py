"""Breaks a reply into lines between words, while it is still being written."""

from __future__ import annotations

from ..core.text import cells

_FENCE = "```"
# No line begins with these, and none ends with those.
_CLOSING = frozenset("、。，．・：；？！）］｝」』】〉》〕ー々〜…’”»,.:;?!)]}%'\"")
_OPENING = frozenset("（［｛「『【〈《〔‘“«([{'\"")


class Wrapper:
    """Adds line ends for a terminal's width to a text that comes in pieces.

    A word that is longer than a line is left to the terminal to wrap, so that an address can be copied
    whole; so is everything between ``` fences.
    """

    def __init__(self) -> None:
        self._line = 0  # cells of the line that was begun
        self._spaces = 0  # behind its last word, not yet passed on
        self._word = ""  # not yet passed on
        self._cells = 0  # of that
        self._last = ""  # character that came
        self._goes_on = False  # the word's beginning was passed on: it can't be moved to another line
        self._is_code = self._is_fence = False
        self._is_broken = False  # the line began in the middle of one of the text's: spaces are no indent

    def feed(self, text: str, width: int) -> str:
        """Return what to print now of *text*, on a terminal with *width* columns: not its last word yet."""
        return "".join(self._taken(character, width) for character in text)

    def flush(self, width: int) -> str:
        """Return what was held back: no more text comes, or not at once."""
        held = self._placed(width)
        self._goes_on = self._goes_on or bool(held)
        return held

    def begin_line(self) -> None:
        """Note that something else has ended the line."""
        self._line = self._spaces = 0
        self._is_broken = True

    def _taken(self, character: str, width: int) -> str:
        if character in " \n" or _may_break(self._last, character):
            said = self._placed(width)
            self._goes_on = False
        else:
            said = ""
        self._last = character
        if character == "\n":
            return said + self._ended()
        if character == " ":
            self._spaces += not self._is_broken
            return said
        self._word += character
        self._cells += cells(character)
        return said + (self._placed(width) if self._goes_on or self._is_too_long(width) else "")

    def _is_too_long(self, width: int) -> bool:
        return self._cells > width

    def _placed(self, width: int) -> str:
        """Return the word in progress with what goes before it: spaces, or the end of a full line."""
        if not self._word:
            return ""
        before = self._before(width)
        placed, self._line = f"{before}{self._word}", self._line + len(before.strip("\n")) + self._cells
        self._goes_on = self._goes_on or self._is_too_long(width)
        self._word, self._cells, self._spaces, self._is_broken = "", 0, 0, False
        return placed

    def _before(self, width: int) -> str:
        if self._line == 0:
            self._is_fence = self._word.startswith(_FENCE)
        if self._goes_on or self._is_code:
            return " " * self._spaces
        if self._line == 0:  # an indent, as far as the word leaves room for it
            return " " * max(0, min(self._spaces, width - self._cells))
        # The terminal has wrapped what is longer than a line.
        column = (self._line - 1) % width + 1
        if column + self._spaces + self._cells <= width:
            return " " * self._spaces
        self._line = 0
        return "\n"

    def _ended(self) -> str:
        if self._is_fence:
            self._is_code = not self._is_code
        self._is_fence = self._is_broken = False
        self._line = self._spaces = 0
        return "\n"


def _may_break(before: str, after: str) -> bool:
    """Return whether a line may end between the two: Chinese and Japanese are written without spaces."""
    if not before or before in " \n\u200d" or not (_stands_alone(before) or _stands_alone(after)):
        return False
    return before not in _OPENING and after not in _CLOSING and cells(after) > 0 and not _is_tone(after)


def _stands_alone(character: str) -> bool:
    return cells(character) == 2 and not "가" <= character <= "힣"  # Korean words have spaces between them


def _is_tone(character: str) -> bool:
    """Return whether it is the skin colour of the emoji before it."""
    return "\U0001f3fb" <= character <= "\U0001f3ff"
