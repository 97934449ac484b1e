"""What the person is asked and says, as history keeps it: questions, rules and reasons; addresses too."""

import asyncio
import json

from jarvis.core.types import Address
from jarvis.store.addresses import offer
from jarvis.store.open import open_store
from jarvis.store.transfer import exported, imported
from jarvis.store.turns import take_question
from tests.conftest import BOTH
from tests.steps import start_step, taken, waiting
from tests.trips import Again

URL = "https://a.example/"
QUESTION = {"id": "q1-a1b2c3d4e5f6", "text": "Open it ?", "arguments": {"address": "u1"}, "target": URL}


async def unanswered(history):
    turn = await history.begin("default", "open it", [URL])
    await history.end(turn, "needs_answer", question=QUESTION)
    return turn


@BOTH
def test_of_two_who_answer_at_once_one_gets_it(house):
    async def work(store):
        await unanswered(store.history)
        async with open_store(house.settings) as other:
            databases = [store.database, other.database]
            turns = [await waiting(database, QUESTION["id"]) for database in databases]
            return await asyncio.gather(*map(take_question, databases, turns))

    assert sorted(house.kept(work)) == [False, True]


@BOTH
def test_what_is_written_twice_after_a_lost_connection_comes_to_the_same(house):
    async def work(store):
        await unanswered(store.history)
        again, turn = Again(store.database), await waiting(store.database, QUESTION["id"])
        is_ours = await take_question(again, turn)
        return again.repeated, is_ours, await taken(store.database, QUESTION["id"])

    assert house.kept(work) == (1, True, None)


def test_no_question_moves_with_an_export(house):
    """Whoever wrote the file could otherwise have their own question answered."""

    async def work(store):
        turn = await unanswered(store.history)
        await start_step(
            store.history, turn, 1, "open_website", {"address": "u1"}, URL, "rule 7", "Official."
        )
        record = json.loads(json.dumps(await exported(store.database, "default")))
        await store.delete("default")
        await imported(store.database, record)
        kept = await store.database.run("SELECT rule, why FROM steps")
        return record, kept, await taken(store.database, QUESTION["id"])

    record, kept, question = house.kept(work)

    assert kept == [("rule 7", "Official.")]
    assert question is None
    assert QUESTION["id"] not in json.dumps(record)


def test_a_reason_to_call_an_address_official_never_parts_from_its_name():
    """Else one search's reason would vouch for the name of another's."""
    named, other = ("its entry in Google's knowledge graph", "MIT"), ("its host is the name", "Mit")

    def offered(*vouched):
        known = [Address(f"r{n}", URL, "", "", "found", *each) for n, each in enumerate(vouched, 1)]
        (address,) = offer(known)
        return address.id, address.official, address.official_name

    assert offered((), named) == ("r1", *named)
    assert offered(("an old reason",), named) == ("r1", *named)
    assert offered(named, other) == ("r1", *named)
    assert offered((), ("an old reason",)) == ("r1", "an old reason", "")
