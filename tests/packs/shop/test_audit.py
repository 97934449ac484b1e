"""The auditor finds whatever is not as it was found and reckoned."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from jarvis.core.money import Money
from jarvis.core.tables import Price, Table
from jarvis.packs.shop.audit import audit, is_sound
from jarvis.packs.shop.receipt_table import Line, receipt_of
from jarvis.packs.shop.tax import Tax
from tests.packs.shop.baskets import SEEN_AT, found, money, offer, offers

NOW = datetime.fromisoformat(SEEN_AT)
ROWS = (
    offer(1, 15_900, state="used"),
    offer(2, 6_999, 599),
    offer(3, 2_499, None, store=None),
)
LISTS = [found(*ROWS)]
TAX = Tax(is_apart=True, rate=Decimal("8.25"))
BUDGET = money(50_000)


def sound(quantities=(1, 2, 1), budget=BUDGET, tax=TAX):
    return receipt_of([Line(*each) for each in zip(offers(*ROWS), quantities, strict=True)], budget, tax)


def checked(receipt, *, lists=LISTS, now=NOW, budget=BUDGET, tax=TAX):
    return audit(receipt, lists, now, budget, tax)


def said(checks, name):
    return [(check.is_met, check.said, check.is_hard) for check in checks if check.name == name]


def changed(cell):
    """What a cell may hold instead: the least that is not the same."""
    if isinstance(cell, Price):
        yield from (cell._replace(money=each) for each in changed(cell.money) if isinstance(each, Money))
        yield from (cell.money, cell._replace(basis=f"{cell.basis}."), cell._replace(basis=""))
    elif isinstance(cell, Money):
        least = Decimal(1).scaleb(-2)
        yield from (cell._replace(amount=cell.amount + least), cell._replace(amount=cell.amount - least))
        yield from (cell._replace(currency="CAD"), Price(cell, "from"), None)
    elif isinstance(cell, Decimal):
        yield from (cell + 1, cell - 1, cell / 2)
    elif cell is None:
        yield from (money(0), money(1), "Walmart", "from")
    else:
        yield from (f"{cell}.", "", None)


def changed_rows(row):
    for key, cell in row.cells.items():
        yield from (row._replace(cells={**row.cells, key: other}) for other in changed(cell))
    yield row._replace(id=f"{row.id}0")
    yield row._replace(url=f"{row.url}/")
    yield row._replace(link="service")
    yield row._replace(private={**row.private, "page_token": "another"})


def changed_receipts(receipt: Table):
    """*receipt* with any one thing in it changed."""
    for name in ("rows", "foot"):
        rows = getattr(receipt, name)
        for at, row in enumerate(rows):
            for other in (*([each] for each in changed_rows(row)), [], [row, row]):
                yield receipt._replace(**{name: (*rows[:at], *other, *rows[at + 1 :])})
    for at in range(len(receipt.columns)):
        yield receipt._replace(columns=(*receipt.columns[:at], *receipt.columns[at + 1 :]))
    yield from (receipt._replace(seen_at=other) for other in ("", "2026-11-22T14:02:11+00:00"))


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["no budget", "budget"])
@pytest.mark.parametrize("tax", [TAX, Tax(is_apart=True), Tax()], ids=["rate", "no rate", "unknown"])
def test_whatever_is_changed_in_a_sound_receipt_makes_it_unsound(budget, tax):
    receipt = sound(budget=budget, tax=tax)
    assert is_sound(checked(receipt, budget=budget, tax=tax))

    others = [each for each in changed_receipts(receipt) if each != receipt]
    missed = [each for each in others if is_sound(checked(each, budget=budget, tax=tax))]

    assert len(others) > 100
    assert missed == []


def test_an_offer_that_was_not_found_in_the_thread_is_none():
    checks = checked(sound(), lists=[found(*ROWS[:2])])

    assert said(checks, "prices") == [(False, "line 3 is no offer that was found", True)]
    assert not is_sound(checks)


def test_a_price_counts_as_it_was_found_first():
    dearer = found(offer(1, 17_900, state="used"))

    assert is_sound(checked(sound(), lists=[found(*ROWS), dearer]))
    assert not is_sound(checked(sound(), lists=[dearer, found(*ROWS)]))


@pytest.mark.parametrize(
    ("past", "is_met", "told"),
    [
        (timedelta(seconds=30), True, "seen now"),
        (timedelta(minutes=14), True, "seen 14 min ago"),
        (timedelta(hours=1), True, "seen 1 h ago"),
        (timedelta(hours=5, minutes=3), False, "seen 5 h ago"),
        (timedelta(days=7), False, "seen 7 days ago"),
        (timedelta(seconds=-5), True, "seen now"),  # the clock was set back
    ],
)
def test_what_was_seen_long_ago_is_marked(past, is_met, told):
    checks = checked(sound(), now=NOW + past)

    assert said(checks, "seen") == [(is_met, told, False)]
    assert is_sound(checks)


def test_a_budget_that_is_not_met_makes_it_unsound():
    open_, whole = sound(budget=money(1_000), tax=Tax()), receipt_of([Line(*offers(ROWS[0]))], money(1_000))

    checks = checked(open_, budget=money(1_000), tax=Tax())
    assert said(checks, "budget") == [(False, "over $10.00 by at least $319.96", True)]
    checks = checked(whole, budget=money(1_000), tax=Tax())
    assert said(checks, "budget") == [(False, "over $10.00 by $149.00", True)]
    assert not is_sound(checks)


def test_what_is_not_known_is_told_and_is_no_fault():
    checks = checked(sound(tax=Tax(is_apart=True)), tax=Tax(is_apart=True))

    assert said(checks, "delivery") == [(None, "delivery of “Thing 3” unknown", True)]
    assert said(checks, "tax") == [(None, "tax not known", True)]
    assert said(checks, "budget") == [(None, "within $500.00, but for delivery", True)]
    many = [offer(n, 100, None) for n in range(5)]
    receipt = receipt_of([Line(each) for each in offers(*many)])
    told = "delivery of “Thing 0”, “Thing 1” and 3 more unknown"
    assert said(checked(receipt, lists=[found(*many)]), "delivery") == [(None, told, True)]
    receipt = receipt_of([Line(offers(ROWS[1])[0], 2)])
    assert said(checked(receipt, budget=None, tax=Tax()), "delivery") == [
        (None, "delivery of “Thing 2” may be more for several", True)
    ]


@pytest.mark.parametrize(
    ("state", "asked", "told"),
    [
        ("used", "used", [(True, "used, as searched for", True)]),
        ("used", "refurbished used", [(True, "refurbished or used, as searched for", True)]),
        ("new", "used", [(False, "“Thing 1” not used", True)]),
        (None, "used", [(None, "not known whether “Thing 1” is used", True)]),
        ("new", "", []),
    ],
)
def test_the_state_is_the_one_that_was_asked_for(state, asked, told):
    row = offer(1, 500, state=state)
    row = row._replace(private={**row.private, "states": asked})
    checks = checked(receipt_of([Line(*offers(row))]), lists=[found(row)], budget=None, tax=Tax())

    assert said(checks, "state") == told
    assert is_sound(checks) is not (told and told[0][0] is False)


def test_what_may_be_something_else_is_marked():
    rows = [offer(n, 20_000, query="Galaxy S24 FE 128GB", product="S24 FE 128GB") for n in range(6)]
    rows[2] = offer(2, 900, query="Galaxy S24 FE 128GB", product="Case for S24")
    checks = checked(
        receipt_of([Line(each) for each in offers(*rows[1:3])]), lists=[found(*rows)], budget=None, tax=Tax()
    )

    assert said(checks, "model") == [(False, "S24 FE, 128GB not in the name of “Case for S24”", False)]
    assert said(checks, "price") == [
        (False, "“Case for S24” far cheaper than the rest: accessory or used?", False)
    ]
    assert is_sound(checks)
