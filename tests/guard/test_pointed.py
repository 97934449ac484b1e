"""What was listed or opened before is opened where it is pointed at."""

from __future__ import annotations

import pytest

from jarvis import guard
from jarvis.grant import grant_of
from jarvis.guard import ALLOW, ASK, REFUSE
from jarvis.policy import Policy
from jarvis.turn import Address, Effect
from tests.guard.verdicts import FOUND, MIT, NEWS, WIKI, facts, opening


def earlier(**known):
    return facts(*FOUND, now=(), **known)


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("open the second one", WIKI),
        ("open 2", WIKI),
        ("visit the third", NEWS),
        ("open the last link", NEWS),
        ("open number 1", MIT),
        ("open the first result please", MIT),
        ("open the wikipedia one", WIKI),
        ("open en.wikipedia.org", WIKI),
        ("open their website", MIT),
        ("open it", MIT),
        ("go to that page", MIT),
        ("open the MIT website", MIT),
        ("take me to its homepage", MIT),
        ("open the 2nd and 3rd ones", WIKI),
        ("open the 2nd and 3rd ones", NEWS),
        ("open the second to last one", WIKI),
        ("open all of them", NEWS),
        ("open the first two results", WIKI),
        ("open 1 and 3", NEWS),
        ("open [2]", WIKI),
        ("open the last two", WIKI),
        ("open the top result", MIT),
        ("pull it up", MIT),
        ("bring it up please", MIT),
        ("pull the second one up", WIKI),
        ("click on the second link", WIKI),
        ("the second one please", WIKI),
        ("#2", WIKI),
        ("yes, the second one", WIKI),
        ("actually, the third one", NEWS),
        ("open the second one, not the first one", WIKI),
        ("open the second one not the first one", WIKI),
    ],
)
def test_an_address_from_an_earlier_turn_is_opened_if_it_is_pointed_at(words, address):
    assert opening(words, address, earlier(shown=("r1", "r2", "r3"))) == ALLOW


@pytest.mark.parametrize(
    ("words", "address", "verdict"),
    [
        ("open their website", WIKI, ASK),
        ("open the second one", NEWS, REFUSE),
        ("open the page on physics", WIKI, ASK),
        ("what is the second one?", WIKI, ASK),
        ("who was that?", MIT, ASK),
        ("open the best one", NEWS, ASK),
        ("open the second one, not the first one", MIT, REFUSE),
        ("open the second one not the first one", MIT, REFUSE),
        ("open the first two results", NEWS, REFUSE),
        ("open all but the first one", MIT, ASK),
        ("open the third one because the first link is broken", MIT, REFUSE),
        ("open the one about news, not the first one", NEWS, ASK),
        ("is the second one any good", WIKI, ASK),
        ("what about the second one", WIKI, ASK),
        ("2", WIKI, ASK),
        ("all", WIKI, ASK),
        ("no 2", WIKI, ASK),
        ("open the fourth one", MIT, ASK),
    ],
)
def test_another_than_the_one_they_point_at_is_not_opened(words, address, verdict):
    assert opening(words, address, earlier(shown=("r1", "r2", "r3"))) == verdict


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("the wikipedia one", WIKI),
        ("wikipedia one please", WIKI),
        ("the mit-news link", NEWS),
        ("go with the first", MIT),
        ("i'll take the third one", NEWS),
        ("first", MIT),
    ],
)
def test_without_a_verb_only_what_was_listed_is_meant(words, address):
    assert opening(words, address, earlier(shown=("r1", "r2", "r3"))) == ALLOW
    assert opening(words, address, facts()) == ASK
    assert opening(words, address, facts(*FOUND, now=())) == ASK


def test_where_no_list_was_shown_nobody_points_at_a_line_of_it():
    assert opening("open the second one", NEWS) == ASK
    assert opening("open the wikipedia one", NEWS, earlier(shown=("r1", "r2", "r3"))) == ASK


def test_where_several_may_be_meant_they_choose():
    other = MIT._replace(id="r8", url="https://www.tesla.com/", title="Tesla")
    known = facts(MIT, other, WIKI, now=(), shown=("r1", "r8", "r2"))
    effect = Effect("opens", MIT.url, MIT)

    verdict = guard.check(effect, grant_of("open their website"), known, Policy())

    assert (verdict.verdict, verdict.choices) == (ASK, ("r1", "r8"))


def test_what_was_opened_last_is_opened_again():
    assert opening("open it again", WIKI, earlier(opened=(("r2", "open wikipedia"),))) == ALLOW
    assert opening("open it again", NEWS, earlier(opened=(("r2", "open wikipedia"),))) == ASK


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("open it again", ALLOW),
        ("reopen it", ALLOW),
        ("open that page again please", ALLOW),
        ("go back there", ALLOW),
        ("open the same page", ALLOW),
        ("open firefox again", ASK),
        ("go back to github", ASK),
        ("start spotify and play the same song", ASK),
    ],
)
@pytest.mark.parametrize("before", ["", "who founded it?", "take a screenshot"])
def test_only_what_is_pointed_at_is_opened_again(words, before, verdict):
    known = earlier(opened=(("r2", "open wikipedia"),))
    effect = Effect("opens", WIKI.url, WIKI)

    assert guard.check(effect, grant_of(words, before), known, Policy()).verdict == verdict


def test_a_site_is_not_called_by_what_anybody_may_put_before_their_own():
    evil = Address("r9", "https://wikipedia.evil.example/", "Wikipedia", source="found")

    assert opening("open the wikipedia one", evil, facts(evil, now=(), shown=("r1",))) == ASK
    assert opening("open the wikipedia one", WIKI, earlier(shown=("r1",))) == ALLOW


def test_what_was_opened_for_the_same_words_is_opened_for_them_again():
    known = earlier(opened=(("r2", "x"), ("r3", "open the news page")))

    assert opening("open the news page", NEWS, known) == ALLOW
    assert opening("open the other page", NEWS, known) == ASK


def test_asked_to_try_again_they_mean_what_they_asked_before():
    assert grant_of("try again!", "open a.example").named == {"https://a.example"}
    assert grant_of("once more please", "take a screenshot").captures == "said"
    assert grant_of("again", "what is a.example?").opens == "unsaid"
    assert grant_of("try the other one", "open a.example").opens == "unsaid"


def test_what_stood_in_what_was_piped_in_is_asked_about():
    piped = Address("u1", "https://a.example/", source="piped")

    assert opening("open the link in this", piped, facts(piped, now=())) == ASK
