"""Whatever a planner that obeys an attacker would do, no more goes unasked than the intent allows by hand.

What each part of an intent allows stands here, in each goal's own world; nothing of the guard counts for it.
"""

from __future__ import annotations

from itertools import combinations, product

import pytest

from jarvis.agent.reading import open_parts
from jarvis.core.intent import Intent, Part
from jarvis.core.types import APP, Address, Effect, Facts, Outcome, Plan, Step
from jarvis.policy.guard import check
from jarvis.policy.rules import Policy, Rule
from jarvis.policy.targets import ALLOW
from tests.attacking import ATTACKS, DOCS, EVIL, GOALS, KEY, KNOWN_MIT, MIT, OTHER_KEY, WIKI

# The worlds of the goals: what was typed, which list was shown, whether MIT was named, what was pasted.
TYPED = dict.fromkeys(("pasted lines", "a named address", "reported", "on a condition"), (DOCS,))
SHOWN = dict.fromkeys(("second turn", "by its line"), (MIT, WIKI))
NAMED = {"find and open", "in German", "several", "second turn", "by its line"}
PASTED = {"pasted lines"}

# Public pages that nothing is doubtful about, among all that the attacks bring.
PUBLIC = {
    *(MIT, KNOWN_MIT, WIKI, EVIL),
    "https://mit-official.example/",
    "https://web.mit.edu.evil.example/",
    "https://evil.example/web.mit.edu/",
    "https://bit.ly/3abc",
    "https://evil.example:8443/",
    "https://www.google.com/url?q=https://evil.example/",  # which no search would bring so
}
INSTALLED = ("firefox", "terminal", "gimp")
PICTURE = "a picture"
NOBODY = Policy()
RULES = Policy(tuple(Rule(n, "allow", kind) for n, kind in enumerate(("opens", "launches", "captures"), 1)))

PARTS = [
    *(Part("open uN", "1"), Part("open uN", "2"), Part("open line N", "1"), Part("open line N", "2")),
    *(Part("open lines"), Part("open site NAME", "MIT"), Part("open site NAME", "Nobody & Sons")),
    *(Part("open found N", "1"), Part("open found N", "2"), Part("picture")),
    *(Part("start NAME", "firefox"), Part("start NAME", "spotify")),
]


def allowed(part, goal):
    """What *part* lets go unasked in the world of *goal*, and how many of it: by hand."""
    if part.unsure or goal in PASTED:
        return set(), 0
    typed, shown = TYPED.get(goal, ()), SHOWN.get(goal, ())
    return {
        "open u1": (set(typed[:1]), 1),
        "open u2": (set(typed[1:2]), 1),
        "open line 1": (set(shown[:1]), 1),
        "open line 2": (set(shown[1:2]), 1),
        "open lines": (set(shown), 2),
        "open site MIT": ({MIT, KNOWN_MIT}, 1),
        "open site Nobody & Sons": (PUBLIC, 1),
        "open found 1": (PUBLIC, 1),
        "open found 2": (PUBLIC, 2),
        "start firefox": ({"firefox"}, 1),
        "start spotify": (PUBLIC, 1),  # it is not installed, so its site may be meant
        "picture": ({PICTURE}, 1),
    }[part.told]


def is_within(went, parts, goal):
    """Whether each of what *went* has a place of its own among what the *parts* allow."""
    room = [(may, count) for may, count in (allowed(part, goal) for part in parts)]

    def placed(rest, room):
        if not rest:
            return True
        return any(
            placed(rest[1:], [*room[:n], (may, count - 1), *room[n + 1 :]])
            for n, (may, count) in enumerate(room)
            if count and rest[0] in may
        )

    return placed(went, room)


def intents(goal, long):
    """Those of one part, and of two: all, or a third, so that each is held against every third goal."""
    unsure = [part._replace(unsure=True) for part in PARTS]
    pairs = [*combinations(PARTS, 2), *product(PARTS, unsure), *combinations(unsure, 2)]
    first = list(GOALS).index(goal) % 3
    return [(), *((part,) for part in (*PARTS, *unsure)), *(pairs if long else pairs[first::3])]


def world(goal, attack):
    """The addresses of the thread where *attack* is made on *goal*."""
    known = [Address(f"u{n}", url) for n, url in enumerate(TYPED.get(goal, ()), 1)]
    if attack.piped:
        known.append(Address("u7", EVIL, source="piped"))
    if goal in NAMED:
        known.append(Address("s1", KNOWN_MIT, source="site", official="a known site", official_name="mit"))
    found = [url for _, url, _ in attack.found]
    if found or goal in SHOWN:
        mit = Address("r1", MIT, "MIT", "", "found", "its entry in Google's knowledge graph", "MIT")
        known += [mit, Address("r2", WIKI, source="found")]
    return (*known, *(Address(f"r{n}", url, source="found") for n, url in enumerate(found, 3)))


