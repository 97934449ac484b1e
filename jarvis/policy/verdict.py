"""The guard's verdict on an effect."""

from __future__ import annotations

from typing import NamedTuple

from ..core.types import NOT_ASKED, Facts

ALLOW = "allow"
ASK = "ask"
REFUSE = "refuse"

# Doubts about the words, which no rule settles.
UNSURE, PASTED = "unsure", "pasted"
A_RULE_ASKS, CHANGES = "a rule asks", "changes something"
COSTS = "costs something"  # which no rule settles either
MANY = "many searches"


class Doubt(NamedTuple):
    """Why the person is asked first."""

    kind: str  # as a rule may name it: rules.DOUBTS; or one of the above, or turn.SEVERAL
    reason: str


class Verdict(NamedTuple):
    verdict: str  # ALLOW | ASK | REFUSE
    reason: str = ""  # for the person, where it is not simply allowed
    rule: str = ""  # what lets it pass, or is asked about, for `jarvis why`
    choices: tuple[str, ...] = ()  # the ids of the addresses that they may mean
    doubts: tuple[Doubt, ...] = ()
    part: int = 0  # the place, from 1, of the part of the intent that it is for
    code: str = ""  # of the outcome, where it is refused


def refuse(reason: str, rule: str = "", code: str = "refused") -> Verdict:
    return Verdict(REFUSE, reason, rule, code=code)


def allowed(
    place: int, facts: Facts, doubts: tuple[Doubt, ...] = (), choices: tuple[str, ...] = ()
) -> Verdict:
    """Allow what the part at *place* asks for; *doubts* are what is doubtful all the same."""
    told = facts.intent.parts[place].told if facts.intent else ""
    return Verdict(ALLOW, rule=f"you asked: {told}", choices=choices, doubts=doubts, part=place + 1)


def not_asked(reason: str = "you did not ask for it.") -> Verdict:
    """Refuse what nobody asked for: it changes neither the turn's status nor its exit status."""
    return refuse(reason, "not asked for", NOT_ASKED)
