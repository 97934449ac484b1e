"""One action at a time: what a turn plans, does, costs and tells."""

from __future__ import annotations

from jarvis.errors import NoHandler, NotInstalled

MIT = "https://web.mit.edu/"
FIND = {"action": "search", "query": "MIT official website"}


def open_(address, **more):
    return {"action": "open_website", "address": address, "finish": True, **more}


def reply(text):
    return {"action": "reply", "text": text, "finish": True}


def test_find_and_open_takes_two_calls_one_search_and_opens_the_exact_address(house):
    house.search_finds("https://ocw.mit.edu/?a=1&b=2", MIT, website=("MIT", MIT))
    house.model_plans(FIND, open_("r1"))

    asked = house.ask("find the MIT website and open it")

    assert house.desktop.opened == [MIT]
    assert asked.reply == f"Sent {MIT} to your browser."
    assert asked.status == ("done", 0)
    assert house.cost == (2, 1)


def test_a_question_takes_two_calls_and_one_search_and_names_its_sources(house):
    house.search_finds("https://a.example/1", "https://b.example/2", "https://c.example/3")
    house.model_plans({"action": "search", "query": "bridge length"}, reply("It is 5 km long [r2]."))

    asked = house.ask("how long is the bridge?")

    assert asked.reply == "It is 5 km long [1]."
    assert asked.sources == ["https://b.example/2"]
    assert house.cost == (2, 1)
    assert house.desktop.opened == []


def test_an_answer_that_names_no_source_lists_the_first_results(house):
    house.search_finds(*(f"https://{name}.example/" for name in "abcde"))
    house.model_plans({"action": "search", "query": "x"}, reply("So it is."))

    assert house.ask("is it so?").sources == [f"https://{name}.example/" for name in "abc"]


def test_small_talk_takes_one_call_and_no_search(house):
    house.model_plans(reply("Hello."))

    asked = house.ask("hi there")

    assert (asked.reply, asked.streamed, house.cost) == ("Hello.", "Hello.", (1, 0))


def test_their_website_in_the_next_turn_takes_one_call_and_no_search(house):
    house.search_finds(MIT)
    house.model_plans({"action": "search", "query": "MIT"}, reply("A university."), open_("r1"))
    house.ask("what is MIT?")

    asked = house.ask("open their website")

    assert house.desktop.opened == [MIT]
    assert asked.summary["usage"]["model_calls"] == 1
    assert house.cost == (3, 1)


def test_a_repeated_request_is_done_again(house):
    house.search_finds(MIT)
    house.model_plans(FIND, open_("r1"), open_("r1"))
    house.ask("find the MIT website and open it")

    house.ask("find the MIT website and open it")

    assert house.desktop.opened == [MIT, MIT]


def test_an_address_that_is_found_again_keeps_its_id(house):
    house.search_finds(MIT, "https://a.example/")
    house.search_finds("https://b.example/", MIT)
    house.model_plans(FIND, reply("Found."), FIND, open_("r1"))
    house.ask("find the MIT website")

    house.ask("find the MIT website again and open it")

    assert house.desktop.opened == [MIT]
    assert house.gemini.requests[-1].enum("address") == ("r1", "r2", "r3")


def test_an_opening_that_failed_is_told_whatever_the_model_says(house):
    house.desktop.fails["*"] = NoHandler("No browser is set up.", hint="Install one.")
    house.search_finds(MIT)
    house.model_plans(FIND, open_("r1"), reply("Opened it!"))

    asked = house.ask("find the MIT website and open it")

    assert asked.reply == f"Did not open {MIT}: no browser is set up.\nOpened it!"
    assert asked.status == ("failed", 1)
    assert asked.summary["error"]["code"] == "no_handler"
    assert house.desktop.opened == []


def test_a_failure_goes_back_to_the_planner_which_may_try_the_next_address(house):
    house.desktop.fails["https://a.example/"] = NoHandler("It broke.")
    house.search_finds("https://a.example/", "https://b.example/")
    house.model_plans({"action": "search", "query": "x"}, open_("r1"), open_("r2"))

    asked = house.ask("find a page about x and open it")

    assert house.desktop.opened == ["https://b.example/"]
    assert asked.status == ("done", 0)
    assert "Did not open https://a.example/: it broke." in asked.reply
    assert "2. open_website: failed. Did not open https://a.example/" in house.prompts[2]


def test_after_two_failed_openings_no_third_is_offered(house):
    house.desktop.fails["*"] = NoHandler("It broke.")
    house.search_finds(*(f"https://{name}.example/" for name in "abc"))
    house.model_plans({"action": "search", "query": "x"}, open_("r1"), open_("r2"), reply("It did not work."))

    asked = house.ask("find a page about x and open it")

    assert asked.status == ("failed", 1)
    assert "open_website" not in house.gemini.requests[-1].enum("action")


