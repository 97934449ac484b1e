"""A reply is laid out while it arrives: by one way or another the same screen, and what is final stays."""

import re
import time
from textwrap import indent

import pytest

from jarvis.core.text import clean
from jarvis.output.markdown import ReplyStream
from tests.running import seen
from tests.wordings import DATA

LINES = 24  # of the terminal
CODE = '$ ls -l  /\n\tfor x in range(3):\n>>> print(x,\t"a line that is too long for this", x)\n\n\n# end'
LANGUAGES = "python console pycon psql sqlite3 rconsole lhs robotframework make html c++".split()
STYLE = r"\x1b\[[0-9;]*m"
URL = "https://example.org/a/very/long/address?with=a&query=of&its=own&and=more&and=more"
WIDE = """\
| # | What | Where | What is known of it |
|--:|---|:-:|---|
| 1 | thing number 1 | shop1 | It is sold as new, though buyers say that it was used once |
"""
REPLIES = {
    "words": "Founded in *1861*, it is a **private\nuniversity**.\n\nTitle\n---\n# One *more*\n\nAnd so on.",
    "lists in lists": "1. one\n2. two, that is long enough to be broken\n   - nested\n\n     More on it.\n"
    "10. ten\n-\n- - x\n  text\n\ntext\n- a\n- b",
    "a table": f"Before\n{WIDE}\nafter",
    "a table as people write it": "|a|b|\n|-|-|\n|`x|y`|1|2|\n||\n\n"
    "| Rindfleischetikettierungsgesetz | b |\n|--|--|\n| c<br>d | e |",
    "code": f"Say this:\n```python\n{CODE}\n```\nand see.\n~~~\n```\n~~~\n\n    a\n\n    b",
    "code in code": "How:\n\n````markdown\n```python\nprint('hi')\n```\n````\nAfter\n```\nnever closed\n``",
    "code in lists": "- ```sh\n  ls | wc\n  ```\n- b\n  ```\n  x\n   y\n  ```\n  more\n> ```\n> z\n> ```\n",
    "Chinese": "日本語の文章は、どこででも折り返す（こと）ができます。" * 3
    + "\n\n| 名前 | 説明 |\n|-|-|\n| 李 | 功夫の映画 |",
    "Arabic": "**שלום** עולם, a line with two directions.\n- مرحبا بالعالم\n\n| א | ב |\n|-|-|\n|ג|ד|",
    "links": f"See [the page]({URL}), <https://a.example>, ![pic](a.png), [x], [a] (b), [open](http",
    "quotes": "> one\n> two\n> > deep\n>\n> - item\nlazy\n\n> again\n\n***\nout",
    "escapes": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \u202eabc\r\nnext\x08 \\*no\\* $\\{x\\,y\\}$ &lt;",
    "HTML": "<details>\n<b>bold</b> List<String> a < b\n\n<!-- x -->\n\n<p>Hidden</p> a<br/>b &amp; *open",
    "emoji and accents": "| 🎉 | a |\n|--|--|\n| ä́ | b |\n\n- 🎓 it is e\u0301e\u0301 हिन्दी " + "🎉" * 30,
}
ODD = (DATA / "odd_replies.txt").read_text(encoding="utf-8").split("====== ")[1:]
LONG = "\n".join([*REPLIES.values(), *ODD]) * 16  # 100 kB


def drawn(text, width, size=200, *, always=True, color=True, is_live=True):
    """Yield all that is drawn while *text* comes in pieces of *size*. always: after each of them."""
    reply, text = ReplyStream(color=color, is_live=is_live), clean(text, piece=True, tabs=True)
    for at in range(0, len(text), size):
        made = [reply.feed(text[at : at + size], (width, LINES))]
        made += [reply.draw((width, LINES))] if always else []
        yield from filter(None, made)
    yield reply.end((width, LINES))


def parts(drawn):
    """What takes the last picture away, what is final, and the new picture."""
    return re.fullmatch(
        r"((?:\r\x1b\[2K(?:\x1b\[1A\x1b\[2K)*)?)(.*?)((?:\x1b\[\?7l.*)?)", drawn, re.DOTALL
    ).groups()


def shown(text, width, size, **how):
    """Return the lines that a terminal shows; fail where more than the last picture was taken away."""
    sent, height = "", 1
    for each in drawn(text, width, size, **how):
        back, _, picture = parts(each)
        assert back.count("\x1b[1A") == height - 1
        sent, height = f"{sent}{each}", picture.count("\n") + 1
    return seen(sent, (width, LINES))


def printed(text, width, **how):
    final = [parts(each)[1] for each in drawn(text, width, **{"color": False, "is_live": False, **how})]
    return "".join(final).removesuffix("\n")


@pytest.mark.parametrize("name", REPLIES)
def test_the_pieces_make_no_difference_and_what_is_final_stays(name):
    reply = REPLIES[name]
    for width in (40, 80, 120, 200):
        whole = shown(reply, width, 200)
        assert shown(reply, width, 7) == whole
        assert shown(reply, width, 200, color=False, is_live=False) == whole
    assert shown(reply, 40, 1) == shown(reply, 40, 200)


@pytest.mark.parametrize("reply", ODD, ids=lambda reply: reply.split("\n")[0])
def test_nor_do_they_in_replies_as_nobody_meant_markdown_to_be(reply):
    assert shown(reply, 40, 7) == shown(reply, 40, 200) == shown(reply, 40, 10_000, is_live=False)


