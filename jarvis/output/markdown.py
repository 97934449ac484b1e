"""Shows a reply's Markdown while it is being written: bytes are only ever appended.

Words flow as they come. What may still turn into something else waits: the beginning of a line until it tells
of which kind it is, a mark inside a line until it closes, a table until it is whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..core.text import cells_in
from .fences import TAB, Fence, indent_of, is_fence
from .inline import Inline
from .markdown_table import MarkdownTable
from .runs import Run
from .wrap import Wrapper

_HEADINGS = {1: "1;4", 2: "1"}
_RULE = re.compile(r"([-*_])(?: *\1){2,} *\Z")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\Z")
# What may still become a heading, an item, a rule or a fence.
_UNDECIDED = re.compile(r"(?:#{1,6}|[-*_](?: *[-*_])* ?|\+|\d{1,9}[.)]?|`{1,2}|~{1,2})\Z")
_MOST_INDENT = 24  # cells
_MOST_QUOTES = 8
_LONGEST_START = 80  # characters of a line, after which it is text


class Markdown:
    """One reply."""

    def __init__(self, *, colour: bool, signs: Sequence[str] = "•│─", links: Collection[str] = ()) -> None:
        """signs: what bullets, quotes and rules are drawn with. links: what becomes a hyperlink."""
        self._colour = colour
        self._bullet, self._bar, self._dash = list(signs)
        self._wrapper = Wrapper(links)
        self._inline = Inline()
        self._style = ""  # of the whole line
        self._start = ""  # of a line, as long as its kind is open
        self._held: list[str] = []  # of one that is taken as a whole
        self._kind = "start"  # start | text | line: one that is taken as a whole
        self._indent = 0  # cells before the line's own words
        self._quotes = 0
        self._has_head = False  # the head of the line was printed
        self._is_item = self._in_list = False
        self._is_after_blank = True
        self._fence = Fence(colour=colour)
        self._table = MarkdownTable()

    def feed(self, text: str, width: int) -> str:
        """Return what to print now of *text*, on a terminal with *width* columns."""
        return "".join(self._taken(character, width) for character in text)

    def flush(self, width: int) -> str:
        """Return the word in progress: something else is printed meanwhile."""
        return self._wrapper.flush(width)

    def begin_line(self) -> None:
        """Note that something else has ended the line."""
        self._wrapper.begin_line()

    def end(self, width: int) -> str:
        """Return what was held back: no more text comes."""
        said = ""
        if self._fence.is_open:
            said = self._fence.line("".join(self._held)) if self._held else ""
        elif self._kind == "text":
            said = self._said(self._inline.end(), width)
        elif self._start or self._has_head:
            said = self._line_ended(width, end="")
        return said + self._table_ended(width, end="") + self._wrapper.flush(width)

    def _taken(self, character: str, width: int) -> str:
        if self._fence.owes_end:
            return self._fence.owed_end() + self._taken(character, width)
        if self._kind == "text":
            if character != "\n":
                return self._said(self._inline.feed(_spaced(character)), width)
            return self._said(self._inline.end(), width) + self._next_line(width)
        if character == "\n":
            return self._line_ended(width)
        if self._fence.is_open or self._kind == "line":
            self._held.append(character)
            return ""
        self._start += " " * (TAB - len(self._start) % TAB) if character == "\t" else character
        return self._decided(width)

    def _decided(self, width: int) -> str:
        """Go on with the line, if its beginning tells of which kind it is."""
        rest = self._start.lstrip(" ")
        if not rest:
            return ""
        indent = indent_of(self._start)
        if rest[0] == ">" and self._quotes < _MOST_QUOTES:
            if len(rest) == 1:
                return ""
            self._quotes += 1
            self._start = rest[1:].removeprefix(" ")
            return self._decided(width)
        if (not self._has_head and self._is_indented_code(indent)) or rest[0] == "|" or is_fence(rest):
            self._kind = "line"
            return "" if rest[0] == "|" else self._table_ended(width)
        said = self._table_ended(width)
        if len(rest) < _LONGEST_START and _UNDECIDED.match(rest):
            return said
        mark, space, words = rest.partition(" ")
        if space and re.fullmatch("#{1,6}", mark):
            self._style = _HEADINGS.get(len(mark), "1")
            return said + self._text(words.lstrip(" "), indent, width) if words.strip() else said
        if space and _ITEM.match(mark) and self._indent < min(_MOST_INDENT, width // 2):
            return said + self._item(mark, words, indent, width)
        return said + self._text(rest, indent, width)

    def _is_indented_code(self, indent: int) -> bool:
        return indent >= 4 and self._is_after_blank and not self._in_list and not self._quotes

    def _item(self, mark: str, words: str, indent: int, width: int) -> str:
        """Begin an item of a list, which may begin with another item, or with code."""
        shown = self._bullet if mark in "-*+" else mark
        self._indent += min(indent, _MOST_INDENT)
        said = self._head(f"{shown} ", width)
        self._is_item = self._in_list = True
        self._start = words.lstrip(" ")
        return said + (self._decided(width) if self._start else "")

    def _head(self, mark: str, width: int) -> str:
        """Begin the line with what stands before its words; a line that it goes on in is indented as far."""
        quotes = f"{self._bar} " * self._quotes
        dim = self._styled(quotes, "2")
        count = cells_in(mark)
        before = "" if self._has_head else dim + " " * self._indent
        self._has_head = True
        self._indent += count
        column = cells_in(quotes) + self._indent
        if column <= width // 2:
            self._wrapper.begin(column, dim + " " * self._indent, column)
        else:  # a narrow terminal needs its columns for words
            self._wrapper.begin(column, "", 0)
        return before + mark

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if text and self._colour else text

    def _text(self, words: str, indent: int, width: int) -> str:
        """Begin the words of a line."""
        if not self._has_head:
            self._indent = min(indent, _MOST_INDENT)
            self._in_list = self._in_list and indent > 0
        said = "" if self._has_head and self._is_item else self._head("", width)
        self._kind, self._start = "text", ""
        for character in _spaced(words):
            said += self._said(self._inline.feed(character), width)
        return said

    def _said(self, runs: list[Run], width: int) -> str:
        styled = ((text, f"{self._style};{style}".strip(";")) for text, style in runs)
        return "".join(
            self._wrapper.feed(text, width, style if self._colour else "") for text, style in styled
        )

    def _line_ended(self, width: int, end: str = "\n") -> str:
        """Take a line that ended before its kind was told, or that is taken as a whole."""
        line = self._start + "".join(self._held)
        rest, self._held = line.strip(" "), []
        if rest == ">" and not self._fence.is_open:
            self._quotes += 1
            rest = ""
        if self._fence.is_open:
            said, self._is_after_blank = self._fence.line(line), not self._fence.is_open
            return said
        if not self._has_head and rest.startswith("|"):
            return self._row(line, width, end) + self._next_line(width, end="")
        said = self._table_ended(width)
        if self._fence.open(line, self._indent, self._quotes):
            item = self._wrapper.feed("\n", width) if self._has_head else ""
            return said + item + self._next_line(width, end="")
        if rest and not self._has_head and self._is_indented_code(indent_of(line)):
            return said + line + self._next_line(width, end)
        if _RULE.match(rest) and not self._is_item:
            line_ = self._dash * max(3, min(width, 40) - 1)
            said += self._text("", 0, width) + self._said([(line_, "2")], width)
        elif rest:
            said += self._text(rest, indent_of(line), width)
            said += self._said(self._inline.end(), width)
        elif self._quotes and not self._has_head:
            said += self._styled(" ".join(self._bar * self._quotes), "2")
        return said + self._next_line(width, end, is_blank=not rest and not self._has_head)

    def _next_line(self, width: int, end: str = "\n", *, is_blank: bool = False) -> str:
        said = self._wrapper.feed(end, width)
        self._kind, self._start, self._style = "start", "", ""
        self._indent = self._quotes = 0
        self._has_head = self._is_item = False
        self._is_after_blank = is_blank
        return said

    def _row(self, line: str, width: int, end: str) -> str:
        """Hold *line*, which may be one of a table."""
        indent = min(_MOST_INDENT, indent_of(line)) if self._in_list else 0
        said = self._table_ended(width) if self._table.quotes != self._quotes else ""
        self._table.add(_spaced(line), self._quotes, indent)
        return said if self._table.may_go_on else said + self._table_ended(width, end)

    def _table_ended(self, width: int, end: str = "\n") -> str:
        """Lay out the table that was held, if one was; what only looked like one is text."""
        table, self._table = self._table, MarkdownTable()
        if not table.lines:
            return ""
        bars = f"{self._bar} " * table.quotes
        before, column = self._styled(bars, "2") + " " * table.indent, len(bars) + table.indent
        if column > width // 2:  # as for words
            before, column = "", 0
        said = ""
        lines = table.laid_out(width - column, self._dash)
        for left, line in zip(reversed(range(len(lines))), lines, strict=True):
            self._wrapper.begin(column, f"{before}  ", column + 2)
            said += (before if line else self._styled(bars.rstrip(" "), "2")) + self._said(line, width)
            said += self._wrapper.flush(width) + self._wrapper.feed("\n" if left else end, width)
        return said


def _spaced(text: str) -> str:
    return text.replace("\t", " ")
