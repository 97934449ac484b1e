"""Each sentence of SECURITY.md is held by the tests in data/security.txt, or states a limit of the world."""

import ast
import re
from pathlib import Path

import pytest

from jarvis.actions.base import plannable
from jarvis.core.intent import ROLES
from jarvis.core.types import LOOKUPS
from jarvis.packs.pack import actions_of, all_packs
from tests.lying import plan
from tests.twins.serpapi import results

TESTS = Path(__file__).parents[1]
# How sentences begin, and below them the tests that fail where these are not true.
HELD = (TESTS / "data/security.txt").read_text(encoding="utf-8")

# Sentences that no test can hold, and why.
WORLD = {
    "Jarvis reads what strangers wrote": "says what the paper is about",
    "Then only its reply says": "goes with the sentence before it",
    "In a later request, something": "a limit: a model may say less than it was asked",
    "They can make a reply wrong": "a limit: a model may believe what it reads",
    "Anyone who can write to the database": "a limit: what a row says was said is believed",
    "That changes what “it”": "goes with the sentence before it",
    "A page that opens may lead": "what a browser does with a page is its own",
    "Prices are what services say": "a limit: services may be wrong",
    "A pack is a folder": "a limit of Python: what is imported may do all",
    "Programs that run as you": "a limit of the system",
    "With `python -m jarvis`": "a limit of Python, which reads that folder by itself",
    "Jarvis has never run": "a fact about us",
    "Don't use a public issue": "asks something of the reader",
    "Use Security → Report": "asks something of the reader",
    "Describe what you did": "asks something of the reader",
    "Leave real keys out": "asks something of the reader",
}


def sentences(paper):
    lines = [line.removeprefix("- ").replace("**", "") for line in paper.splitlines() if line[:1] != "#"]
    return [each for line in lines for each in re.split(r"(?<=[.!?:]) (?=[A-Z`])", line) if each]


def held():
    """Yield each beginning with its tests: those below it, or below the last of its group."""
    for group in re.findall(r"^((?:\S.*\n)+)((?: .*\n)+)", HELD, re.MULTILINE):
        begun, tests = (text.splitlines() for text in group)
        yield from ((beginning, [each.strip() for each in tests]) for beginning in begun)


def test_each_sentence_is_held_by_a_test_or_is_a_limit_of_the_world():
    said = sentences((TESTS.parent / "SECURITY.md").read_text(encoding="utf-8"))
    begun = [beginning for beginning, _ in held()] + [*WORLD]

    found = {each: [beginning for beginning in begun if each.startswith(beginning)] for each in said}

    assert {each: by for each, by in found.items() if len(by) != 1} == {}
    assert sorted(begun) == sorted(by for (by,) in found.values())


def test_each_test_that_is_named_is_there():
    named = {each for _, tests in held() for each in tests}
    there = {
        f"{path}::{node.name}"
        for path in {each.partition("::")[0] for each in named}
        for node in ast.walk(ast.parse((TESTS / path).read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }

    assert len(named) > 60
    assert named - there == set()


def test_no_more_can_be_misread_than_it_lists():
    actions = [
        *plannable().values(),
        *(each for pack in all_packs().values() for each in actions_of(pack).values()),
    ]
    opens = {"open uN", "open line N", "open lines", "open site NAME", "open found N", "start NAME"}
    shows = {"picture", "picture of window", "look at screen", "look at window", "look at clipboard"}
    packs = {"keep", "unkeep", "approve", "record NAME"}

    assert {want.form for action in actions for want in action.wants} == opens | shows | packs
    assert {action.effect for action in actions if not action.wants} == {*LOOKUPS}
    assert f"or your {', '.join(ROLES[:-1])}, or {ROLES[-1]}\n" in (TESTS.parent / "SECURITY.md").read_text(
        encoding="utf-8"
    )


def test_the_model_has_no_field_for_an_address_an_app_or_a_site(house):
    house.gemini.reading = "open u1; start firefox; open site Larch Museum"
    house.model_plans(plan("reply", text="No."))

    house.ask("would you bring up https://a.example, firefox and the site of the Larch Museum")

    (request,) = house.gemini.requests
    assert {"open_website", "open_site", "open_app"} <= {*request.enum("action")}
    assert request.enum("address") == ("u1",)
    assert {*request.schema["properties"]} == {
        *("wants", "action", "address", "query", "pack", "finish", "text")
    }


def test_no_later_call_adds_to_what_the_words_were_read_as(house):
    house.search_finds("https://evil.example/")
    more = {"wants": "open found 1; picture; start firefox"}
    acts = [plan("open_website", address="r1"), plan("take_screenshot"), plan("open_app")]
    search, reply = plan("search", query="tickets", finish=False), plan("reply", text="Done.")
    house.model_plans({"wants": "nothing"} | search, *(each | more for each in acts), reply, reply)

    asked = house.ask("which tickets are there, and who sells them?")

    assert (house.desktop.opened, house.desktop.captured, house.desktop.launched) == ([], [], [])
    assert (asked.summary["intent"], len(house.serpapi.requests)) == ([], 1)
    assert "wants" not in house.gemini.requests[1].schema["properties"]


ODD = "https://xn--mnchen-ticket-wob.example/"


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_what_is_allowed_for_good_is_allowed_on_this_machine_alone(house, tmp_path):
    other = house.elsewhere(str(tmp_path / "another machine"))
    house.gemini.reading, house.answers = "open found 1", ["a"]
    for home in (house, house, other):
        home.search_finds(ODD)
        home.model_plans(plan("search", query="tickets", finish=False), plan("open_website", address="r1"))
        home.ask("find tickets and open that page", f"t{len(house.gemini.requests)}")

    assert (len(house.questions), house.desktop.opened) == (1, [ODD] * 2)
    assert (len(other.questions), other.desktop.opened) == (1, [])


@pytest.mark.parametrize("way", ["-f", "a pipe"])
def test_what_is_piped_in_or_given_is_kept_and_no_search_asked_about(shell, way):
    (shell.home / "notes.txt").write_text("The mill is 4711 years old.\nReally.\n")
    shell.serpapi.finds(results([]))
    shell.gemini.plans(plan("search", query="mill 4711", finish=False), plan("reply", text="So it is."))

    with (shell.home / "notes.txt").open() as notes:
        given = {"argv": ("-f", "notes.txt")} if way == "-f" else {"stdin": notes.fileno()}
        done = shell.jarvis("look this up", *given.pop("argv", ()), cwd=shell.home, **given)

    assert (done.status, len(shell.serpapi.requests)) == (0, 1)
    assert b"4711 years old" in (shell.home / "jarvis/data/history.db").read_bytes()
