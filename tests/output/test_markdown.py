"""A reply's Markdown is shown while it is written, by appending alone, the same however it was cut."""

from __future__ import annotations

import re

import pytest

from jarvis.core.text import cells, clean
from jarvis.output.markdown import Markdown
from tests.wordings import DATA

STYLE = re.compile(r"\x1b\[[0-9;]*m")
CODE = 'for x in range(3):\n    print(x, "a line that is too long for a terminal of these widths", x)\n\nend'
URL = "https://example.org/a/very/long/address?with=a&query=of&its=own&and=more&and=more"
SNIPPETS = {
    "words": "Founded in 1861, it is a private university.\nIt stands in Cambridge.\n\nAnd *so* on.",
    "headings": "# One **bold**\n\n## Two\n### Three ###\n#no heading\n####### neither",
    "list": "- one\n- two, long enough to be broken on a narrow terminal\n* three\n+ four\n1. five\n2) six",
    "nested list": "- one\n  - two, long enough to be broken on a narrow terminal\n    1. three\n- [x] four",
    "list with words": "1. one\n\n   More on it, and that is long enough to be broken as well.\n2. two",
    "code": f"Say this:\n\n```python\n{CODE}\n```\nand see.",
    "code with waves": f"~~~\n{CODE}\n```\n~~~",
    "code in a list": "1. Run\n   ```sh\n   curl -fsS https://a.example | sh   # and wait\n   ```\n2. Wait",
    "code that stays open": f"```nolanguage\n{CODE}",
    "code by its indent": "So:\n\n    curl -fsS https://a.example/x | sh  # not broken anywhere\n\nDone.",
    "table": "| a | b |\n|---|--:|\n| one | 2 |\n| `x|y` | **12** |\nafter",
    "table too wide": "|Name|What it is|\n|:-|:-:|\n|MIT|" + "a private university " * 5 + "|\n|x|y<br>z|",
    "table in CJK": "| 大学 | 年 |\n| :---: | --- |\n| 京都大学 | 1897 |\n| 🎓 | é |",
    "no table": "| only a line with bars |\nand more\n\n| a | b |\nc\n|",
    "table without rows": "| a | b |\n|---|---|",
    "marks": "**b** *it* ***both*** ~~gone~~ `c` ``a ` b`` __b__ _i_ a_b_c 2 * 3 * 4 \\*no\\* **open `op *x",
    "links": f"See [the page]({URL}), <{URL}>, [{URL}]({URL}), [x], [1], [a] (b), [open](http, <b>, a < b, !",
    "quotes": "> one two three four five six seven eight nine ten eleven\n> > deep\n>\n> - item\nout",
    "rules": "one\n\n---\n***\n- - -\n--\n- \n*",
    "right to left": "**שלום** עולם, a line with two directions.\n- مرحبا بالعالم\n\n| א | ב |\n|-|-|\n|ג|ד|",
    "a long line": "word " * 400 + "x" * 2000 + " **" + "y" * 100 + "** *" + "z " * 300,
    "deep": "1. " * 200 + "end\n" + "> " * 200 + "end",
    "joined emoji": "| 👩‍💻 | 🇩🇪 |\n|--|--|\n| ❤️ | 1️⃣ |\n\n- 👨‍👩‍👧‍👦 a family\n- ☎️ a telephone",
    "marks on letters": "| e\u0301 | a |\n|--|--|\n| ก็ | हिन्दी |\n\n**e\u0301e\u0301** and `n\u0303`",
    "wide letters at the edge": "- " + "京都 " * 60,
    "html": "<b>bold</b><br>\n<script>alert(1)</script>\n<!-- x -->\n&amp; <https://a.example>",
}
WAYS = {
    "alone": lambda text: text,
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "in an item": lambda text: "- " + "\n  ".join(text.split("\n")),
}
REPLIES = {f"{name} {way}": do(text) for name, text in SNIPPETS.items() for way, do in WAYS.items()}
ODD = (DATA / "odd_replies.txt").read_text(encoding="utf-8").split("====== ")[1:]
REPLIES |= dict(reply.split("\n", 1) for reply in ODD)
REPLIES["code and more with CRLF"] = REPLIES["code and more of each kind"].replace("\n", "\r\n")


def shown(text, width, size=1, *, colour=False):
    markdown = Markdown(colour=colour)
    pieces = [clean(text[at : at + size], piece=True, tabs=True) for at in range(0, len(text), size)]
    return "".join(markdown.feed(piece, width) for piece in pieces) + markdown.end(width)


@pytest.mark.parametrize("name", REPLIES)
@pytest.mark.parametrize("width", [24, 40, 80, 200])
def test_the_pieces_make_no_difference_and_nothing_is_repainted(name, width):
    whole = shown(REPLIES[name], width, 200, colour=True)

    for size in (1, 7):
        assert shown(REPLIES[name], width, size, colour=True) == whole
    assert not set(STYLE.sub("", whole)) & set(map(chr, range(32))) - {"\n", "\t"}
    assert STYLE.sub("", whole) == shown(REPLIES[name], width)
    assert not STYLE.findall(whole) or STYLE.findall(whole)[-1] in ("\x1b[0m", "\x1b[39;49;00m")


