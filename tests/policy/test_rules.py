"""What the person has said for good settles doubts, each its own; nothing settles what was not asked for."""

import pytest

from jarvis.core.errors import UsageError
from jarvis.core.events import Option, Question
from jarvis.core.intent import Form, Intent, Part
from jarvis.core.types import EFFECTS, LOOKUPS, NOT_ASKED, SEVERAL, Address, Effect, Facts, Meanings, Site
from jarvis.output.questions import answer_from_yes_flag
from jarvis.policy import guard
from jarvis.policy.guard import COSTS, PASTED, REFUSE, UNSURE, WHOSE
from jarvis.policy.rules import (
    A_RULE_ASKS,
    ALLOW,
    ASK,
    CHANGES,
    DOUBTS,
    SENT,
    SHARED,
    Policy,
    Rule,
    effect_of,
)

MIT = Address("r1", "https://web.mit.edu/", source="found", official="its entry", official_name="MIT")
CHROME = Address("a1", "google-chrome.desktop", "Google Chrome", source="app")
A_PAGE = Part(Form.FOUND, "1")
NO_RULES = Policy()
ALL_ALLOWED = Policy(tuple(Rule(n, "allow", effect) for n, effect in enumerate(EFFECTS, 1)))


def as_command(facts):
    """*facts*, of words that are nothing but a command."""
    return facts._replace(intent=facts.intent and facts.intent._replace(is_command=True))


def opens(url, source="found", id_="r2"):
    address = Address(id_, url, source=source)
    return Effect("opens", url, address=address)


def starts(app=CHROME, known_as="chrome"):
    return Effect("launches", app.url, known_as=known_as, title=app.title)


def asked(*parts, known=(), **more):
    """The facts of a turn whose words ask for *parts*."""
    known = {address.id: address for address in known}
    return Facts(known, Intent(parts), tuple(range(1, len(parts) + 1)), **more)


def judged(effect, facts, policy=NO_RULES, forms=(Form.PICTURE,)):
    forms = () if effect.kind in LOOKUPS else forms
    if effect.address:
        facts = facts._replace(addresses={**facts.addresses, effect.address.id: effect.address})
    return guard.check(effect, facts, policy, list(forms))


# For each doubt that a rule may settle: what raises it and no other, and the name that a rule goes by.
DOUBTFUL = {
    "odd letters": (opens("https://xn--mnchen-3ya.example/"), asked(A_PAGE), "xn--mnchen-3ya.example"),
    "another host": (opens("https://github.com@b.example/"), asked(A_PAGE), "b.example"),
    "private": (opens("http://nas.local/"), asked(A_PAGE), "nas.local"),
    "piped in": (opens("https://b.example/", "piped"), asked(A_PAGE), "b.example"),
    "near name": (
        starts(),
        asked(Part(Form.START, "crome"), meanings={1: Meanings((CHROME,), is_near=True)}),
        "Google Chrome",
    ),
    A_RULE_ASKS: (
        opens("https://b.example/", "typed", "u1"),
        asked(Part(Form.TYPED, "1"), typed=("u1",)),
        "b.example",
    ),
}
ASKS = Rule(1, "ask", "opens", "b.example")


@pytest.mark.parametrize(
    ("rules", "verdict"),
    [
        ((), ASK),
        ((Rule(1, "allow", "writes", "a.example"),), ALLOW),
        ((Rule(1, "allow", "writes", "b.example"),), ASK),
        ((Rule(1, "allow", "writes", "*.example"),), ASK),
        ((Rule(1, "allow", "writes"),), ASK),
        ((Rule(1, "allow", "writes", "a.example"), Rule(2, "deny", "writes")), REFUSE),
    ],
)
def test_what_changes_something_is_asked_about_until_a_rule_for_its_host_allows_it(rules, verdict):
    assert {*DOUBTFUL, CHANGES, SENT, SHARED} == set(DOUBTS)
    sending = Effect("writes", "f", host="a.example:3333")
    of_command = asked(Part("keep"))._replace(intent=Intent((Part("keep"),), is_command=True))

    for facts in (asked(Part("keep")), of_command):
        assert judged(sending, facts, Policy(rules), ["keep"]).verdict == verdict


def held(kind, *rules, **more):
    """What the guard says of what raises the doubt of that *kind*, where these *rules* stand."""
    effect, facts, _ = DOUBTFUL[kind]
    asks = (ASKS,) if kind == A_RULE_ASKS else ()
    return judged(effect, facts._replace(**more), Policy((*asks, *rules)))


