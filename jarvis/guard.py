"""May this action run? The one way to an opener, for plain commands and the loop alike.

Pure: it looks at what Python knows and does nothing. Approval and policy come after provenance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from . import urls
from .actions.base import Action
from .errors import BadTarget, Refused
from .turn import Effect, Facts, Outcome

ALLOW = "allow"
ASK = "ask"
REFUSE = "refuse"

# They lead where nobody can see beforehand.
_SHORTENERS = frozenset(
    "bit.ly t.co tinyurl.com goo.gl is.gd ow.ly buff.ly rb.gy cutt.ly lnkd.in t.ly tiny.cc".split()
)


class Verdict(NamedTuple):
    verdict: str  # ALLOW | ASK | REFUSE
    reason: str = ""  # for the person, where it is not simply allowed
    rule: str = ""


class Authorised(NamedTuple):
    """What may happen; after the person has said yes, where there is a reason to ask."""

    effect: Effect
    ask: str = ""
    rule: str = ""


def authorise(action: Action, arguments: Mapping[str, object], facts: Facts) -> Authorised | Outcome:
    """The effect that *action* may have, with Python's own value; or the outcome that it is refused."""
    try:
        effect = action.resolve(arguments, facts)
    except Refused as error:
        return _refusal(action.not_done(""), error.message)
    verdict = check(effect, facts)
    if verdict.verdict == REFUSE:
        return _refusal(action.not_done(effect.target), verdict.reason, effect.target)
    return Authorised(effect, verdict.reason, verdict.rule)


def check(effect: Effect, facts: Facts) -> Verdict:
    """Whether *effect* may be carried out, given what this thread knows.

    What the person typed is theirs to open. What was found must plainly be a public web site.
    An app is resolved in the index of installed apps, by the hands: there is no other way to start one.
    """
    if effect.kind == "opens":
        return _opening(effect, facts)
    if effect.kind in ("reads", "launches", "captures"):
        return Verdict(ALLOW)
    return Verdict(REFUSE, f"no rule allows an action that {effect.kind}.")


def _opening(effect: Effect, facts: Facts) -> Verdict:
    address = effect.address
    if address is None or facts.addresses.get(address.id) != address or address.url != effect.target:
        return Verdict(REFUSE, "that address is not one that you named or that was found.")
    try:
        canon = urls.canon(effect.target)
    except BadTarget as error:
        return Verdict(REFUSE, error.message)
    if canon.url != effect.target:
        return Verdict(REFUSE, "that address is not in the form in which it was kept.")
    if address.source != "typed" and not urls.is_public(canon):
        return Verdict(REFUSE, "only an address that you typed may lead elsewhere than to a public web site.")
    if address.source == "typed" or address.id in facts.pointed:
        return Verdict(ALLOW)
    reason = _doubt(canon)
    return Verdict(ASK, reason, "odd address") if reason else Verdict(ALLOW)


def _doubt(canon: urls.Canon) -> str:
    """Why an address that a stranger named is not opened unasked; empty: it may be."""
    if read := urls.as_read(canon.host):
        return f"its name has letters that can imitate others (it reads {read})"
    if canon.host.removeprefix("www.") in _SHORTENERS:
        return "it is a shortener: where it leads can't be seen"
    if canon.port not in ("", "80", "443"):
        return f"it is on an unusual port ({canon.port})"
    return ""


def _refusal(said: str, reason: str, target: str = "") -> Outcome:
    text = f"{said.strip()}: {reason}"
    return Outcome("refused", text, target, Refused.code, exit_status=Refused.exit_status)
