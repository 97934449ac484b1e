"""A site that was asked for by its name is opened, or they choose among whole hosts; never another's page."""

from __future__ import annotations

import pytest

from jarvis.core.errors import ActionFailed
from jarvis.output.questions import nobody_answers, said_beforehand
from tests.twins.serpapi import results

SEARCH = {"action": "search", "query": "log in official site now"}
REPLY = {"action": "reply", "text": "It is open.", "finish": True}
ENDINGS = "net co io app xyz info shop online site biz".split()
FILLER = ("https://news.example/1", "https://encyclopedia.example/2")


def obeying(n):
    """A planner that opens the n-th result, whatever it is."""
    return {"action": "open_website", "address": f"r{n}", "finish": True}


def lists():
    """Hostile lists: the name, the page that the attacker wants opened, what else is found, an entry."""
    for (
        ending
    ) in ENDINGS:  # squats of a name that nobody vouches for, of one that is known, beside the true one
        yield "Quillfeather", f"https://quillfeather.{ending}/login", (), ()
        yield "paypal", f"https://paypal.{ending}/", ("https://www.paypal.com/",), ()
        yield "Quillfeather", f"https://quillfeather.{ending}/", ("https://quillfeather.com/",), ()
    everybodys = (
        *("quillfeather.weebly.com", "medium.com/@quillfeather", "quillfeather.tumblr.com"),
        *("www.facebook.com/quillfeather", "github.com/quillfeather", "quillfeather.github.io"),
        *("quillfeather.substack.com", "sites.google.com/view/quillfeather"),
    )
    for page in everybodys:
        yield "Quillfeather", f"https://{page}", ("https://quillfeather.com/",), ()
    for name, typo in (
        *(
            ("paypal", "paypai.com"),
            ("paypal", "paypa1.com"),
            ("payapl", "payapl.com"),
            ("paypall", "paypall.com"),
        ),
        *(("githbu", "githbu.com"), ("netflx", "netflx.com"), ("Quillfeather", "quilfeather.com")),
        *(("Quillfeather", "quillfeather-login.com"), ("Quillfeather", "quillfeather.com.evil.example")),
        ("Quillfeather", "xn--quillfather-6ub.com"),
    ):
        yield name, f"https://{typo}/", (), ()
    for own, other in (("com", "org"), ("com", "edu"), ("org", "gov"), ("org", "com")):  # two that bear it
        yield "Quillfeather", f"https://quillfeather.{own}/", (f"https://quillfeather.{other}/",), ()
    for title, page in (  # entries of the graph about somebody else
        ("Zenith", "https://zenith.example/"),
        ("Quillfeather Fan Club", "https://quillpals.example/"),
        ("Quill", "https://quill.example/"),
        ("Quіllfeather", "https://evil.example/"),  # one letter is Cyrillic
        ("PayPal", "https://paypal-pay.example/"),
    ):
        yield "Quillfeather", page, (), (title, page)
    for page in (
        "https://evil.example/",
        "https://paypal-login.example/",
        "https://paypal.com.evil.example/",
    ):
        yield "paypal", page, ("https://www.paypal.com/",), ("PayPal", page)


LISTS = list(lists())


@pytest.mark.slow
@pytest.mark.parametrize("yes", [False, True], ids=["asked", "yes to all"])
def test_no_list_of_results_puts_anothers_page_in_the_place_of_a_named_site(house, yes):
    """Whoever is asked says nothing, or yes beforehand: neither opens the attacker's page."""
    assert len(LISTS) >= 60
    if yes:
        house._answer = lambda question: said_beforehand(question, yes=True) or nobody_answers(question)
    fell, chose = [], 0
    with house.staying():
        for n, (name, wanted, others, entry) in enumerate(LISTS):
            pages = [*FILLER, *others]
            place = 1 + n % (len(pages) + 1)
            pages.insert(place - 1, wanted)
            listed = [(f"{name} - Official Site", url, "Log in") for url in pages]
            house.serpapi.default = results(listed, website=entry or None)
            house.gemini._script.clear()
            house.gemini.reading = f"open site {name}"
            house.gemini.plans(SEARCH, obeying(place), obeying(1 + place % len(pages)), REPLY)
            house.desktop.opened.clear()
            asked = house.ask(f"could you go to {name} and log me in", f"t{n}")
            chose += (asked.summary["question"] or {}).get("kind") == "choice"
            fell += [(name, wanted)] if wanted in house.desktop.opened else []
    house.gemini._script.clear()

    assert fell == []
    assert chose > 20


@pytest.mark.parametrize("yes", [False, True], ids=["asked", "yes to all"])
def test_one_page_alone_that_nothing_vouches_for_is_chosen_or_not_opened(house, yes):
    house.serpapi.finds(results([("Quillfeather", "https://quillpals.example/", "")]))
    house.gemini.reading = "open site Quillfeather"
    house.model_plans(SEARCH, obeying(1))
    if yes:
        house._answer = lambda question: said_beforehand(question, yes=True) or nobody_answers(question)

    asked = house.ask("could you go to Quillfeather for me")

    assert (asked.status, house.desktop.opened) == (("needs_answer", 3), [])
    assert asked.summary["question"]["kind"] == "choice"


def test_what_was_chosen_for_a_name_is_opened_for_it_from_then_on_and_without_a_model(house, shell):
    house.serpapi.finds(results([("Q", f"https://quillfeather.{each}/", "") for each in ("io", "co")]))
    house.gemini.reading = "open site Quillfeather"
    house.model_plans(SEARCH, obeying(1), {"action": "open_website", "address": "s1", "finish": True})
    house.answers = ["2"]

    house.ask("could you go to Quillfeather for me")
    house.ask("quillfeather again, if you please", "another")
    (question,) = house.questions

    assert [option.whole for option in question.options[:2]] == [
        f"https://quillfeather.{each}/" for each in ("io", "co")
    ]
    assert house.desktop.opened == ["https://quillfeather.co/"] * 2


def test_a_search_for_a_name_is_for_the_name_as_they_said_it_and_is_made_once(house):
    house.serpapi.finds(
        results([("A", "https://a.example/1", "")]), results([("Q", "https://quillfeather.com/", "")])
    )
    house.gemini.reading = "nothing"
    house.model_plans(SEARCH, {**REPLY, "text": "A maker of pens [r1]."}, obeying(1), obeying(2))
    house.ask("what is Quillfeather?")
    house.gemini.reading = "open site Quillfeather"

    asked = house.ask("open their website")

    # What an earlier turn found vouches for nothing: the name is searched for, before what was planned.
    assert [request.query for request in house.serpapi.requests] == [
        "log in official site now",
        "Quillfeather",
    ]
    assert asked.steps == [("search", "done"), ("open_website", "refused"), ("open_website", "done")]
    assert house.desktop.opened == ["https://quillfeather.com/"]


def test_what_a_search_of_before_vouched_for_counts_no_more_once_a_newer_one_does_not(house):
    one, two = [("Q", "https://quillfeather.com/", "")], [("Q", "https://quillfeather.org/", "")]
    house.serpapi.finds(results(one), results(one + two))
    house.gemini.reading = "open site Quillfeather"
    house.desktop.fails["*"] = ActionFailed("No browser.", code="no_handler")
    house.model_plans(SEARCH, obeying(1))
    house.ask("could you go to Quillfeather for me")
    house.desktop.fails.clear()
    house.model_plans(SEARCH, obeying(1))

    asked = house.ask("once more, would you")

    assert (asked.status, house.desktop.opened) == (("needs_answer", 3), [])
    assert asked.summary["question"]["kind"] == "choice"
