"""What the guard says of an effect."""

from __future__ import annotations

from ..turn import FORBIDDEN, Grant
from ..typed import NamedTuple

ALLOW = "allow"
ASK = "ask"
REFUSE = "refuse"


class Verdict(NamedTuple):
    verdict: str  # ALLOW | ASK | REFUSE
    reason: str = ""  # for the person, where it is not simply allowed
    rule: str = ""  # which rule says so, for `jarvis why`
    choices: tuple[str, ...] = ()  # the ids of the addresses that they may mean


def allow(rule: str) -> Verdict:
    return Verdict(ALLOW, "", rule)


def ask(reason: str, rule: str, choices: tuple[str, ...] = ()) -> Verdict:
    return Verdict(ASK, reason, rule, choices)


def refuse(reason: str, rule: str = "") -> Verdict:
    return Verdict(REFUSE, reason, rule)


def effects_forbidden(grant: Grant) -> set[str]:
    """What the words say is not to be done: that is not even offered."""
    opening = {"opens", "launches"} if grant.opens == FORBIDDEN else set()
    return opening | ({"captures"} if grant.captures == FORBIDDEN else set())
