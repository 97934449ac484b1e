"""Of a page, what it is about comes out as text, in a process that can neither last nor grow."""

from __future__ import annotations

import contextlib
import functools
import os
import random
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from jarvis.core.errors import ReadFailed
from jarvis.core.text import one_line
from jarvis.pages import page as reading
from jarvis.pages.extract import make_text
from jarvis.pages.page import count_words, excerpt, text_of, tokens_in
from tests.brain.brains import command_of
from tests.shell import wait_until

from .shapes import CHARSETS, Page, pages, pdf

DATA = Path(__file__).parent / "data"
made = functools.cache(pages)


def flat(text: str) -> str:
    """*text* without its lines, nor what marks a row or a quotation."""
    return " ".join(re.sub(r"[|>]", " ", text).split())


def found(page: Page) -> tuple[float, float]:
    """How much of its paragraphs, and how much of its menus and notices, comes out of *page*."""
    text = flat(make_text(page.body, page.kind)[1])
    shares = [sum(flat(each) in text for each in marked) / max(len(marked), 1) for marked in page[2:4]]
    return shares[0], shares[1]


def test_what_pages_of_every_shape_are_about_comes_out_and_their_menus_do_not():
    shares = {page.name: found(page) for page in made()}

    assert len(shares) == 36
    assert sum(each for each, _ in shares.values()) / 36 >= 0.95
    assert sum(each for _, each in shares.values()) / 36 <= 0.05
    assert {name: each for name, each in shares.items() if each[0] < 0.8 or each[1] > 0.25} == {}


@pytest.mark.slow
def test_a_page_is_read_by_a_process_of_its_own(monkeypatch):
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    lines = (DATA / "plums.txt").read_text().strip()

    assert text_of((DATA / "plums.html").read_bytes(), "text/html") == ("Plums and ovens", lines)
    assert text_of(b"# One\n\ntwo", "") == ("", "# One\n\ntwo")
    assert text_of(pdf(["So it", "is."]), "") == ("", "So it\nis.")
    assert text_of(b'{"a": [1,  2]}', "application/json") == ("", '{"a": [1,  2]}')


def test_its_words_are_counted_of_chinese_and_japanese_each_character():
    assert count_words("七个篮子 plums, 2 of them") == 8


TOO_LITTLE = "<p>Loading…</p><noscript>Please turn scripts on, or else nothing is ever shown here.</noscript>"
CAN_T = {
    "it is a program that a browser has to run.": ("text/html", f"<body>{TOO_LITTLE}<script>go()</script>"),
    "it is empty, or has no text.": ("Application/XHTML+XML; charset=utf-8", "<body><img src=a>"),
    "it is neither text, nor PDF, nor a picture in PNG, JPEG, WebP or HEIC.": ("text/html", "MZ\0\0"),
    "it is a PDF without text: a scan, or pictures.": ("text/html", pdf([]).decode()),
    "it is broken.": ("text/plain", "%PDF-1.4\nno more of it"),
}


@pytest.mark.parametrize(("told", "kind", "body"), [(told, *each) for told, each in CAN_T.items()])
def test_what_has_no_text_is_told(told, kind, body):
    with pytest.raises(ReadFailed) as failed:
        make_text(body.encode(), kind)

    assert failed.value.message == told


WORD = {"ru": "мельник", "de": "Müller", "zh": "磨坊", "ja": "粉屋", "ko": "방앗간"}


@pytest.mark.parametrize(("language", "charset"), CHARSETS.items())
def test_a_charset_is_the_servers_or_that_of_the_page_or_utf_8_or_windows_1252(language, charset):
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'
    page, word = f"<p>{WORD[language]}</p>", WORD[language]

    assert make_text(page.encode(charset), f"text/html; charset={charset.upper()}")[1] == word
    assert make_text(f"{meta}{page}".encode(charset), "text/html")[1] == word
    assert make_text(f"{meta}{page}".encode(), "text/html;charset='utf-8'")[1] == word
    assert make_text(page.encode(), "text/html; charset=no-such-charset")[1] == word
    assert make_text(word.encode(), "text/plain")[1] == word
    assert make_text(word.encode("utf-16"), "text/plain")[1] == word
    assert make_text("“Müller” 5 €".encode("cp1252"), "text/plain")[1] == "“Müller” 5 €"


def test_a_control_character_by_a_link_of_a_heading_breaks_nothing():
    page = b"<h2>Plums\x01 <a href='#plums'>#\x0b</a></h2><p>So it\x1f goes.</p>"

    assert make_text(page, "text/html")[1] == "## Plums #\n\nSo it goes."


@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
def test_nothing_in_a_text_steers_a_terminal(kind):
    text = make_text(
        "<p>a\x1b[31mred\x1b]0;title\x07 b\u202ec&#27;[2J\x9b1m \x01d</p>\te\r\nf".encode(), kind
    )[1]

    assert text.replace("\n", "").isprintable()
    assert "ared b" in text


def test_no_cut_at_a_byte_raises_anything_but_that_it_can_t_be_read(long):
    chance, read = random.Random(33), 0
    short = [page for page in made() if len(page.body) < 100_000]
    for count in range(2000 if long else 300):
        page = short[count % len(short)]
        try:
            read += bool(make_text(page.body[: chance.randrange(len(page.body))], page.kind)[1])
        except ReadFailed:
            continue

    assert read > count / 2


BROKEN = "it is broken, or takes too long."


def refused(body: bytes, kind: str = "") -> str:
    with pytest.raises(ReadFailed) as failed:
        text_of(body, kind)
    return failed.value.message


@pytest.mark.slow
def test_a_page_that_takes_for_ever_is_given_up():
    began = time.monotonic()

    assert refused(b"<p>x, y" * 700_000, "text/html") == BROKEN
    assert time.monotonic() - began < 3 * reading.SECONDS  # a busy machine needs some to begin, and to end