@pytest.mark.parametrize("kind", DOUBTFUL)
def test_a_doubt_is_settled_by_a_yes_to_that_doubt_on_that_name_and_by_no_other(kind):
    effect, _, name = DOUBTFUL[kind]
    alone = held(kind)
    assert (alone.verdict, [doubt.kind for doubt in alone.doubts]) == (ASK, [kind])

    rules = {doubt: Rule(2, "allow", effect.kind, name, doubt=doubt) for doubt in (*DOUBTS, "")}
    settling = {doubt for doubt, rule in rules.items() if held(kind, rule).verdict == ALLOW}

    # What an older rule allows, it allows whatever the doubt; but not what another rule asks about.
    assert settling == {kind, ""} - ({""} if kind == A_RULE_ASKS else set())
    for other in ("c.example", f"www.{name}", f"{name}.example"):
        assert held(kind, Rule(2, "allow", effect.kind, other, doubt=kind)).verdict == ASK


def test_what_was_settled_is_told():
    rule = Rule(7, "allow", "opens", "b.example", doubt="piped in")

    assert held("piped in", rule).rule == "you asked: open found 1; policy rule 7"


def test_of_several_doubts_those_that_are_left_are_asked_about_in_one_question():
    effect = opens("http://x@nas.local/", "piped")
    rule = Rule(1, "allow", "opens", "nas.local", doubt="private")
    verdict = judged(effect, asked(A_PAGE), Policy((rule,)))

    assert [doubt.kind for doubt in verdict.doubts] == ["another host", "piped in"]
    assert verdict.reason.count("; ") == 1


U1 = opens("https://b.example/", "typed", "u1")
ON_A_LINE = opens("https://b.example/")
# What nobody asked for: the effect, and the facts of a turn that asks for something else, or for nothing.
NOT_ASKED_FOR = {
    "a page, before the words were read": (ON_A_LINE, asked()._replace(intent=None)),
    "a second page": (ON_A_LINE, asked(A_PAGE)._replace(left=())),
    "an app, where nothing is asked": (starts(), asked(meanings={1: Meanings((CHROME,))})),
    "an app, again": (
        starts(),
        asked(Part(Form.START, "chrome"), meanings={1: Meanings((CHROME,))})._replace(left=()),
    ),
    "another app": (
        starts(),
        asked(Part(Form.START, "gimp"), meanings={1: Meanings((CHROME._replace(url="gimp"),))}),
    ),
    "a picture": (Effect("captures", "/p.png"), asked(A_PAGE)),
    "a picture, again": (Effect("captures", "/p.png"), asked(Part(Form.PICTURE))._replace(left=())),
    "a change elsewhere": (Effect("writes", "f", host="a.example"), asked(A_PAGE)),
    "a purchase": (Effect("spends", "1"), asked(A_PAGE)),
}


@pytest.mark.parametrize("case", NOT_ASKED_FOR)
def test_nothing_settles_what_was_not_asked_for(case):
    effect, facts = NOT_ASKED_FOR[case]
    name = (guard.names_of(effect) or ("",))[0]
    of_all_doubts = [Rule(n, "allow", effect.kind, name, doubt=kind) for n, kind in enumerate(DOUBTS, 1)]
    said = {"settled": frozenset((*DOUBTS, UNSURE, PASTED, NOT_ASKED))}

    for policy in (NO_RULES, ALL_ALLOWED, Policy(tuple(of_all_doubts))):
        for known in (facts, facts._replace(**said), as_command(facts._replace(**said))):
            verdict = judged(effect, known, policy)
            assert (verdict.verdict, verdict.code, verdict.doubts) == (REFUSE, NOT_ASKED, ())


TWO = {"meanings": {1: Meanings((CHROME, CHROME._replace(id="a2", url="chromium")))}}
# What the person alone can say, and whether -y may be taken for their answer where it is a yes or no.
ABOUT_THE_WORDS = {
    UNSURE: (ON_A_LINE, asked(A_PAGE._replace(unsure=True)), False),
    PASTED: (ON_A_LINE, asked(A_PAGE, is_pasted=True), False),
    SEVERAL: (starts(), asked(Part(Form.START, "chrome"), **TWO), None),
    WHOSE: (
        ON_A_LINE,
        asked(
            Part(Form.SITE, "MIT"),
            known=[MIT],
            meanings={1: Meanings(site=Site(choices=(MIT, ON_A_LINE.address)))},
        ),
        None,
    ),
    COSTS: (Effect("spends", "/f"), asked(Part("keep")), False),
}


@pytest.mark.parametrize("kind", ABOUT_THE_WORDS)
def test_what_the_words_mean_no_rule_settles(kind):
    effect, facts, yes_will_do = ABOUT_THE_WORDS[kind]

    for policy in (NO_RULES, ALL_ALLOWED):
        verdict = judged(effect, facts, policy, ["keep"])
        assert (verdict.verdict, [doubt.kind for doubt in verdict.doubts]) == (ASK, [kind])
    asks = "choice" if verdict.choices else "approval"
    question = Question("q1", asks, "?", (Option("y", "yes"),), verdict.reason, verdict.rule, (kind,))
    assert answer_from_yes_flag(question, yes=True) == ("y" if yes_will_do else "")
    both = question._replace(doubts=("private", kind, "odd letters"))
    assert answer_from_yes_flag(both, yes=True) == ("y" if yes_will_do else "")
    assert answer_from_yes_flag(question, yes=False) == ""


