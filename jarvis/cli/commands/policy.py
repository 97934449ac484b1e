"""`jarvis policy …`: list, test, add and remove the user's rules. Imports no LangGraph."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from ...actions.base import catalogue
from ...core.errors import UsageError
from ...core.intent import Form
from ...core.types import EFFECTS, READS_FILE, Effect
from ...core.urls import canon, host_of
from ...language.command_grammar import parse_words
from ...launcher import Command, is_line, parse_command
from ...launcher.names import known_site
from ...policy.guard import names_of
from ...policy.rules import (
    A_RULE_ASKS,
    ALLOW,
    ASK,
    DENY,
    DOUBTS,
    WORDS,
    Policy,
    Rule,
    effect_of,
    forget,
    load_rules,
    remember,
    scope,
)
from .. import completion
from ..completion import Json, Words, only
from ..did_you_mean import is_near
from ..invocation import current, report
from ..material import files_for

# Words of a name, by the effect; of others: none.
_MOST_NAMES = {"opens": 1, "writes": 1, "launches": 8, "shows": 1, READS_FILE: 1}

app = typer.Typer(
    name="policy",
    help="""Manage permission rules.

    deny wins over ask, and ask over allow. Rules, like -y, settle warnings about your requests. They never
    allow anything that you did not request. A rule has an effect (open, launch, screenshot, show, search,
    read, write) and a target (a host, an app, the screen or the clipboard, a path, or any):

    \b
    jarvis policy allow open www.example.com
    jarvis policy deny screenshot
    jarvis policy deny open '*.example.com'    (its subdomains)
    jarvis policy deny launch firefox
    jarvis policy deny read ~/private          (with everything in it)
    """,
)


def _is_effect(word: str) -> bool:
    return any(is_near(word.lower(), each) for each in (*WORDS, *EFFECTS, *catalogue()))


def _names(context: typer.Context, names: list[str] | None) -> list[str] | None:
    """Return *names*. Raises BadParameter for too many: `policy deny open relations` is a sentence."""
    if len(names or ()) > _MOST_NAMES.get(effect_of(context.params.get("effect", "")), 0):
        raise typer.BadParameter("that is more than one name")
    return names


_Effect = Annotated[
    str,
    typer.Argument(
        metavar="EFFECT",
        help="open, launch, screenshot, show, search, read or write",
        is_eager=True,
        callback=only(_is_effect, "it isn't an effect"),
        autocompletion=completion.words(("open", "launch", "screenshot", "show", "search", "read", "write")),
    ),
]
_Name = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME…]",
        help="a host, an app, screen or clipboard, or a path (default: any)",
        callback=_names,
    ),
]


@app.command("list", help="List the rules.")
def list_rules(as_json: Json = False) -> None:
    rules = load_rules(_path()).rules
    lines = (f"{rule.number:>4}  {rule.verdict:<5}  {_about(rule)}" for rule in rules)
    report([rule._asdict() for rule in rules], *lines, none="No rules yet.")


@app.command("test", help="Show which rules apply to WORDS. Does nothing.")
def check_rules(words: Words, as_json: Json = False) -> None:
    policy = load_rules(_path())
    command = parse_command(parse_words(" ".join(words)), current().options, current().screen.environment)
    if command is None or command.others or len(command.meanings) > 1:  # of several, the user would choose
        # Only the model understands it: these rules may apply.
        files = files_for(" ".join(words), words, current().options)
        about = [each for each in policy.rules if each.verdict != ALLOW]
        against = [
            each
            for each in about
            if each.effect != READS_FILE or any(not each.name or each.fits(file.path) for file in files)
        ]
        record = {"plain": None, "rules": [rule._asdict() for rule in against]}
        message = "This is not a plain command, so the model would read it. Nothing was done."
        head = "Rules that would deny or ask:" if against else "No rule would deny or ask."
        report(record, message, head, *(f"  {_format_check(rule)}" for rule in against))
        return
    effect, target, name = _asked_for(command)
    names = names_of(Effect(effect, target)) if effect == "opens" and name else (name,)
    rules = _deciding(policy, effect, *filter(None, (*names, *(each.title for each in command.meanings))))
    plain = {"effect": effect, "target": target, "name": name, "rules": [rule._asdict() for rule in rules]}
    message = f"{scope(effect, name)}: {', '.join(map(_format_check, rules)) or 'no rule'}"
    report({"plain": plain, "rules": []}, message)


def _asked_for(command: Command) -> tuple[str, str, str]:
    """Return the effect of a plain command, its target, and the target's name in rules.

    The name is empty if rules make no difference there. Raises UsageError for a line of a list.
    """
    effect, target = command.action.effect, " ".join(command.arguments.values())
    if effect == "opens" and is_line(target):
        message = f"Jarvis can't test row {target} by its number. Test its address."
        raise UsageError(message, hint="jarvis policy test open ADDRESS")
    if command.action.wants[0].form == Form.FILE or effect not in _MOST_NAMES:
        return effect, target, ""
    return effect, target, canon(target).host if effect == "opens" else target


def _deciding(policy: Policy, effect: str, *names: str) -> Sequence[Rule]:
    """Return the deciding rules: the one against it, unless a rule settles that, else those that allow it."""
    against = policy.against(effect, *names)
    if against is None:
        return policy.allowing(effect, *names)
    settling = policy.settling(A_RULE_ASKS, effect, *names) if against.verdict == ASK else None
    return (settling or against,)


_Doubt = Annotated[
    str,
    typer.Option(
        "--for",
        metavar="DOUBT",
        help=f"The only warning that an allow rule settles: {', '.join(DOUBTS)}.",
        autocompletion=completion.words(each.replace(" ", "-") for each in DOUBTS),
    ),
]


def _saving(verdict: str) -> Callable[..., None]:
    """Return the command that saves a rule of that *verdict*, and reports one that overrides it."""

    def save(effect: _Effect, name: _Name = None, doubt: _Doubt = "", as_json: Json = False) -> None:
        kind = effect_of(effect)
        if kind == "opens" and (url := known_site(" ".join(name or ()).lower())):
            message = f"{' '.join(name or ())} is the name of a site. Rules use its host."
            raise UsageError(message, hint=f"jarvis policy {verdict} open {host_of(url)}")
        doubt = doubt if doubt in DOUBTS else doubt.replace("-", " ")  # as Tab offers it
        about = " ".join(name or ())
        about = os.path.abspath(os.path.expanduser(about)) if about and kind == READS_FILE else about
        rule = remember(_path(), verdict, kind, about, doubt)
        first, *_ = _deciding(load_rules(_path()), kind, *([] if rule.is_wide else [rule.name])) or (rule,)
        saved, undo = f"Saved rule {rule.number}: {rule.formatted}", f"jarvis policy rm {rule.number}"
        message = f"{saved} (policy.txt)   undo: {undo}"
        report({"saved": rule._asdict()}, message)
        if first.verdict != rule.verdict:
            current().screen.err(f"Rule {first.number} overrides it: {first.formatted}.")

    return save


app.command(ALLOW, help="Allow without asking, if you request it.")(_saving(ALLOW))
app.command(ASK, help="Always ask first.")(_saving(ASK))
app.command(DENY, help="Always refuse.")(_saving(DENY))


@app.command("rm", help="Remove a rule by its number.")
def remove_rule(
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1)], as_json: Json = False
) -> None:
    rule = forget(_path(), number)
    doubt = ["--for", rule.doubt] if rule.doubt else []
    word = scope(rule.effect, "").split(" ")[0]
    undo = shlex.join(["jarvis", "policy", rule.verdict, *doubt, word, *filter(None, [rule.name])])
    message = f"Removed rule {rule.number}: {rule.formatted} (policy.txt)   undo: {undo}"
    report({"removed": rule._asdict()}, message)


def _path() -> str:
    return current().settings().folders.policy


def _format_check(rule: Rule) -> str:
    """Return a rule in words: `allow (rule 7: open host=www.example.com, added 2026-01-31)`."""
    return f"{rule.verdict} (rule {rule.number}: {_about(rule)})"


def _about(rule: Rule) -> str:
    """Describe *rule*: its effect and target, its doubt, and its date."""
    doubt = f", for: {rule.doubt or 'any doubt'}" if rule.verdict == ALLOW else ""
    return f"{scope(rule.effect, rule.name)}{doubt}{f', added {rule.added}' if rule.added else ''}"
