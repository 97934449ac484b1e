"""Pages of our own making, in the shapes that real ones have: each knows its paragraphs and its menus."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

# Invented words, in the scripts that pages are written in.
WORDS = {
    "en": "the river miller lantern carries slowly over bright hills and copper kettles sing while a quiet "
    "harbour wakes before dawn with seven baskets of plums beside old stone ovens",
    "de": "der Müller trägt frühe Äpfel über grüne Hügel und schöne Körbe stehen während ein Wind weht",
    "ru": "старый мельник несёт яркий фонарь через тихий мост и семь корзин слив стоят у каменной печи утром",
    "ar": "يحمل الطحان فانوس قديم فوق تلال هادئة قبل الفجر مع سبع سلال من الخوخ قرب فرن حجري",
    "he": "הטוחן נושא פנס ישן מעל גבעות שקטות לפני שחר עם שבעה סלים של שזיפים ליד תנור אבן",
    "fa": "آسیابان فانوس کهنه را می\u200cبرد از تپه\u200cها پیش از سپیده با هفت سبد آلو کنار تنور سنگی",
    "zh": "磨坊 主人 提着 灯笼 走过 安静 的 山丘 清晨 之前 七个 篮子 装满 李子 放在 石头 炉灶 旁边",
    "ja": "粉屋は 古い 灯りを 静かな 丘の 上へ 運び 夜明け 前に 七つの 籠に すももを 入れて 石の 窯の 横に",
    "ko": "방앗간 주인이 낡은 등불을 조용한 언덕 위로 나르고 새벽 전에 자두 일곱 바구니를 돌 화덕 옆에 둔다",
}
COOKIES = "We and our 214 partners store biscuits on your device; pick which."


class Page(NamedTuple):
    name: str
    body: bytes
    paragraphs: list[str]  # what it is about
    menus: list[str]  # what stands around that, notices too
    kind: str = "text/html"  # as the server says


class Writer:
    """Writes what is on a page, and remembers it."""

    def __init__(self, language: str, seed: str) -> None:
        self.words = WORDS[language].split()
        self.between = "" if language in ("zh", "ja") else " "
        self.random = random.Random(seed)
        self.paragraphs: list[str] = []
        self.menus: list[str] = []

    def some(self, count: int) -> str:
        return self.between.join(self.random.choices(self.words, k=count))

    def s(self, count: int = 9) -> str:
        """A short piece of what the page is about: a heading, an item, a cell."""
        self.paragraphs.append(f"{self.some(count)} {self.random.randrange(10**6)}")
        return self.paragraphs[-1]

    def p(self, sentences: int = 4) -> str:
        """A paragraph, with a link and an emphasis in it."""
        parts = [self.some(self.random.randrange(9, 18)).capitalize() + ", and so." for _ in range(sentences)]
        parts[0] = f"{self.random.randrange(10**6)} {parts[0]}"
        self.paragraphs.append(" ".join(parts))
        parts[-1] = f'<a href="/x">{parts[-1]}</a>' if sentences > 3 else f"<em>{parts[-1]}</em>"
        return " ".join(parts)

    def m(self, count: int = 2) -> str:
        """What belongs to a menu or a notice."""
        self.menus.append(f"{self.some(count)} m{self.random.randrange(10**6)}")
        return self.menus[-1]

    def many(self, count: int, shape: str, write: Callable[[], str]) -> str:
        return "".join(shape.replace("%", write()) for _ in range(count))

    def links(self, count: int = 6) -> str:
        return "<ul>" + self.many(count, '<li><a href="/a">%</a></li>', self.m) + "</ul>"

    def around(self, middle: str) -> str:
        """A whole page, with what today's have around what they are about."""
        self.menus.append(COOKIES)
        return (
            f"<!doctype html><html><head><title>{self.some(3)}</title></head><body>"
            "<style>p { margin: 0 }</style>"
            f'<div id="cookie-popup" class="popup" role="dialog"><p>{COOKIES}</p><button>Yes</button></div>'
            f'<header class="site-header"><a href="/">{self.m()}</a>'
            f'<nav class="menu">{self.links()}</nav></header>'
            f'{middle}<aside class="sidebar"><h3>{self.m()}</h3>{self.links()}</aside>'
            f'<form class="newsletter"><label>{self.m(6)}</label><input name="mail"></form>'
            f'<footer class="footer">{self.links()}<p>{self.m(5)}</p></footer>'
            '<script>var a = "<p>";</script></body></html>'
        )


