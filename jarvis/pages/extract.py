"""Turns foreign pages into text, in a process that may break. Only it imports the parsers.

That process is `python -P -m jarvis.pages.extract`. With `fork` it forks one for each connection on its
stdin. The parsers are imported by then, so a page takes a tenth of the time.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import sys
from codecs import lookup
from importlib import import_module
from itertools import islice
from string import whitespace
from typing import Any, BinaryIO

from ..core.errors import ReadFailed
from ..core.text import clean

MEMORY = 512 * 1024 * 1024  # bytes
CPU = 4  # seconds: nobody waits any longer
PAGES = 100  # of a PDF
_FEW = 250  # characters: less is hardly what a page is about
_NEXT_TO_NOTHING = 100  # characters, of a page with scripts
_CHARSET = re.compile(rb"(?i)<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w-]{2,40})")
_WIDER = {"iso-8859-1": "cp1252", "latin1": "cp1252", "gb2312": "gb18030"}  # as browsers read them
_NO_TEXT = "head script style noscript template iframe button select textarea nav footer aside".split()

# Within a page all white space is the same. These stand until the end for what is to stay of it: the end of a
# line, that of one in code, and a space in code or before an item.
_END, _CODE_END, _SPACE = "\ue000", "\ue001", "\ue002"
_BLOCKS = (
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section summary table td th ul"
).split()


def fork_for_each(control: socket.socket) -> None:
    """Fork a process that answers on each connection that *control* hands over, until that hangs up."""
    if sys.platform != "win32":
        for library in ("pypdfium2", "readability.readability"):  # for all that are forked
            import_module(library)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for their status
        while handles := socket.recv_fds(control, 1, 1)[1]:
            with socket.socket(fileno=handles[0]) as connection:
                if os.fork() == 0:
                    control.close()
                    answer(connection.makefile("rb"), connection.makefile("wb"))
                    os._exit(0)


def answer(source: BinaryIO, sink: BinaryIO) -> None:
    """Write title, text, and error as JSON. The reader trusts nothing beyond that.

    source: a line of JSON with kind and size, then the body.
    """
    kind, size = json.loads(source.readline())
    body = source.read(size)
    decoded(body[:4096], kind), lookup("cp1252"), lookup("utf-16-le")  # loads codecs: those are files
    confine()
    try:
        result = (*make_text(body, kind), "")
    except ReadFailed as error:
        result = ("", "", error.message)
    sink.write(json.dumps(result).encode())
    sink.flush()


def confine() -> None:
    """Have this process, from now on, neither last nor grow, nor open a file, a program or a connection."""
    if sys.platform != "win32":
        import resource  # Windows has none

        limits = ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, CPU), (resource.RLIMIT_NOFILE, 0))
        for kind, most in limits:
            with contextlib.suppress(OSError, ValueError):  # macOS may refuse
                resource.setrlimit(kind, (most, most))


def make_text(body: bytes, kind: str) -> tuple[str, str]:
    """Return the title and cleaned text of *body*. Raises ReadFailed.

    kind: its content type, as the server states it, or "" for text. Either may be a PDF.
    """
    is_pdf, title = body.startswith(b"%PDF-"), ""
    text = of_pdf(body) if is_pdf else decoded(body, kind)
    if "\0" in text:
        raise ReadFailed("it is neither text, nor PDF, nor a picture in PNG, JPEG, WebP or HEIC.")
    if "html" in kind.lower() and not is_pdf:
        title, text = of_html("\n".join(map(clean, text.expandtabs(4).splitlines())))  # or lxml fails
    lines = (clean(line).rstrip() for line in text.expandtabs(4).splitlines())
    if not (text := "\n".join(lines).strip("\n")):
        raise ReadFailed("it is empty, or has no text.")
    return title, text


def decoded(body: bytes, kind: str) -> str:
    """Decode *body* by the charset of its server or its own, else as UTF-8, else as windows-1252."""
    says = [b"utf-16"] if body.startswith((b"\xff\xfe", b"\xfe\xff")) else []
    says += _CHARSET.findall(f"<meta {kind}>".encode() + body[:4096])
    for name in (each.decode().lower() for each in says):
        with contextlib.suppress(LookupError, ValueError):
            return body.decode(_WIDER.get(name, name), errors="replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")


def of_pdf(body: bytes) -> str:
    import pypdfium2  # a page needs it not

    try:
        document = pypdfium2.PdfDocument(body)
        pages = [page.get_textpage().get_text_range().strip() for page in islice(document, PAGES)]
    except pypdfium2.PdfiumError as error:
        why = "locked by a password" if "password" in str(error).lower() else "broken"
        raise ReadFailed(f"it is {why}.") from error
    if not any(pages):
        raise ReadFailed("it is a PDF without text: a scan, or pictures.")
    pages += ["…"] if len(document) > PAGES else []
    return "\n\n".join(pages)


def of_html(page: str) -> tuple[str, str]:
    from lxml import html  # a PDF needs it not
    from readability import readability  # as above

    # It begins so, whatever it says of itself: then it is never empty, nor XML of another charset.
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True)
    tree = html.document_fromstring(f"<html>{page}", parser)
    text = ""
    for link in tree.xpath("//*[self::h1 or self::h2 or self::h3 or self::h4]//a[starts-with(@href, '#')]"):
        link.drop_tag()  # a heading that is a link to itself would be taken for one of a menu
    with contextlib.suppress(readability.Unparseable):
        text = written_out(html.fromstring(readability.Document(tree).summary()))
    if len(text) < _FEW:
        text = max(text, written_out(tree), key=len)
    if len(text) < _NEXT_TO_NOTHING and tree.find(".//script") is not None:
        raise ReadFailed("it is a program that a browser has to run.")
    return tree.findtext(".//title") or "", text


def written_out(tree: Any) -> str:
    """Return the text of *tree*: headings as “# …”, lists as “- …”, tables with |, code in ```."""
    written = dict[Any, str]()
    for element in reversed([*tree.iter()]):  # what is within an element comes before it
        inner = (element.text or "") + "".join(written.pop(child) for child in element)
        written[element] = _marked(element.tag, inner) + (element.tail or "")
    text = re.sub(rf"\s*{_END}\s*", "\n", re.sub(r"\s+", " ", written[tree]))
    text = re.sub(rf"\n[\n{_SPACE}]*\n", "\n\n", text).strip()
    return text.replace(_CODE_END, "\n").replace(_SPACE, " ")


def _marked(tag: str, inner: str) -> str:
    """Return the lines of an element, with the mark of its kind."""
    line = inner.strip(_END + whitespace)
    if tag in _NO_TEXT:
        return ""
    if tag in ("td", "th") and 2 * _END not in line:  # others only lay out a page
        return f"| {line.replace(_END, ' ')} "
    if tag in ("br", "tr"):
        return _END + inner
    if tag == "li" and line:  # no empty lines in it
        return f"{_END}-{_SPACE}" + re.sub(rf"{_END}[{_END}\s]*", _END + 2 * _SPACE, line)
    if tag == "pre":
        lines = inner.replace(_END, "\n").strip("\n").expandtabs(4)
        inner = re.sub(r"\s", _SPACE, f"```\n{lines}\n```".replace("\n", _CODE_END))
    elif line and re.fullmatch("h[1-6]", tag):
        inner = f"{'#' * int(tag[1])} {line.replace(_END, ' ')}"
    return 2 * _END + inner + 2 * _END if tag in _BLOCKS else inner


if __name__ == "__main__":
    if sys.argv[1:] == ["fork"]:
        fork_for_each(socket.socket(fileno=0))
    else:
        answer(sys.stdin.buffer, sys.stdout.buffer)
