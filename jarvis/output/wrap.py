"""Breaks a reply into lines between words, while it is still being written."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..core.text import cells, hyperlink

# No line begins with these, and none ends with those.
_CLOSING = frozenset("、。，．・：；？！）］｝」』】〉》〕ー々〜…’”»,.:;?!)]}%'\"")
_OPENING = frozenset("（［｛「『【〈《〔‘“«([{'\"")
# An address as far as a sentence leaves it.
_ADDRESS = re.compile(r"https?://[^\s\x1b<>\"'`]*[^\s\x1b<>\"'`.,:;!?)\]}*_~]")
_RESET = "\x1b[0m"


class Wrapper:
    """Adds line ends for a terminal's width to a text that comes in pieces, each in a style.

    A word that is longer than a line is left to the terminal to wrap, so that an address can be copied whole.
    A style is the numbers of an SGR sequence, such as `1;3`; empty: none.
    """

    def __init__(self, links: Collection[str] = ()) -> None:
        """links: the addresses that become hyperlinks."""
        self._links = links
        self._line = 0  # cells of the line that was begun
        self._is_fresh = True  # no word stands in it
        self._hang = ""  # what a line that we begin begins with
        self._hang_cells = 0
        self._spaces = 0  # behind its last word, not yet passed on
        self._word = ""  # not yet passed on
        self._before_word = ""  # what ends the style of the word before
        self._cells = 0  # of that word
        self._style = ""  # of the last character that came
        self._placed_style = ""  # of the last that was passed on
        self._last = ""  # character that came
        self._goes_on = False  # the word's beginning was passed on: it can't be moved to another line
        self._is_broken = False  # the line began in the middle of one of the text's: spaces are no indent

    def feed(self, text: str, width: int, style: str = "") -> str:
        """Return what to print now of *text*, on a terminal with *width* columns: not its last word yet."""
        return "".join(self._taken(character, width, style) for character in text)

    def flush(self, width: int) -> str:
        """Return what was held back: no more text comes, or not at once."""
        held = self._placed(width)
        self._goes_on = self._goes_on or bool(held)
        return held + self._plain()

    def begin_line(self) -> None:
        """Note that something else has ended the line."""
        self._line = self._spaces = 0
        self._is_broken = self._is_fresh = True

    def begin(self, count: int, hang: str, hang_count: int) -> None:
        """Note that the line begins with *count* cells of something else; further lines of it with *hang*.

        hang_count: the cells of *hang*.
        """
        self._line, self._hang, self._hang_cells = count, hang, hang_count

    def _taken(self, character: str, width: int, style: str) -> str:
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
        if style != self._style:
            if self._word:
                self._word += _RESET if self._style else ""
            elif self._style:
                self._before_word = _RESET  # ahead of the spaces, which would be underlined
            self._word += f"\x1b[{style}m" if style else ""
            self._style = style
        self._word += character
        self._cells += cells(character)
        return said + (self._placed(width) if self._goes_on or self._cells > width else "")

    def _placed(self, width: int) -> str:
        """Return the word in progress with what goes before it: spaces, or the end of a full line."""
        if not self._word:
            return ""
        before, spaces = self._before(width)
        self._line += spaces + self._cells
        self._goes_on = self._goes_on or self._cells > width
        word = self._linked(self._word) if self._links and "://" in self._word else self._word
        placed = f"{before}{self._before_word}{' ' * spaces}{word}"
        self._placed_style = self._style
        self._word, self._before_word, self._cells, self._spaces = "", "", 0, 0
        self._is_broken = self._is_fresh = False
        return placed

    def _linked(self, word: str) -> str:
        """Return *word* with the address in it as a hyperlink. One that is longer than a line is none."""
        return _ADDRESS.sub(lambda found: hyperlink(found[0]) if found[0] in self._links else found[0], word)

    def _before(self, width: int) -> tuple[str, int]:
        """Return the end of the line, where the word has no room in it, and the spaces before the word."""
        if self._goes_on:
            return "", self._spaces
        if self._is_fresh:  # an indent, as far as the word leaves room for it
            return "", max(0, min(self._spaces, width - self._line - self._cells))
        # The terminal has wrapped what is longer than a line.
        column = (self._line - 1) % width + 1
        if column + self._spaces + self._cells <= width:
            return "", self._spaces
        self._line = self._hang_cells
        again = f"\x1b[{self._placed_style}m" if self._placed_style and not self._before_word else ""
        if self._placed_style:
            self._before_word = ""
            return f"{_RESET}\n{self._hang}{again}", 0
        return f"\n{self._hang}", 0

    def _ended(self) -> str:
        self._line = self._spaces = self._hang_cells = 0
        self._hang = ""
        self._is_broken, self._is_fresh = False, True
        return self._plain() + "\n"

    def _plain(self) -> str:
        """End the style, if one is on."""
        is_on, self._style, self._placed_style = bool(self._placed_style), "", ""
        return _RESET if is_on else ""


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
