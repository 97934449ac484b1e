"""Whatever a planner makes up, tables, receipts and lists hold what was found and said, and nothing else."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from jarvis.core.events import Planned, Replied, Tabled
from jarvis.core.money import Money
from jarvis.packs.shop.keep import lists_in
from tests.lying import EVIL, GOALS, LIES, finding, lies_of, misled, reply
from tests.selling import EVERYTHING, SHOPS, sold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jarvis.core.tables import Table
    from jarvis.packs.shop.keep import Item
    from tests.house import Asked
    from tests.lying import Goal
    from tests.selling import Sent
    from tests.twins.serpapi import SearchRequest

pytestmark = pytest.mark.slow

COUNT = 6  # lies for each goal
MANY = 30


class Shopper:
    """Somebody who shops in one session, for the sake of one goal; every turn has a thread of its own."""

    def __init__(self, house, goal: Goal) -> None:
        self.house, self.goal = house, goal
        self.told: Counter[str] = Counter()  # how often each lie was told
        self._threads = 0
        self._found: list[Tabled] = []
        house.environment["LC_ALL"] = goal.locale
        house.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
        house.gemini.chunks = 1
        house.serpapi.sells(google_shopping=sold, ebay=sold, google_immersive_product=sold, ebay_product=sold)

    def lied_to(self, name: str, chance: Any) -> list[str]:
        """Return what comes of a turn whose planner tells that lie before it does what was asked."""
        lies = [self._noted(name, each) for each in LIES[name](chance, self.goal)]
        return self.turn(*lies, *self.goal.plans, reply(chance))[1]

    def lied_to_in_turn(self, lies: list[tuple[str, Any]]) -> list[str]:
        """Return what comes of all the *lies*, each with the lie that it came of."""
        return [f"{lie}: {wrong}" for lie, chance in lies for wrong in self.lied_to(lie, chance)]

    def turn(self, *plans: Any) -> tuple[Asked, list[str]]:
        """Return a turn for the goal's words, and what of it was neither found nor said nor asked for."""
        house, thread = self.house, self._thread()
        before = self._listed_before(thread) if self.goal.has_list else ()
        asked = misled(house, thread, self.goal.words, self.goal.reading, *plans)
        problem = [
            *made_up(asked, self.goal, before),
            *planned_unsaid(asked, self.goal),
            *sent_unsaid(house.serpapi.requests, self.goal),
            *told_wrongly(asked),
            *self._done_unasked(before),
        ]
        return asked, problem

    def kept(self) -> list[Item]:
        """Return what is on the person's lists."""
        return self.house.of_session(lambda store: lists_in(store.database).items())

    def _noted(self, name: str, lie: Any) -> Any:
        def tell(asked):
            self.told[name] += 1
            return lie(asked) if callable(lie) else lie

        return tell

    def _thread(self) -> str:
        self._threads += 1
        return f"thread-{self._threads}"

    def _listed_before(self, thread: str) -> list[Tabled]:
        """Have used lanterns listed in *thread*, as they were found once; and other things in another."""
        if not self._found:
            words, plan = "find me a used lantern", finding(state="used")
            self._found = misled(self.house, "found", words, "nothing", plan).of(Tabled)
            self._list("another", [_never_sent(self._found[0].table)])
        self._list(thread, [each.table for each in self._found])
        return self._found

    def _list(self, thread: str, tables: list[Table]) -> None:
        async def list_them(store):
            turn = await store.history.begin(thread, "find me a used lantern")
            shown = [row.id for table in tables for row in table.rows]
            await store.history.end(turn, "done", shown=shown, tables=[Tabled(table, 1) for table in tables])

        self.house.of_session(list_them)

    def _done_unasked(self, before: list[Tabled]) -> Iterator[str]:
        """Return what was done on the desktop, or kept, beyond what the words ask for."""
        desktop = self.house.desktop
        rows = [row for each in before for row in each.table.rows]
        asked_for = [rows[self.goal.opens - 1].url] if self.goal.opens else []
        yield from (f"{url} is open" for url in desktop.opened if url not in asked_for)
        yield from (f"{what} is done" for what in [*desktop.opened[1:], *desktop.launched, *desktop.captured])
        kept = [(item.title, item.now and item.now.money, item.url) for item in self.kept()]
        found = [(row.cells["product"], row.cells["price"], row.url) for row in rows]
        yield from (f"{each} is kept" for each in kept if not self.goal.keeps or each not in found)