@pytest.mark.slow
def test_a_long_reply_takes_time_that_grows_with_its_length_alone():
    def seconds(text):
        began = time.process_time()
        assert len([*drawn(text, 80, 20, always=False)]) > 1
        return time.process_time() - began

    assert len(LONG) > 100_000
    assert seconds(LONG) < 10 * seconds(LONG[: len(LONG) // 4])


@pytest.mark.parametrize(("first", "others"), [("", ""), ("> ", "> "), ("- ", "  "), ("> 1. - ", ">      ")])
def test_code_keeps_its_place_in_a_list_and_is_copied_as_it_was_written(first, others):
    code = indent(CODE, others.removeprefix("> "))
    for fence in ("````", "~~~nolanguage", *map("```{}".format, LANGUAGES)):
        end = fence.rstrip("abcdefghijklmnopqrstuvwxyz3+")
        text = "\n".join([first + fence, *(others + line for line in [*CODE.split("\n"), end]), "", "after"])
        for color in (True, False):
            assert f"{code}\n\nafter" in re.sub(STYLE, "", printed(text, 40, color=color)), fence


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# One *two*\n\n### Three", ["One two", "", "Three"]),
        ("- one two three four five", ["• one two three four", "  five"]),
        ("10. one two three four", ["10. one two three", "    four"]),
        ("- a\n  - b c d e f g h i j k\n- c", ["• a", "  • b c d e f g h i", "    j k", "• c"]),
        ("> > one two three four\n>\n> x", ["│ │ one two three", "│ │ four", "│", "│ x"]),
        ("---", ["─" * 19]),
        ("| a | bc |\n|--:|:-:|\n| 123 | d |", ["  a  bc", "123  d"]),
        ("|a|b|\n|-|-|\n|one two|three four five|", ["a: one two", "b: three four five"]),
        ("|a|\n|-|\n| b" + "b" * 20 + " |", ["a:", "b" * 21]),
        ("|a|b|\n|-|-|\n|x|1.5 %|\n|y|12 %|", ["a      b", "x  1.5 %", "y   12 %"]),
        ("|a|\nb", ["|a|", "b"]),
        ("[a](https://x.example)", ["a", "(https://x.example)"]),
        ("<https://x.example>", ["https://x.example"]),
        ("[1] and [r] (x)", ["[1] and [r] (x)"]),
        ("[r]: https://x.example", ["[r]:", "https://x.example"]),
        ("**open and *it*", ["**open and it"]),
        ("`a*b*` 2*3 a_b_c", ["a*b* 2*3 a_b_c"]),
        ("\\*no\\* a\\b", ["*no* a\\b"]),
        ("-x\n1.x\n#x\n``x", ["-x", "1.x", "#x", "``x"]),
        ("a  \nb\nc\n\n\nd", ["a", "b", "c", "", "d"]),
        ("> | a | b |\n> |-|-|\n> | 1 | 2 |", ["│ a  b", "│ 1  2"]),
        ("- x\n\n  | a |\n  |-|\n  | 1 |\n- y", ["• x", "", "  a", "  1", "• y"]),
        ("|a|\n|-|\n|`x \\| y`|", ["a", "x | y"]),
        ("![a](https://b.example) !", ["a", "(https://b.example)", "!"]),
        ("a\tb\n-\tc\td", ["a b", "• c d"]),
        ("5 &lt; 6 <b>", ["5 < 6 <b>"]),
        ("it is 日本「学」は。", ["it is 日本「学」は。"]),
        ("that it is 日本「学」", ["that it is", "日本「学」"]),
    ],
)
def test_what_is_read_as_what(text, lines):
    assert printed(text, 20).split("\n") == lines


@pytest.mark.parametrize("row", ["Quillfeather|Larchmont|Unquestionably good|2.50", f"a|b|{URL[:30]}|1"])
def test_a_table_of_four_columns_stays_one_at_50_columns(row):
    words = re.split(r"\W+", row)
    lines = printed(f"|Name|Maker|What is known|Price|\n|-|-|-|-|\n|{row}|", 50).split("\n")

    assert lines[0].split() == ["Name", "Maker", "What", "is", "known", "Price"]
    assert max(map(len, lines)) <= 50
    assert all(word in "".join(lines) for word in words)


def test_a_comparison_of_four_columns_stays_a_table_at_80_columns():
    lines = printed(WIDE, 80).split("\n")

    assert [line.split()[:2] for line in lines[2:3]] == [["1", "thing"]]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("text", "styled"),
    [
        ("**b** *i* `c` ~~s~~", "\x1b[1mb\x1b[0m \x1b[3mi\x1b[0m \x1b[38;5;98mc\x1b[0m \x1b[9ms\x1b[0m"),
        ("# a b", "\x1b[1;4ma b\x1b[0m"),
        ("> a", "\x1b[38;5;243m│ \x1b[0ma"),
        ("[a](https://b.example)", "\x1b[4ma\x1b[0m (https://b.example)"),
        ("```python\nx = 1\n```", "x = \x1b[38;5;98m1\x1b[0m"),
    ],
)
def test_marks_become_styles(text, styled):
    assert printed(text, 40, color=True) == styled


def test_words_are_shown_as_they_come_and_code_is_final_line_by_line():
    pieces = [parts(each) for each in drawn("One **two\n\n```\nx\ny", 40, 4, color=False)]

    assert [(final, re.sub(r"\x1b\[\?7[lh]", "", picture)) for _, final, picture in pieces[1:]] == [
        ("", "One"),
        ("", "One **tw"),
        ("", "One **two"),
        ("One **two\n", "\nx"),
        ("\nx\n", "y"),
        ("y\n", ""),
    ]


def test_no_more_than_half_a_screen_is_painted_again():
    pictures = [parts(each)[2] for each in drawn("word " * 500, 40, 100)]

    assert max(picture.count("\n") for picture in pictures) < LINES // 2