def bomb(size: int) -> bytes:
    """A PDF whose page is *size* bytes once it is unpacked."""
    packed = zlib.compress(b" " * size, 9).decode("latin-1")
    page = f"/Filter /FlateDecode /Length {len(packed)} >>\nstream\n{packed}\nendstream"
    return re.sub(
        "/Length .*\n(?s:.*?)endstream", lambda _: page, pdf(["x"]).decode("latin-1"), count=1
    ).encode("latin-1")


# The same without its limit.
UNLIMITED = "import sys, jarvis.pages.extract as e; e.make_text(sys.stdin.buffer.read(), '')"


@pytest.mark.slow
def test_one_that_eats_memory_dies_of_its_limit_and_the_next_is_read():
    body = bomb(300_000_000)
    done = subprocess.run(
        [sys.executable, "-P", "-c", UNLIMITED], input=body, capture_output=True, text=False, check=False
    )

    assert b"a scan" in done.stderr
    assert len(body) < 400_000
    assert refused(body) == BROKEN
    assert text_of(b"a", "") == ("", "a")


ASKED = """
import os
from pathlib import Path
from jarvis.pages.page import text_of
assert text_of(b"a", "") == ("", "a")
(maker,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
print(os.readlink(f"/proc/{maker}/cwd"), os.getsid(int(maker)) == int(maker))
print(Path(f"/proc/{maker}/environ").read_text().replace("\\0", "\\n"))
print(os.environ["GOOGLE_API_KEY"])
"""


@pytest.mark.slow
def test_that_process_has_no_keys_of_ours_nor_anything_of_the_folder_or_of_python_s_variables():
    env = {**os.environ, "GOOGLE_API_KEY": "of-ours", "OTHER": "others", "PYTHONINSPECT": "", "PYTHONX": "x"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", ASKED], env=env, capture_output=True, text=True, check=True
    )
    theirs, _, ours = done.stdout.rstrip().rpartition("\n")

    assert theirs.startswith("/ True\n")  # a session of its own: Ctrl-C is for whoever waits
    assert "\nOTHER=others" in theirs
    assert re.findall(r"(?m)^PYTHON\w+", theirs) == ["PYTHONPATH"]
    assert ("of-ours" in theirs, ours) == (False, "of-ours")


CONFINED = """
import contextlib, os, socket, subprocess
from jarvis.pages.extract import confine
ours, theirs = socket.socketpair()
confine()
for attempt in (socket.socket, lambda: socket.socket(socket.AF_UNIX), lambda: open("/etc/passwd"),
                lambda: subprocess.run(["true"]), lambda: os.listdir("/"), os.pipe, lambda: os.dup(1)):
    with contextlib.suppress(OSError):
        print("not refused:", attempt())
ours.send(b"what there was is kept")
print(theirs.recv(99).decode())
"""


@pytest.mark.slow
def test_once_it_begins_it_can_open_no_connection_no_file_and_no_program():
    done = subprocess.run([sys.executable, "-P", "-c", CONFINED], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("what there was is kept\n", "")


@pytest.mark.slow
def test_for_that_it_lacks_nothing():
    """What it makes is what would be made without."""
    shapes = [(page.body, page.kind) for page in made()] + [(pdf(["So it", "is."]), "")]
    words = [
        (f"<p>{WORD[each]}".encode(name), f"text/html; charset={name}") for each, name in CHARSETS.items()
    ]

    for body, kind in [
        *shapes,
        *words,
        ("“Müller” 5 €".encode("cp1252"), "text/plain"),
        ("磨坊".encode("utf-16"), ""),
    ]:
        title, text = make_text(body, kind)
        assert text_of(body, kind) == (one_line(title, 200), text)


@pytest.mark.slow
def test_who_makes_a_text_that_nobody_waits_for_ends_and_who_made_that_is_replaced_once_killed():
    assert text_of(b"a", "") == ("", "a")
    (forker,) = makers_of(os.getpid())
    assert refused(b"<p>x, y" * 700_000, "text/html") == BROKEN
    wait_until(lambda: not Path(f"/proc/{forker}/task/{forker}/children").read_text())  # by its own limit

    os.kill(forker, signal.SIGKILL)
    wait_until(lambda: has_ended(forker))
    assert text_of(b"b", "") == ("", "b")
    assert makers_of(os.getpid()) != [forker]


def has_ended(pid):
    """Whether it can be waited for: its command line is gone before that."""
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def makers_of(pid):
    """The process that *pid* started to have others make text, if it has begun."""
    pids = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # of a thread that has ended
            pids += map(int, children.read_text().split())
    return [each for each in pids if b"-m\0jarvis.pages.extract\0" in command_of(each)]


def test_a_long_text_is_its_beginning_and_what_is_asked_about():
    parts = [
        f"Part {n} is about {'walnuts' if n % 50 == 49 else 'nothing'}. " + "So it goes. " * 20
        for n in range(500)
    ]
    short = excerpt("\n\n".join(parts), "And how of the WALNUTS?")
    kept = [int(n) for n in re.findall(r"Part (\d+)", short)]

    assert tokens_in(short) <= 6000
    assert [n for n in kept if n > 100] == [*range(149, 500, 50)]
    assert kept == sorted(kept)
    assert 1_800 <= tokens_in(short.split("…")[0]) <= 2_000
    assert excerpt("so\n\nit is", "") == "so\n\nit is"
    assert tokens_in(excerpt("x" * 100_000, "x")) <= 2_000
    assert "七个篮子" in excerpt(
        "石头炉灶旁边。\n\n" * 3000 + "这里有七个篮子。\n\n" + "石头\n\n" * 900, "篮子在哪里"
    )
