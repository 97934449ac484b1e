"""Shows a reply in Markdown while it arrives: prints once what is final, and below it a picture of the rest.

markdown-it tells where blocks begin and end; rich lays each of them out. A block is text, code or a table:
quotes and items of lists are signs before its lines. So each is final once another one has begun.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import dropwhile, groupby
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, escape
from markdown_it.token import Token
from rich import box, markdown
from rich.cells import cell_len
from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderResult
from rich.live_render import LiveRender
from rich.segment import Segment, Segments
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from ..core.text import hyperlink

_OFTEN = 0.08  # seconds from one picture to the next
_REST = 5  # times as long as a picture took, none is drawn: so the time for a reply is linear in its length
_MOST_ROWS = 12  # of a picture
_GAP = 2  # cells between two columns of a table
_NARROW = 16  # cells of a column, below which its cells are not broken into lines
_TAB = 8  # columns, as terminals have it
_LONGEST_COLOURED = 500  # characters of a line of code
_BULLET, _BAR, _DASH = "• ", "│ ", "─"
_LONGEST_RULE = 40  # cells

_CODE = {"fence", "code_block"}
_SET_APART = {"table_open", *_CODE}
_LEAVES = {"paragraph_open", "heading_open", "hr", *_SET_APART}
# A line that begins so may still become anything: an item, a rule, the end of code.
_SIGNS_ALONE = re.compile(r"[\s\d>`~#=*_+|:.)-]*\Z")
# Not all signs: a formula has its own behind backslashes, as `\,` and `\{`.
_ESCAPABLE = frozenset("!\"#$&'()*+-.<>[\\]_`|~\n")
# An address as far as a sentence leaves it.
_ADDRESS = re.compile(r"https?://[^\s\x1b<>\"'`]*[^\s\x1b<>\"'`.,:;!?)\]}*_~]")
# What a line is not broken in: a word; a sign of Chinese or Japanese, which have no spaces, with what begins
# no line behind it, and what ends none before it.
_WIDE = r"\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_OPENING, _CLOSING = r"（［｛「『【〈《〔", r"、。，．・：；？！）］｝」』】〉》〕ー々〜"
_WORD = re.compile(rf"(?:[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)[{_CLOSING}]*)?\s*")
_THEME = Theme(
    {
        "markdown.h1": "bold underline",
        **{f"markdown.h{level}": "bold" for level in range(2, 7)},
        "markdown.code": "cyan",
        "markdown.words": "underline",  # of a link
        "markdown.sign": "dim",
    }
)

_Line = list[Segment]


class Drawn(NamedTuple):
    """What to send to the terminal, one after the other."""

    back: str = ""  # takes the last picture away
    final: str = ""
    picture: str = ""


class ReplyStream:
    """One reply on a terminal."""

    def __init__(self, *, colour: bool, is_live: bool = True, links: Collection[str] = ()) -> None:
        """is_live: whether the terminal can take a picture away. links: what may become a hyperlink."""
        self._console = Console(
            file=io.StringIO(),
            force_terminal=colour,
            color_system="standard" if colour else None,
            legacy_windows=False,
            theme=_THEME,
        )
        self._layout = _Markdown("")
        self._is_live, self._links = is_live, links
        self._next = 0.0  # when the next picture is drawn at the earliest, in monotonic seconds
        self._lines: list[str] = []  # that have ended, of what is not final
        self._begun: list[str] = []  # the line that has not ended, in pieces
        self._at = 0  # the number of the first of these lines
        self._has_more = False  # lines that were not read yet
        self._final_blocks = 0  # in these lines, as one of the top level is read from its beginning
        self._final_code = 0  # lines of the block behind those: code is final line by line
        self._before: Block | None = None  # the last that is final, and shown
        self._picture = LiveRender("")
        self._owes_end = False  # of the last line that was printed: the end of a reply has none

    @property
    def is_open(self) -> bool:
        """Whether the cursor stands in or behind a line of it."""
        return self._owes_end or self._picture.last_render_height > 0

    def feed(self, text: str, size: tuple[int, int]) -> Drawn:
        """Take a piece of *text*; return what to draw now. size: columns and lines of the terminal."""
        *ended, begun = text.split("\n")
        for line in ended:
            self._lines.append("".join([*self._begun, line]))
            self._begun, self._has_more = [], True
        self._begun.append(begun)
        return self.draw(size) if time.monotonic() >= self._next else Drawn()

    def draw(self, size: tuple[int, int]) -> Drawn:
        """Return what to draw for all that has come."""
        began, self._console.size = time.monotonic(), ConsoleDimensions(*size)
        back, final = self._take_away(), self._print_final()
        picture = self._draw_rest() if self._is_live else ""
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
        self._console.size = ConsoleDimensions(*size)
        self._lines.append("".join(self._begun))
        self._begun = []
        return Drawn(self._take_away(), self._printed(self._new_lines(blocks_in(self._lines, self._at))))

    def _take_away(self) -> str:
        back, self._picture = str(self._picture.position_cursor()), LiveRender("")
        return back

    def _print_final(self) -> str:
        """Return the blocks behind which another one has begun, and whole lines of code."""
        blocks = blocks_in(self._lines, self._at) if self._has_more else []
        self._has_more = False
        if not blocks:
            return ""
        *final, last = blocks
        lines = self._new_lines(blocks if last.is_code else final)
        self._before = next((each for each in reversed(final) if each.is_shown), self._before)
        self._final_blocks = sum(each.start >= last.top for each in final)
        self._final_code = len(last.code)
        del self._lines[: last.top - self._at]
        self._at = last.top
        return self._printed(lines)

    def _draw_rest(self) -> str:
        """Return a picture of what is not final: of its end, where that is much."""
        begun = "".join(self._begun)
        lines = self._lines if _SIGNS_ALONE.match(begun) else [*self._lines, begun]
        width, height = self._console.size
        new = self._new_lines(blocks_in(lines, self._at))
        rows = [row for line in new for row in _folded(line, width)][-max(1, min(_MOST_ROWS, height - 3)) :]
        if not rows:
            return ""
        self._picture = LiveRender(Segments(_joined(rows)))
        return self._rendered(self._picture)

    def _printed(self, lines: Sequence[_Line]) -> str:
        """Return *lines* as they are printed, behind the end that the last one still lacks."""
        if not lines:
            return ""
        printed = "\n" * self._owes_end + self._rendered(Segments(_joined(lines)))
        self._owes_end = True
        return printed

    def _rendered(self, lines: Segments | LiveRender) -> str:
        with self._console.capture() as captured:
            self._console.print(lines, end="", soft_wrap=True)
        return _ADDRESS.sub(self._linked, captured.get()) if self._links else captured.get()

    def _linked(self, address: re.Match[str]) -> str:
        return hyperlink(address[0]) if address[0] in self._links else address[0]

    def _new_lines(self, blocks: Sequence[Block]) -> list[_Line]:
        """Return the lines of *blocks* that are not final."""
        lines: list[_Line] = []
        before, final = self._before, self._final_code
        for block in blocks[self._final_blocks :]:
            if before and not final and block.is_shown and block.is_apart(before):
                lines.append(self._signs(block.gap))
            lines += self._code(block, final) if block.is_code else self._words(block)
            before, final = block if block.is_shown else before, 0
        return lines

    def _code(self, block: Block, final: int) -> Iterator[_Line]:
        """Yield the lines of code behind the *final* ones: raw, in the first column, to be copied."""
        if block.first != block.rest and not final and block.is_shown:
            yield _stripped(self._signs(block.first))
        syntax = _syntax(block.tokens[0].info) if self._console.color_system else None
        for line in block.code[final:]:
            yield self._coloured(line, syntax)

    def _coloured(self, line: str, syntax: Syntax | None) -> _Line:
        if syntax and len(line) <= _LONGEST_COLOURED:
            text = syntax.highlight(line)[: len(line)]
            if text.plain == line:  # some languages leave words out
                return [*text.render(self._console)]
        return [Segment(line)]

    def _words(self, block: Block) -> Iterator[_Line]:
        """Yield the lines of text or of a table, behind their signs."""
        width, rest = self._console.width, block.rest
        if cell_len(rest) > width // 2:  # a narrow terminal needs its columns for words
            rest = ""
        options = self._console.options.update(width=max(8, width - cell_len(rest)))
        lines = [*Segment.split_lines(self._console.render(self._layout.read(block.tokens), options))]
        if len(lines) > 1 and not lines[0]:  # rich begins a table with one
            lines = lines[1:]
        for at, line in enumerate(lines or [[]]):
            yield _stripped([*self._signs(rest if at else block.first), *line])

    def _signs(self, signs: str) -> _Line:
        """Return *signs* that stand before a line: the bars of quotes are dim."""
        return [Segment(signs, self._console.get_style("markdown.sign" if _BAR[0] in signs else "none"))]


def _joined(lines: Sequence[_Line]) -> Iterator[Segment]:
    for at, line in enumerate(lines):
        yield from [Segment.line()] if at else []
        yield from line


def _folded(line: _Line, width: int) -> Iterator[_Line]:
    """Yield the rows that the terminal would make of a *line* that is too long for it."""
    text = "".join(each.text for each in line)
    line = [Segment(text.expandtabs(_TAB))] if "\t" in text else line  # of code, that has no colours yet
    cells = Segment.get_line_length(line)
    yield from Segment.divide(line, [*range(width, cells, width), cells]) if cells > width else [line]


def _stripped(line: _Line) -> _Line:
    """Return *line* without the spaces that rich fills it up with: they would be copied."""
    while line and not line[-1].text.rstrip(" "):
        line = line[:-1]
    return [*line[:-1], line[-1]._replace(text=line[-1].text.rstrip(" "))] if line else []


@cache
def _syntax(info: str) -> Syntax | None:
    """Return how to colour the language that *info*, behind a fence, begins with."""
    lexer = Syntax("", info.lower().split()[0], tab_size=0).lexer if info.strip() else None
    return Syntax("", lexer, theme="ansi_dark") if lexer else None


class Block(NamedTuple):
    """Text, code or a table; the numbers of its lines; and the signs of the quotes and items it stands in."""

    tokens: list[Token]
    start: int
    end: int
    top: int  # from where it can be read: where its block of the top level begins, or the item of that
    first: str  # before its first line
    rest: str  # before the others
    gap: str  # on an empty line above it: the bars of quotes that go on

    @property
    def is_code(self) -> bool:
        return self.tokens[0].type in _CODE

    @property
    def code(self) -> list[str]:
        content = self.tokens[0].content if self.is_code else ""
        return content.removesuffix("\n").split("\n") if content else []

    @property
    def is_shown(self) -> bool:
        return bool(self.code) or not self.is_code

    def is_apart(self, before: Block) -> bool:
        """Return whether an empty line stands above it: where one is written, and around code and tables."""
        kinds = {self.tokens[0].type, before.tokens[0].type}
        return self.start > before.end or not kinds.isdisjoint(_SET_APART)


class _Container:
    """A quote, or an item of a list."""

    def __init__(self, token: Token) -> None:
        self.is_begun = False
        self.rest = self.first = _BAR
        if token.type == "list_item_open":
            self.first = f"{token.info}{token.markup} " if token.info else _BULLET
            self.rest = " " * len(self.first)

    @property
    def sign(self) -> str:
        return self.rest if self.is_begun else self.first


def blocks_in(lines: Sequence[str], at: int) -> list[Block]:
    """Return the blocks in *lines*; *at* is the number of the first."""
    reader = _Reader(lines, at)
    for token in _PARSER.parse("\n".join([*lines, ""])):
        reader.take(token)
    return reader.blocks


class _Reader:
    """Takes tokens apart into blocks."""

    def __init__(self, lines: Sequence[str], at: int) -> None:
        self.blocks: list[Block] = []
        self._lines, self._at = lines, at
        self._containers: list[_Container] = []
        self._leaf: list[Token] = []  # the tokens of a block, as far as they came
        self._top = 0

    def take(self, token: Token) -> None:
        is_top = token.level == 0 or (token.level == 1 and token.type == "list_item_open")
        if is_top and token.map and not self._leaf:
            self._top = token.map[0]
        if self._leaf or token.type in _LEAVES:
            self._leaf.append(token)
            if token.nesting <= 0 and token.level == self._leaf[0].level:
                self._end_leaf()
        elif token.type in ("blockquote_open", "list_item_open"):
            self._containers.append(_Container(token))
            self._opened = token
        elif token.type in ("blockquote_close", "list_item_close"):
            if not self._containers[-1].is_begun:  # there is nothing in it
                self._add([self._opened])
            self._containers.pop()

    def _end_leaf(self) -> None:
        tokens, self._leaf = self._leaf, []
        self._read_cells(tokens)
        self._add(tokens)

    def _read_cells(self, tokens: Sequence[Token]) -> None:
        """Read the rows of a table as people write them: a bar in code ends no cell, and none is too much."""
        body = dropwhile(lambda token: token.type != "tbody_open", tokens)
        for lines, row in groupby((each for each in body if each.type == "inline"), lambda each: each.map):
            cells = [*row]
            given = _split(self._lines[lines[0] if lines else 0], len(cells))
            for cell, text in zip(cells, given, strict=True):
                if cell.content != text:
                    cell.children = _PARSER.parseInline(text)[0].children

    def _add(self, tokens: list[Token]) -> None:
        start, end = tokens[0].map or (0, 0)
        first = "".join(each.sign for each in self._containers)
        rest = "".join(each.rest for each in self._containers)
        gap = "".join(each.rest for each in self._containers if each.is_begun).rstrip()
        at = self._at
        self.blocks.append(Block(tokens, at + start, at + end, at + self._top, first, rest, gap))
        for each in self._containers:
            each.is_begun = True


def _split(row: str, count: int) -> list[str]:
    """Return *count* cells of a *row* of a table: what is too much stands in the last."""
    cells = [""]
    for piece in re.findall(r"\\.|`+[^`]*`+|[^\\`|]+|.", row.lstrip(" >").rstrip()):
        cells += [""] if piece == "|" else []
        cells[-1] += "" if piece == "|" else piece.replace("\\|", "|")
    cells = [each.strip() for each in cells[not cells[0] :]]
    last = " | ".join(cells[count - 1 :]).removesuffix(" | ")
    return [*cells[: count - 1], last, *[""] * count][:count]


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


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _shown(children: Sequence[Token]) -> Iterator[Token]:
    """Yield *children* as they are shown: addresses behind the words of links, lines as written."""
    address, words = "", ""
    for child in children:
        words += child.content
        match child.type:
            case "link_open":
                address, words = str(child.attrs["href"]), ""
                yield Token("words_open", "words", 1)
            case "link_close":
                yield Token("words_close", "words", -1)
                if words not in (address, address.removeprefix("mailto:")):
                    yield _text(f" ({address})" if words else f"({address})")
            case "image":
                yield _text(f"{child.content} ({child.attrs['src']})".lstrip())
            case "softbreak":
                yield Token("hardbreak", "br", 0)
            case _:
                content = child.content.replace("\t", " ")
                child.content = re.sub(r"<br ?/?>", "\n", content) if child.type == "text" else content
                yield child


class _Words(markdown.TextElement):
    """A paragraph, or a heading, which rich would centre."""

    @classmethod
    def create(cls, markdown: markdown.Markdown, token: Token) -> _Words:
        words = cls()
        words.style_name = f"markdown.{token.tag}"
        return words

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return _lines_of(self.text, console, options)


class _Rule(markdown.HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Segment(_DASH * (min(options.max_width, _LONGEST_RULE) - 1), console.get_style("markdown.sign"))


class _Table(markdown.TableElement):
    """A table whose cells wrap between words; a block for each row where they have no room."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads = self.header.row.cells if self.header and self.header.row else []
        rows = [[cell.content for cell in row.cells] for row in (self.body.rows if self.body else ())]
        columns = [*zip((head.content for head in heads), *rows, strict=True)]
        widths = _widths(columns, options.max_width - _GAP * (len(columns) - 1))
        if not widths:
            yield from _stacked([head.content for head in heads], rows, console, options)
            return
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        table.border_style = "markdown.sign"
        for head, width in zip(heads, widths, strict=True):
            table.add_column(_wrapped_cell(head.content, width), justify=head.justify, width=width)
        lines = [[_wrapped_cell(*each) for each in zip(row, widths, strict=True)] for row in rows]
        table.leading = int(any("\n" in cell.plain for row in lines for cell in row))
        for row in lines:
            table.add_row(*row)
        yield table


