"""Shows a reply in Markdown while it arrives: prints once what is final, and below it a picture of the rest.

markdown-it tells where blocks begin and end; here each becomes lines of rich's text. A block is text, code or
a table: quotes and items of lists are signs before its lines. So each is final once another one has begun.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, escape
from markdown_it.tree import SyntaxTreeNode
from rich.align import AlignMethod
from rich.cells import cell_len
from rich.syntax import Syntax
from rich.text import Text

from .grid import GAP, beside, console_for, rendered, shrunk, wrap

_OFTEN = 0.08  # seconds from one picture to the next
_REST = 5  # times as long as a picture took, none is drawn: so the time for a reply is linear in its length
_MOST_ROWS = 12  # of a picture
_NARROW = 16  # cells of a column, below which its cells are not broken into lines
_LEAST_WIDTH = 8  # cells that words have behind the signs of quotes and items
_LONGEST_COLOURED = 500  # characters of a line of code
_BULLET, _BAR, _DASH = "• ", "│ ", "─"
_LONGEST_RULE = 40  # cells
_STYLES = {"strong": "bold", "em": "italic", "s": "strike", "h1": "bold underline"}

_CODE = {"fence", "code_block"}
_SET_APART = {"table", *_CODE}
_LISTS, _SIGNED = ("bullet_list", "ordered_list"), ("blockquote", "list_item")
# A line that begins so may still become anything: an item, a rule, the end of code.
_SIGNS_ALONE = re.compile(r"[\s\d>`~#=*_+|:.)-]*\Z")
# Not all signs: a formula has its own behind backslashes, as `\,` and `\{`.
_ESCAPABLE = frozenset("!\"#$&'()*+-.<>[\\]_`|~\n")
# What a line is not broken in: a word; a sign of Chinese or Japanese, which have no spaces, with what begins
# no line behind it, and what ends none before it.
_WIDE = r"\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_OPENING, _CLOSING = r"（［｛「『【〈《〔", r"、。，．・：；？！）］｝」』】〉》〕ー々〜"
_WORD = re.compile(rf"(?:[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)[{_CLOSING}]*)?\s*")


class Drawn(NamedTuple):
    """What to send to the terminal, one after the other."""

    back: str = ""  # takes the last picture away
    final: str = ""
    picture: str = ""


class ReplyStream:
    """One reply on a terminal."""

    def __init__(self, *, colour: bool, is_live: bool = True) -> None:
        """is_live: whether the terminal can take a picture away."""
        self._console = console_for(colour=colour)
        self._is_live = is_live
        self._next = 0.0  # when the next picture is drawn at the earliest, in monotonic seconds
        self._lines: list[str] = []  # that have ended, from the beginning of the block that is not final
        self._begun: list[str] = []  # the line that has not ended, in pieces
        self._at = 0  # the number of the first of these lines
        self._final = 0  # the number of the line from which on nothing is printed yet
        self._before: Block | None = None  # the last that is gone from these lines
        self._height = 0  # of the picture, in rows
        self._owes_end = False  # of the last line that was printed: the end of a reply has none

    @property
    def is_open(self) -> bool:
        """Whether the cursor stands in or behind a line of it."""
        return self._owes_end or self._height > 0

    def feed(self, text: str, size: tuple[int, int]) -> Drawn:
        """Take a piece of *text*; return what to draw now. size: columns and lines of the terminal."""
        begun, *lines = text.split("\n")
        self._begun.append(begun)
        for line in lines:
            self._lines.append("".join(self._begun))
            self._begun = [line]
        return self.draw(size) if time.monotonic() >= self._next else Drawn()

    def draw(self, size: tuple[int, int]) -> Drawn:
        """Return what to draw for all that has come."""
        began = time.monotonic()
        back, final = self._take_away(), self._print_final(size[0])
        picture = self._draw_rest(size) if self._is_live else ""
        if picture and self._owes_end:
            final, self._owes_end = f"{final}\n", False
        now = time.monotonic()
        self._next = now + max(_OFTEN, _REST * (now - began))
        return Drawn(back, final, picture)

    def step_aside(self) -> str:
        """Return what begins a line for something else. The picture is gone until it is drawn again."""
        aside = self._take_away() or "\n" * self._owes_end
        self._owes_end = False
        return aside

    def end(self, size: tuple[int, int]) -> Drawn:
        """Return all the rest, whole or not."""
        blocks = blocks_in([*self._lines, "".join(self._begun)], self._at)
        return Drawn(self._take_away(), self._printed(self._new_lines(blocks, size[0])))

    def _take_away(self) -> str:
        height, self._height = self._height, 0
        return "\r\x1b[2K" + "\x1b[1A\x1b[2K" * (height - 1) if height else ""

    def _print_final(self, width: int) -> str:
        """Return the blocks behind which another one has begun, and whole lines of code."""
        if not (blocks := blocks_in(self._lines, self._at)):
            return ""
        *final, last = blocks
        lines = self._new_lines(blocks if last.is_code else final, width)
        self._final = last.code_start + len(last.code) if last.code else last.start
        self._before = next((each for each in reversed(final) if each.is_shown), self._before)
        del self._lines[: last.top - self._at]
        self._at = last.top
        return self._printed(lines)

    def _draw_rest(self, size: tuple[int, int]) -> str:
        """Return a picture of what is not final: of its end, where that is much."""
        width, height = size
        begun = "".join(self._begun)
        lines = self._lines if _SIGNS_ALONE.match(begun) else [*self._lines, begun]
        new = self._new_lines(blocks_in(lines, self._at), width)
        rows = [row for line in new for row in wrap(line, width)][-max(1, min(_MOST_ROWS, height - 3)) :]
        self._height = len(rows)
        return rendered(rows, self._console)

    def _new_lines(self, blocks: Sequence[Block], width: int) -> list[Text]:
        """Return the lines of *blocks* that are not final."""
        lines: list[Text] = []
        before = self._before
        for block in (each for each in blocks if each.is_shown):
            if block.start < self._final:
                lines += block.code_lines(self._final - block.code_start)
            else:
                lines += [block.gap()] if before and block.is_apart(before) else []
                lines += block.lines(width)
            before = block
        return lines

    def _printed(self, lines: Sequence[Text]) -> str:
        """Return *lines* as they are printed, behind the end that the last one still lacks."""
        if not lines:
            return ""
        printed = "\n" * self._owes_end + rendered(lines, self._console)
        self._owes_end = True
        return printed


class Signs(NamedTuple):
    """What stands before the lines of a block: the bars of quotes, and the signs of items."""

    first: str = ""  # before its first line
    rest: str = ""  # before the others
    above: str = ""  # on an empty line above it: the bars of quotes that go on

    def within(self, node: SyntaxTreeNode) -> Signs:
        """Return the signs of what stands in *node* too, a quote or an item."""
        if node.type == "blockquote":
            return Signs(self.first + _BAR, self.rest + _BAR, self.above)
        sign = f"{node.info}{node.markup} " if node.info else _BULLET
        return Signs(self.first + sign, self.rest + " " * len(sign), self.above)

    def behind(self) -> Signs:
        """Return the signs of the block behind it."""
        return Signs(self.rest, self.rest, self.rest)


class Block(NamedTuple):
    """Text, code or a table, and the numbers of its lines."""

    node: SyntaxTreeNode
    signs: Signs
    source: Sequence[str]  # its lines
    start: int
    top: int  # from where it can be read: where its block of the top level begins, or the item of that

    @property
    def is_code(self) -> bool:
        return self.node.type in _CODE

    @property
    def is_shown(self) -> bool:
        return bool(self.code) or not self.is_code

    @property
    def code(self) -> list[str]:
        content = self.node.content if self.is_code else ""
        return content.removesuffix("\n").split("\n") if content else []

    @property
    def code_start(self) -> int:
        """The number of its first line of code."""
        return self.start + (self.node.type == "fence")

    def is_apart(self, before: Block) -> bool:
        """Return whether an empty line stands above it: where one is written, and around code and tables."""
        is_written = self.start > before.start + len(before.source)
        return is_written or not _SET_APART.isdisjoint((self.node.type, before.node.type))

    def gap(self) -> Text:
        """Return an empty line above it."""
        return _dim(self.signs.above.rstrip())

    def lines(self, width: int) -> list[Text]:
        """Return its lines behind their signs; code is raw, in the first column, to be copied."""
        first, rest, _ = self.signs
        if self.is_code:
            return [*[_dim(first.rstrip())] * (first != rest), *self.code_lines()]
        rest = rest if cell_len(rest) <= width // 2 else ""  # a narrow terminal needs its columns for words
        lines = self._words(max(_LEAST_WIDTH, width - cell_len(rest))) or [Text()]
        return [_stripped(Text.assemble(_dim(rest if at else first), line)) for at, line in enumerate(lines)]

    def code_lines(self, printed: int = 0) -> list[Text]:
        """Return its lines of code behind those that were *printed*."""
        syntax = _syntax(self.node.info) if self.is_code else None
        return [_coloured(line, syntax) for line in self.code[printed:]]

    def _words(self, width: int) -> list[Text]:
        if self.node.type == "table":
            return [*_table(self.node, self.source, width)]
        if self.node.type == "hr":
            return [_dim(_DASH * (min(width, _LONGEST_RULE) - 1))]
        heading = _STYLES["h1" if self.node.tag == "h1" else "strong"] if self.node.type == "heading" else ""
        return [line for inline in self.node.children for line in _wrapped(_text(inline, heading), width)]


def blocks_in(lines: Sequence[str], at: int) -> list[Block]:
    """Return the blocks in *lines*; *at* is the number of the first."""
    root = SyntaxTreeNode(_PARSER.parse("\n".join([*lines, ""])))
    tops = [item for node in root.children for item in (node.children if node.type in _LISTS else [node])]
    return [
        Block(node, signs, lines[start:end], at + start, at + (top.map or (0, 0))[0])
        for top in tops
        for node, signs in _leaves(top, Signs())
        for start, end in [node.map or (0, 0)]
    ]


def _leaves(node: SyntaxTreeNode, signs: Signs) -> Iterator[tuple[SyntaxTreeNode, Signs]]:
    """Yield what is text, code or a table in *node*, each with the signs before it."""
    if node.type in _SIGNED:
        signs = signs.within(node)
    if not node.children or node.type not in (*_SIGNED, *_LISTS):
        yield node, signs
        return
    for child in node.children:
        yield from _leaves(child, signs)
        signs = signs.behind()


def _dim(signs: str) -> Text:
    return Text(signs, "dim" if signs.strip() else "")


def _stripped(line: Text) -> Text:
    """Return *line* without spaces at its end: they would be copied."""
    line.rstrip()
    return line


def _coloured(line: str, syntax: Syntax | None) -> Text:
    if syntax and len(line) <= _LONGEST_COLOURED:
        text = syntax.highlight(line)[: len(line)]
        if text.plain == line:  # some languages leave words out
            return text
    return Text(line)


@cache
def _syntax(info: str) -> Syntax | None:
    """Return how to colour the language that *info*, behind a fence, begins with."""
    lexer = Syntax("", info.lower().split()[0], tab_size=0).lexer if info.strip() else None
    return Syntax("", lexer, theme="ansi_dark") if lexer else None


class _Parser(MarkdownIt):
    """Reads a block by itself, as the blocks before it are gone, and an address as it is written."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "maxNesting": 100})  # else `List<String>` is dropped
        self.enable(["table", "strikethrough"]).disable("reference")
        self.inline.ruler.at("escape", _escape)

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link