def article(w: Writer) -> str:
    middle = f"<h1>{w.some(4)}</h1>" + "".join(
        f"<p>{w.p()}</p><h2>{w.s(4)}</h2><p>{w.p(3)}</p>" for _ in range(3)
    )
    return w.around(f"<main><article>{middle}<blockquote><p>{w.p(2)}</p></blockquote></article></main>")


def blog(w: Writer) -> str:
    """As of old: divisions alone, with classes that say what they are."""
    post = w.many(6, "<p>%</p>", w.p)
    return w.around(
        f'<div id="wrapper"><div class="post"><h1>{w.some(4)}</h1><div class="entry-content">{post}<ul>'
        f"{w.many(5, '<li>%</li>', w.s)}</ul></div>"
        f'<div class="related-posts"><h4>{w.m()}</h4>{w.links()}</div></div></div>'
    )


def docs(w: Writer) -> str:
    code = [f"def {w.random.choice('abcd')}{n}(x):" + f"\n    return x + {n}" for n in range(100, 104)]
    w.paragraphs += code
    parts = "".join(
        f'<section><h2><a href="#x">{w.s(3)}</a></h2><p>{w.p(3)}</p>'
        f'<div class="highlight"><pre><code>{each}</code></pre></div>'
        f"<p>{w.p(2)}</p></section>"
        for each in code
    )
    return w.around(
        f'<div class="document" role="main"><div class="body"><h1>{w.some(3)}</h1>{parts}</div></div>'
    )


def table(w: Writer) -> str:
    rows = "".join(f"<tr><th>{w.s(2)}</th><td>{w.s(1)}</td><td>{w.s(1)}</td></tr>" for _ in range(12))
    return w.around(
        f"<main><h1>{w.some(3)}</h1><p>{w.p(3)}</p><p>{w.p(3)}</p><table>{rows}</table><p>{w.p(2)}</p></main>"
    )


def layout(w: Writer) -> str:
    """A forum of the nineties: tables within a table."""
    posts = w.many(6, "<table><tr><td>%</td></tr></table>", lambda: f"{w.p(3)}<br><br>{w.p(3)}")
    return (
        f"<html><body><center><table width=100%><tr><td width=150><nav>{w.links()}</nav></td>"
        f"<td>{posts}</td></tr></table></center></body></html>"
    )


def wiki(w: Writer) -> str:
    parts = "".join(
        f'<h2>{w.s(3)}<span class="mw-editsection"></span></h2><p>{w.p()}</p><p>{w.p()}</p>' for _ in range(5)
    )
    box = w.many(4, "<tr><th>a</th><td>%</td></tr>", lambda: w.s(2))
    return w.around(
        f'<div id="content"><h1>{w.some(3)}</h1>'
        f'<div id="mw-content-text"><table class="infobox">{box}</table>'
        f"<p>{w.p()}</p>{parts}</div></div>"
    )


def notice(w: Writer) -> str:
    """So short that all of the page is taken."""
    return w.around(f"<div><h1>{w.s(3)}</h1><p>{w.p(2)}</p></div>")


def questions(w: Writer) -> str:
    each = "".join(f"<details open><summary>{w.s(5)}</summary><p>{w.p(3)}</p></details>" for _ in range(6))
    return w.around(f"<main><h1>{w.some(3)}</h1>{each}</main>")


def broken(w: Writer) -> str:
    """Nothing is closed, much is nested wrongly, and there is no head."""
    return (
        f"<title>{w.some(2)}</title><body><nav>{w.links()}</nav><div><b><p>"
        + w.many(9, "<p>%<i></b>", w.p)
        + "<ul>"
        + w.many(4, "<li>%", w.s)
    )


