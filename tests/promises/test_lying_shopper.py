"""Whatever a planner makes up, tables, receipts and lists hold what was found and said, and nothing else."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from jarvis.core.events import Planned, Replied, TableShown
from jarvis.core.money import Money
from jarvis.packs.shop.keep import lists_in
from tests.lying import finding, misled, plan
from tests.selling import EVERYTHING, SHOPS, sold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jarvis.core.tables import Table
    from tests.house import Asked

    Plan = dict[str, Any]
    Lie = Callable[["Chance", "Goal"], tuple[Any, ...]]

pytestmark = pytest.mark.slow

EVIL = "https://evil.example/"
COUNT = 6  # lies for each goal
MANY = 30


class Goal(NamedTuple):
    """The words of one turn, what an honest planner makes of them, and all that they allow."""

    words: str
    plans: tuple[Plan, ...]
    reading: str = "nothing"
    said: tuple[str, ...] = ()  # the amounts
    state: str = ""
    has_list: bool = False  # whether used lanterns were listed before
    opens: int = 0  # the line
    keeps: int = 0  # the line
    currency: str = "USD"


GOALS = {
    "find": Goal("find me a lantern to buy", (finding(),)),
    "find with a limit": Goal(
        "find me a lantern under $150", (finding(most="150 USD"),), said=("150.00 USD",)
    ),
    "compare": Goal("compare the first two of them", (plan("compare_offers", offers="1 2"),), has_list=True),
    "several with a budget": Goal(
        "a lantern, a mouse and a keyboard to buy for 300 together",
        ({**finding("lantern; mouse; keyboard"), "finish": False}, plan("receipt", budget="300 USD")),
        said=("300.00 USD",),
    ),
    "sort": Goal(
        "would you put the cheap ones at the top, please",
        (plan("arrange", change="cheapest first"),),
        has_list=True,
    ),
    "open a line": Goal(
        "would you show me the page of the second one",
        (plan("open_website", address="o2"),),
        "open line 2",
        has_list=True,
        opens=2,
    ),
    "keep": Goal("put number 1 on my wishlist", (plan("keep", offers="1"),), "keep", has_list=True, keeps=1),
    "a question": Goal("what does a lantern cost as a rule?", (plan("reply"),)),
    "used": Goal("find me a used lantern", (finding(state="used"),), state="used"),
    "another country": Goal(
        "such mir Laternen zum Preis von höchstens 150 Euro",
        (finding(most="150 EUR"),),
        said=("150.00 EUR",),
        currency="EUR",
    ),
    "a second turn": Goal(
        "what would the first two cost together?", (plan("receipt", offers="1 2"),), has_list=True
    ),
}


class Chance(random.Random):
    """Makes up what nobody said and nobody sent."""

    @property
    def amount(self) -> str:
        """One of those between which things are: a limit of it leaves some and takes some."""
        return f"{self.randint(50, 87)}.{self.choice(('13', '37'))}"

    @property
    def money(self) -> str:
        of_that = (f"{self.amount} USD", f"${self.amount}", f"{self.amount} EUR")
        return self.choice((*of_that, "10 USD", "$10", "¥777"))

    @property
    def ids(self) -> str:
        return self.choice(("o1", "o2", "o1 o2", "1", "cheapest", "top 2 by rating"))


def another_currency(_: Chance, goal: Goal) -> tuple[Any, ...]:
    number, _, code = (goal.said or ("150.00 USD",))[0].partition(" ")
    other = f"{number} {'USD' if code == 'EUR' else 'EUR'}"
    return finding(most=other), plan("receipt", budget=other)


def stuffed(chance: Chance, _: Goal) -> tuple[Any, ...]:
    """A piece of the prompt in each field."""

    def stuff(asked: Any) -> Plan:
        at = chance.randrange(max(1, len(asked.prompt) - 400))
        text = asked.prompt[at : at + chance.choice((40, 400))] or "x"
        fields = ("queries", "change", "offers", "budget", "most", "least", "text")
        return plan(chance.choice(("find_products", "arrange", "receipt")), **dict.fromkeys(fields, text))

    return (stuff,)


ORDERED = (  # by titles of goods
    plan("open_website", address="o3"),
    plan("keep", offers="o1"),
    finding(most="10 USD", state="used"),
    plan("arrange", change="under 10 USD"),
)
LIES: dict[str, Lie] = {
    "a price": lambda c, _: (
        finding(price=c.money, rows=[{"id": "o1", "price": c.money}], table={"rows": []}, total=c.money),
    ),
    "a price in the query": lambda c, _: (finding(f"lantern for {c.money}; lantern {EVIL}"),),
    "a total": lambda c, _: (plan("receipt", offers=c.ids, total=c.money, foot=[c.money], checks=["sound"]),),
    "an id of another thread": lambda c, _: (
        plan(c.choice(("receipt", "compare_offers", "keep")), offers=f"o{c.randint(21, 30)}"),
        plan("open_website", address=f"o{c.randint(21, 30)}"),
    ),
    "an id that is not there": lambda c, _: (
        plan("receipt", offers=c.choice(("o999", "0", "99", "o0", "r1", "o1 o999"))),
    ),
    "a limit": lambda c, _: (finding(**{c.choice(("most", "least")): c.money}),),
    "a limit on the list": lambda c, _: (
        plan("arrange", change=f"{c.choice(('under', 'over'))} ${c.amount}"),
    ),
    "a budget": lambda c, _: (plan("receipt", budget=c.money, offers=c.choice((None, c.ids))),),
    "a state": lambda c, goal: (
        finding(state=c.choice([each for each in ("new", "used", "refurbished") if each != goal.state])),
    ),
    "a market": lambda c, _: (finding(market=c.choice(("ebay", "shops"))),),
    "a currency": another_currency,
    "a keep": lambda c, _: (plan("keep", offers=c.ids, list=c.choice((None, "wishlist", "gifts"))),),
    "numbers as words": lambda c, _: (
        finding(most=c.choice(("thirteen dollars", "one hundred and five USD"))),
    ),
    "the prompt": stuffed,
    "a title's orders": lambda c, _: (c.choice(ORDERED),),
}


def lies_of(name: str, count: int) -> Iterator[tuple[str, Chance]]:
    """That many lies for the goal of that *name*, each with the chance that makes it up, always the same."""
    first = list(GOALS).index(name) * count
    for n in range(count):
        yield list(LIES)[(first + n) % len(LIES)], Chance(f"{name} {n}")


class Shopper:
    """Somebody who shops in one session, for the sake of one goal; every turn has a thread of its own."""

    def __init__(self, house, goal: Goal) -> None:
        self.house, self.goal = house, goal
        self.told: Counter[str] = Counter()  # how often each lie was told
        self._threads = 0
        self._found: list[TableShown] = []
        house.environment["LC_ALL"] = "de_DE.UTF-8" if goal.currency == "EUR" else "en_US.UTF-8"
        house.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
        house.gemini.chunks = 1
        house.serpapi.sells(google_shopping=sold, ebay=sold, google_immersive_product=sold, ebay_product=sold)

    def lied_to(self, name: str, chance: Chance) -> list[str]:
        """Return what comes of a turn whose planner tells that lie before it does what was asked."""
        made_up = f"The first is {chance.money} [1], in all ${chance.amount}: see {EVIL}{chance.amount}"
        lies = [self._noted(name, each) for each in LIES[name](chance, self.goal)]
        problem = self.turn(*lies, *self.goal.plans, plan("reply", text=made_up))[1]
        return [f"{name}: {wrong}" for wrong in problem]

    def turn(self, *plans: Any) -> tuple[Asked, list[str]]:
        """Return a turn for the goal's words, and what of it was neither found nor said nor asked for."""
        self._threads += 1
        thread = f"thread-{self._threads}"
        before = self._listed_before(thread) if self.goal.has_list else ()
        asked = misled(self.house, thread, self.goal.words, self.goal.reading, *plans)
        problem = [*wrong_in_tables(asked, self.goal, before), *self._said_wrongly(asked)]
        return asked, [*problem, *self._done_unasked(before)]

    def _noted(self, name: str, lie: Any) -> Any:
        def tell(asked):
            self.told[name] += 1
            return lie(asked) if callable(lie) else lie

        return tell

    def _listed_before(self, thread: str) -> list[TableShown]:
        """Have used lanterns listed in *thread*, as they were found once; and other things in another."""
        if not self._found:
            words = "find me a used lantern"
            self._found = misled(self.house, "found", words, "nothing", finding(state="used")).of(TableShown)
            self._list("another", [_never_sent(self._found[0].table)])
        self._list(thread, [each.table for each in self._found])
        return self._found

    def _list(self, thread: str, tables: list[Table]) -> None:
        async def list_them(store):
            turn = await store.history.begin(thread, "find me a used lantern")
            shown = [row.id for table in tables for row in table.rows]
            listed = [TableShown(table, 1) for table in tables]
            await store.history.end(turn, "done", shown=shown, tables=listed)

        self.house.of_session(list_them)

    def _said_wrongly(self, asked: Asked) -> Iterator[str]:
        """Return what a shop was asked for that nobody said, and what is told as found that was not."""
        for params in (request.params for request in self.house.serpapi.requests):
            limits = {params[name] for name in ("max_price", "_udhi") if name in params}
            amounts = {Decimal(each.split()[0]) for each in self.goal.said}
            yield from (f"a shop is asked for {each}" for each in limits if Decimal(each) not in amounts)
            yield from (f"a query of {len(text)} letters" for text in params.values() if len(text) > 200)
        for event in asked.of(Planned):
            # The words for these differ, so they need not have been said: that they were looked for is told.
            given = [event.plan.arguments.get(name) or "" for name in ("state", "market")]
            yield from (f"{each} is not told" for each in given if each not in event.target)
        for replied in asked.of(Replied):
            if EVIL in replied.text and not any("evil.example" in each for each in replied.unverified):
                yield "a link of the model's is told as if it were known"
            yield from (f"{source.url} is a source" for source in replied.sources if EVIL in source.url)

    def _done_unasked(self, before: Iterable[TableShown]) -> Iterator[str]:
        """Return what was done on the desktop, or kept, beyond what the words ask for."""
        desktop = self.house.desktop
        rows = [row for each in before for row in each.table.rows]
        asked_for = [rows[self.goal.opens - 1].url] if self.goal.opens else []
        yield from (f"{url} is open" for url in desktop.opened if url not in asked_for)
        yield from (f"{what} is done" for what in [*desktop.opened[1:], *desktop.launched, *desktop.captured])
        items = self.house.of_session(lambda store: lists_in(store.database).items())
        kept = [(item.title, item.now and item.now.money, item.url) for item in items]
        found = [(row.cells["product"], row.cells["price"], row.url) for row in rows]
        yield from (f"{each} is kept" for each in kept if not self.goal.keeps or each not in found)


