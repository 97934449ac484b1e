"""Writes a conversation as Markdown, for people to read. Foreign text can't leave its place in it."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from markdown_it import MarkdownIt

from ..core.tables import Table, format_cell
from ..core.text import clean, one_line
from ..core.urls import host_of, page_url
from ..store.addresses import listed_in
from .tables import beside_rows

_LONGEST = 200  # characters of a request in a heading
# Finds paragraphs as any reader of Markdown does. Only some know tables, so here they are paragraphs.
_BLOCKS = MarkdownIt("commonmark").disable(["html_block", "reference"])
# HTML, pictures, which load by themselves, and links that run something or are defined elsewhere.
_SIGN = r"\\.|(?P<sign><|!(?=\[)|\](?=:|\((?!https?://|mailto:)))"
_CODE = r"(?<!`)(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)"


def as_markdown(record: Mapping[str, Any]) -> str:
    """Return the conversation in *record*, which is as store/transfer.py exports it."""
    (thread,) = record["threads"]
    blocks = (block for turn in record["turns"] for block in _blocks(turn, record))
    return "\n\n".join([f"# {_plain(thread['title'] or thread['id'])}", *filter(None, blocks)])


def _blocks(turn: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the request of *turn*, its time, what was done, its tables, the reply and its sources."""
    words, pages = turn["goal"] or turn["piped"], {page["id"]: page for page in record["addresses"]}
    outcomes = [step["outcome"] for step in record["steps"] if step["turn"] == turn["id"]]
    yield f"## {_plain(words, _LONGEST)}"
    yield f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(turn['started_at']))} · {turn['status']}"
    yield quoted(words) if len(words) > _LONGEST or "\n" in words else ""
    yield "\n".join(f"- {_plain(outcome)}" for outcome in outcomes)
    for table, first in map(listed_in, turn["tables"] or ()):
        yield from _table(table, first) if first else ()
    yield quoted(turn["reply"]) if turn["reply"] not in outcomes else ""
    shown = [(n, pages.get(id_)) for n, id_ in enumerate(json.loads(turn["shown"] or "[]"), 1)]
    yield "\n".join(f"{n}. {_link(page['url'])} {_plain(page['title'])}" for n, page in shown if page)


def _table(table: Table, first: int) -> Iterator[str]:
    """Yield all rows of *table*, then its sums and notes. first: the number of its first line."""
    heads = [_plain(column.label) for column in table.columns]
    lines = [["", *heads, "page"], ["---"] * (len(heads) + 2)]
    for n, row in enumerate(table.rows, first):
        cells = (format_cell(row.cells.get(column.key), column) for column in table.columns)
        lines.append([str(n), *map(_plain, cells), _link(row.url)])
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = beside_rows(table._replace(start=0, end=len(table.rows)), first)
    yield "\n".join(f"- {_plain(note)}" for note in notes)


def quoted(text: str) -> str:
    """Return *text*, which is Markdown, as a quote with no HTML, picture or unsafe link."""
    lines = [f"> {line}" for line in clean(text, tabs=True).strip().split("\n")]
    blocks = _BLOCKS.parse("\n".join(lines))
    for start, end in [block.map for block in blocks if block.type == "inline" and block.map]:
        # Across lines, or cells of a table, readers disagree where code ends.
        is_clear = end - start == 1 and "|" not in lines[start]
        signs = re.compile(f"{_CODE}|{_SIGN}" if is_clear else _SIGN)
        for n in range(start, end):
            lines[n] = signs.sub(lambda match: "\\" * bool(match["sign"]) + match[0], lines[n])
    return "\n".join(lines) if text.strip() else ""


def _link(url: str) -> str:
    """Return a link to *url* that shows its host. Empty if it isn't a page."""
    return f"[{host_of(url)}]({quote(url, safe='!#$%&+,/:;=?@~')})" if page_url(url) else ""


def _plain(text: str, limit: int = 0) -> str:
    """Return *text* on one line, with no sign that Markdown would take for its own."""
    return re.sub(r"([\\`*_\[\]<|~&#])", r"\\\1", one_line(text, limit))
