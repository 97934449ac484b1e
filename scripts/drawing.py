"""Draws what an emulated terminal shows as a moving SVG: text as text, in the reader's own font."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

import pyte
from pyte.screens import Char

_WIDE, _HIGH, _SIZE = 8.4, 18, 14  # of a cell, and of its letters
_EDGE = 16
_PAPER, _INK = "#1b1d23", "#d8dbe2"
_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_COLOURS = dict(
    zip(
        ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white"),
        ("#4a4f5a", "#f0717b", "#8fcf8a", "#e2c07a", "#7fb0f5", "#cf9af0", "#6cc7d1", _INK),
        strict=True,
    )
)
_COLOURS |= {"default": _INK, "brightblack": "#8b919e", "brightwhite": "#ffffff"}
_FAINT = re.compile(rb"\x1b\[2m")  # the emulator knows no faint letters, and so would show them as others


class Frame(NamedTuple):
    """What stands on a terminal for a while."""

    rows: tuple[tuple[Char, ...], ...]
    seconds: float


def frames_of(said: Iterable[tuple[bytes, float]], columns: int, lines: int) -> list[Frame]:
    """Return what a terminal of that size shows after each piece that it is sent, for so many seconds."""
    screen = pyte.Screen(columns, lines)
    stream = pyte.ByteStream(screen)
    frames = []
    for piece, seconds in said:
        stream.feed(_FAINT.sub(b"\x1b[90m", piece))
        rows = tuple(tuple(screen.buffer[y][x] for x in range(columns)) for y in range(lines))
        frames.append(Frame(rows, seconds))
    return frames


def drawing(frames: Sequence[Frame], title: str) -> str:
    """Return *frames* as an SVG that plays them again and again; the last one stands where nothing can move.

    It is as high as what is shown. title: what that is, in words.
    """
    columns = len(frames[0].rows[0])
    lines = list(zip(*(frame.rows for frame in frames), strict=True))  # each as all frames have it
    used = max(y for y, rows in enumerate(lines, 1) if any(char.data.strip() for row in rows for char in row))
    wide, high = 2 * _EDGE + columns * _WIDE, 2 * _EDGE + used * _HIGH
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}"'
            f' height="{high:g}" role="img" font-family="{_FONTS}" font-size="{_SIZE}">',
            f"<title>{escape(title)}</title>",
            f'<rect width="100%" height="100%" rx="8" fill="{_PAPER}"/>',
            *(part for y in range(used) for part in _moving_row(lines[y], frames, y)),
            "</svg>\n",
        ]
    )


def _moving_row(rows: Sequence[Sequence[Char]], frames: Sequence[Frame], y: int) -> Iterator[str]:
    """Yield each thing that stands on line *y* at one time or another, for as long as it does."""
    whole, at = sum(frame.seconds for frame in frames), 0.0
    for row, group in itertools.groupby(zip(rows, frames, strict=True), key=lambda each: each[0]):
        begin, at = at, at + sum(frame.seconds for _, frame in group)
        texts = list(_texts(row, y))
        is_last = at >= whole - 0.001
        if texts and begin == 0 and is_last:
            yield from texts
        elif texts:
            yield f'<g visibility="{"visible" if is_last else "hidden"}">'
            yield _shown_from(begin / whole, 1 if is_last else at / whole, whole)
            yield from texts
            yield "</g>"


def _shown_from(begin: float, end: float, whole: float) -> str:
    """Return what shows its group from *begin* to *end*, parts of the *whole* seconds."""
    times = [(0.0, "hidden")] * (begin > 0) + [(begin, "visible")] + [(end, "hidden")] * (end < 1)
    values, keys = ";".join(value for _, value in times), ";".join(f"{time:.4f}" for time, _ in times)
    return (
        f'<animate attributeName="visibility" calcMode="discrete" dur="{whole:g}s"'
        f' repeatCount="indefinite" values="{values}" keyTimes="{keys}"/>'
    )


def _texts(row: Sequence[Char], y: int) -> Iterator[str]:
    """Yield a <text> for each run of letters in one style. Its width is told: fonts differ."""
    for style, run in itertools.groupby(enumerate(row), key=lambda cell: _style(cell[1])):
        cells = list(run)
        spaced = "".join(char.data for _, char in cells)  # the second cell of a wide letter is empty
        letters = spaced.strip(" ")
        if letters:
            begin = cells[0][0] + len(spaced) - len(spaced.lstrip(" "))
            end = cells[-1][0] + 1 - len(spaced) + len(spaced.rstrip(" "))
            yield (
                f'<text x="{_EDGE + begin * _WIDE:g}" y="{_EDGE + (y + 1) * _HIGH - 5:g}"'
                f' textLength="{(end - begin) * _WIDE:g}" lengthAdjust="spacingAndGlyphs"'
                f' xml:space="preserve"{style}>{escape(letters)}</text>'
            )


def _style(char: Char) -> str:
    """Return what letters of one <text> have in common, as its attributes."""
    lines = {"underline": char.underscore, "line-through": char.strikethrough}
    colour = _COLOURS.get(char.fg, _COLOURS.get(char.fg.removeprefix("bright"), f"#{char.fg}"))
    named = {
        "fill": _PAPER if char.reverse else colour,
        "font-weight": "bold" if char.bold else "",
        "font-style": "italic" if char.italics else "",
        "text-decoration": " ".join(name for name, is_so in lines.items() if is_so),
    }
    return "".join(f' {name}="{value}"' for name, value in named.items() if value)
