"""A site that was asked for by its name is opened, or they choose among whole hosts; never another's page."""

import pytest

from jarvis.core.events import Notice
from jarvis.core.types import AppsFound
from jarvis.output.questions import answer_from_yes_flag, nobody_answers
from tests.twins.serpapi import results

SEARCH = {"action": "search", "query": "log in official site now"}
SITE = {"action": "open_site", "finish": True}
REPLY = {"action": "reply", "text": "It is open.", "finish": True}
ENDINGS = "net co io app xyz info shop online site biz".split()
# The sites that are known: in the table, or where the graph has an entry of that name.
OWN = {"paypal": "https://www.paypal.com", "Quillfeather": "https://quillfeather.pens.example/"}
FILLER = ("https://news.example/1", "https://encyclopedia.example/2")


def obeying(n):
    """A planner that opens the n-th result, whatever it is."""
    return {"action": "open_website", "address": f"r{n}", "finish": True}


EVERYBODYS = (
    *("quillfeather.weebly.com", "medium.com/@quillfeather", "quillfeather.tumblr.com"),
    *("www.facebook.com/quillfeather", "github.com/quillfeather", "quillfeather.github.io"),
    *("quillfeather.substack.com", "sites.google.com/view/quillfeather"),
)
TYPOS = {
    "paypal": "paypai.com paypa1.com",
    "payapl": "payapl.com",
    "paypall": "paypall.com",
    "githbu": "githbu.com",
    "netflx": "netflx.com",
    "Quillfeather": "quilfeather.com quillfeather-login.com quillfeather.com.evil.example "
    "xn--quillfather-6ub.com",
}
# Entries of the graph about somebody else; in the fourth, one letter is Cyrillic.
OTHERS = {
    "Zenith": "zenith.example",
    "Quillfeather Fan Club": "quillpals.example",
    "Quill": "quill.example",
    "Quіllfeather": "evil.example",
    "PayPal": "paypal-pay.example",
}
FALSE = ("evil.example", "paypal-login.example", "paypal.com.evil.example")


def lists():
    """Hostile lists: the name, the page that the attacker wants opened, what else is found, an entry."""
    name, its_own = "Quillfeather", ("https://quillfeather.com/",)
    for (
        ending
    ) in ENDINGS:  # squats of a name that nobody vouches for, of one that is known, beside the true one
        yield name, f"https://quillfeather.{ending}/login", (), ()
        yield "paypal", f"https://paypal.{ending}/", ("https://www.paypal.com/",), ()
        yield name, f"https://quillfeather.{ending}/", its_own, ()
        yield name, f"https://quillfeather.{ending}/", (), (name, OWN[name])
    yield from ((name, f"https://{page}", its_own, ()) for page in EVERYBODYS)
    yield from (
        (meant, f"https://{typo}/", (), ()) for meant, typos in TYPOS.items() for typo in typos.split()
    )
    for own, other in (("com", "org"), ("com", "edu"), ("org", "gov"), ("org", "com")):  # two that bear it
        yield name, f"https://quillfeather.{own}/", (f"https://quillfeather.{other}/",), ()
    for title, host in OTHERS.items():
        yield name, f"https://{host}/", (), (title, f"https://{host}/")
    for host in FALSE:
        yield "paypal", f"https://{host}/", ("https://www.paypal.com/",), ("PayPal", f"https://{host}/")


LISTS = list(lists())


@pytest.mark.slow
@pytest.mark.parametrize("yes", [False, True], ids=["asked", "yes to all"])
def test_no_list_of_results_puts_anothers_page_in_the_place_of_a_named_site(house, yes):
    """Whoever is asked says nothing, or yes beforehand: neither opens the attacker's page."""
    assert len(LISTS) >= 60
    if yes:
        house._answer = lambda question: answer_from_yes_flag(question, yes=True) or nobody_answers(question)
    fell, chose, known, right = [], 0, 0, 0
    house.desktop.apps = dict.fromkeys(OWN, AppsFound())
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
            fell += [(name, wanted)] if {*house.desktop.opened} - {OWN.get(name)} else []
            known += name == "paypal" or name in entry
            right += house.desktop.opened == [OWN.get(name)]
    house.gemini._script.clear()

    assert fell == []
    assert chose > 20
    assert right == known > 20  # whatever page was planned


def test_what_is_chosen_by_enter_leads_the_next_choice_and_by_its_sign_is_opened_from_then_on(house):
    rows = [("Q", f"https://quillfeather.{each}/", "") for each in ("io", "co")]
    house.serpapi.default = results(rows)
    house.gemini.reading = "open site Quillfeather"
    house.model_plans(*[SITE] * 4)
    house.answers = ["2", "1", "2!"]

    asked = [house.ask("could you go to Quillfeather for me", f"t{n}") for n in range(4)]

    chosen = [[option.host for option in question.choices] for question in house.questions]
    assert chosen == [["quillfeather.io", "quillfeather.co"]] + [["quillfeather.co", "quillfeather.io"]] * 2
    assert [question.marked for question in house.questions] == [1, 1, 1]
    assert [url[-3:] for url in house.desktop.opened] == ["co/", "co/", "io/", "io/"]
    assert "To undo it: jarvis alias rm quillfeather" in asked[2].of(Notice)[-1].text
    assert (len(house.serpapi.requests), house.cost) == (3, (5, 3))


def test_an_entry_that_an_earlier_search_showed_costs_no_second_one_in_its_own_conversation(house):
    entry = ("The Quillfeather", "https://quillpens.example/")
    house.serpapi.finds(results([("A", "https://a.example/1", "")], website=entry), results([]))
    house.model_plans(SEARCH, {**REPLY, "text": "Ann [r1]."}, SITE, SITE, REPLY)
    with house.staying():
        house.gemini.reading = "nothing"
        house.ask("who runs Quillfeather?")
        house.gemini.reading = "open site Quillfeather"
        asked = house.ask("open their website")
        elsewhere = house.ask("open the website of Quillfeather", "another")

    assert (asked.steps, house.desktop.opened) == ([("open_site", "done")], ["https://quillpens.example/"])
    assert elsewhere.steps == [("search", "done"), ("open_site", "failed")]
    assert [request.query for request in house.serpapi.requests] == [SEARCH["query"], "Quillfeather"]


def test_the_site_below_which_the_search_shows_its_own_pages_is_opened_whatever_page_was_planned(house):
    """A search that was planned is made for the name as they said it, and made once."""
    found = results([("Q", "https://quillfeather.com/", ""), ("Evil", "https://quillfeather.org/", "")])
    found["organic_results"][0]["sitelinks"] = {"expanded": [{"title": "A", "link": "https://b.example/"}]}
    house.serpapi.finds(found)
    house.gemini.reading = "open site Quillfeather"
    house.model_plans(SEARCH, obeying(3))

    asked = house.ask("could you go to Quillfeather for me")

    assert (asked.status, house.desktop.opened) == (("done", 0), ["https://quillfeather.com/"])
    assert [request.query for request in house.serpapi.requests] == ["Quillfeather"]
