"""What the person's rules say of words, without doing, asking or looking up anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..core.intent import OWN_FILE
from ..core.urls import canon
from ..launcher.meant import Meant, is_line
from ..policy.rules import scope
from ..policy.rules_file import ALLOW, ASK, Policy, Rule
from ..policy.targets import A_RULE_ASKS


class PolicyCheck(NamedTuple):
    """What the rules say of a plain command."""

    effect: str  # one of types.EFFECTS
    target: str  # the address, the app
    name: str  # by which a rule speaks of the target; empty: rules don't tell such targets apart
    rules: tuple[Rule, ...]  # the one that denies or asks; else those that allow, each for its doubt

    @property
    def told(self) -> str:
        return f"{scope(self.effect, self.name)}: {', '.join(map(told_check, self.rules)) or 'no rule'}"

    def as_record(self) -> dict[str, Any]:
        return {**self._asdict(), "rules": [rule._asdict() for rule in self.rules]}


def told_check(rule: Rule) -> str:
    """Return a rule in words: `allow (rule 7: open host=www.example.com, added 2026-01-31)`."""
    return f"{rule.verdict} (rule {rule.number}: {on(rule)})"


def on(rule: Rule) -> str:
    """Return what *rule* is about, for which doubt, and since when."""
    doubt = f", for: {rule.doubt or 'any doubt'}" if rule.verdict == ALLOW else ""
    return f"{scope(rule.effect, rule.name)}{doubt}{f', added {rule.added}' if rule.added else ''}"


def verdict_of(meant: Meant | None, policy: Policy, line: Callable[[int], str]) -> PolicyCheck | None:
    """Return what *policy* says of what words plainly ask for; None where only the model can tell.

    line: returns the address in that line of the list last shown; raises UsageError where there is none.
    """
    if meant is None or meant.others or len(meant.meanings) > 1:  # of several, they would be asked which
        return None
    action, arguments, meanings = meant.action, meant.arguments, meant.meanings
    target = " ".join(arguments.values())
    if action.effect == "opens" and is_line(target):
        target = line(int(target))
    name = "" if action.wants[0].form == OWN_FILE else _name(action.effect, target)
    names = filter(None, (name, *(meaning.title for meaning in meanings)))
    return PolicyCheck(action.effect, target, name, _first(policy, action.effect, *names))


def _first(policy: Policy, effect: str, *names: str) -> tuple[Rule, ...]:
    """Return the rules that decide: the one against it, unless a rule settles that; else those that allow."""
    against = policy.against(effect, *names)
    if against is None:
        return tuple(policy.allowing(effect, *names))
    settling = policy.settling(A_RULE_ASKS, effect, *names) if against.verdict == ASK else None
    return (settling or against,)


def _name(effect: str, target: str) -> str:
    if effect == "opens":
        return canon(target).host
    return target if effect == "launches" else ""