B, B_IS_KNOWN = Part(Form.SITE, "b"), {"meanings": {1: Meanings(site=Site("https://b.example/"))}}
ASKED_FOR = {
    "typed": (U1, asked(Part(Form.TYPED, "1"), typed=("u1",)), "b.example"),
    "found": (ON_A_LINE, asked(A_PAGE), "b.example"),
    "a known site": (
        opens("https://b.example/", "site", "s1"),
        asked(B, **B_IS_KNOWN),
        "b.example",
    ),
    "an alias": (
        opens("https://b.example/", "alias", "s1"),
        asked(B, **B_IS_KNOWN),
        "b.example",
    ),
    "below its host": (opens("https://www.b.example/"), asked(A_PAGE), "b.example"),
    "an app": (
        starts(),
        asked(Part(Form.START, "chrome"), meanings={1: Meanings((CHROME,))}),
        "Google Chrome",
    ),
    "an app by what they called it": (
        starts(),
        asked(Part(Form.START, "chrome"), meanings={1: Meanings((CHROME,))}),
        "chrome",
    ),
    "a picture": (Effect("captures", "/p.png"), asked(Part(Form.PICTURE)), ""),
    "a search": (Effect("searches", "mit"), asked(), ""),
}


@pytest.mark.parametrize(
    ("ruled", "done", "verdict"),
    [("reads", "searches", REFUSE), ("searches", "reads", ALLOW), ("searches", "searches", REFUSE)],
)
def test_a_rule_on_what_is_read_speaks_of_searches_too(ruled, done, verdict):
    assert judged(Effect(done, "mit"), asked(), Policy((Rule(3, "deny", ruled),))).verdict == verdict
    assert judged(Effect("arranges", "mit"), asked(), Policy((Rule(3, "deny", ruled),))).verdict == ALLOW
    with pytest.raises(UsageError):  # which would say nothing of anything
        effect_of("arranges")


@pytest.mark.parametrize("case", ASKED_FOR)
@pytest.mark.parametrize("is_plain", [True, False])
def test_a_rule_that_denies_or_asks_holds_for_what_was_asked_for_too(case, is_plain):
    effect, facts, name = ASKED_FOR[case]
    facts = as_command(facts) if is_plain else facts
    deny, ask = (Rule(3, verdict, effect.kind, name) for verdict in ("deny", "ask"))
    allow = Rule(1, "allow", effect.kind, name)
    yes = tuple(Rule(9, "allow", effect.kind, each, doubt=A_RULE_ASKS) for each in guard.names_of(effect))

    assert judged(effect, facts).verdict == ALLOW
    assert judged(effect, facts, Policy((allow, deny))).reason == "policy rule 3 denies it."
    assert judged(effect, facts, Policy((*yes, deny))).verdict == REFUSE
    if case != "below its host":  # there, only what denies holds
        asks = judged(effect, facts, Policy((allow, ask)))
        assert (asks.verdict, [doubt.kind for doubt in asks.doubts]) == (ASK, [A_RULE_ASKS])
    if yes:
        assert judged(effect, facts, Policy((ask, *yes))).verdict == ALLOW


@pytest.mark.parametrize(("verdict", "then"), [("deny", REFUSE), ("ask", ASK)])
@pytest.mark.parametrize(
    ("rule", "title"),
    [
        ("steam", "Steam"),
        ("steam", "Steam Client"),
        ("steam", "steam runtime"),
        ("chrome", "Google Chrome"),
        ("VS Code", "Visual Studio Code"),
        ("code", "Visual Studio Code"),
        ("calculator", "calc"),
        ("calc", "Calculator"),
    ],
)
def test_a_rule_against_an_app_holds_however_it_is_shortened_and_for_no_other(rule, title, verdict, then):
    rules = Policy((Rule(1, verdict, "launches", rule),))
    app, other = (Address("a1", "x.desktop", name, source="app") for name in (title, "Google Earth"))

    for meant, expected in ((app, then), (other, ALLOW)):
        facts = asked(Part(Form.START, "it"), meanings={1: Meanings((meant,))})
        assert judged(starts(meant, "it"), facts, rules).verdict == expected


def test_an_effect_that_is_none_of_ours_is_refused():
    assert judged(Effect("nonsense", ""), asked(A_PAGE), ALL_ALLOWED).verdict == REFUSE