def _escape(state: StateInline, silent: bool) -> bool:
    return state.src[state.pos + 1 : state.pos + 2] in _ESCAPABLE and escape(state, silent)


_PARSER = _Parser()


def _text(node: SyntaxTreeNode, style: str = "") -> Text:
    """Return the words in *node* as they are shown: addresses behind the words of links, lines as written."""
    text = Text(style=style)
    for child in node.children:
        match child.type:
            case "softbreak" | "hardbreak":
                text.append("\n")
            case "text":
                text.append(re.sub(r"<br ?/?>", "\n", child.content.replace("\t", " ")))
            case "code_inline":
                text.append(child.content.replace("\t", " "), "cyan")
            case "image":
                text.append(f"{child.content} ({child.attrs['src']})".lstrip())
            case "link":
                text.append_text(_linked(child))
            case kind:
                text.append_text(_text(child, _STYLES[kind]))
    return text


def _linked(node: SyntaxTreeNode) -> Text:
    """Return the words of a link, and its address, where they are not the same."""
    words, address = _text(node, "underline"), str(node.attrs["href"])
    if words.plain in (address, address.removeprefix("mailto:")):
        return words
    return Text.assemble(words, f" ({address})" if words else f"({address})")


def _wrapped(text: Text, width: int) -> Iterator[Text]:
    """Yield the lines of *text*. A word that is too long stays whole: an address can be copied then."""
    for line in text.split("\n", allow_blank=True):
        breaks, column = [], 0
        for word in _WORD.finditer(line.plain):
            cells = cell_len(word[0].rstrip())
            if cells and column and column + cells > width:
                breaks.append(word.start())
                column = 0
            column += cell_len(word[0])
        yield from map(_stripped, line.divide(breaks))


