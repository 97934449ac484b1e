"""`jarvis policy …`: list, test, add and remove the person's rules. Imports no LangGraph."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ...actions import catalogue
from ...core.errors import BadTarget, UsageError
from ...core.intent import OWN_FILE
from ...core.text import one_line
from ...core.types import EFFECTS
from ...core.urls import canon
from ...launcher.command import Command, is_line, meant_by
from ...output.records import dumped
from ...output.screen import fitted
from ...policy.rules import (
    ALLOW,
    ASK,
    DENY,
    DOUBTS,
    WORDS,
    Policy,
    Rule,
    as_kept,
    effect_of,
    forget,
    load_rules,
    remember,
    scope,
)
from ...policy.targets import A_RULE_ASKS
from .. import completion
from ..parameters import InThread, Json, Words
from ..work import current

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen

_MOST_NAMES = {"opens": 1, "launches": 8}  # words of a name, by the effect; of others it has none

app = typer.Typer(
    name="policy",
    help="""What may be done unasked, and what may not be done.

    deny comes before ask, ask before allow. Rules, like -y, settle doubts about what you asked for; they
    never allow what you did not ask for. A rule is about an effect: open, launch, screenshot, search; and
    about a host or an app, or about any:

    \b
    jarvis policy allow open www.example.com
    jarvis policy deny screenshot
    jarvis policy deny open '*.example.com'    (its subdomains)
    jarvis policy deny launch firefox
    """,
)


def _effect(word: str) -> str:
    near = difflib.get_close_matches(word.lower(), (*WORDS, *EFFECTS), n=1, cutoff=0.8)
    if not near and word.lower() not in catalogue():
        raise typer.BadParameter("it is no effect")
    return word


def _names(context: typer.Context, names: list[str] | None) -> list[str] | None:
    """Return *names*, where so many may follow the effect: `policy deny open relations` is a sentence."""
    word = str(context.params.get("effect") or "").lower()
    near = difflib.get_close_matches(word, (*WORDS, *EFFECTS), n=1, cutoff=0.8)
    if len(names or ()) > (_MOST_NAMES.get(effect_of(near[0]), 0) if near else 8):
        raise typer.BadParameter("that is more than one name")
    return names


def _number(text: str) -> str:
    if not text.isdecimal():
        raise typer.BadParameter("it must be a whole number")
    return text


_Effect = Annotated[
    str,
    typer.Argument(
        metavar="EFFECT",
        help="open, launch, screenshot or search",
        is_eager=True,
        callback=_effect,
        autocompletion=completion.words(("open", "launch", "screenshot", "search")),
    ),
]
_Name = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME…]",
        help="a host or an app; without one: any",
        callback=_names,
        autocompletion=completion.a_name_in_rules,
    ),
]


@app.command("list", help="List the rules.")
def list_rules(as_json: Json = False) -> None:
    screen = current().screen
    rules = load_rules(current().settings().folders.policy).rules
    if as_json:
        screen.out(dumped([rule._asdict() for rule in rules]))
        return
    for rule in rules:
        screen.out(fitted(f"{rule.number:>4}  {rule.verdict:<5}  {_on(rule)}", screen))
    if not rules:
        screen.err("No rules yet.")


@app.command("test", help="Say what the rules say of WORDS; nothing is done.")
def check_rules(words: Words, thread: InThread = None, as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings(thread=thread)
    policy = load_rules(settings.folders.policy)
    meant = meant_by(" ".join(words), current().options, screen.environment)
    verdict = _verdict_of(meant, policy, lambda number: _line(settings, number))
    against = [] if verdict else [rule for rule in policy.rules if rule.verdict != ALLOW]
    if as_json:
        rules = [rule._asdict() for rule in against]
        screen.out(dumped({"plain": verdict and verdict.as_record(), "rules": rules}))
    elif verdict:
        screen.out(fitted(verdict.told, screen))
    else:
        told = "This is no plain command: the model decides what it asks for. Nothing was done."
        of_rules = "Rules that would deny or ask:" if against else "No rule would deny or ask."
        lines = [told, of_rules, *(f"  {_told_check(rule)}" for rule in against)]
        screen.out("\n".join(fitted(line, screen) for line in lines))


@app.command("allow", help="Let it be done without a question, once you ask for it.")
def allow_rule(
    effect: _Effect,
    name: _Name = None,
    doubt: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="DOUBT",
            help=f"The only doubt: {', '.join(DOUBTS)}.",
            autocompletion=completion.words(each.replace(" ", "-") for each in DOUBTS),
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    _keep(ALLOW, effect, name, as_json, doubt)


@app.command("ask", help="Have it asked about each time.")
def ask_rule(effect: _Effect, name: _Name = None, as_json: Json = False) -> None:
    _keep(ASK, effect, name, as_json)


@app.command("deny", help="Have it refused.")
def deny_rule(effect: _Effect, name: _Name = None, as_json: Json = False) -> None:
    _keep(DENY, effect, name, as_json)


@app.command("rm", help="Remove the rule of that NUMBER.")
def remove_rule(
    number: Annotated[
        str, typer.Argument(metavar="NUMBER", callback=_number, autocompletion=completion.a_rule)
    ],
    as_json: Json = False,
) -> None:
    screen = current().screen
    rule = forget(current().settings().folders.policy, int(number))
    if as_json:
        screen.out(dumped({"removed": rule._asdict()}))
        return
    undo = f"jarvis policy {_as_typed(rule)}"
    screen.out(fitted(f"Removed rule {rule.number}: {rule.told} (policy.toml)   undo: {undo}", screen))


def _keep(verdict: str, word: str, names: list[str] | None, as_json: bool, doubt: str = "") -> None:
    """Keep a rule, and tell which other one comes before it."""
    screen, path = current().screen, current().settings().folders.policy
    effect = effect_of(word)
    name = _named(effect, " ".join(names or ()), screen)
    doubt = doubt if doubt in DOUBTS else doubt.replace("-", " ")  # as Tab offers it
    # The person's own words: they may mean many hosts.
    rule = remember(path, verdict, effect, name, doubt, wide=True)
    first = load_rules(path).against(effect, *([] if rule.is_wide else [rule.name]))
    if as_json:
        screen.out(dumped({"saved": rule._asdict()}))
    else:
        undo = f"jarvis policy rm {rule.number}"
        screen.out(fitted(f"Saved rule {rule.number}: {rule.told} (policy.toml)   undo: {undo}", screen))
    is_settled = first and (first.verdict, rule.doubt) == (ASK, A_RULE_ASKS)
    if first and first.verdict != rule.verdict and not is_settled:
        screen.err(f"Rule {first.number} comes before it: {first.told}.")


def _named(effect: str, name: str, screen: Screen) -> str:
    """Return the name to keep; of an address its host alone, and say so. Raises UsageError for a bad name."""
    try:
        return as_kept(effect, name)
    except UsageError as error:
        host = _host_in(name) if effect == "opens" else ""
        if not host:
            raise error from None
    instead = f"it is kept for {host}, every page and port, not for {one_line(name, 200)} alone"
    screen.err(f"A rule is for a whole host: {instead}.")
    return host


def _host_in(address: str) -> str:
    """Return the host of an address; empty where that is not plain."""
    try:
        found = canon(address if "://" in address else f"https://{address}")
    except BadTarget:
        return ""
    return "" if found.userinfo else found.host


def _line(settings: Settings, number: int) -> str:
    # `policy test open 2` alone looks into history.
    from ...store.addresses import nth
    from ...store.history import no_line
    from ...store.sqlite import at_once
    from ...turns import plain

    history = plain.plain_history(settings)
    try:
        shown, _ = at_once(history.listed(settings.thread))
        if address := nth(shown, number):
            return address.url
        raise no_line(settings.thread, number, len(shown))
    finally:
        at_once(history.close())


def _as_typed(rule: Rule) -> str:
    """Return what a person types to have *rule* again."""
    doubt = ["--for", rule.doubt] if rule.doubt else []
    word = scope(rule.effect, "").split(" ")[0]
    return shlex.join([rule.verdict, *doubt, word, *([rule.name] if rule.name else [])])


# What the rules say of words, without doing, asking or looking up anything.


class _Verdict(NamedTuple):
    """What the rules say of a plain command."""

    effect: str  # one of types.EFFECTS
    target: str  # the address, the app
    name: str  # by which a rule speaks of the target; empty: rules don't tell such targets apart
    rules: tuple[Rule, ...]  # the one that denies or asks; else those that allow, each for its doubt

    @property
    def told(self) -> str:
        return f"{scope(self.effect, self.name)}: {', '.join(map(_told_check, self.rules)) or 'no rule'}"

    def as_record(self) -> dict[str, Any]:
        return {**self._asdict(), "rules": [rule._asdict() for rule in self.rules]}


def _told_check(rule: Rule) -> str:
    """Return a rule in words: `allow (rule 7: open host=www.example.com, added 2026-01-31)`."""
    return f"{rule.verdict} (rule {rule.number}: {_on(rule)})"


def _on(rule: Rule) -> str:
    """Return what *rule* is about, for which doubt, and since when."""
    doubt = f", for: {rule.doubt or 'any doubt'}" if rule.verdict == ALLOW else ""
    return f"{scope(rule.effect, rule.name)}{doubt}{f', added {rule.added}' if rule.added else ''}"


def _verdict_of(meant: Command | None, policy: Policy, line: Callable[[int], str]) -> _Verdict | None:
    """Return what *policy* says of what words plainly ask for; None where only the model can tell.

    line: returns the address in that line of the list last shown; raises UsageError where there is none.
    """
    if meant is None or meant.others or len(meant.meanings) > 1:  # of several, they would be asked which
        return None
    action, arguments, meanings = meant.action, meant.arguments, meant.meanings
    target = " ".join(arguments.values())
    if action.effect == "opens" and is_line(target):
        target = line(int(target))
    name = "" if action.wants[0].form == OWN_FILE else _rule_name(action.effect, target)
    names = filter(None, (name, *(meaning.title for meaning in meanings)))
    return _Verdict(action.effect, target, name, _deciding(policy, action.effect, *names))


def _deciding(policy: Policy, effect: str, *names: str) -> tuple[Rule, ...]:
    """Return the rules that decide: the one against it, unless a rule settles that; else those that allow."""
    against = policy.against(effect, *names)
    if against is None:
        return tuple(policy.allowing(effect, *names))
    settling = policy.settling(A_RULE_ASKS, effect, *names) if against.verdict == ASK else None
    return (settling or against,)


def _rule_name(effect: str, target: str) -> str:
    if effect == "opens":
        return canon(target).host
    return target if effect == "launches" else ""
