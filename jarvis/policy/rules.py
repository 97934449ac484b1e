"""What a rule is: a verdict on an effect, on everything or on one name; and how policy.toml spells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..actions import catalogue
from ..core import urls
from ..core.errors import BadTarget, UsageError
from ..core.text import one_line
from ..core.types import EFFECTS
from ..language.abbreviations import is_short_for
from .targets import A_RULE_ASKS, CHANGES

ALLOW, ASK, DENY = VERDICTS = ("allow", "ask", "deny")
# How a person calls what a rule is about; the names in types.EFFECTS will do too.
WORDS = {
    "open": "opens",
    "launch": "launches",
    "start": "launches",
    "app": "launches",
    "screenshot": "captures",
    "search": "reads",
}
KINDS = {"opens": "host", "launches": "app"}  # of what has a name
# What is asked about although it was asked for. Nothing else is settled by a rule.
DOUBTS = (
    *("odd letters", "another host", "shortener", "unusual port", "private"),
    *("piped in", "another is official", "near name", CHANGES, A_RULE_ASKS),
)
_BIGGEST = 999_999_999
_LONGEST_NAME = 253  # as a host's
_DAY = "0000-00-00"
_A_HOST = "A host looks like this: www.example.com; its subdomains like this: *.example.com"


class Rule(NamedTuple):
    """One lasting answer of the person."""

    number: int  # as `jarvis policy rm` takes it; never given again
    verdict: str  # allow | ask | deny
    effect: str  # one of types.EFFECTS
    name: str = ""  # a host (opens), an app's id or name (launches); empty: whatever it acts on
    added: str = ""  # the day: 2026-01-31
    doubt: str = ""  # one of DOUBTS, of an allow rule: the only one that it settles; empty: any

    @property
    def told(self) -> str:
        """Its verdict and its exact scope: `allow open host=a.example, for: unusual port`."""
        return f"{self.verdict} {scope(self.effect, self.name)}{f', for: {self.doubt}' if self.doubt else ''}"

    @property
    def is_wide(self) -> bool:
        """Whether its name stands for every subdomain of a host."""
        return self.name.startswith("*.")

    def fits(self, name: str) -> bool:
        """Return whether its name means *name*, which is as `as_kept` returns it."""
        if self.is_wide:
            return name.endswith(self.name[1:])
        # What is denied is not let in by another door of the same house.
        if self.verdict == DENY and self.effect == "opens" and name.endswith(f".{self.name}"):
            return True
        return self.name.casefold() == name.casefold() or (
            self.verdict != ALLOW and self.effect == "launches" and _may_be_one(self.name, name)
        )

    def settles(self, doubt: str) -> bool:
        """Return whether it makes a question about *doubt* unnecessary, where its name fits.

        A rule that asks is stronger: only what was allowed in spite of one, by its one name, settles that.
        """
        if self.verdict != ALLOW or doubt not in DOUBTS:
            return False
        if doubt == A_RULE_ASKS:
            return self.doubt == doubt and names_one(self.effect, self.name)
        return self.doubt in ("", doubt)

    def is_about(self, effect: str, name: str) -> bool:
        """Return whether it is about exactly that, neither more nor less."""
        return (self.effect, self.name.casefold()) == (effect, name.casefold())


class BadRule(Exception):
    """What makes a table no rule: the *key* it is about, what is wrong, and a hint."""

    def __init__(self, key: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.key, self.message, self.hint = key, message, hint


def as_kept(effect: str, name: str) -> str:
    """Return *name*, of what an *effect* acts on, as a rule keeps it: a host in lower case and ASCII.

    Raises UsageError for what can't be one.
    """
    check_effect(effect)
    if not name:
        return ""
    if effect == "opens":
        return _host(name)
    if effect != "launches":
        raise UsageError(f"A rule on what {effect} takes no name.", hint="Leave the name out.")
    if name != one_line(name) or len(name) > _LONGEST_NAME or "*" in name:
        raise UsageError(
            "That can't be an app's name.", hint="Name one app; to mean any, leave the name out."
        )
    return name


def effect_of(word: str) -> str:
    """Return the effect that a person calls *word*, or that the action of that name has.

    Raises UsageError where there is none.
    """
    effect = WORDS.get(word.lower(), word.lower())
    if effect not in EFFECTS and (action := catalogue().get(effect)):
        effect = action.effect
    if effect not in EFFECTS:
        hint = f"There are: {', '.join(WORDS)}."
        raise UsageError(f"There is nothing called {one_line(word, 40)} to make a rule on.", hint=hint)
    return effect


def check_doubt(verdict: str, effect: str, name: str, doubt: str) -> None:
    """Raise UsageError where a rule with that *verdict*, on that, can't be for that *doubt* alone."""
    if not doubt:
        return
    if verdict != ALLOW:
        raise UsageError(
            f"A rule that says {verdict} can't be limited to a doubt.",
            hint="Leave the doubt out; only rules that allow have one.",
        )
    _check_one_of("doubt", doubt, DOUBTS)
    if doubt == A_RULE_ASKS and not names_one(effect, name):
        raise UsageError(
            f"A rule for what another rule asks about names one {KINDS[effect]}.",
            hint=f"Name the {KINDS[effect]}; or remove the rule that asks: jarvis policy list",
        )


