"""Offers are put on the person's own lists: once they ask for that, once each, told from what was written."""

import os

import pytest

from jarvis.output.records import record
from jarvis.packs.shop.keep import lists_in
from tests.conftest import BOTH
from tests.planned import reply
from tests.twins.shop_pages import listed, shopping

FIND = {"action": "find_products", "queries": "lantern", "finish": True}
TWO = [("wishlist", "Lantern 1", "$129.00"), ("wishlist", "Lantern 2", "$99.50")]


def keep(offers="1", **more):
    return {"action": "keep", "offers": offers, "finish": True, "text": None, **more}


def kept(house):
    async def read(store):
        items = await lists_in(store.database).items()
        return [(item.list, item.title, item.now and item.now.money.formatted) for item in items]

    return house.kept(read)


@pytest.fixture
def found(house):
    """Two lanterns were found and listed."""
    house.serpapi.sells(google_shopping=shopping(listed(1), listed(2, price="$99.50")))
    house.model_plans(FIND)
    assert house.ask("find me a lantern to buy").status == ("done", 0)
    return house


@BOTH
def test_an_offer_is_kept_with_its_price_and_told_from_what_was_written(found):
    before = found.cost
    asked = found.ask("add 1 to my wishlist")

    assert found.cost == before  # Python reads that
    assert asked.reply == "Kept in wishlist: Lantern 1, $129.00 at Glow & Sons."
    assert asked.status == ("done", 0)
    assert kept(found) == TWO[:1]
    assert asked.ended.summary["intent"] == ["keep"]
    # What finds it again is kept with it and shown to nobody.
    assert "token-of-1" in found.rows("SELECT body FROM items")[0][0]
    assert "token-of-1" not in str([asked.summary, *(record(event, "t", "1") for event in asked)])
    assert "token-of-1" not in "".join(found.prompts)


def test_a_list_is_the_one_that_they_say(found):
    found.model_plans(keep(list="Gifts for Mum"), keep("cheapest", list="stolen"))

    said = found.ask("put 1 on gifts for mum, it is a good price")
    unsaid = found.ask("keep the cheapest too, what a price")

    assert said.reply.startswith("Kept in gifts for mum: ")
    assert unsaid.reply.startswith("Kept in wishlist: ")
    assert [each[0] for each in kept(found)] == ["gifts for mum", "wishlist"]


@BOTH
def test_what_was_kept_already_is_told_so(found):
    found.model_plans(keep("o1 o2"))
    found.ask("add 1 to my wishlist")

    again = found.ask("add both to my wishlist")

    assert again.reply == (
        "Kept in wishlist: Lantern 2, $99.50 at Glow & Sons."
        " In wishlist already: Lantern 1, $129.00 at Glow & Sons."
    )
    assert kept(found) == TWO


@BOTH
def test_a_page_with_a_long_address_is_kept_once_too(house):
    page = f"https://glow.example/lamp?token={os.urandom(2_000).hex()}"
    house.serpapi.sells(google_shopping=shopping(listed(1, link=page)))
    house.model_plans(FIND)
    house.ask("find me a lantern to buy")

    assert house.ask("add 1 to my wishlist").reply.startswith("Kept in wishlist: Lantern 1")
    assert house.ask("add 1 to my wishlist").reply.startswith("In wishlist already: Lantern 1")
    assert page in house.rows("SELECT body FROM items")[0][0]


def test_what_nobody_asked_to_keep_is_not_kept(found):
    found.gemini.reading = "nothing"
    found.model_plans(keep(), reply("Done: it is on your wishlist."))

    asked = found.ask("what does 1 cost?")

    assert kept(found) == []
    assert asked.steps == [("keep", "refused")]
    assert "you did not ask for it" in asked.ended.summary["reply"]


def test_asked_for_once_it_is_kept_once(found):
    found.model_plans(keep(finish=False), keep("2"), reply("Both are kept."))

    asked = found.ask("add the first to my wishlist")

    assert kept(found) == TWO[:1]
    assert asked.steps == [("keep", "done")]


def test_an_offer_that_is_not_there_is_not_kept_and_in_a_dry_run_none_is(found):
    found.model_plans(keep("o9"), keep("https://a.example"))

    strange = found.ask("add 9 to my wishlist")
    dry = found.ask("add 1 to my wishlist", dry_run=True)

    assert kept(found) == []
    assert strange.status == ("failed", 1)
    assert dry.reply == "Would keep Lantern 1 in wishlist."


@pytest.mark.parametrize(("answers", "told"), [(["y"], TWO[:1]), (["n"], [])])
def test_what_is_not_sure_to_be_asked_for_is_asked_about(found, answers, told):
    found.answers = answers
    found.gemini.reading = "keep?"
    found.model_plans(keep())

    asked = found.ask("1 would be nice on a wishlist")

    assert [question.text for question in found.questions] == ["Keep?\nLantern 1 in wishlist"]
    assert kept(found) == told
    assert asked.status == (("done", 0) if told else ("refused", asked.status[1]))


@pytest.mark.parametrize(
    "words", ["add 1 and 2 to my wishlist", "Put 1, 2 on the wish list!", "keep 2 1 in my wishlist"]
)
def test_lines_are_kept_and_taken_off_in_plain_words_without_the_model(found, words):
    before = found.cost
    assert sorted(each[1] for each in (found.ask(words), kept(found))[1]) == ["Lantern 1", "Lantern 2"]

    assert found.ask("take 2 off").status == ("done", 0)
    assert "there is no line 2 on your lists" in found.ask("take 2 off my wishlist").reply
    assert found.ask("remove 1 from my wishlist.").status == ("done", 0)
    assert (kept(found), found.cost) == ([], before)


@pytest.mark.parametrize(
    "words",
    ["add 1 to the order", "add 9 to my wishlist", "take 2 off the price", "take 20 % off", "keep 2 in mind"],
)
def test_what_comes_near_such_words_is_for_the_model(found, words):
    found.model_plans(reply("Hm."))
    assert found.ask(words).reply == "Hm."
    assert kept(found) == []


def unkeep(what):
    return {"action": "unkeep", "what": what, "finish": True, "text": None}


def test_it_is_taken_off_where_its_words_mean_one_thing_and_else_nothing_is(found):
    found.model_plans(keep("o1 o2"))
    found.ask("add both to my wishlist")
    for what, said in (("lantern", "several things"), ("desk", "nothing")):
        found.model_plans(unkeep(what), reply("Which one?"))
        asked = found.ask("take it off my wishlist")
        assert f"{said} on your lists " in asked.reply
        assert (asked.status[0], kept(found)) == ("failed", TWO)

    found.model_plans(unkeep("lantern 1"))
    asked = found.ask("take the first lantern off my wishlist")

    assert asked.reply == "Taken off wishlist: Lantern 1, $129.00 at Glow & Sons."
    assert kept(found) == TWO[1:]


def test_who_asks_to_keep_something_has_nothing_taken_off(found):
    found.model_plans(keep("o1 o2"), unkeep("lantern 1"), reply("Done."))
    found.ask("add both to my wishlist")
    found.gemini.reading = "keep"

    asked = found.ask("add the second to my wishlist")

    assert (asked.steps, asked.status) == ([("unkeep", "refused")], ("failed", 1))
    assert kept(found) == TWO