def _never_sent(table: Table) -> Table:
    """Return *table*, with as many lines as ids are made up, of what no shop sent."""
    cells = {**table.rows[0].cells, "product": "Theirs", "price": Money(Decimal("7.77"), "USD")}
    rows = (table.rows[0]._replace(id=f"o{n}", cells=cells) for n in range(1, 31))
    return table._replace(rows=tuple(rows))


def sent_pages() -> Iterator[tuple[str, str, str]]:
    """What shops sent: a title, an amount, and the page of it at a service, at eBay, or at a store."""
    for number, offer in enumerate(EVERYTHING):
        stores = (f"https://{name.lower().replace(' ', '-')}.example.com/lantern" for name in SHOPS)
        ebay, service = (
            f"https://www.ebay.com/itm/{number + 110000000000}",
            f"https://www.google.com/shopping/product/{number}?gl=us",
        )
        for url in [ebay] if offer.on_ebay else [service, *stores]:
            yield offer.title, offer.amount, url


SENT = {*sent_pages()}


def wrong_in_tables(asked: Asked, goal: Goal, before: Iterable[TableShown]) -> Iterator[str]:
    """Return, in words, all in the tables of a turn that nobody sent or said. before: its thread's."""
    offers = {row["id"]: row for each in before for row in each.table.as_record()["rows"]}
    for tabled in asked.of(TableShown):
        record = tabled.table.as_record(tabled.first)
        limits = [reason.partition(" ")[::2] for reason in record["left_out"]]
        said = [limit in goal.said for how, limit in limits if how in ("over", "under", "in")]
        if not all(said):
            yield f"it is limited: {limits}"
        if record["kind"] == "receipt":
            yield from wrong_in_receipt(record, offers, goal)
            continue
        for row in record["rows"]:
            price = row["price"]
            if (row["product"], price["amount"], row["url"]) not in SENT or price[
                "currency"
            ] != goal.currency:
                yield f"no shop sent {row}"
            if offers.setdefault(row["id"], row)["url"] != row["url"]:
                yield f"{row['id']} has another page than before"


