"""Makes text of what a stranger wrote: body on stdin, JSON on stdout, in a process that may break.

python -P -m jarvis.pages.extract KIND CHARSET: what reads pages and PDFs is imported here alone.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import re
import sys
from typing import Any

from ..core.errors import ReadFailed
from ..core.text import clean

MEMORY = 512 * 1024 * 1024  # bytes
PAGES = 100  # of a PDF
_FEW = 250  # characters: less is hardly what a page is about
_NEXT_TO_NOTHING = 100  # characters, of a page with scripts
_META = re.compile(rb"(?i)<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w-]{2,40})")
_WIDER = {"iso-8859-1": "cp1252", "latin1": "cp1252", "gb2312": "gb18030"}  # as browsers read them
_NEVER = {*"script style noscript template iframe button select textarea".split()}
_AROUND = _NEVER | {*"nav header footer aside form".split()}
_BLOCKS = {
    *"address article aside blockquote body caption center dd details div dl dt fieldset figcaption".split(),
    *"figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section summary table ul".split(),
}
# Within a page these are spaces, so they can stand for the end of a cell, and of a line of code.
_CELL, _LINE = "\x1f", "\x1e"


def print_text(kind: str, charset: str) -> None:
    """Print the title, the text, and why there is none."""
    if sys.platform != "win32":
        import resource  # Windows has none

        with contextlib.suppress(OSError, ValueError):  # macOS may refuse
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        told = (*make_text(sys.stdin.buffer.read(), kind, charset), "")
    except ReadFailed as error:
        told = ("", "", error.message)
    sys.stdout.write(json.dumps(told))


def make_text(body: bytes, kind: str, charset: str = "") -> tuple[str, str]:
    """Return the title of *body* and its text, cleaned. Raises ReadFailed."""
    if kind == "pdf":
        title, text = of_pdf(body)
    elif kind == "html":
        title, text = of_html(decoded(body, charset, _META.findall(body[:4096])))
    else:
        title, text = "", decoded(body, charset, [])
    lines = (clean(line.expandtabs(4)).rstrip() for line in re.split(r"\r\n?|\n", text))
    return title, "\n".join(lines).strip("\n")


def decoded(body: bytes, charset: str, metas: list[bytes]) -> str:
    """Return *body* as text, by the server's *charset*, what it says itself, as UTF-8, or as windows-1252."""
    for name in filter(None, [charset.strip().lower(), *(meta.decode().lower() for meta in metas)]):
        with contextlib.suppress(LookupError, ValueError):
            return body.decode(_WIDER.get(name, name), errors="replace")
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(body)  # it may be cut within a letter
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")


def of_pdf(body: bytes) -> tuple[str, str]:
    import pypdfium2  # a page needs it not

    try:
        document = pypdfium2.PdfDocument(body)
        pages = [document[at].get_textpage().get_text_range() for at in range(min(len(document), PAGES))]
    except pypdfium2.PdfiumError as error:
        why = "locked by a password" if "password" in str(error).lower() else "broken"
        raise ReadFailed(f"it could not be read: it is {why}") from error
    if not any(map(str.strip, pages)):
        raise ReadFailed("it is a PDF without text: a scan, or pictures")
    pages += ["…"] if len(document) > PAGES else []
    return document.get_metadata_value("Title"), "\n\n".join(map(str.strip, pages))


def of_html(page: str) -> tuple[str, str]:
    from readability import readability  # a PDF needs it not

    tree = page_tree(page)
    title, has_scripts, text = tree.findtext(".//title"), tree.find(".//script") is not None, ""
    for link in tree.xpath("//*[self::h1 or self::h2 or self::h3 or self::h4]//a[starts-with(@href, '#')]"):
        link.drop_tag()  # a heading that is a link to itself would be taken for one of a menu
    with contextlib.suppress(readability.Unparseable, ReadFailed):
        text = written_out(page_tree(readability.Document(tree).summary(html_partial=True)), _NEVER)
    if len(text) < _FEW:
        text = max(text, written_out(page_tree(page), _AROUND), key=len)
    if has_scripts and len(text) < _NEXT_TO_NOTHING:
        raise ReadFailed("it is a program that a browser has to run")
    if not text:
        raise ReadFailed("there is no text in it")
    return title or "", text


def page_tree(page: str) -> Any:
    """Return the tree of a page. Raises ReadFailed where nothing is in it."""
    from lxml import etree, html  # as above

    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return html.document_fromstring(page.replace("\0", "").encode(errors="replace"), parser)
    except etree.LxmlError as error:
        raise ReadFailed("there is no text in it") from error


def written_out(tree: Any, left_out: set[str]) -> str:
    """Return the text of *tree* without the elements that are *left_out*."""
    written: dict[Any, str] = {}
    for line_end in tree.iterfind(".//pre//br"):
        line_end.tail = "\n" + (line_end.tail or "")
    for element in reversed([*tree.iter()]):  # what is within an element comes before it
        inner = re.sub(r"\s+", " ", element.text or "") + "".join(written.pop(child) for child in element)
        block = "" if element.tag in left_out | {"head"} else _written(element, inner)
        tail = re.sub(r"\s+", " ", element.tail or "")
        written[element] = block + (tail.lstrip() if block.endswith("\n") else tail)
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r" +\n", "\n", written[tree]))
    return text.strip("\n").replace(_LINE, "\n")


def _written(element: Any, inner: str) -> str:
    """Return *element*, what is in it being *inner*, with empty lines around it where it is a block."""
    tag, text = element.tag, inner.strip()
    if tag in ("td", "th"):
        return text + _CELL
    if tag == "tr":
        return _row(inner.split(_CELL)[:-1])
    if tag in ("li", "dd", "ul", "ol", "table"):  # no empty lines between items and rows
        text = re.sub(r"\n+(?= *[-|] )", "\n", text)
    if tag in ("li", "dd"):
        return "\n- " + text.replace("\n", "\n  ") + "\n"
    if tag == "pre":
        code = "".join(element.itertext()).strip("\n")
        text = f"```\n{code}\n```".replace("\n", _LINE)
    elif tag == "blockquote":
        text = "> " + re.sub(r"\n+", "\n> ", text)
    elif text and re.fullmatch("h[1-6]", tag):
        text = f"{'#' * int(tag[1])} {' '.join(text.split())}"
    return f"\n\n{text}\n\n" if tag in _BLOCKS else "\n" if tag == "br" else inner


def _row(cells: list[str]) -> str:
    """Return a row of a table, or what stands in one that only serves to lay out a page."""
    if len(cells) < 2 or any("\n\n" in cell for cell in cells):
        return "\n\n" + "\n\n".join(cells) + "\n\n"
    return f"\n| {' | '.join(' '.join(cell.split()) for cell in cells)} |\n"


if __name__ == "__main__":
    print_text(*sys.argv[1:])
