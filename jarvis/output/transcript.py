"""Writes a conversation as Markdown, for people to read. Foreign text can't leave its place in it."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markdown_it import MarkdownIt

from ..core.tables import Table, format_cell, summary_line
from ..core.text import clean, one_line
from ..core.urls import host_of, page_url
from ..store.addresses import listed_in
from .tables import beside_rows

_LONGEST = 200  # characters of a request in a heading
_CODE_BLOCKS = ("fence", "code_block")
# Finds blocks as any reader of Markdown does. Only some know tables, so here they are paragraphs.
_BLOCKS = MarkdownIt("commonmark").disable(["html_block", "reference"])
# HTML, pictures, which load by themselves, and links that run something or are defined elsewhere.
_SIGN = r"(?P<sign><|!(?=\[)|\](?=:|\((?!https?://|mailto:)))"
_ESCAPED, _CODE = r"\\.", r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)"


def as_markdown(record: Mapping[str, Any]) -> str:
    """Return the conversation in *record*, which is as store/transfer.py exports it."""
    (thread,), pages = record["threads"], {page["id"]: page for page in record["addresses"]}
    blocks = [f"# {_plain(thread['title'] or thread['id'])}"]
    for turn in record["turns"]:
        outcomes = [step["outcome"] for step in record["steps"] if step["turn"] == turn["id"]]
        blocks += _blocks(turn, outcomes, pages)
    return "\n\n".join(filter(None, blocks))


def _blocks(turn: Mapping[str, Any], outcomes: Sequence[str], pages: Mapping[str, Any]) -> Iterator[str]:
    """Yield a request, its time, what was done, its tables, the reply and its sources."""
    words = turn["goal"] or turn["piped"]
    yield f"## {_plain(words, _LONGEST)}"
    yield f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(turn['started_at']))} · {turn['status']}"
    yield quoted(words) if len(words) > _LONGEST or "\n" in words else ""
    yield "\n".join(f"- {_plain(outcome)}" for outcome in outcomes)
    for tabled in map(listed_in, turn["tables"] or ()):
        yield from _table(*tabled)
    yield quoted(turn["reply"]) if turn["reply"] not in outcomes else ""
    shown = enumerate(json.loads(turn["shown"] or "[]"), 1)
    sources = ((n, pages[id_]) for n, id_ in shown if id_ in pages)
    yield "\n".join(f"{n}. {_link(page['url'])} {_plain(page['title'])}" for n, page in sources)


def _table(table: Table, first: int) -> Iterator[str]:
    """Yield all rows of *table*, then its sums and notes. first: the number of its first line, or 0."""
    if not first:
        yield _plain(summary_line(table))
        return
    heads = [_plain(column.label) for column in table.columns]
    lines = [["", *heads, "page"], ["---"] * (len(heads) + 2)]
    for n, row in enumerate(table.rows, first):
        cells = [_plain(format_cell(row.cells.get(column.key), column)) for column in table.columns]
        lines.append([str(n), *cells, _link(row.url)])
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = beside_rows(table._replace(start=0, end=len(table.rows)), first)
    yield "\n".join(f"- {_plain(note)}" for note in notes)


def quoted(text: str) -> str:
    """Return *text*, which is Markdown, as a quote that neither its blocks nor its links can leave."""
    lines = [f"> {line}" for line in clean(text, tabs=True).strip().split("\n")]
    for block in _BLOCKS.parse("\n".join(lines)):
        if block.type == "inline" and block.map:
            start, end = block.map
            lines[start:end] = _harmless("\n".join(lines[start:end])).split("\n")
    return "\n".join(lines) if text.strip() else ""


def _harmless(text: str) -> str:
    """Return *text*, a paragraph of Markdown, with no HTML, picture or unsafe link.

    Code keeps its signs, unless readers disagree where it ends: across lines or the cells of a table.
    """
    codes = [match[0] for match in re.finditer(f"{_ESCAPED}|{_CODE}", text, re.DOTALL) if match[1]]
    is_clear = not any(sign in code for code in codes for sign in "\n|")
    known = f"{_ESCAPED}|{_CODE}|{_SIGN}" if is_clear else f"{_ESCAPED}|{_SIGN}"
    return re.sub(known, lambda match: f"\\{match[0]}" if match["sign"] else match[0], text, flags=re.DOTALL)


def _link(url: str) -> str:
    """Return a link to *url* that shows its host; empty if it isn't a page."""
    return f"[{host_of(url)}]({quote(url, safe='!#$%&+,/:;=?@~')})" if page_url(url) else ""


def _plain(text: str, limit: int = 0) -> str:
    """Return *text* on one line, with no sign that Markdown would take for its own."""
    return re.sub(r"([\\`*_\[\]<|~&#])", r"\\\1", one_line(text, limit))