def _never_sent(table: Table) -> Table:
    """Return *table*, with as many lines as ids are made up, of what no shop sent."""
    price = Money(Decimal("7.77"), "USD")
    row = table.rows[0]
    rows = (
        row._replace(id=f"o{n}", cells={**row.cells, "product": "Theirs", "price": price})
        for n in range(1, 31)
    )
    return table._replace(rows=tuple(rows))


@pytest.mark.parametrize("name", GOALS)
def test_nothing_is_shown_done_or_kept_that_was_neither_found_nor_said(house, name, long):
    goal = GOALS[name]
    shopper = Shopper(house, goal)
    count = MANY if long else COUNT
    with house.staying():
        honest, problem = shopper.turn(*goal.plans)
        problem += shopper.lied_to_in_turn(lies_of(name, count))

    assert "\n".join(problem) == ""
    assert honest.status == ("done", 0)
    assert honest.steps == [(plan["action"], "done") for plan in goal.plans if plan["action"] != "reply"]
    assert shopper.told.total() >= count


_OFFER, _RECEIPT, _STORES = ("product", "price", "delivery", "state", "store"), "receipt", "comparison"
_TOLD = ("state", "market")
_SIGNS = {"$": "USD", "€": "EUR", "¥": "JPY", "dollars": "USD"}
_LIMITS = ("max_price", "_udhi")  # what the services call the limit that they are told


def made_up(asked: Asked, goal: Goal, before: Iterable[Tabled] = ()) -> Iterator[str]:
    """Return, in words, all in the tables of a turn that nobody sent or said. before: its thread's."""
    offers = {row["id"]: row for each in before for row in each.table.as_record()["rows"]}
    for tabled in asked.of(Tabled):
        record = tabled.table.as_record(tabled.first)
        if record["kind"] == _RECEIPT:
            yield from _in_receipt(record, offers, goal)
        else:
            yield from _in_list(record, goal)
        for row in record["rows"]:
            if offers.setdefault(row["id"], row)["url"] != row["url"]:
                yield f"{row['id']} has another page than before"
        yield from (f"it is limited: {each}" for each in _limits(record) if each not in goal.said)


def planned_unsaid(asked: Asked, goal: Goal) -> Iterator[str]:
    """Return what a step was taken with that nobody said."""
    for event in asked.of(Planned):
        given = event.plan.arguments
        for name in ("most", "least", "budget"):
            if given.get(name) and _money_in(given[name]) not in map(_money_in, goal.said):
                yield f"{name} is {given[name]}"
        # The words for these differ, so they need not have been said: that they were looked for is told.
        yield from (f"{given[name]} is not told" for name in _TOLD if given.get(name, "") not in event.target)


def sent_unsaid(requests: Iterable[SearchRequest], goal: Goal) -> Iterator[str]:
    """Return what a shop was asked for that nobody said."""
    for request in requests:
        for name in _LIMITS:
            if (limit := request.params.get(name)) and _number(limit) not in map(_number, goal.said):
                yield f"{name} is {limit}"
        if any(len(value) > 200 for value in request.params.values()):
            yield "a query is as long as a prompt"


def told_wrongly(asked: Asked) -> Iterator[str]:
    """Return what of the model's words is told as if it had been found."""
    for replied in asked.of(Replied):
        if EVIL in replied.text and not any("evil.example" in each for each in replied.unverified):
            yield "a link of the model's is told as if it were known"
        yield from (f"{source.url} is a source" for source in replied.sources if EVIL in source.url)