def names_one(effect: str, name: str) -> bool:
    """Return whether a rule on that is about one host or app. An effect without names counts as one."""
    return effect not in KINDS or bool(name and not name.startswith("*."))


def scope(effect: str, name: str) -> str:
    """Return what a rule is about, in a person's words: `open host=www.example.com`, `screenshot`."""
    word = next((word for word, meant in WORDS.items() if meant == effect), effect)
    if name:
        return f"{word} {KINDS.get(effect, 'name')}={name}"
    return f"{word} any {KINDS[effect]}" if effect in KINDS else word


def check_verdict(verdict: str) -> None:
    _check_one_of("verdict", verdict, VERDICTS)


def check_effect(effect: str) -> None:
    _check_one_of("effect", effect, EFFECTS)


def rule_in(table: object) -> Rule:
    """Return the rule in a table of policy.toml. Raises BadRule where it holds none."""
    if not isinstance(table, Mapping):
        raise BadRule("", "it is no table", "Write it as [[rule]], and its keys below.")
    values = {**table, "added": str(table.get("added", ""))}  # which TOML may have as a day
    for key, value in values.items():
        if key not in Rule._fields:
            raise BadRule(key, f"a rule has no {one_line(key, 40)}", f"It has: {', '.join(Rule._fields)}.")
        if not (_is_number(value, 1) if key == "number" else isinstance(value, str)):
            raise BadRule(key, f"its {key} is no {'number' if key == 'number' else 'text'}", f"{key} = …")
    for key in ("number", "verdict", "effect"):
        if key not in values:
            raise BadRule("", f"it has no {key}", "It needs a number of its own, a verdict and an effect.")
    if values["added"] and not _is_day(values["added"]):
        raise BadRule("added", "its day is none", 'A day looks like this: added = "2026-01-31"')
    return _checked(Rule(**values))


def as_table(rule: Rule) -> str:
    """Return *rule* as policy.toml spells it."""
    name = [f"name = {_quoted(rule.name)}"] if rule.name else []
    doubt = [f"doubt = {_quoted(rule.doubt)}"] if rule.doubt else []
    keys = (f"number = {rule.number}", f'verdict = "{rule.verdict}"', f'effect = "{rule.effect}"')
    return "\n".join(["[[rule]]", *keys, *name, *doubt, f'added = "{rule.added}"', ""])


def last_in(value: object) -> int:
    """Return the highest number that was ever given, as the file notes it. Raises BadRule."""
    if not _is_number(value, 0):
        raise BadRule("last", "`last` is no number", "It is the highest number that a rule ever had.")
    return value  # type: ignore[return-value]


def _may_be_one(one: str, other: str) -> bool:
    """Return whether two names may be of one app, however shortened. The desktop finds out which."""
    first, second = one.casefold().split(), other.casefold().split()
    if f" {' '.join(first)} " in f" {' '.join(second)} ":
        return True
    return is_short_for(first, second) or is_short_for(second, first)


def _checked(rule: Rule) -> Rule:
    _pass(check_verdict, "verdict", rule.verdict)
    _pass(check_effect, "effect", rule.effect)
    rule = rule._replace(name=_pass(as_kept, "name", rule.effect, rule.name))
    _pass(check_doubt, "doubt", rule.verdict, rule.effect, rule.name, rule.doubt)
    return rule


def _pass(check: Callable[..., Any], key: str, *values: str) -> Any:
    """Return what *check* makes of *values*. Raises BadRule, about *key*, where it raises UsageError."""
    try:
        return check(*values)
    except UsageError as error:
        raise BadRule(
            key, error.message[:1].lower() + error.message[1:].removesuffix("."), error.hint
        ) from None


def _host(name: str) -> str:
    if name in ("*", "*."):
        raise UsageError("A rule for every host has no name.", hint="Leave the name out.")
    wild, rest = ("*.", name[2:]) if name.startswith("*.") else ("", name)
    try:
        host = urls.canon(f"https://{rest}")
    except BadTarget:
        raise UsageError(f"{one_line(name, 80)} is no host name.", hint=_A_HOST) from None
    if host.url != f"https://{host.host}":
        raise UsageError(f"{one_line(name, 80)} is more than a host name.", hint=_A_HOST)
    return f"{wild}{host.host}"


def _check_one_of(kind: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise UsageError(f"There is no {kind} {one_line(word, 40)}.", hint=f"There are: {', '.join(known)}.")


def _is_number(value: object, least: int) -> bool:
    return type(value) is int and least <= value < _BIGGEST


def _is_day(text: str) -> bool:
    return text.isascii() and "".join("0" if c.isdigit() else c for c in text) == _DAY


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
