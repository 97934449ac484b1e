"""What the person's rules say of words, without anything being done, asked or looked up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..grant import grant_of
from ..policy import Policy, Rule
from ..rules import scope
from ..text import one_line
from ..turn import FORBIDDEN, SAID, UNSAID
from ..typed import NamedTuple
from ..understood import Meant, is_line
from ..urls import canon

_SAID = {SAID: "asked for", UNSAID: "not plainly asked for", FORBIDDEN: "not to be done"}
PLANNED = ("opens", "launches", "captures", "reads")  # what a step that the model plans may do


class Verdict(NamedTuple):
    """What the rules say of words that are a plain command."""

    effect: str  # one of turn.EFFECTS
    target: str  # the address, the app
    name: str  # by which a rule speaks of the target; empty: rules don't tell such targets apart
    rule: Rule | None

    @property
    def told(self) -> str:
        return f"{scope(self.effect, self.name)}: {told(self.rule) if self.rule else 'no rule'}"

    def as_record(self) -> dict[str, Any]:
        return {**self._asdict(), "rule": self.rule._asdict() if self.rule else None}


def told(rule: Rule) -> str:
    """`allow (rule 7: open host=www.example.com, added 2026-01-31)`."""
    return f"{rule.verdict} (rule {rule.number}: {on(rule)})"


def on(rule: Rule) -> str:
    """What *rule* is about, and since when."""
    return f"{scope(rule.effect, rule.name)}{f', added {rule.added}' if rule.added else ''}"


def verdict_of(meant: Meant | None, policy: Policy, line: Callable[[int], str]) -> Verdict | None:
    """What *policy* says of what words plainly ask for; None where only the model can tell.

    line: the address in that line of the list last shown; it raises UsageError where there is none.
    """
    if meant is None or len(meant.meanings) > 1:  # of several, they would be asked which
        return None
    action, arguments, meanings = meant
    target = " ".join(arguments.values())
    if action.effect == "opens" and is_line(target):
        target = line(int(target))
    name = _name(action.effect, target)
    names = filter(None, (name, *(meaning.title for meaning in meanings)))
    return Verdict(action.effect, target, name, policy.rule(action.effect, *names))


def granted(words: str) -> list[str]:
    """What *words* allow the model to plan, a line each."""
    grant = grant_of(words)
    named = [*sorted(grant.named), *grant.things]
    what = f" ({', '.join(dict.fromkeys(one_line(name, 60) for name in named))})" if named else ""
    many = f", {grant.most} times at most" if grant.most > 1 else ""
    return [
        f"open or start: {_SAID[grant.opens]}{many if grant.opens == SAID else ''}{what}",
        f"take a picture of the screen: {_SAID[grant.captures]}",
    ]


def _name(effect: str, target: str) -> str:
    if effect == "opens":
        return canon(target).host
    return target if effect == "launches" else ""
