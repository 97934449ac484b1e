"""Shows a Markdown reply while it arrives: final lines once, and below them a picture of the rest.

markdown-it finds the blocks. Here each becomes lines of rich's text. A block of the top level, or an item of
a list there, is final once another one has begun. A line of code is final once it has ended.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from rich.align import AlignMethod
from rich.cells import cell_len
from rich.style import Style
from rich.syntax import ANSI_DARK, ANSISyntaxTheme, Syntax
from rich.text import Text

from ..core.text import printable
from .grid import GAP, console_for, rendered, row_lines, shrunk, wrap
from .styles import BOLD, FAINT, GREEN, VIOLET

_OFTEN = 0.08  # seconds from one picture to the next
_REST = 5  # a picture waits for so many times its own cost: the time for a reply stays linear in its length
_MOST_ROWS = 12  # of a picture
_NARROW, _TIGHT = 16, 8  # least cells of a column of words, and where that is too much
_LEAST_TABLE = 50  # columns of a terminal in which a table may break words
_LEAST_WIDTH = 8  # cells for words after the signs of quotes and items
_LONGEST_COLORED = 500  # characters of a line of code
_BULLET, _BAR, _DASH = "• ", "│ ", "─"
_LONGEST_RULE = 40  # cells
_STYLES = {"strong": BOLD, "em": "italic", "s": "strike", "h1": f"{BOLD} underline"}
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"  # however a terminal counts the cells of an emoji

_OF_CODE = {"Token.Comment": FAINT, "Token.Keyword": BOLD, "Token.String": GREEN, "Token.Number": VIOLET}
_TOKENS = {str(token).replace(".Literal", ""): token for token in ANSI_DARK}
_CODE_THEME = ANSISyntaxTheme({_TOKENS[name]: Style.parse(style) for name, style in _OF_CODE.items()})
_CODE = ("fence", "code_block")
_APART = {"table", *_CODE}
_FIGURE = r"|[-+−~≈]?[$€£¥]?\d[\d.,  ]*(?:%| %| [A-Z]{3})?"  # or an empty cell
_LISTS = ("bullet_list", "ordered_list")
# A line that begins so may still become anything: an item, a rule, the end of code.
_SIGNS_ALONE = re.compile(r"[\s\d>`~#=*_+|:.)-]*\Z")
# Else `List<String>` is dropped; and a block is read by itself, as the blocks before it are gone.
_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 100})
_PARSER.enable(["table", "strikethrough"]).disable("reference")


class ReplyStream:
    """One reply on a terminal. Its methods return text to send there unchanged."""

    def __init__(self, *, color: bool, is_live: bool = True) -> None:
        """is_live: whether the terminal can take a picture away."""
        self._console = console_for(color=color)
        self._is_live = is_live
        self._next = 0.0  # when the next picture is drawn at the earliest, in monotonic seconds
        self._lines: list[str] = []  # that have ended, from the beginning of the block that is not final
        self._begun: list[str] = []  # the line that has not ended, in pieces
        self._before: SyntaxTreeNode | None = None  # the last block that is final
        self._printed = 0  # lines of the one after it, if that is code
        self._height = 0  # of the picture, in rows

    def feed(self, text: str, size: tuple[int, int]) -> str:
        """Add a piece of *text*. Returns the text to draw now. size: columns and lines of the terminal."""
        begun, *lines = text.split("\n")
        self._begun.append(begun)
        for line in lines:
            self._lines.append("".join(self._begun))
            self._begun = [line]
        return self.draw(size) if time.monotonic() >= self._next else ""

    def draw(self, size: tuple[int, int]) -> str:
        """Return the text to draw for all text so far."""
        began = time.monotonic()
        drawn = self.step_aside() + self._print_final(size[0])
        drawn += self._draw_rest(size) if self._is_live else ""
        now = time.monotonic()
        self._next = now + max(_OFTEN, _REST * (now - began))
        return drawn

    def step_aside(self) -> str:
        """Return the codes that remove the picture, until it is drawn again."""
        height, self._height = self._height, 0
        return "\r\x1b[2K" + "\x1b[1A\x1b[2K" * (height - 1) if height else ""

    def end(self, size: tuple[int, int]) -> str:
        """Return the rest, whole or not."""
        lines = [*self._lines, "".join(self._begun)]
        return self.step_aside() + self._ended(self._laid_out(_blocks_in(lines), lines, size[0]))

    def _print_final(self, width: int) -> str:
        """Return the blocks that another one follows, and whole lines of code."""
        if not (blocks := _blocks_in(self._lines)):
            return ""
        *final, last = blocks
        is_code = last.type in _CODE
        lines = self._laid_out(blocks if is_code else final, self._lines, width)
        self._before = final[-1] if final else self._before
        self._printed = len(_stacked([last], self._lines, width, self._before)) if is_code else 0
        # An empty line above it is still to be seen there.
        del self._lines[: (last.map or (0, 0))[0] - _is_below_empty(last, self._lines)]
        return self._ended(lines)

    def _draw_rest(self, size: tuple[int, int]) -> str:
        """Return a picture of the end of what isn't final."""
        width, height = size
        begun = "".join(self._begun)
        lines = self._lines if _SIGNS_ALONE.match(begun) else [*self._lines, begun]
        new = self._laid_out(_blocks_in(lines), lines, width)
        rows = [row for line in new for row in wrap(line, width)][-max(1, min(_MOST_ROWS, height - 3)) :]
        self._height = len(rows)
        return f"{_NO_WRAP}{printable(rendered(rows, self._console))}{_WRAP}" if rows else ""

    def _laid_out(self, blocks: Sequence[SyntaxTreeNode], source: Sequence[str], width: int) -> list[Text]:
        """Return the lines of *blocks* that aren't printed yet."""
        return _stacked(blocks, source, width, self._before)[self._printed :]

    def _ended(self, lines: Sequence[Text]) -> str:
        return f"{printable(rendered(lines, self._console))}\n" if lines else ""


