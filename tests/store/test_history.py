"""What is written down of a turn, and read back for the next one: the same on both databases."""

from jarvis.agent.begin import read_thread
from jarvis.core.types import Address, Found, Outcome
from tests.conftest import BOTH
from tests.steps import end_step, keep_found, start_step, turns_before

pytestmark = BOTH


def test_the_prompt_holds_forty_messages_at_most_and_its_window_moves_in_blocks(house):
    async def work(store):
        sizes = {}
        for n in range(1, 52):
            turn = await store.history.begin("default", f"question {n}")
            sizes[n] = len(await turns_before(store.database, turn))
            await store.history.end(turn, "done", f"answer {n}")
        return sizes

    sizes = house.kept(work)

    assert [sizes[n] for n in (1, 2, 20, 21, 22, 31, 32, 41, 42)] == [0, 1, 19, 20, 11, 20, 11, 20, 11]


def test_what_was_opened_is_offered_beside_the_last_searches_thirty_at_most(house):
    async def work(store):
        turn = await store.history.begin("default", "x", ["https://opened.example"])
        await start_step(store.history, turn, 1, "open_website", {}, "https://opened.example")
        await end_step(store.history, turn, 1, Outcome("done", "Sent."), "u1")
        await store.history.end(turn, "done")
        for n in range(2, 5):
            turn = await store.history.begin("default", f"search {n}")
            found = [Found(f"https://r{n}-{i}.example") for i in range(10)]
            await keep_found(store.history, turn, 1, found)
            await store.history.end(turn, "done")
        return (await read_thread(store.history, await store.history.begin("default", "y"))).offered

    offered = {address.id for address in house.kept(work)}

    assert len(offered) == 30
    assert {"u1", *(f"r{i}" for i in range(21, 31))} <= offered


def test_text_of_every_kind_is_kept(house):
    """But for NUL, for which Postgres has no place."""
    odd = "tab\t “quotes” 日本 🦊 ' \" % %s ? \\ {x} \u202e"

    async def work(store):
        turn = await store.history.begin("default", odd + "\0")
        found = await keep_found(store.history, turn, 1, [Found("https://a.example", odd)])
        await store.history.end(turn, "done", odd, shown=[found[0].id])
        shown = (await store.history.listed("default"))[0]
        return (await store.threads.turns("default"))[0], shown[0]

    turn, address = house.kept(work)

    assert turn.goal.rstrip("\0") == odd
    assert (turn.reply, address.title) == (odd, odd)


def test_an_address_is_what_it_was_for_the_next_turn(house):
    async def work(store):
        turn = await store.history.begin("default", "x")
        found = Found("https://a.example", "A", "snippet", "organic", "it is the one", "A Inc.")
        await keep_found(store.history, turn, 1, [found])
        return (await read_thread(store.history, await store.history.begin("default", "y"))).offered

    known = Address("r1", "https://a.example", "A", "", "found", "it is the one", "A Inc.")
    assert house.kept(work) == [known]