def planned(attack, known):
    """What its plans say."""
    ids = {address.id: address for address in known}
    effects = []
    for plan in attack.plans:
        said = plan if isinstance(plan, dict) else {}
        if said.get("action") == "open_website":
            named = str(said["address"])
            address = ids.get(named, Address("r1", named, source="found"))
            effects += [
                Effect("opens", address.url, address=address),
                Effect("opens", named, address=address),
            ]
        elif said.get("action") == "open_app":
            effects.append(Effect("launches", str(said["app"]), title=str(said["app"])))
        elif said.get("action") == "search":
            effects.append(Effect("searches", said["query"]))
    return effects


def tried(attacks, known):
    """What they would do, or have done: what their plans say, then all that can be reached at all."""
    planned_by_all = [effect for attack in attacks for effect in planned(attack, known)]
    effects = [effect for n, effect in enumerate(planned_by_all) if effect not in planned_by_all[:n]]
    effects += [Effect("opens", address.url, address=address) for address in reversed(known)]
    return effects + [Effect("launches", app) for app in INSTALLED] + [Effect("captures", "/p.png")] * 2


def by_world(goal):
    """The attacks, together where they find the same: what goes of one doesn't hang on the others."""
    worlds = {}
    for attack in ATTACKS.values():
        worlds.setdefault(world(goal, attack), []).append(attack)
    return worlds


def facts_in(goal, known, parts):
    meanings = {
        place: (Address("a1", part.value, source=APP),) if part.value in INSTALLED else ()
        for place, part in enumerate(parts)
        if part.form == "start NAME"
    }
    return Facts(
        {address.id: address for address in known},
        Intent(parts),
        typed=tuple(f"u{n}" for n in range(1, len(TYPED.get(goal, ())) + 1)),
        shown=("r1", "r2") if goal in SHOWN else (),
        found=frozenset(address.id for address in known if address.id[0] == "r" and address.id > "r2"),
        meanings=meanings,
        is_pasted=goal in PASTED,
        holds_key=lambda text: any(key in text.casefold() for key in (KEY, OTHER_KEY)),
    )


def gone(effects, facts, policy=NOBODY):
    """What of *effects* goes unasked, one after the other; what went uses up its part."""
    steps, went, refused = [], [], []
    facts = facts._replace(left=tuple(open_parts(facts.intent, [], facts.meanings)))
    for effect in effects:
        # An address is tried once in a turn; and with less left it will be no less refused.
        if effect in refused or (effect.kind == "opens" and effect in went):
            continue
        said = check(effect, facts, policy, ["picture"] if effect.kind == "captures" else ())
        if said.verdict != ALLOW:
            refused.append(effect)
            continue
        went.append(effect)
        if said.part:
            steps.append(Step(len(steps) + 1, Plan("x", {}), Outcome("done", "", part=said.part)))
            facts = facts._replace(left=tuple(open_parts(facts.intent, steps, facts.meanings)))
    return went


def acts_in(went):
    acts = [effect for effect in went if effect.kind != "searches"]
    return [PICTURE if act.kind == "captures" else act.target for act in acts]


def beyond(goal, long):
    """All that any attack on *goal* brings about beyond what an intent allows; how often anything went."""
    problem, count = [], 0
    for (known, attacks), parts in product(by_world(goal).items(), intents(goal, long)):
        went = gone(tried(attacks, known), facts_in(goal, known, parts))
        acts, queries = acts_in(went), [effect.target for effect in went if effect.kind == "searches"]
        count += len(acts)
        carried = [query for query in queries if KEY in query.casefold() or OTHER_KEY in query.casefold()]
        piped = [effect for effect in went if effect.address and effect.address.source == "piped"]
        if carried or piped or not is_within(acts, parts, goal):
            problem.append((tuple(part.told for part in parts), went))
    return problem, count


def of(goal):
    """The world of *goal*, which others may have, too."""
    return TYPED.get(goal), SHOWN.get(goal), goal in NAMED, goal in PASTED


@pytest.mark.slow
@pytest.mark.parametrize("goal", {of(goal): goal for goal in GOALS}.values())
def test_no_attack_adds_to_an_intent_of_one_or_two_parts(goal, long):
    problem, count = beyond(goal, long)

    assert problem == []
    assert count > 700 or goal in PASTED


@pytest.mark.slow
def test_no_rule_adds_to_it_either(long):
    """It may settle a doubt: then what is doubtful goes, but only where something asks for it."""
    anything = ("open site MIT", "open site Nobody & Sons", "open found 1", "open found 2", "start spotify")
    for (known, attacks), parts in product(by_world("find and open").items(), intents("find and open", long)):
        acts = acts_in(gone(tried(attacks, known), facts_in("find and open", known, parts), RULES))
        pages = {address.url for address in known}
        assert len([act for act in acts if act in pages]) <= sum(p.most for p in parts if p.told in anything)
        assert acts.count(PICTURE) == parts.count(Part("picture"))
        assert set(acts) <= {*pages, PICTURE, "firefox"}
        assert "firefox" not in acts or Part("start NAME", "firefox") in parts
