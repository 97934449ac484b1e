"""The engines of shops, on a SerpAPI that fails as it is known to: several at once, each search counted."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from jarvis.agent.meter import Meter
from jarvis.config.settings import Daily
from jarvis.core.errors import (
    JarvisError,
)
from jarvis.core.events import listener
from jarvis.core.types import Turn
from jarvis.search.serpapi import Engines, SerpApi
from jarvis.store.log import log_for
from jarvis.store.usage import Ledger
from tests.conftest import BOTH
from tests.twins import shop_faults as faults
from tests.twins.serpapi import Stall
from tests.twins.shop_pages import EBAY, SHOP, ebay, item, listed, shopping

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

KEY = "serpapi-key-of-the-tests"
PAGE = shopping(listed(1))


class Shops:
    """One turn's engines, on the twin and the true ledger."""

    def __init__(self, house: Any) -> None:
        self.house, self.twin = house, house.serpapi
        self.meter: Meter

    def do(
        self,
        work: Callable[[Engines], Awaitable[Any]],
        *,
        a_day: int = 100,
        seconds: float = 15,
    ) -> Any:
        async def run(store: Any) -> Any:
            ledger = Ledger(store.database, Daily(searches=a_day))
            turn = Turn("turn", "shops", 1, ())
            self.meter = Meter(ledger, log_for(self.house.settings), turn, "", most=20)
            client = SerpApi(self.house.settings)
            try:
                return await work(Engines(client, self.meter.searching, {}, seconds))
            finally:
                await client.close()

        return self.house.kept(run)

    def ask_all(self, *requests: tuple[str, dict[str, str]], **how: Any) -> list[Any]:
        return self.do(lambda engines: engines.ask_all(requests), **how)

    @property
    def counted(self) -> tuple[int, int]:
        """What was sent, and what the ledger has of it; the turn's own sum is the same as that."""
        ((kept,),) = self.house.rows("SELECT COALESCE(SUM(searches), 0) FROM usage")
        assert self.meter.credits == kept
        return len(self.twin.requests), kept


@pytest.fixture
def shops(house: Any) -> Shops:
    return Shops(house)


def lanterns(number: int, engine: str = SHOP) -> tuple[str, dict[str, str]]:
    return engine, {"q": f"lantern {number}", "gl": "us"}


def names(answers: Sequence[object]) -> list[str]:
    return [type(answer).__name__ if isinstance(answer, JarvisError) else "page" for answer in answers]


def test_an_engine_is_asked_by_its_own_parameters_and_its_page_comes_back_whole(shops):
    shops.twin.sells(ebay=ebay(item(1)))

    # No parameter takes the place of the key or the engine.
    odd = {"api_key": "another", "output": "html"}
    (page,) = shops.ask_all((EBAY, {"_nkw": "lantern & co", "_udhi": "150", **odd}))

    (request,) = shops.twin.requests
    sent = {name: request.params[name] for name in ("engine", "_nkw", "_udhi", "api_key", "output")}
    assert sent == {
        "engine": EBAY,
        "_nkw": "lantern & co",
        "_udhi": "150",
        "api_key": KEY,
        "output": "json",
    }
    assert page == ebay(item(1))
    assert shops.counted == (1, 1)


def test_each_answer_stands_where_its_question_stood_whichever_comes_first(shops):
    shops.twin.sells(google_shopping=faults.slow(0.3, PAGE), ebay=ebay(item(1)))

    answers = shops.ask_all(lanterns(1), lanterns(2, EBAY))

    assert answers == [PAGE, ebay(item(1))]
    assert shops.twin.happened == ["slow"]


@pytest.mark.slow
def test_of_five_that_are_asked_one_that_is_slow_costs_no_other_its_answer(shops):
    shops.twin.sells(google_shopping=PAGE, ebay=faults.slow(30, ebay(item(1))))

    answers = shops.ask_all(*map(lanterns, range(4)), lanterns(5, EBAY), seconds=2)

    assert names(answers) == ["page"] * 4 + ["ServiceUnreachable"]
    assert answers[4].message == "SerpAPI did not answer within 2 s."
    assert answers[4].exit_status == 69
    assert shops.twin.happened == ["slow"]
    assert shops.counted == (5, 5)


def test_of_several_at_once_it_is_shown_how_many_are_back_and_of_the_meter_what_is_left(shops):
    shops.twin.sells(google_shopping=PAGE, ebay=ebay(item(1)))
    shown = []
    heard = listener.set(lambda event: shown.append(event.text))
    try:
        shops.ask_all((SHOP, {"q": "lantern"}), (EBAY, {"_nkw": "lantern"}), a_day=30)
        near = shops.meter.near
        shops.ask_all((SHOP, {"q": "lamp"}), a_day=7)
    finally:
        listener.reset(heard)

    assert shown == ["2 lookups at once … 0 back", "2 lookups at once … 1 back"]
    assert (near, shops.meter.near) == ("", "Left today: 4 searches.")


@BOTH
def test_cancelled_it_has_counted_what_was_sent(shops):
    all_there = threading.Barrier(5 + 1)

    def hang(request: object) -> Stall:
        all_there.wait(10)
        return Stall(20)

    shops.twin.sells(google_shopping=hang)

    async def cancelled(engines: Engines) -> None:
        asked = asyncio.create_task(engines.ask_all([*map(lanterns, range(7))]))
        await asyncio.to_thread(all_there.wait, 10)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    shops.do(cancelled)

    assert shops.counted == (5, 5)


def test_what_was_answered_in_a_turn_is_not_asked_again(shops):
    shops.twin.sells(google_shopping=[PAGE, shopping(listed(2))])
    lantern, turned = lanterns(1), (SHOP, {"gl": "us", "q": "lantern 1"})

    async def work(engines: Engines) -> list[object]:
        return [*await engines.ask_all([lantern, turned]), await engines.ask(SHOP, **turned[1])]

    assert shops.do(work) == [PAGE] * 3
    assert shops.counted == (1, 1)