def wrong_in_receipt(record: dict[str, Any], offers: dict[str, Any], goal: Goal) -> Iterator[str]:
    totals = []
    for row in record["rows"]:
        offer = offers.get(row["id"], {})
        if [row["item"], row["price"], row["url"]] != [offer.get(key) for key in ("product", "price", "url")]:
            yield f"{row['id']} of the receipt is not as it was found"
        if Decimal(row.get("quantity") or 1) != 1:
            yield f"{row['quantity']} of {row['id']}"
        totals.append(Decimal(row["total"]["amount"]))
        if totals[-1] != sum(Decimal(row[key]["amount"]) for key in ("price", "delivery") if row[key]):
            yield f"the total of {row['id']} is {row['total']}"
    total, budgets = sum(totals, Decimal()), [Decimal(each.split()[0]) for each in goal.said]
    may = {"budget": budgets, "left": [each - total for each in budgets]}
    may["over the budget"] = [-each for each in may["left"]]
    for row in record["foot"]:
        if Decimal(row["total"]["amount"]) not in may.get(row["item"], [total]):
            yield f"{row['item']} is {row['total']}"


@pytest.mark.parametrize("name", GOALS)
def test_nothing_is_shown_done_or_kept_that_was_neither_found_nor_said(house, name, long):
    goal, count = GOALS[name], MANY if long else COUNT
    shopper = Shopper(house, goal)
    with house.staying():
        honest, problem = shopper.turn(*goal.plans)
        problem += [wrong for lie in lies_of(name, count) for wrong in shopper.lied_to(*lie)]

    assert "\n".join(problem) == ""
    assert honest.status == ("done", 0)
    assert honest.steps == [(each["action"], "done") for each in goal.plans if each["action"] != "reply"]
    assert shopper.told.total() >= count
