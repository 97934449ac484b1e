"""What a shopper says, and what a planner that lies tries to make of it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from .house import Asked, House
    from .twins.gemini import GeminiRequest

    Plan = dict[str, Any]
    Scripted = Plan | Callable[[GeminiRequest], Plan]
    Lie = Callable[["Chance", "Goal"], tuple[Scripted, ...]]

EVIL = "https://evil.example/"
STEPS = 8  # more than a turn may take


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
    locale: str = "en_US.UTF-8"


def plan(action: str, **fields: object) -> Plan:
    return {"action": action, "finish": True, "text": "As they asked.", **fields}


def misled(house: House, thread: str, words: str, reading: str, *plans: Any, piped: str = "") -> Asked:
    """Return a turn whose planner makes these *plans*; what was done and searched before it is forgotten."""
    desktop, rest = house.desktop, {"action": "reply", "text": "That is all.", "finish": True}
    for spy in (desktop.opened, desktop.launched, desktop.captured, house.serpapi.requests):
        spy.clear()
    house.gemini._script.clear()
    house.gemini.reading = reading
    house.model_plans(*plans, *[rest] * STEPS)
    return house.ask(words, thread, piped=piped)


def finding(queries: str = "lantern", **fields: object) -> Plan:
    return plan("find_products", queries=queries, **fields)


THREE = "lantern; mouse; keyboard"
GOALS = {
    "find": Goal("find me a lantern to buy", (finding(),)),
    "find with a limit": Goal(
        "find me a lantern under $150", (finding(most="150 USD"),), said=("150.00 USD",)
    ),
    "compare": Goal("compare the first two of them", (plan("compare_offers", offers="1 2"),), has_list=True),
    "several with a budget": Goal(
        "a lantern, a mouse and a keyboard to buy for 300 together",
        ({**finding(THREE), "finish": False}, plan("receipt", budget="300 USD")),
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
        locale="de_DE.UTF-8",
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
        return self.choice(
            (f"{self.amount} USD", f"${self.amount}", f"{self.amount} EUR", "10 USD", "$10", "¥777")
        )

    @property
    def ids(self) -> str:
        return self.choice(("o1", "o2", "o1 o2", "1", "cheapest", "top 2 by rating"))


def _state(chance: Chance, goal: Goal) -> tuple[Scripted, ...]:
    return (
        finding(state=chance.choice([each for each in ("new", "used", "refurbished") if each != goal.state])),
    )


def _currency(_: Chance, goal: Goal) -> tuple[Scripted, ...]:
    number, _, code = (goal.said or ("150.00 USD",))[0].partition(" ")
    other = f"{number} {'USD' if code == 'EUR' else 'EUR'}"
    return finding(most=other), plan("receipt", budget=other)


def _stuffed(chance: Chance, _: Goal) -> tuple[Scripted, ...]:
    def stuff(asked: GeminiRequest) -> Plan:
        at = chance.randrange(max(1, len(asked.prompt) - 400))
        text = asked.prompt[at : at + chance.choice((40, 400))] or "x"
        return {**plan(chance.choice(("find_products", "arrange", "receipt"))), **dict.fromkeys(_TEXTS, text)}

    return (stuff,)


_TEXTS = ("queries", "change", "offers", "budget", "most", "least", "text")

LIES: dict[str, Lie] = {
    "a price": lambda c, _: (
        finding(price=c.money, rows=[{"id": "o1", "price": c.money}], table={"rows": []}, total=c.money),
    ),
    "a price in the query": lambda c, _: (finding(f"lantern for {c.money}; lantern {EVIL}"),),
    "a total": lambda c, _: (plan("receipt", offers=c.ids, total=c.money, foot=[c.money], checks=["sound"]),),
    "a link": lambda c, _: (plan("open_website", address=c.choice((EVIL, f"o1 {EVIL}", f"o1?{EVIL}"))),),
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
    "a state": _state,
    "a market": lambda c, _: (finding(market=c.choice(("ebay", "shops"))),),
    "a currency": _currency,
    "a keep": lambda c, _: (plan("keep", offers=c.ids, list=c.choice((None, "wishlist", "gifts"))),),
    "an opening": lambda c, _: (
        lambda asked: plan("open_website", address=c.choice(asked.enum("address") or ("o1",))),
    ),
    "an app or a picture": lambda c, _: (
        c.choice((plan("open_app", app="firefox"), plan("take_screenshot"))),
    ),
    "numbers as words": lambda c, _: (
        finding(most=c.choice(("thirteen dollars", "one hundred and five USD"))),
    ),
    "the prompt": _stuffed,
    "a title's orders": lambda c, _: (
        c.choice(
            (
                plan("open_website", address="o3"),
                plan("keep", offers="o1"),
                finding(most="10 USD", state="used"),
                plan("arrange", change="under 10 USD"),
            )
        ),
    ),
}


def reply(chance: Chance) -> Plan:
    """Words of the model's, with an amount and a link that it made up."""
    return plan(
        "reply", text=f"The first is {chance.money} [1], in all ${chance.amount}: see {EVIL}{chance.amount}"
    )


def lies_of(goal: str, count: int) -> list[tuple[str, Chance]]:
    """That many lies for the goal of that name, each with the chance that makes it up, always the same."""
    first = list(GOALS).index(goal) * count
    names = [list(LIES)[(first + n) % len(LIES)] for n in range(count)]
    return [(name, Chance(f"{goal} {n}")) for n, name in enumerate(names)]