def thread(w: Writer) -> str:
    """Comments on a link, indented by empty cells, a line of links above each."""
    rows = "".join(
        f'<tr class="athing comtr"><td><table><tr><td class="ind">'
        f'<img src=s.gif width={n * 40}></td><td class="default">'
        f"<div><a href=u>{w.some(1)}</a> <a href=a>2 hours ago</a></div>"
        f'<div class="comment"><span>{w.p(3)}<p>{w.p(2)}</p>'
        f"</span></div></td></tr></table></td></tr>"
        for n in range(8)
    )
    tree = f"<table class=comment-tree>{rows}</table>"
    return f"<html><body><nav>{w.links()}</nav>{tree}<footer>{w.links()}</footer></body></html>"


def portal(w: Writer) -> str:
    """All of it within a form, as some frameworks have it."""
    return (
        f'<html><body><form id="aspnetForm" method=post><div id=nav role=navigation>{w.links()}</div>'
        f"<div class=c><h1>{w.s(3)}</h1><div>{w.p(2)}</div><div>{w.p(3)}</div></div></form></body></html>"
    )


def grid(w: Writer) -> str:
    """A list of what is sold, in which all is a link."""
    cards = w.many(
        12, '<li class="card"><a href="/p"><img src=i><h3>%</h3></a><span>9,90 €</span></li>', lambda: w.s(4)
    )
    return w.around(f'<main><h1>{w.some(2)}</h1><ul class="products">{cards}</ul></main>')


def long_page(w: Writer) -> str:
    return w.around("<main>" + w.many(1900, "<p>%</p>", lambda: w.p(6)) + "</main>")


# Each shape in the languages, and the charsets, that it is written in.
SHAPES = (
    (article, "en de ru ar he fa zh"),
    (blog, "en ru zh ko"),
    (docs, "en de zh"),
    (table, "en ru he fa"),
    (layout, "en de"),
    (wiki, "en ar zh ja"),
    (notice, "en"),
    (questions, "en"),
    (broken, "en he"),
    (thread, "en"),
    (portal, "en"),
    (grid, "en"),
    (long_page, "en"),
)
CHARSETS = {"ru": "windows-1251", "zh": "gb2312", "ja": "shift_jis", "de": "windows-1252", "ko": "euc-kr"}


def pages() -> list[Page]:
    made = [written(shape, language) for shape, languages in SHAPES for language in languages.split()]
    plain = Writer("en", "plain")
    lines = "\n\n".join(plain.p(1).replace("<em>", "").replace("</em>", "") for _ in range(5)).encode()
    printed = Writer("en", "pdf")
    printed.paragraphs += [printed.some(9) for _ in range(8)]
    return [
        *made,
        Page("markdown", b"# One\n\n" + lines, plain.paragraphs, [], "text/plain"),
        Page("text", lines, plain.paragraphs, [], "text/plain"),
        Page("json", b'{"a": [1,  2]}\n', ['{"a": [1, 2]}'], [], "text/plain"),
        Page("pdf", pdf(printed.paragraphs), printed.paragraphs, [], "text/plain"),
    ]


def written(shape: Callable[[Writer], str], language: str) -> Page:
    """A page that tells its charset in one of three ways, or not at all."""
    w = Writer(language, f"{shape.__name__} {language}")
    text, charset = shape(w), CHARSETS.get(language, "utf-8")
    tells = len(w.paragraphs) % 2 or language == "de"
    if charset != "utf-8" and not tells:
        text = text.replace(
            "<head>", f'<head><meta http-equiv=Content-Type content="text/html; charset={charset}">', 1
        )
    said = f"; charset={charset}" if tells and language != "de" else ""
    name = f"{shape.__name__} {language}"
    return Page(name, text.encode(charset), w.paragraphs, w.menus, f"text/html{said}")


def pdf(lines: list[str]) -> bytes:
    """A PDF of one page; without lines it has a picture alone, as a scan."""
    shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
    drawn = f"BT /F1 9 Tf 20 700 Td {shown}ET" if lines else "100 0 0 100 0 0 cm /I1 Do"
    picture = "/Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 800] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> /XObject << /I1 6 0 R >> >> >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< {picture} >>\nstream\n0\nendstream",
    ]
    body, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return f"{body}{end}startxref\n{len(body)}\n%%EOF\n".encode("latin-1")