def _blocks_in(lines: Sequence[str]) -> list[SyntaxTreeNode]:
    """Return the top-level blocks in *lines*. A list counts as its items."""
    root = SyntaxTreeNode(_PARSER.parse("\n".join([*lines, ""])))
    return [block for node in root.children for block in (node.children if node.type in _LISTS else [node])]


def _is_below_empty(node: SyntaxTreeNode, source: Sequence[str]) -> bool:
    start = (node.map or (0, 0))[0]
    return start > 0 and not source[start - 1].strip(" >\t")


def _stacked(
    nodes: Sequence[SyntaxTreeNode],
    source: Sequence[str],
    width: int,
    before: SyntaxTreeNode | None = None,
) -> list[Text]:
    """Return the lines of *nodes*. source: the lines they were parsed from."""
    stacked: list[Text] = []
    for node in nodes:
        if lines := _lines_of(node, source, width):
            # An empty line where one is written, and around code and tables.
            is_apart = _is_below_empty(node, source) or {before and before.type, node.type} & _APART
            gap = [Text()] if before and is_apart else []
            stacked += [*gap, *lines]
        before = node
    return stacked


def _lines_of(node: SyntaxTreeNode, source: Sequence[str], width: int) -> list[Text]:
    match node.type:
        case "blockquote":
            return _prefixed(_BAR, _BAR, node, source, width)
        case "list_item":
            sign = f"{node.info}{node.markup} " if node.info else _BULLET
            return _prefixed(sign, " " * len(sign), node, source, width)
        case "bullet_list" | "ordered_list":
            return _stacked(node.children, source, width)
        case "fence" | "code_block":
            lines = node.content.removesuffix("\n").split("\n") if node.content else []
            return [_colored(line, _syntax(node.info)) for line in lines]
        case "table":
            return [*_table(node, width)]
        case "hr":
            return [Text(_DASH * (min(width, _LONGEST_RULE) - 1), FAINT)]
    style = _STYLES["h1" if node.tag == "h1" else "strong"] if node.type == "heading" else ""
    return [line for inline in node.children for line in _wrapped(_text(inline, style), width)]


def _prefixed(first: str, rest: str, node: SyntaxTreeNode, source: Sequence[str], width: int) -> list[Text]:
    """Return the lines in *node*, each after a sign. Code is indented in lists, and has no bars."""
    lines = _stacked(node.children, source, max(_LEAST_WIDTH, width - len(first)))
    if first != rest and (not lines or lines[0].no_wrap):
        lines = [Text(), *lines]
    signed = []
    for at, line in enumerate(lines):
        sign = "" if line.no_wrap and rest == _BAR else rest if at else first
        signed.append(Text.assemble((sign, FAINT if sign == _BAR else ""), line))
        signed[-1].no_wrap = line.no_wrap
        signed[-1].rstrip()  # or its spaces would be copied
    return signed


def _colored(line: str, syntax: Syntax | None) -> Text:
    text = syntax.highlight(line)[: len(line)] if syntax and len(line) <= _LONGEST_COLORED else Text(line)
    text = text if text.plain == line else Text(line)  # some languages leave words out
    text.no_wrap = True
    return text


@cache
def _syntax(info: str) -> Syntax | None:
    """Return how to color the language that the *info* of a fence begins with."""
    lexer = Syntax("", info.lower().split()[0], tab_size=0).lexer if info.strip() else None
    return Syntax("", lexer, theme=_CODE_THEME) if lexer else None


