"""What of a reply stands on a terminal, by an emulator: its lines and no others, and code as it is copied."""

from __future__ import annotations

import unicodedata
from typing import Any

import pyte
import pytest
from wcwidth import wcwidth

from jarvis.core.text import clean, printable
from jarvis.output.markdown import Markdown
from tests.output.test_markdown import CODE, REPLIES, shown

ALLOWED = {"draw", "linefeed", "carriage_return", "tab", "select_graphic_rendition"}
HOSTILE = (
    *("\x1b[2J\x1b[H", "\x1b]52;c;aGk=\x07", "\x9b3A", "\x1b[8mhidden", "\x1b]8;;https://evil.example\x1b\\"),
    *("\rover", "\x08\x08\x08back", "\x0e\x0f", "\x1b", "\x1b[?1049h", "\x1bP1$r\x1b\\", "\u202eright\u2066"),
)
STEERING = {*map(chr, range(32)), *map(chr, range(127, 160)), "\u202e", "\u2066"}
CARRIERS = {
    "words": "one {} two",
    "a heading": "# one {}\n",
    "a table": "| a | {} |\n|---|---|\n| {} | b |\n",
    "code": "```sh\necho {}\n```\n",
    "an item and a link": "- **one {}** [two{}](https://a.example/{})\n",
}
SIGNS = {
    "joined emoji": "| 👩‍💻 | 🇩🇪 |\n|--|--|\n| ❤️ | 1️⃣ |\n\n- 👨‍👩‍👧‍👦 a family\n- ☎️ a telephone",
    "marks on letters": "| e\u0301 | a |\n|--|--|\n| ก็ | हिन्दी |\n\n**e\u0301e\u0301** and `n\u0303`",
    "wide letters at the edge": "- " + "京都 " * 60 + "\n\n```\na" + "学" * 150 + "\n```",
    "right to left": "**שלום** עולם\n\n| שם | سنة |\n|--|--|\n| אוניברסיטה | ١٨٦١ |",
    "code of 2,000 columns": "```python\nx = '" + "ab " * 665 + "'\n```",
}
HAVE_LONG_CODE = {"wide letters at the edge", "code of 2,000 columns"}
WIDTHS = [40, 80, 200]


class Paper(pyte.Screen):
    """A terminal that can only be written on, and knows which of its rows it broke itself.

    The emulator stops at a joiner, and cuts a wide letter in two at the edge; terminals do neither.
    """

    def __init__(self, width: int, lines: int) -> None:
        super().__init__(width, lines)
        self.broken: set[int] = set()
        self.forbidden: list[str] = []
        self._is_drawing = False

    def draw(self, data: str) -> None:
        self._is_drawing = True
        for letter in data:
            row, x = self.buffer[self.cursor.y], self.cursor.x
            if wcwidth(letter) == 0 and not unicodedata.combining(letter):
                before = x - 1 if row[x - 1].data else x - 2
                row[before] = row[before]._replace(data=row[before].data + letter)
                continue
            if wcwidth(letter) == 2 and x == self.columns - 1:
                row[x] = row[x]._replace(data="")
                self.cursor.x += 1
            super().draw(letter)
        self._is_drawing = False

    def linefeed(self) -> None:
        if self._is_drawing:
            self.broken.add(self.cursor.y)
        super().linefeed()

    def copied(self) -> list[str]:
        """All lines, as whoever marks them with the mouse has them: those that were broken are whole."""
        lines = [""]
        for y in range(self.cursor.y + 1):
            row = "".join(self.buffer[y][x].data for x in range(self.columns))
            lines[-1] += row if y in self.broken else row.rstrip()
            if y not in self.broken:
                lines.append("")
        return lines[:-1]


class Watched:
    """A terminal as what is written reaches it: it does what only appends, and notes anything else."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper

    def __getattr__(self, name: str) -> Any:
        if name in pyte.Stream.events - ALLOWED:
            return lambda *_, **__: self._paper.forbidden.append(name)
        return getattr(self._paper, name)


def on_paper(said: str, width: int) -> Paper:
    paper = Paper(width, 2 * said.count("\n") + len(said) // 10 + 50)
    pyte.Stream(Watched(paper)).feed(said.replace("\n", "\r\n"))
    assert paper.cursor.y < paper.lines - 1  # nothing was scrolled away
    return paper


def as_printed(text: str, width: int, size: int) -> str:
    """As the program would print *text*, which comes in pieces of that size."""
    markdown = Markdown(colour=True)
    pieces = [clean(text[at : at + size], piece=True, tabs=True) for at in range(0, len(text), size)]
    return printable("".join([*(markdown.feed(piece, width) for piece in pieces), markdown.end(width)]))


def laid_out(text: str, width: int) -> list[str]:
    lines = unicodedata.normalize("NFC", shown(text, width)).split("\n")
    return [line.expandtabs(8).rstrip() for line in lines]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", REPLIES)
def test_its_lines_stand_on_the_screen_and_nothing_else_was_done_to_it(name, width):
    paper = on_paper(shown(REPLIES[name], width, 200, colour=True), width)

    assert paper.copied() == laid_out(REPLIES[name], width)
    assert paper.forbidden == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SIGNS)
def test_signs_of_any_width_stand_where_they_belong(name, width):
    paper = on_paper(shown(SIGNS[name], width, 7, colour=True), width)

    assert paper.copied() == laid_out(SIGNS[name], width)
    assert bool(paper.broken) == (name in HAVE_LONG_CODE)  # all else is broken by us, and fits
    code = SIGNS[name].partition("```")[2].partition("\n")[2].removesuffix("\n```")
    assert code in "\n".join(paper.copied())
    assert paper.forbidden == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["code", "code with waves", "code that stays open"])
def test_code_that_is_copied_from_the_screen_is_what_was_written(name, width):
    paper = on_paper(shown(REPLIES[f"{name} alone"], width, 1, colour=True), width)

    assert f"\n{CODE}\n" in "\n".join(["", *paper.copied(), ""])
    assert bool(paper.broken) == (width < 80)  # the terminal had to break it, and is asked to undo that


@pytest.mark.parametrize("size", [1, 7, 200])
@pytest.mark.parametrize("carrier", CARRIERS)
def test_nothing_that_is_hostile_steers_the_screen(carrier, size):
    for hostile in HOSTILE:
        text = CARRIERS[carrier].replace("{}", hostile)
        said = as_printed(text, 80, size)

        paper = on_paper(said, 80)

        assert paper.forbidden == []
        assert not STEERING & set("".join(paper.copied()))