def _table(node: SyntaxTreeNode, source: Sequence[str], width: int) -> Iterator[Text]:
    """Yield a table whose cells wrap between words; a block for each row where they have no room."""
    heads = node.children[0].children[0].children
    texts = [[_text(head.children[0], "bold") for head in heads]]
    texts += [[_inline(cell) for cell in _split(row, len(heads))] for row in source[2:]]
    least, natural = zip(*map(_room_of, zip(*texts, strict=True)), strict=True)
    room = width - GAP * (len(heads) - 1)
    if sum(least) > room:
        yield from _stacked(texts, width)
        return
    widths = shrunk(natural, least, room)
    sides = [_side_of(head) for head in heads]
    rows = [[[*_wrapped(*each)] for each in zip(row, widths, strict=True)] for row in texts]
    is_loose = any(len(cell) > 1 for row in rows[1:] for cell in row)
    for at, row in enumerate(rows):
        yield from [Text()] * (is_loose and at > 1)
        yield from beside(row, widths, sides)
        yield from [] if at else [_dim(_DASH * (sum(widths) + width - room))]


def _inline(cell: str) -> Text:
    return _text(SyntaxTreeNode(_PARSER.parseInline(cell)).children[0])


def _side_of(head: SyntaxTreeNode) -> AlignMethod:
    style = str(head.attrs.get("style", ""))
    return "right" if "right" in style else "center" if "center" in style else "left"


