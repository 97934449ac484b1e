"""Whatever a planner makes up, tables, receipts and lists hold what was found and said, and nothing else."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from jarvis.core.events import Tabled
from jarvis.core.money import Money
from jarvis.packs.shop.keep import lists_in
from tests.lying import GOALS, LIES, finding, lies_of, reply
from tests.made_up import made_up, planned_unsaid, sent_unsaid, told_wrongly
from tests.selling import sold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jarvis.core.tables import Table
    from jarvis.packs.shop.keep import Item
    from tests.house import Asked
    from tests.lying import Goal

pytestmark = pytest.mark.slow

COUNT = 6  # lies for each goal
MANY = 30
STEPS = 8  # more than a turn may take


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
        asked = self._ask(thread, self.goal.words, self.goal.reading, *plans)
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
        return self._of_session(lambda store: lists_in(store.database).items())

    def _ask(self, thread: str, words: str, reading: str, *plans: Any) -> Asked:
        desktop = self.house.desktop
        for spy in (desktop.opened, desktop.launched, desktop.captured, self.house.serpapi.requests):
            spy.clear()
        self.house.gemini._script.clear()
        self.house.gemini.reading = reading
        self.house.model_plans(*plans, *[{"action": "reply", "text": "That is all."}] * STEPS)
        return self.house.ask(words, thread)

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
            self._found = self._ask("found", "find me a used lantern", "nothing", finding(state="used")).of(
                Tabled
            )
            self._list("another", [_never_sent(self._found[0].table)])
        self._list(thread, [each.table for each in self._found])
        return self._found

    def _list(self, thread: str, tables: list[Table]) -> None:
        async def list_them(store):
            turn = await store.history.begin(thread, "find me a used lantern")
            shown = [row.id for table in tables for row in table.rows]
            await store.history.end(turn, "done", shown=shown, tables=[Tabled(table, 1) for table in tables])

        self._of_session(list_them)

    def _of_session(self, work: Any) -> Any:
        runner, session = self.house._staying
        return runner.run(work(session._store))

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
