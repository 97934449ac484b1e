"""Draws what stands on an emulated terminal as SVG: text as text, in the reader's own monospaced font."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape

import pyte
from pyte.screens import Char

_WIDE, _HIGH, _SIZE = 8.4, 18, 14  # of a cell, and of its letters
_EDGE = 16
_PAPER, _INK = "#1b1d23", "#d8dbe2"
_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_COLOURS = {
    "black": "#4a4f5a",
    "red": "#f0717b",
    "green": "#8fcf8a",
    "brown": "#e2c07a",
    "blue": "#7fb0f5",
    "magenta": "#cf9af0",
    "cyan": "#6cc7d1",
    "white": _INK,
    "brightblack": "#8b919e",
    "brightred": "#ff8f98",
    "brightgreen": "#a9e3a4",
    "brightbrown": "#f5d999",
    "brightblue": "#a3c7fb",
    "brightmagenta": "#e0b8f8",
    "brightcyan": "#93dde5",
    "brightwhite": "#ffffff",
}
_FAINT = re.compile(rb"\x1b\[2m")  # the emulator knows no faint letters, and so would show them as others


class Style(NamedTuple):
    """What the letters of one <text> have in common, as its attributes."""

    fill: str
    weight: str
    slant: str
    line: str

    def __str__(self) -> str:
        named = zip(("fill", "font-weight", "font-style", "text-decoration"), self, strict=True)
        return "".join(f' {name}="{value}"' for name, value in named if value)


def screen_of(said: bytes, columns: int, lines: int) -> pyte.Screen:
    """Return a terminal of that size that was sent *said*."""
    screen = pyte.Screen(columns, lines)
    pyte.ByteStream(screen).feed(_FAINT.sub(b"\x1b[90m", said))
    return screen


def drawing(screen: pyte.Screen, title: str) -> str:
    """Return *screen*, down to its last line that is not empty, as SVG. title: what it shows, in words."""
    rows = [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]
    used = max((y for y, row in enumerate(rows, 1) if any(each.data.strip() for each in row)), default=1)
    wide, high = 2 * _EDGE + screen.columns * _WIDE, 2 * _EDGE + used * _HIGH
    texts = [text for y, row in enumerate(rows[:used]) for text in _texts(row, y)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}"'
            f' height="{high:g}" role="img" font-family="{_FONTS}" font-size="{_SIZE}">',
            f"<title>{escape(title)}</title>",
            f'<rect width="100%" height="100%" rx="8" fill="{_PAPER}"/>',
            *texts,
            "</svg>\n",
        ]
    )


def _texts(row: list[Char], y: int) -> Iterator[str]:
    """Yield a <text> for each run of letters in one style. Its width is told: fonts differ."""
    for style, run in itertools.groupby(enumerate(row), key=lambda cell: _style(cell[1])):
        cells = _trimmed(run)
        if not cells:
            continue
        x, wide = _EDGE + cells[0][0] * _WIDE, (cells[-1][0] + 1 - cells[0][0]) * _WIDE
        letters = escape("".join(char.data for _, char in cells))
        below = _EDGE + (y + 1) * _HIGH - 5
        yield (
            f'<text x="{x:g}" y="{below:g}" textLength="{wide:g}" lengthAdjust="spacingAndGlyphs"'
            f' xml:space="preserve"{style}>{letters}</text>'
        )


def _trimmed(run: Iterable[tuple[int, Char]]) -> list[tuple[int, Char]]:
    """Return *run* without the spaces at its ends. The second cell of a wide letter is empty, and stays."""
    cells = list(run)
    while cells and cells[-1][1].data == " ":
        cells.pop()
    while cells and cells[0][1].data == " ":
        cells.pop(0)
    return cells


def _style(char: Char) -> Style:
    lines = {"underline": char.underscore, "line-through": char.strikethrough}
    colour = _INK if char.fg == "default" else _COLOURS.get(char.fg, f"#{char.fg}")
    return Style(
        _PAPER if char.reverse else colour,
        "bold" if char.bold else "",
        "italic" if char.italics else "",
        " ".join(name for name, is_so in lines.items() if is_so),
    )
