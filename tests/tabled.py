"""Tables for the tests: products with all kinds of cells, from a seed, and titles that wish nobody well."""

from __future__ import annotations

import random
from decimal import Decimal

from jarvis.core.money import Money
from jarvis.core.tables import (
    DATE,
    EXTRA,
    LINK,
    MONEY,
    NUMBER,
    PERCENT,
    RATING,
    STATE,
    TEXT,
    TIME,
    Cell,
    Column,
    Rating,
    Row,
    Table,
)

COLUMNS = (
    Column("title", "product", TEXT, 0),
    Column("price", "price", MONEY, 0),
    Column("state", "state", STATE, 2),
    Column("store", "store", TEXT, 1),
    Column("rating", "rating", RATING, 3),
    Column("delivery", "delivery", MONEY, 4, EXTRA),
    Column("share", "share", PERCENT, 6),
    Column("left", "left", NUMBER, 7),
    Column("day", "day", DATE, 8),
    Column("leaves", "leaves", TIME, 9),
    Column("page", "page", LINK, 10),
)
HOSTILE = (
    "Nintendo Switch 32GB neon, V2",
    "任天堂スイッチ 本体 ネオンブルー・ネオンレッド 中古品 動作確認済み 送料無料" * 3,
    "👩‍💻👨‍👩‍👧 🏳️‍🌈 🇯🇵 👍🏽 a gift 🎁",
    "שלום עולם, מחיר 100 מרחבא مرحبا بالعالم",
    "\x1b[31mred\x1b[0m \x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\ \x9b2J\x90q\x9c",
    "\u202eevil\u2066 \u200bhid\u200dden\ufeff\u2028next\u0085",
    "two\nlines\tand\r\ntabs\x00\x07\x08",
    "word " * 2000,
    "x" * 10_000,
    "京" * 10_000,
    "e" + "\u0301" * 10_000,
    '=HYPERLINK("https://evil.example"; "a")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "[bold]markup[/bold] **stars** `ticks` $9.99 1 2 3",
    "ａｂｃ ｱｲｳ 한국어 조선글 ไทย ภาษา \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 1️⃣ ❤️ ✔️",
    "हिन्दी में शीर्षक",
    "",
)


def dollars(amount: str) -> Money:
    return Money(Decimal(amount), "USD")


def product(id_: str, title: str, cost: str | None = None, **cells: Cell) -> Row:
    price = None if cost is None else dollars(cost)
    return Row(id_, {"title": title, "price": price, **cells}, f"https://shop.example/{id_}", "merchant")


def hostile(columns: int = len(COLUMNS), seed: int = 1) -> Table:
    """Return a table with a row for each hostile title, and as many *columns*."""
    chance = random.Random(seed)
    rows = tuple(_row(chance, f"o{n}", title) for n, title in enumerate(HOSTILE, 1))
    total = Row("", {"title": "total, without tax", "price": dollars("1146.00")._replace(basis="from")})
    left_out = {"over 150.00 USD": 9, "without a price": 1, HOSTILE[4]: 2}
    return Table(
        "product", COLUMNS[:columns], rows, left_out=left_out, note=HOSTILE[7], foot=(total,), end=40
    )


def random_table(seed: int, *, most: int = 40, currencies: tuple[str, ...] = ("USD",)) -> Table:
    chance = random.Random(seed)
    rows = tuple(
        _row(chance, f"o{n}", f"Thing {n}", currencies) for n in range(1, chance.randint(1, most) + 1)
    )
    return Table("product", COLUMNS, rows, seen_at="2026-11-22T14:02:10Z")


def _row(chance: random.Random, id_: str, title: str, currencies: tuple[str, ...] = ("USD", "JPY")) -> Row:
    def perhaps(cell: Cell) -> Cell:
        return cell if chance.random() < 0.8 else None

    def amount() -> Money:
        currency = chance.choice(currencies)
        cents = chance.choice([999, 12_900, chance.randint(1, 2_000_000)])
        return Money(Decimal(cents) if currency == "JPY" else Decimal(cents).scaleb(-2), currency)

    value = Decimal(chance.randint(10, 50)).scaleb(-1)
    raters = chance.choice([None, 0, 1, 3, 96, 812, 100_000])
    cells: dict[str, Cell] = {
        "price": perhaps(chance.choice([amount(), amount(), amount()._replace(basis="from")])),
        "state": perhaps(chance.choice(["new", "used", "refurbished"])),
        "store": perhaps(chance.choice(["eBay", "Back Market", "メルカリ", "GameStop", "\x1b[1m+Shop"])),
        "rating": perhaps(Rating(value, raters)),
        "delivery": perhaps(chance.choice([dollars("0"), dollars("5.99")])),
        "share": perhaps(Decimal(chance.randint(-999, 999)).scaleb(-1)),
        "left": perhaps(Decimal(chance.randint(0, 99_999))),
        "day": perhaps(f"2027-05-{chance.randint(10, 28)}"),
        "leaves": perhaps(f"2027-05-13T{chance.randint(10, 23)}:25"),
        "page": perhaps("https://www.shop.example/a?b=c"),
    }
    return Row(id_, {"title": title or None, **cells}, f"https://shop.example/{id_}", "merchant")
