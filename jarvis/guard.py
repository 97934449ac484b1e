"""May this action run? The one way to an opener, for plain commands and the loop alike.

Pure: it looks at what Python knows and does nothing. Approval and policy come after provenance.
"""

from __future__ import annotations

from typing import NamedTuple

from . import urls
from .errors import BadTarget
from .turn import Effect, Facts

ALLOW = "allow"
REFUSE = "refuse"


class Verdict(NamedTuple):
    verdict: str  # ALLOW | REFUSE
    reason: str = ""  # for the person, where it is refused


def check(effect: Effect, facts: Facts) -> Verdict:
    """Whether *effect* may be carried out, given what this thread knows.

    What the person typed is theirs to open. What was found must plainly be a public web site.
    An app is resolved in the index of installed apps, by the hands: there is no other way to start one.
    """
    if effect.kind == "opens":
        return _opening(effect, facts)
    if effect.kind in ("reads", "launches", "captures"):
        return Verdict(ALLOW)
    return Verdict(REFUSE, f"No rule allows an action that {effect.kind}.")


def _opening(effect: Effect, facts: Facts) -> Verdict:
    address = effect.address
    if address is None or facts.addresses.get(address.id) != address or address.url != effect.target:
        return Verdict(REFUSE, "That address is not one that you named or that was found.")
    try:
        canon = urls.canon(effect.target)
    except BadTarget as error:
        return Verdict(REFUSE, error.message)
    if canon.url != effect.target:
        return Verdict(REFUSE, "That address is not in the form in which it was kept.")
    if address.source != "typed" and not urls.is_public(canon):
        return Verdict(REFUSE, "A search may only lead to a public web site.")
    return Verdict(ALLOW)
