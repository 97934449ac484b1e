"""What the person has said for good, and what it never makes good."""

from __future__ import annotations

import pytest
from jarvis.grant import grant_of

from jarvis import guard, turn
from jarvis.guard import ALLOW, ASK, REFUSE
from jarvis.policy import Policy, Rule
from jarvis.turn import Address, Effect, Grant
from tests.guard.verdicts import MIT, MUNICH, facts, opening, starting


def test_an_effect_without_a_rule_is_refused_and_one_that_changes_something_is_asked_about():
    assert guard.check(Effect("nonsense", ""), grant_of("do it"), facts(), Policy()).verdict == REFUSE
    assert guard.check(Effect("writes", "x"), grant_of("do it"), facts(), Policy()).verdict == ASK


def test_a_rule_that_denies_holds_for_what_they_typed_too():
    deny = Policy((Rule(1, "deny", "opens", "a.example"), Rule(2, "deny", "launches", "steam")))
    typed = Address("u1", "https://a.example")

    assert opening("open a.example", typed, facts(typed, now=()), deny) == REFUSE
    assert starting("open Steam", "Steam", policy=deny) == REFUSE


def test_a_rule_that_allows_makes_a_question_unnecessary_for_exactly_that_host():
    rules = Policy((Rule(1, "allow", "opens", "xn--mnchen-3ya.example"),))
    words = "find the ticket shop and open it"

    assert opening(words, MUNICH, facts(now=(MUNICH,)), rules) == ALLOW
    other = MUNICH._replace(id="r9", url="https://www.xn--mnchen-3ya.example/")
    assert opening(words, other, facts(now=(other,)), rules) == ASK


def test_no_rule_makes_good_what_was_forbidden_now():
    rules = Policy((Rule(1, "allow", "opens"), Rule(2, "allow", "launches"), Rule(3, "allow", "captures")))

    assert opening("don't open the MIT website", MIT, policy=rules) == REFUSE
    assert opening("open the MIT website", MIT, facts(done=("opens",)), rules) == REFUSE
    assert starting("who runs Tesla?", "Terminal", policy=rules) == REFUSE


def test_a_rule_that_asks_asks_for_what_is_named_too():
    rules = Policy((Rule(1, "ask", "opens", "a.example"),))
    typed = Address("u1", "https://a.example")

    assert opening("open a.example", typed, facts(typed, now=()), rules) == ASK


def test_a_yes_for_this_thread_makes_a_question_unnecessary():
    known = facts(now=(MUNICH,), allowed=frozenset({("opens", "xn--mnchen-3ya.example")}))

    assert opening("find the ticket shop and open it", MUNICH, known) == ALLOW


def test_a_yes_for_this_thread_counts_where_a_rule_asks_and_not_where_one_denies():
    typed = Address("u1", "https://a.example")
    known = facts(typed, now=(), allowed=frozenset({("opens", "a.example")}))
    asks, denies = (Policy((Rule(1, verdict, "opens", "a.example"),)) for verdict in ("ask", "deny"))

    assert opening("open a.example", typed, known, asks) == ALLOW
    assert opening("open a.example", typed, known, denies) == REFUSE
    assert opening("don't open a.example", typed, known, asks) == REFUSE


@pytest.mark.parametrize("source", ["site", "alias"])
def test_a_name_allows_its_own_address_only_and_only_where_the_words_were_nothing_else(source):
    site = Address("s1", "https://github.com", source=source)
    other = Address("s2", "https://gitlab.com", source=source)
    known, effects = facts(site, other, now=()), [Effect("opens", a.url, a) for a in (site, other)]
    plain = Grant(opens=turn.SAID, named=frozenset([site.url]), is_plain=True)

    assert [guard.check(e, plain, known, Policy()).verdict for e in effects] == [ALLOW, ASK]
    assert guard.check(effects[0], grant_of("open their site"), known, Policy()).verdict == ASK
    assert guard.check(effects[0], grant_of("don't open github"), known, Policy()).verdict == REFUSE
    denies = Policy((Rule(1, "deny", "opens", "github.com", ""),))
    assert guard.check(effects[0], plain, known, denies).verdict == REFUSE


@pytest.mark.parametrize("app", ["Steam", "the steam app", "Steam Client", "steam runtime"])
def test_a_rule_that_denies_an_app_is_not_got_around_by_another_name_of_it(app):
    deny = Policy((Rule(1, "deny", "launches", "steam"),))

    assert starting(f"open {app}", app, policy=deny) == REFUSE


@pytest.mark.parametrize(("verdict", "then"), [("deny", REFUSE), ("ask", ASK)])
@pytest.mark.parametrize(
    ("rule", "app"),
    [
        ("Google Chrome", "chrome"),
        ("Visual Studio Code", "vs code"),
        ("Visual Studio Code", "code"),
        ("calculator", "calc"),
        ("calc", "Calculator"),
    ],
)
def test_a_rule_against_an_app_is_not_passed_by_a_short_name_of_it(rule, app, verdict, then):
    rules = Policy((Rule(1, verdict, "launches", rule),))

    assert starting(f"open {app} and take a screenshot", app, policy=rules) == then
    assert starting("open google earth", "google earth", policy=rules) == ALLOW


def test_a_rule_that_allows_an_app_allows_no_other_that_may_be_meant():
    allow = Policy((Rule(1, "allow", "launches", "Google Chrome"),))

    assert starting("what is chrome?", "chrome", policy=allow) == ASK


def test_a_rule_that_denies_a_host_holds_for_what_is_below_it_and_one_that_allows_does_not():
    deny, allow = (Policy((Rule(1, verdict, "opens", "a.example"),)) for verdict in ("deny", "allow"))
    below = Address("u1", "https://www.a.example")

    assert opening("open www.a.example", below, facts(below, now=()), deny) == REFUSE
    assert opening("what is www.a.example?", below, facts(below, now=()), allow) == ASK
    other = Address("u1", "https://not-a.example")
    assert opening("open not-a.example", other, facts(other, now=()), deny) == ALLOW