def test_one_of_two_addresses_that_were_both_named_failing_fails_the_turn(house):
    house.desktop.fails["https://a.example"] = NoHandler("It broke.")
    house.model_plans(
        {"action": "open_website", "address": "u1"},
        {"action": "open_website", "address": "u2"},
        reply("One of them."),
    )

    asked = house.ask("open https://a.example and https://b.example please")

    assert house.desktop.opened == ["https://b.example"]
    assert asked.status == ("failed", 1)


def test_only_as_many_openings_as_the_words_name_are_offered(house):
    house.search_finds("https://a.example/", "https://b.example/")
    house.model_plans(
        {"action": "search", "query": "x"},
        {"action": "open_website", "address": "r1"},
        reply("There."),
    )

    house.ask("find x and open it")

    assert "open_website" in house.gemini.requests[1].enum("action")
    assert "open_website" not in house.gemini.requests[2].enum("action")


def test_two_openings_are_offered_where_the_words_name_two(house):
    house.search_finds("https://a.example/", "https://b.example/")
    house.model_plans(
        {"action": "search", "query": "x"},
        {"action": "open_website", "address": "r1"},
        open_("r2"),
    )

    asked = house.ask("find x and open the first two results")

    assert house.desktop.opened == ["https://a.example/", "https://b.example/"]
    assert asked.status == ("done", 0)


def test_a_third_search_is_not_offered(house):
    for _ in range(2):
        house.search_finds(MIT)
    house.model_plans(FIND, FIND, reply("Enough."))

    house.ask("search and search")

    assert [("search" in request.enum("action")) for request in house.gemini.requests] == [True, True, False]


def test_after_six_steps_only_a_reply_is_offered(house):
    house.configure("[budgets]\nsteps = 3\n")
    house.model_plans(
        *({"action": "open_app", "app": name} for name in ("one", "two", "three")), reply("That is all.")
    )

    asked = house.ask("open one, two, three and four")

    assert house.gemini.requests[-1].enum("action") == ("reply",)
    assert asked.reply.endswith("That is all.")


def test_a_spent_budget_of_model_calls_ends_in_an_honest_line(house):
    house.configure("[budgets]\nmodel_calls = 2\n")
    house.model_plans({"action": "open_app", "app": "one"}, {"action": "open_app", "app": "two"})

    asked = house.ask("open everything")

    assert asked.status == ("failed", 124)
    assert asked.reply == "Started One.\nStarted Two."
    assert "2 times" in asked.summary["error"]["message"]


def test_an_app_that_is_missing_may_be_made_good_by_its_site(house):
    house.desktop.fails["spotify"] = NotInstalled("No app named spotify is installed.")
    house.search_finds("https://spotify.example/")
    house.model_plans(
        {"action": "open_app", "app": "spotify", "finish": True},
        {"action": "search", "query": "spotify"},
        open_("r1"),
    )

    asked = house.ask("open spotify")

    assert asked.steps == [("open_app", "failed"), ("search", "done"), ("open_website", "done")]
    assert asked.status == ("done", 0)


def test_a_screenshot_goes_to_the_pictures_folder(house):
    house.model_plans({"action": "take_screenshot", "finish": True})

    asked = house.ask("take a screenshot please, would you")

    (path,) = house.desktop.captured
    assert path.startswith(f"{house.home}/Pictures/Jarvis/Screenshot ")
    assert asked.reply == f"Saved {path} (1280x800, it stays on this machine)."


def test_a_dry_run_searches_but_opens_nothing(house):
    house.search_finds(MIT)
    house.model_plans(FIND, open_("r1"))

    asked = house.ask("find the MIT website and open it", dry_run=True)

    assert asked.reply == f"Would open {MIT}."
    assert asked.status == ("done", 0)
    assert house.desktop.opened == []
    assert house.cost == (2, 1)


def test_a_search_that_finds_nothing_is_no_failure(house):
    house.serpapi.finds({"error": "Google hasn't returned any results for this query."})
    house.model_plans(FIND, reply("I found nothing."))

    asked = house.ask("find zzqx")

    assert asked.status == ("done", 0)
    assert "nothing found" in house.prompts[1]


def test_a_failed_search_fails_the_turn_and_its_answer_is_marked_as_from_memory(house):
    house.serpapi.finds({"error": "Invalid API key."})
    house.model_plans(FIND, reply("It is 5 km long."))

    asked = house.ask("how long is the bridge?")

    assert asked.status == ("failed", 77)
    assert asked.reply.startswith("The search for “MIT official website” failed: ")
    assert asked[-2].from_memory
    assert "search" not in house.gemini.requests[1].enum("action")