class _Markdown(markdown.Markdown):
    """Lays out blocks that were read already, with elements that show all of them, and no more."""

    elements = {
        **markdown.Markdown.elements,
        "paragraph_open": _Words,
        "heading_open": _Words,
        "hr": _Rule,
        "table_open": _Table,
    }
    inlines = markdown.Markdown.inlines | {"words"}

    def read(self, tokens: list[Token]) -> _Markdown:
        """Take *tokens* in place of a text."""
        self.parsed = tokens
        for token in tokens:
            token.children = [*_shown(token.children)] if token.children else token.children
        return self


def _lines_of(text: Text, console: Console, options: ConsoleOptions) -> RenderResult:
    for line in _wrapped(text, options.max_width):
        yield from line.render(console, "\n")


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
        for piece in line.divide(breaks):
            piece.rstrip()
            yield piece


def _wrapped_cell(text: Text, width: int) -> Text:
    return Text("\n").join(_wrapped(text, width))


def _widths(columns: Sequence[Sequence[Text]], room: int) -> list[int]:
    """Return the widths of *columns* in *room*, the widest made narrower; none where that is too little."""
    texts = ["\n".join(cell.plain for cell in column) for column in columns]
    words = [max(cell_len(word[0].rstrip()) for word in _WORD.finditer(f"{text} .")) for text in texts]
    widths = [max(map(cell_len, [".", *text.split("\n")])) for text in texts]
    least = [max(word, min(width, _NARROW)) for word, width in zip(words, widths, strict=True)]
    if sum(least) > room:
        return []
    while sum(widths) > room:
        can_be = [at for at in range(len(widths)) if widths[at] > least[at]]
        widths[max(can_be, key=widths.__getitem__)] -= 1
    return widths


def _stacked(
    heads: Sequence[Text], rows: Sequence[Sequence[Text]], console: Console, options: ConsoleOptions
) -> RenderResult:
    """Yield a block for each row: a line for each cell, behind the head of its column."""
    for at, row in enumerate(rows or [heads]):
        yield from [Segment.line()] if at else []
        for head, cell in zip(heads, row, strict=True):
            if cell:
                named = Text.assemble((f"{head.plain}: ", "bold"), cell) if head and rows else cell
                yield from _lines_of(named, console, options)
