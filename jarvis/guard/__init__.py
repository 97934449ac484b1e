"""May this action run? The one way to an opener, for plain commands and the loop alike.

Pure: it looks at what Python knows and does nothing. First where the effect comes from and whether the
person's own words ask for it; then what they have said for good.
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import urls
from ..actions.base import Action
from ..errors import Refused
from ..turn import Effect, Facts, Grant, Outcome
from ..typed import TYPE_CHECKING, NamedTuple, Protocol
from .verdict import ALLOW, ASK, REFUSE, Verdict, allow, ask, refuse

if TYPE_CHECKING:
    from ..rules import Rule

_SAYS = {"allow": ALLOW, "ask": ASK, "deny": REFUSE}


class Rules(Protocol):
    """What the person has said for good: policy.Policy."""

    def against(self, effect: str, *names: str) -> Rule | None: ...

    def settling(self, doubt: str, effect: str, *names: str) -> Rule | None: ...


class NoRules:
    """Where they have said nothing."""

    def against(self, effect: str, *names: str) -> None:
        return None

    def settling(self, doubt: str, effect: str, *names: str) -> None:
        return None


class Authorised(NamedTuple):
    """What may happen; after the person has said yes, where there is a reason to ask."""

    effect: Effect
    ask: str = ""
    rule: str = ""
    choices: tuple[str, ...] = ()  # the ids of the addresses that they may mean


def authorise(
    action: Action, arguments: Mapping[str, object], grant: Grant, facts: Facts, policy: Rules
) -> Authorised | Outcome:
    """The effect that *action* may have, with Python's own value; or the outcome that it is refused."""
    try:
        effect = action.resolve(arguments, facts)
    except Refused as error:
        return refusal(action.not_done(""), error.message)
    verdict = check(effect, grant, facts, policy)
    if verdict.verdict == REFUSE:
        return refusal(action.not_done(effect.target), verdict.reason, effect.target, verdict.rule)
    return Authorised(effect, verdict.reason, verdict.rule, verdict.choices)


def check(effect: Effect, grant: Grant, facts: Facts, policy: Rules) -> Verdict:
    """Whether *effect* may be carried out, given what the words of this turn allow and what is known.

    A rule that allows makes a question unnecessary, and so does a yes for this thread, whoever would ask;
    nothing makes good what is refused here, or denied.
    """
    found = _by_the_words(effect, grant, facts)
    if found.verdict == REFUSE:
        return found
    names = names_of(effect)
    rule = policy.against(effect.kind, *names)
    if rule is None and found.verdict == ASK:  # a verdict names no doubt of rules.DOUBTS yet: any of them
        rule = policy.settling("odd letters", effect.kind, *names)
    if rule:
        found = _by_rule(_SAYS[rule.verdict], f"policy rule {rule.number}", found)
    if found.verdict == ASK and any((effect.kind, name) in facts.allowed for name in names):
        return allow("you said yes for this thread")
    return found


def names_of(effect: Effect) -> tuple[str, ...]:
    """By what a rule may speak of *effect*: the host it opens, the app it starts."""
    match effect.kind:
        case "opens":
            return (urls.canon(effect.target).host,)
        case "launches":
            from .starting import names_of_app

            names = names_of_app(effect.target) + (names_of_app(effect.known_as) if effect.known_as else ())
            return tuple(dict.fromkeys(names))
    return ()


def refusal(said: str, reason: str, target: str = "", rule: str = "") -> Outcome:
    """The outcome that something was refused. said: what did not happen."""
    text = f"{said.strip()}: {reason}"
    return Outcome("refused", text, target, Refused.code, exit_status=Refused.exit_status, rule=rule)


def _by_rule(says: str, rule: str, found: Verdict) -> Verdict:
    if says == REFUSE:
        return refuse(f"{rule} denies it.", rule)
    if says == ASK:
        return found if found.verdict == ASK else ask(f"{rule} asks", rule)
    return allow(rule) if found.verdict == ASK else found


def _by_the_words(effect: Effect, grant: Grant, facts: Facts) -> Verdict:
    # Each is loaded when it is first needed: a plain command needs one of them.
    match effect.kind:
        case "opens":
            from .opening import opening

            return opening(effect, grant, facts)
        case "launches":
            from .starting import starting

            return starting(effect, grant, facts)
        case "captures":
            from .starting import capturing

            return capturing(grant, facts)
        case "reads":
            from .searching import searching

            return searching(effect, grant, facts)
        case "writes" | "spends":
            asked = "you asked for nothing else"
            return allow(asked) if grant.is_plain else ask("it changes something", "asked for")
    return refuse(f"no rule allows an action that {effect.kind}.")