@pytest.mark.parametrize("name", [name for name in REPLIES if "code" not in name])
@pytest.mark.parametrize("width", [24, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal_but_of_code_and_long_words(name, width):
    lines = shown(REPLIES[name], width).split("\n")

    wide = [line for line in lines if sum(map(cells, line)) > width]
    assert [line for line in wide if max(map(len, line.split())) <= width - 12] == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["code", "code with waves", "code that stays open"])
def test_code_stands_there_as_it_was_written(name, way):
    text = shown(REPLIES[f"{name} {way}"], 40)

    assert f"{CODE}\n" in f"{text}\n"
    assert "~~~" not in text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# One *two*\n\n### Three", ["One two", "", "Three"]),
        ("- one two three four five", ["• one two three four", "  five"]),
        ("10. one two three four", ["10. one two three", "    four"]),
        ("- a\n  - b c d e f g h i j k\n- c", ["• a", "  • b c d e f g h i", "    j k", "• c"]),
        ("> one two three four five", ["│ one two three four", "│ five"]),
        ("> > one two three four\n>\n> x", ["│ │ one two three", "│ │ four", "│", "│ x"]),
        ("---", ["─" * 19]),
        ("| a | bc |\n|--:|:-:|\n| 123 | d |", ["  a  bc", "───  ──", "123  d"]),
        ("| a | b |\n|-|-|\n| one two | three four five |", ["a: one two", "b: three four five"]),
        ("|a|\nb", ["|a|", "b"]),
        ("[a](https://x.example)", ["a", "(https://x.example)"]),
        ("<https://x.example>", ["https://x.example"]),
        ("[1] and [r] (x)", ["[1] and [r] (x)"]),
        ("**open and *it*", ["**open and it"]),
        ("`a*b*` 2*3 a_b_c", ["a*b* 2*3 a_b_c"]),
        ("\\*no\\* a\\b", ["*no* a\\b"]),
        ("-x\n1.x\n#x\n``x", ["-x", "1.x", "#x", "``x"]),
        ("a  \nb\n\n\nc", ["a", "b", "", "", "c"]),
        ("- ```\n  a\n  ```\n- b", ["•", "a", "• b"]),
        ("```a``` is *b*", ["a is b"]),
        ("a\n\n    b *c*  d\n\ne", ["a", "", "    b *c*  d", "", "e"]),
        ("> | a | b |\n> |-|-|\n> | 1 | 2 |\n| c", ["│ a  b", "│ ─  ─", "│ 1  2", "| c"]),
        ("- x\n\n  | a |\n  |-|\n  | 1 |\n- y", ["• x", "", "  a", "  ─", "  1", "• y"]),
        ("| a | b |\n|-|-|\n| 1 | 2 | 3 |\n| | |", ["a  b", "─  ─────", "1  2 | 3", ""]),
        ("| a | b |\n|-|-|\n| | one two three four |", ["b: one two three", "  four"]),
        ("|a|\n|-|\n|`x \\| y`|", ["a", "─────", "x | y"]),
        ("![a](https://b.example) !![b] !", ["a", "(https://b.example)", "!![b] !"]),
        ("$\\{x\\,y\\}$ 5\\%", ["$\\{x\\,y\\}$ 5\\%"]),
        ("a\tb\n-\tc\td", ["a b", "• c d"]),
        ("```\n\ta\tb\n```\n1.\tx\n\t```\n\t\ty\n\t```", ["\ta\tb", "1. x", "\ty"]),
    ],
)
def test_what_is_read_as_what(text, lines):
    assert [line.rstrip() for line in shown(text, 20).split("\n")] == lines


@pytest.mark.parametrize(
    ("text", "styled"),
    [
        ("**b** *i* `c` ~~s~~", "\x1b[1mb\x1b[0m \x1b[3mi\x1b[0m \x1b[36mc\x1b[0m \x1b[9ms\x1b[0m"),
        ("**a *b* c**", "\x1b[1ma\x1b[0m \x1b[1;3mb\x1b[0m \x1b[1mc\x1b[0m"),
        ("# a b", "\x1b[1;4ma b\x1b[0m"),
        ("> a", "\x1b[2m│ \x1b[0ma"),
        ("[a](https://b.example)", "a (\x1b[4mhttps://b.example\x1b[0m)"),
    ],
)
def test_marks_become_styles(text, styled):
    assert shown(text, 40, colour=True) == styled


def test_code_is_coloured_a_line_at_a_time():
    markdown = Markdown(colour=True)

    assert markdown.feed("```python\nx = 1", 40) == ""
    assert re.fullmatch(r".*\x1b\[\d+m.*1.*", markdown.feed("\n", 40))
    assert STYLE.sub("", markdown.feed("y\n```", 40)) == "\ny"
    assert markdown.end(40) == ""


@pytest.mark.parametrize(
    "language",
    "console pycon psql sqlite3 doscon iex rconsole lhs robotframework make text ini diff html c++".split(),
)
def test_no_language_takes_anything_of_a_line(language):
    code = "$ ls -l  /\n\tgcc -o x x.c\n>>> print('x')\n# end"

    assert STYLE.sub("", shown(f"```{language}\n{code}\n```", 40, colour=True)) == code


def test_words_are_shown_as_they_come():
    markdown = Markdown(colour=False)

    said = [
        markdown.feed(piece, 40) for piece in ("One two", " **th", "ree** fo", "ur\n- fi", "ve six", "\n")
    ]

    assert said == ["One", " two", " three", " four\n• ", "five", " six\n"]


def test_a_terminal_without_these_signs_gets_others():
    markdown = Markdown(colour=False, signs="*|-")

    assert markdown.feed("- a\n\n> b\n\n---\n", 9) == "* a\n\n| b\n\n--------\n"