def _in_list(record: dict[str, Any], goal: Goal) -> Iterator[str]:
    currency = "EUR" if goal.locale.startswith("de") else "USD"
    known = [_told(offer, currency) for offer in EVERYTHING]
    if record["kind"] == _STORES:
        known = [
            _at_store(offer, name)
            for offer in EVERYTHING
            for name in ([offer.store] if offer.on_ebay else SHOPS)
        ]
    for row in record["rows"]:
        told = tuple(row.get(key) for key in (*_OFFER, "total") if key in known[0])
        if told not in [tuple(each[key] for key in each if key != "urls") for each in known]:
            yield f"no shop sent {told}"
        elif not any(row["url"] in each["urls"] for each in known):
            yield f"no shop sent {row['url']}"


def _told(offer: Sent, currency: str) -> dict[str, Any]:
    number = EVERYTHING.index(offer)
    page = f"https://www.ebay.com/itm/{number + 110000000000}"
    service = f"https://www.google.com/shopping/product/{number}?gl=us"
    return {
        "product": offer.title,
        "price": _money(offer.amount, currency),
        "delivery": _money(offer.delivery, currency),
        "state": offer.state,
        "store": offer.store,
        "urls": (page if offer.on_ebay else service,),
    }


def _at_store(offer: Sent, name: str) -> dict[str, Any]:
    told, delivery = _told(offer, "USD"), SHOPS.get(name, offer.delivery)
    total = _money(f"{Decimal(offer.amount) + Decimal(delivery):.2f}", "USD")
    if offer.on_ebay:
        return told | {"total": total}
    page = f"https://{name.lower().replace(' ', '-')}.example.com/lantern"
    there = {"store": name, "state": None, "delivery": _money(delivery, "USD"), "urls": (page,)}
    return told | there | {"total": total}


def _in_receipt(record: dict[str, Any], offers: dict[str, Any], goal: Goal) -> Iterator[str]:
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for row in record["rows"]:
        offer = offers.get(row["id"], {"product": None})
        if [row["item"], row["price"], row["url"]] != [offer.get(key) for key in ("product", "price", "url")]:
            yield f"{row['id']} of the receipt is not as it was found"
        count = Decimal(row.get("quantity") or 1)
        if count != 1 and f"{count} of them" not in goal.said:
            yield f"{count} of {row['id']}"
        delivery = Decimal(row["delivery"]["amount"]) if row["delivery"] else Decimal(0)
        total = Decimal(row["price"]["amount"]) * count + delivery
        if Decimal(row["total"]["amount"]) != total:
            yield f"the total of {row['id']} is {row['total']}, not {total}"
        sums[row["price"]["currency"]] += total
    for row in record["foot"]:
        yield from _in_foot(row["item"], row["total"], sums, goal)


def _in_foot(name: str, cell: dict[str, str], sums: dict[str, Decimal], goal: Goal) -> Iterator[str]:
    amount, total = Decimal(cell["amount"]), sums[cell["currency"]]
    budgets = [_number(each) for each in goal.said]
    expected = {"budget": budgets, "left": [each - total for each in budgets]}
    expected["over the budget"] = [-each for each in expected["left"]]
    if amount not in expected.get(name, [total]):
        yield f"{name} is {cell}"


def _limits(record: dict[str, Any]) -> list[str]:
    """Return the limits by which something was left out, as `150.00 USD`; or the currency of one."""
    reasons = (reason.split(" ", 1) for reason in record["left_out"])
    return [words[1] for words in reasons if words[0] in ("over", "under", "in")]


def _money_in(text: object) -> tuple[Decimal, str]:
    """Return the amount that *text* is, and the code of its currency."""
    sign = next((sign for sign in _SIGNS if sign in str(text)), "")
    return _number(text), _SIGNS[sign] if sign else str(text)[-3:]


def _money(amount: str, currency: str) -> dict[str, str]:
    return {"amount": amount, "currency": currency}


def _number(text: object) -> Decimal:
    found = re.search(r"\d+(?:\.\d+)?", str(text))
    return Decimal(found[0] if found else 0).normalize()
