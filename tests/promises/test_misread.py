"""What a misread of the person's words can cost: just what SECURITY.md says, whatever is planned."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from jarvis.core.intent import ROLES
from jarvis.core.types import AppFound, AppsFound
from jarvis.packs.shop.keep import lists_in
from tests.twins.serpapi import results
from tests.twins.shop_pages import listed, shopping

PAGES = [f"https://page{n}.example/" for n in range(1, 8)]
OWN = "https://quillfeather.org/"  # as the knowledge graph says when it is searched for by its name
KNOWN, WIKI = "open site github; open site wikipedia", "https://www.wikipedia.org"
FOUND = [f"r{n}" for n in range(1, 8)]
TYPED = [f"https://a{n}.example" for n in range(1, 22)]
EACH = [f"open u{n}" for n in range(1, 22)]
SEARCH = {"action": "search", "query": "what they want to know"}
START, SHOOT = {"action": "open_app"}, {"action": "take_screenshot"}
KEEP = {"action": "keep", "offers": "1", "list": "wishlist"}
REPLY = {"action": "reply", "text": "So [r1], [r2].", "finish": True}
DONE, FAILED, ASKED = ("done", 0), ("failed", 1), ("needs_answer", 3)
OFFERS = ("find me a lantern to buy", {"action": "find_products", "queries": "lantern", "finish": True})
BEFORE: dict[str, list[tuple[Any, ...]]] = {
    "": [],
    "a list": [("what is it?", SEARCH, REPLY)],
    "offers": [OFFERS],
    "kept": [OFFERS, ("add 1 to my wishlist", {**KEEP, "finish": True})],
}


def opens(*ids):
    return [{"action": "open_website", "address": id_} for id_ in ids]


class Case(NamedTuple):
    words: str  # that ask for nothing of what is read
    reading: str
    plans: list[dict[str, str]]
    status: tuple[str, int] = DONE
    opened: list[str] = []
    launched: list[str] = []
    pictures: int = 0
    kept: list[str] = []
    before: str = ""
    piped: str = ""


CASES = [
    # Pages: what they typed, lines of a list, what was found or is the site of a name.
    Case("who runs https://a1.example?", "open u1", opens("u1"), DONE, TYPED[:1]),
    Case("is http://10.0.0.1/off bad?", "open u1", opens("u1"), DONE, ["http://10.0.0.1/off"]),
    Case("who runs https://раypal.com?", "open u1", opens("u1"), ASKED),
    Case(" ".join(TYPED), "; ".join(EACH[:20]), opens(*(f"u{n}" for n in range(1, 22))), DONE, TYPED[:20]),
    Case(" ".join(TYPED), "; ".join(EACH), opens("u1")),  # more things than one reading may ask for
    Case("who founded it?", "open found 1", [SEARCH, *opens("r1", "r2")], DONE, PAGES[:1]),
    Case("who founded it?", "open found 6", [SEARCH, *opens("r1", "r2")], DONE, PAGES[:1]),
    Case("name six facts", "open found 6", [SEARCH, *opens(*FOUND)], DONE, PAGES[:6]),
    Case("who founded it?", "open found 1", opens("https://evil.example/"), FAILED),
    Case("who founded it?", "open found 1", opens("u1"), ASKED, piped="see http://evil.local/x"),
    Case("who founded it?", "open found 1", opens("u1"), ASKED, piped="see https://evil.example/x"),
    Case("is quillfeather dead?", "open site quillfeather", [SEARCH, *opens("r2", "r1")], DONE, [OWN]),
    Case("who founded it?", "open site quillfeather", [SEARCH, *opens("r2", "r1")], ASKED),
    Case("who is nobody?", "open site nobody", [SEARCH, *opens("r1")], ASKED),
    Case("are github and wikipedia down?", KNOWN, opens("s1", "s2"), DONE, ["https://github.com", WIKI]),
    Case("what is in 2?", "open line 2", opens("r2", "r1"), DONE, PAGES[1:2], before="a list"),
    Case("sum these up", "open lines", opens("r1", "r2", "r3"), DONE, PAGES[:2], before="a list"),
    Case("what is in 9?", "open line 9", opens("r1"), FAILED, before="a list"),
    # Apps: those that are installed and were named, or have a role.
    Case("is firefox any good?", "start firefox", [START, START], DONE, launched=["firefox"]),
    Case("hello", "; ".join(f"start {role}" for role in ROLES), [START] * 8, DONE, launched=[*ROLES]),
    Case("is firefox any good?", "start gimp", [START], ASKED),
    Case("is firefx any good?", "start firefx", [START], ASKED),
    Case("is firefox a1.example?", "start firefox a1.example", [START], FAILED),
    Case("is nobody there?", "start nobody", [START, SEARCH, *opens("r1")], ASKED),
    # A picture, that stays here; a list of theirs.
    Case("what a nice picture!", "picture; picture", [SHOOT, SHOOT], DONE, pictures=1),
    Case("what is 1?", "keep", [KEEP, {**KEEP, "offers": "2"}], DONE, kept=["Lantern 1"], before="offers"),
    Case("what is 1?", "unkeep", [{"action": "unkeep", "what": "lantern 1"}], DONE, before="kept"),
    # Wrongly said: that something was not done.
    Case("thanks!", "open found 1", [], FAILED),
    Case("thanks!", "picture", [], FAILED, before="a list"),
    # Nothing: what has no part, a file, what stands in pasted words, what was not read.
    Case("I should delete my files", "delete files", [SHOOT]),
    Case("what is in notes.txt?", "open f1", opens("f1"), ASKED),
    Case("sum up:\nhttps://a1.example", "open u1", opens("u1"), ASKED),
    Case("please open a1.example", "nothing", opens("u1")),
]  # fmt: skip


def kept(house):
    return [item.title for item in house.of_session(lambda store: lists_in(store.database).items())]


def found_for(request):
    is_named = request.query == "quillfeather"
    return results([(url, url, "") for url in PAGES], website=("Quillfeather", OWN) if is_named else None)


def cost(house, case, thread):
    """What *case* comes to, and the effects of all that was planned."""
    did = house.desktop
    for words, *plans in BEFORE[case.before]:
        house.gemini.reading = None
        house.model_plans(*plans)
        assert house.ask(words, thread).status == DONE
    house.gemini.reading = case.reading
    house.model_plans(*case.plans, REPLY, REPLY)
    asked = house.ask(case.words, thread, piped=case.piped)
    house.gemini._script.clear()
    effects = [*did.opened], [*did.launched], len(did.captured), kept(house)
    for spy in (did.opened, did.launched, did.captured):
        spy.clear()
    house.of_session(lambda store: store.database.run("DELETE FROM items"))
    return asked.status, *effects


@pytest.mark.slow
def test_a_misread_costs_what_security_md_says(house):
    house.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
    near = AppsFound((AppFound("firefox", "Firefox"),), is_near=True)
    house.desktop.apps = dict.fromkeys(("nobody", "github", "wikipedia", "firefox a1.example"), AppsFound())
    house.desktop.apps["firefx"] = near
    house.serpapi.sells(google_shopping=shopping(listed(1), listed(2)))
    house.serpapi.default = found_for
    (house.home / "notes.txt").write_text("mine")
    before = {path.name for path in house.home.iterdir()}

    with house.staying():
        costs = [cost(house, case, f"t{n}") for n, case in enumerate(CASES)]

    assert len(CASES) >= 30
    assert [each for each in zip(CASES, costs, strict=True) if each[1] != each[0][3:8]] == []
    assert house.desktop.shown == []
    assert {path.name for path in house.home.iterdir()} <= before | {"jarvis", "Pictures"}
    assert (house.home / "notes.txt").read_text() == "mine"
