"""Names of apps and sites: what one means on this machine, what is asked about, and what is remembered."""

import pytest

from jarvis.core.types import AppFound, AppsFound
from tests.planned import opening, reply

START = {"action": "open_app", "finish": True}
EDITORS = AppsFound((AppFound("gedit.desktop", "Text Editor"), AppFound("kate.desktop", "Kate")))
NONE = AppsFound()
SLACK = "https://app.slack.com"


def test_of_several_apps_one_is_chosen_and_means_it_from_now_on(house):
    house.desktop.apps["writer"] = EDITORS
    house.gemini.reading = "start writer"
    house.model_plans(START, START)
    house.answers = ["2!"]

    first, second = house.ask("start the writer please"), house.ask("and the writer once more")

    (question,) = house.questions
    assert (question.kind, [option.title for option in question.options]) == (
        *("choice", ["Text Editor", "Kate", "none of these"]),
    )
    assert house.desktop.launched == ["kate.desktop", "kate.desktop"]
    assert first.status == second.status == ("done", 0)


@pytest.mark.parametrize("plans", [[START], []], ids=["the app is planned first", "the search is"])
def test_an_app_that_is_not_installed_counts_as_its_site(house, plans):
    house.desktop.apps["acmeplay"] = NONE
    house.gemini.reading = "start acmeplay"
    house.search_finds("https://acmeplay.example/", website=("acmeplay", "https://acmeplay.example/"))
    house.model_plans(*plans, {"action": "search", "query": "acmeplay"}, opening("r1"))

    asked = house.ask("fire up acmeplay please")

    assert house.desktop.opened == ["https://acmeplay.example/"]
    assert asked.steps == [("open_app", "failed")] * len(plans) + [
        ("search", "done"),
        ("open_site", "done"),
    ]
    assert asked.status == ("done", 0)
    assert ["open_app" in request.enum("action") for request in house.gemini.planning[len(plans) :]] == (
        [False] * 2 if plans else [True] * 2
    )


# How it is read, what is planned, and what they choose.
BOTH_MEANINGS = [
    (reading, plan, answer)
    for reading, plan in (("start slack", START), ("open site slack", opening("s1")))
    for answer in ("1", "2", "n")
]


@pytest.mark.parametrize(("reading", "plan", "answer"), BOTH_MEANINGS)
def test_an_app_and_a_known_site_of_one_name_are_a_choice_and_remembered(house, reading, plan, answer):
    house.gemini.reading = reading
    house.model_plans(plan, *([reply()] if answer == "n" else []))
    house.answers = [answer]

    asked = house.ask("could you open slack for me")

    (question,) = house.questions
    assert (question.kind, question.reason) == ("choice", "“slack” can mean each of these")
    done = {"1": ([SLACK], []), "2": ([], ["slack"]), "n": ([], [])}[answer]
    assert (house.desktop.opened, house.desktop.launched) == done
    assert asked.status == (("refused", 4) if answer == "n" else ("done", 0))


@pytest.mark.parametrize("reading", ["start slack", "open site slack"])
@pytest.mark.parametrize(("answer", "again"), [("1!", opening("s2")), ("2!", START)], ids=["site", "app"])
def test_which_of_them_they_chose_holds_from_then_on(house, reading, answer, again):
    house.gemini.reading = reading
    house.model_plans(START if reading == "start slack" else opening("s1"), again)
    house.answers = [answer]

    house.ask("could you open slack for me")
    asked = house.ask("slack again if you would")

    assert len(house.questions) == 1
    assert (len(house.desktop.opened), len(house.desktop.launched)) == ((2, 0) if answer == "1!" else (0, 2))
    assert asked.status == ("done", 0)


# words → the names of the sites that are offered with them
OFFERED = {
    "please go to gmail": ["gmail"],
    "what's new on GitHub and on gmail's front page?": ["github", "gmail"],
    "open hacker news please": ["hacker news"],
    "what is the longest bridge?": [],
    "what is on https://github.com/x?": [],
    "githubbing is fun": [],
}


@pytest.mark.parametrize(("words", "names"), OFFERED.items())
def test_known_sites_are_offered_where_the_words_name_them(house, words, names):
    house.model_plans(reply())

    house.ask(words)

    official = [line for line in house.prompts[0].splitlines() if line.startswith("Official: ")]
    told = ", ".join(f"s{n} of “{name}”" for n, name in enumerate(names, 1))
    assert official == ([f"Official: {told}"] if names else [])