def _text(node: SyntaxTreeNode, style: str = "") -> Text:
    """Return the text in *node*. Addresses follow the words of their links, line breaks stay."""
    text = Text(style=style)
    for child in node.children:
        match child.type:
            case "softbreak" | "hardbreak":
                text.append("\n")
            case "text":
                text.append(re.sub(r"<br ?/?>", "\n", child.content.replace("\t", " ")))
            case "code_inline":
                text.append(child.content.replace("\t", " "), VIOLET)
            case "image":
                text.append(f"{child.content} ({child.attrs['src']})".lstrip())
            case "link":
                text.append_text(_linked(child))
            case kind:
                text.append_text(_text(child, _STYLES[kind]))
    return text


def _linked(node: SyntaxTreeNode) -> Text:
    """Return the words of a link, and its address unless they are the same."""
    words, address = _text(node, "underline"), str(node.attrs["href"])
    if words.plain in (address, address.removeprefix("mailto:")):
        return words
    return Text.assemble(words, f" ({address})" if words else f"({address})")


def _wrapped(text: Text, width: int, *, in_table: bool = False) -> list[Text]:
    """Return *text* wrapped to *width*. Long words stay whole, in a table only addresses."""
    lines = text.split("\n", allow_blank=True)
    for line in lines:
        line.overflow = "ignore" if _is_whole(line.plain, in_table=in_table) else "fold"
    return [piece for line in lines for piece in wrap(line, width)]


def _is_whole(line: str, *, in_table: bool = False) -> bool:
    """Return whether the words of *line* stay whole. Chinese and Japanese have no spaces."""
    return (line.isascii() and not in_table) or "://" in line


def _table(node: SyntaxTreeNode, width: int) -> Iterator[Text]:
    """Yield a table whose cells wrap between words, or a block for each row if there is no room."""
    rows = [row.children for part in node.children for row in part.children]
    texts = [[_text(cell.children[0], BOLD if cell.tag == "th" else "") for cell in row] for row in rows]
    columns = [*zip(*texts, strict=True)]
    room = width - GAP * (len(columns) - 1)
    natural = [_longest(column, str.splitlines) for column in columns]
    if not (least := _least_widths(columns, natural, room, is_wide=width >= _LEAST_TABLE)):
        yield from _by_rows(texts, width)
        return
    widths = shrunk(natural, least, room)
    sides = [_side_of(head, column[1:]) for head, column in zip(rows[0], columns, strict=True)]
    cells = [[_wrapped(*each, in_table=True) for each in zip(row, widths, strict=True)] for row in texts]
    is_loose = any(len(cell) > 1 for row in cells for cell in row)
    for at, row in enumerate(cells):
        yield from [Text()] * (is_loose and at > 0)
        yield from row_lines(row, widths, sides)


def _least_widths(
    columns: Sequence[Sequence[Text]], natural: Sequence[int], room: int, *, is_wide: bool
) -> list[int]:
    """Return the least width of each column, or () if there is no room. is_wide: words may break."""
    words, addresses = ([_longest(each, pieces) for each in columns] for pieces in (_whole_words, _addresses))
    for longest, of_words in ((words, _NARROW), (words, _TIGHT), (addresses, _TIGHT))[: 3 if is_wide else 1]:
        least = [max(word, min(cells, of_words)) for word, cells in zip(longest, natural, strict=True)]
        if sum(least) <= room:
            return least
    return []


def _longest(column: Sequence[Text], pieces: Callable[[str], Iterable[str]]) -> int:
    return max([1, *(cell_len(piece) for cell in column for piece in pieces(cell.plain))])


def _whole_words(text: str) -> list[str]:
    return [word for line in text.splitlines() if _is_whole(line) for word in line.split()]


def _addresses(text: str) -> list[str]:
    return [word for word in text.split() if "://" in word]


def _side_of(head: SyntaxTreeNode, cells: Sequence[Text]) -> AlignMethod:
    """Return the side that the reply chose, or the right for figures, as in other tables."""
    style = str(head.attrs.get("style", ""))
    is_figures = "left" not in style and cells and all(re.fullmatch(_FIGURE, each.plain) for each in cells)
    return "right" if "right" in style or is_figures else "center" if "center" in style else "left"


def _by_rows(rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """Yield a block for each row: a line for each cell, after the head of its column."""
    heads, *others = rows
    for at, row in enumerate(others or [heads]):
        yield from [Text()] * bool(at)
        for head, cell in zip(heads, row, strict=True):
            if cell:
                labeled = Text.assemble((f"{head.plain}: ", BOLD), cell) if head and others else cell
                yield from _wrapped(labeled, width)
