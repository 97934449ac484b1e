"""The marks inside a line of Markdown: what is emphasised, code, or a link."""

from __future__ import annotations

import re

from .runs import BOLD, Run, joined

ITALIC, STRUCK, CODE, ADDRESS = "3", "9", "36", "4"
_STYLES = {"*": ITALIC, "_": ITALIC, "**": BOLD, "__": BOLD, "~~": STRUCK}
_DEEPEST = 8  # marks in each other
_LONGEST = 2048  # characters of an address
_MOST_MARKS = 6  # side by side
_ESCAPABLE = frozenset("!\"#$&'()*+-.<>[\\]_`|~")  # not all signs: a formula has its own, as `\\,`
_ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s<>]+\Z")


class _Frame:
    """An opening mark, and what came after it."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.runs: list[Run] = []

    def literal(self) -> list[Run]:
        """Return it as it was written: the mark was never closed."""
        return [(self.mark, ""), *self.runs]


class Inline:
    """Reads one line, character by character. What a mark may still change is held until it closes."""

    def __init__(self) -> None:
        self._open: list[_Frame] = []
        self._ready: list[Run] = []
        self._mark = ""  # whose meaning the next character tells
        self._marks = 0  # how many of it stand side by side
        self._before = ""  # the character before them
        self._fence = ""  # the backticks that opened a code span
        self._code: list[str] = []  # what is in it
        self._ticks = 0  # backticks at its end
        self._address: str | None = None  # behind the text of a link, as far as it came
        self._text: list[Run] = []  # of that link
        self._opened = ""  # the bracket before it
        self._bracket = "["  # that comes next: `![` is an image's
        self._is_escaped = False

    def feed(self, character: str) -> list[Run]:
        """Return what is certain once *character* has come."""
        self._take(character)
        if self._open or self._fence or self._marks or self._address is not None:
            return []
        ready, self._ready = self._ready, []
        return ready

    def end(self) -> list[Run]:
        """Return the rest of the line: marks that were not closed are what they look like."""
        self._take("")
        if self._is_escaped:
            self._put("\\")
        if self._fence:
            self._put(self._fence + "".join(self._code))
        if self._address is not None:
            self._give_up_address()
        while self._open:
            self._unwind(len(self._open) - 1)
        ready = self._ready
        self.__init__()  # type: ignore[misc]
        return ready

    def _take(self, character: str) -> None:
        if self._address is not None:
            self._in_address(character)
        elif self._marks and character != self._mark:
            count, self._marks = self._marks, 0
            self._marked(self._mark, count, character)
            self._take(character)
        elif self._fence:
            self._in_code(character)
        elif self._is_escaped:
            self._is_escaped = False
            self._put(character if character in _ESCAPABLE else f"\\{character}")
        elif character == "\\":
            self._is_escaped = True
        elif character and character in "*_~`<!":
            self._mark, self._marks = character, self._marks + 1
        elif character == "[":
            self._push(self._bracket)
            self._bracket = "["
        elif character == "]":
            self._close_bracket()
        elif character:
            self._put(character)

    def _put(self, text: str, style: str = "") -> None:
        if text:
            runs = self._open[-1].runs if self._open else self._ready
            runs.append((text, style))
            self._before = text[-1]

    def _push(self, mark: str) -> None:
        if len(self._open) < _DEEPEST:
            self._open.append(_Frame(mark))
            self._before = mark[-1]
        else:
            self._put(mark)

    def _marked(self, kind: str, count: int, after: str) -> None:
        """Take *count* marks for what they mean between the character before them and *after*."""
        if kind == "`":
            self._fence = kind * count
            return
        if kind == "!":
            self._bracket = "![" if after == "[" else "["
            self._put(kind * (count - len(self._bracket) + 1))
            return
        if kind == "<":
            self._put(kind * (count - 1))
            self._address, self._text = "<", []
            return
        before = self._before
        opens, closes = bool(after.strip()), bool(before.strip())
        if kind == "_":  # snake_case is one word
            opens, closes = opens and not before.isalnum(), closes and not after.isalnum()
        if count > _MOST_MARKS:  # a line drawn with them
            self._put(kind * count)
            return
        while count:
            mark = self._closing(kind * count) if closes else ""
            if mark:
                self._close(mark)
            else:
                mark = kind * 2 if count > 1 else kind
                if opens and mark in _STYLES:
                    self._push(mark)
                else:
                    self._put(mark)
            count -= len(mark)

    def _closing(self, marks: str) -> str:
        """Return the mark that *marks* close, the innermost that they can; empty: they close none."""
        for frame in reversed(self._open):
            if frame.mark.endswith("["):
                return ""
            if marks.startswith(frame.mark):
                return frame.mark
        return ""

    def _close(self, mark: str) -> None:
        at = max(n for n, frame in enumerate(self._open) if frame.mark == mark)
        while len(self._open) > at + 1:
            self._unwind(len(self._open) - 1)
        frame = self._open.pop()
        for text, style in frame.runs:
            self._put(text, f"{_STYLES[mark]};{style}".rstrip(";"))
        self._before = mark[-1]

    def _unwind(self, at: int) -> None:
        frame = self._open.pop(at)
        for text, style in frame.literal():
            self._put(text, style)

    def _in_code(self, character: str) -> None:
        """Take what a code span holds. It ends with as many backticks as it began with."""
        if character == "`":
            self._ticks += 1
        elif self._ticks == len(self._fence):
            span = "".join(self._code[: -self._ticks])
            self._fence, self._code, self._ticks = "", [], 0
            self._put(span.strip(" ") or span, CODE)
            self._take(character)
            return
        else:
            self._ticks = 0
        self._code.append(character)

    def _close_bracket(self) -> None:
        marks = [frame.mark for frame in self._open]
        at = next((n for n in reversed(range(len(marks))) if marks[n].endswith("[")), None)
        if at is None:
            self._put("]")
            return
        while len(self._open) > at + 1:
            self._unwind(len(self._open) - 1)
        frame = self._open.pop()
        self._text, self._opened = frame.runs, frame.mark
        self._address = ""

    def _in_address(self, character: str) -> None:
        """Take what may be an address: `(…)` behind the text of a link, or `<…>`."""
        given = f"{self._address}{character}"
        opening = given[:1]
        if not character or character.isspace() or opening not in "(<" or len(given) > _LONGEST:
            self._give_up_address()
            self._take(character)
        elif opening == "<" and character == ">":
            self._address = None
            inner = given[1:-1]
            self._put(inner, ADDRESS) if _ADDRESS.match(inner) else self._put(given)
        elif opening == "(" and given.count("(") == given.count(")"):
            self._address = None
            self._link(given[1:-1])
        else:
            self._address = given

    def _give_up_address(self) -> None:
        given, self._address = self._address or "", None
        if not given.startswith("<"):
            for text, style in [(self._opened, ""), *self._text, ("]", "")]:
                self._put(text, style)
        if given:
            self._put(given)

    def _link(self, address: str) -> None:
        """Put the text of a link, and its address, which is told for what it is."""
        text = "".join(piece for piece, _ in self._text)
        for piece, style in self._text if text != address else []:
            self._put(piece, style)
        if text and text != address:
            self._put(" (")
        self._put(address, ADDRESS)
        if text and text != address:
            self._put(")")


def runs_of(text: str) -> list[Run]:
    """Return the runs of *text*, a whole line."""
    inline = Inline()
    return joined([*(run for character in text for run in inline.feed(character)), *inline.end()])
