"""Shows a reply's Markdown while it is being written: bytes are only ever appended.

Words flow as they come. What may still turn into something else waits: the beginning of a line until it tells
of which kind it is, a mark inside a line until it closes, a table until it is whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..core.text import cells
from . import tables
from .inline import Inline, Run, runs_of
from .wrap import Wrapper

_HEADINGS = {1: "1;4", 2: "1"}
_FENCE = re.compile(r"(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*\Z")
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
        self._fence = ""  # that ends the code; empty: there is none
        self._fence_indent = self._fence_quotes = 0  # that stand before each line of it
        self._language = ""
        self._owes_end = False  # of a line of code
        self._table: list[str] = []

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
        if self._fence:
            said = self._code_line("".join(self._held)) if self._held else ""
        elif self._kind == "text":
            said = self._said(self._inline.end(), width)
        elif self._start or self._has_head:
            said = self._line_ended(width, end="")
        return said + self._table_ended(width, end="") + self._wrapper.flush(width)

    def _owed_end(self) -> str:
        """Return the end of the code's last line, which waits for the next: a reply may end with code."""
        owed, self._owes_end = self._owes_end, False
        return "\n" if owed else ""

    def _taken(self, character: str, width: int) -> str:
        if self._owes_end and not self._fence:
            return self._owed_end() + self._taken(character, width)
        if self._kind == "text":
            if character != "\n":
                return self._said(self._inline.feed(character), width)
            return self._said(self._inline.end(), width) + self._next_line(width)
        if character == "\n":
            return self._line_ended(width)
        if self._fence or self._kind == "line":
            self._held.append(character)
            return ""
        self._start += character
        return self._decided(width)

    def _decided(self, width: int) -> str:
        """Go on with the line, if its beginning tells of which kind it is."""
        rest = self._start.lstrip(" ")
        if not rest:
            return ""
        indent = _indent_of(self._start)
        if (not self._has_head and self._is_indented_code(indent)) or rest[0] == "|" or _is_fence(rest):
            self._kind = "line"
            return "" if rest[0] == "|" else self._table_ended(width)
        said = self._table_ended(width)
        if rest[0] == ">" and self._quotes < _MOST_QUOTES:
            if len(rest) > 1:
                self._quotes += 1
                self._start = rest[1:].removeprefix(" ")
                said += self._decided(width)
            return said
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
        count = sum(map(cells, mark))
        before = "" if self._has_head else dim + " " * self._indent
        self._has_head = True
        self._indent += count
        column = sum(map(cells, quotes)) + self._indent
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
        for character in words:
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
        if rest == ">" and not self._fence:
            self._quotes += 1
            rest = ""
        if self._fence:
            return self._code_line(line)
        if not self._has_head and rest.startswith("|"):
            self._table.append(line)
            said = ""
            if len(self._table) == 2 and not tables.is_rule(line):
                said = self._table_ended(width, end)
            return said + self._next_line(width, end="")
        said = self._table_ended(width)
        if fence := _FENCE.match(rest) if _is_fence(rest) else None:
            self._fence, self._language = fence[1], fence[2]
            self._fence_indent, self._fence_quotes = self._indent + _indent_of(line), self._quotes
            item = self._wrapper.feed("\n", width) if self._has_head else ""
            return said + item + self._next_line(width, end="")
        if rest and not self._has_head and self._is_indented_code(_indent_of(line)):
            return said + line + self._next_line(width, end)
        if _RULE.match(rest) and not self._is_item:
            line_ = self._dash * max(3, min(width, 40) - 1)
            said += self._text("", 0, width) + self._said([(line_, "2")], width)
        elif rest:
            said += self._text(rest, _indent_of(line), width)
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

    def _code_line(self, line: str) -> str:
        """Take a line of code, or the fence that ends it."""
        for _ in range(self._fence_quotes):
            line = line.lstrip(" ").removeprefix(">").removeprefix(" ")
        bare = line.strip(" ")
        if bare.strip(self._fence[0]) == "" and bare.startswith(self._fence):
            self._fence = ""
            self._is_after_blank = True
            return ""
        inner = line[min(self._fence_indent, _indent_of(line)) :]
        said, self._owes_end = self._owed_end() + self._code(inner), True
        return said

    def _code(self, line: str) -> str:
        if not self._colour or not self._language:
            return line
        from .code import highlighted  # few replies have code, and fewer say in which language

        return highlighted(line, self._language)

    def _table_ended(self, width: int, end: str = "\n") -> str:
        """Lay out the table that was held, if one was; what only looked like one is text."""
        held, self._table = self._table, []
        if not held:
            return ""
        if len(held) > 1 and tables.is_rule(held[1]):
            lines = tables.laid_out(held, width, self._dash)
        else:
            lines = [runs_of(line.strip()) for line in held]
        said = []
        for line in lines:
            self._wrapper.begin(0, "  ", 2)
            said.append(self._said(line, width) + self._wrapper.flush(width))
        return "\n".join(said) + self._wrapper.feed(end, width)


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_fence(rest: str) -> bool:
    return rest.startswith(("```", "~~~"))