def _room_of(column: Sequence[Text]) -> tuple[int, int]:
    """Return the least cells that *column* needs, and those that it takes where there is room."""
    text = "\n".join(cell.plain for cell in column)
    longest = max(cell_len(word[0].rstrip()) for word in _WORD.finditer(f"{text} ."))
    natural = max(map(cell_len, [".", *text.split("\n")]))
    return max(longest, min(natural, _NARROW)), natural


def _stacked(rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """Yield a block for each row below the first: a line for each cell, behind the head of its column."""
    heads, *others = rows
    for at, row in enumerate(others or [heads]):
        yield from [Text()] * bool(at)
        for head, cell in zip(heads, row, strict=True):
            if cell:
                named = Text.assemble((f"{head.plain}: ", "bold"), cell) if head and others else cell
                yield from _wrapped(named, width)


def _split(row: str, count: int) -> list[str]:
    """Return *count* cells of a *row* as people write it: a bar in code ends none, and none is too much."""
    cells = [""]
    for piece in re.findall(r"\\.|`+[^`]*`+|[^\\`|]+|.", row.lstrip(" >").rstrip()):
        cells += [""] if piece == "|" else []
        cells[-1] += "" if piece == "|" else piece.replace("\\|", "|")
    cells = [each.strip() for each in cells[not cells[0] :]]
    last = " | ".join(cells[count - 1 :]).removesuffix(" | ")
    return [*cells[: count - 1], last, *[""] * count][:count]
