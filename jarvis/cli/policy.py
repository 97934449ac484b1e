"""`jarvis policy …`: the person's rules on what may be done. Imports no LangGraph."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from ..config.settings import Settings
from ..core.errors import BadTarget, UsageError
from ..core.options import Options
from ..core.text import one_line
from ..core.urls import canon
from ..launcher.command import meant_by
from ..output.screen import Screen
from ..output.summary import dumped
from ..policy.rules import DOUBTS, as_kept, effect_of, scope
from ..policy.rules_file import ALLOW, ASK, DENY, Rule, forget, load, remember
from ..policy.verdict import A_RULE_ASKS
from ..policy.wide_rules import is_too_wide, why_too_wide
from ..store.addresses import nth
from ..store.database import at_once
from ..turns import build
from .command_options import AsJson, EnvFile, command
from .policy_check import on, told, verdict_of

_HELP = """What Jarvis may do unasked, asks about, or may not do. deny comes before ask, ask before allow.

Rules, like -y, settle doubts about what you asked for; they never allow what you did not ask for.
A rule is about an effect: open, launch, screenshot, search; and about a host or an app, or about any.
`jarvis policy allow open www.example.com`, `jarvis policy deny open '*.example.com'` (its subdomains),
`jarvis policy deny launch firefox`, `jarvis policy deny screenshot`.
"""
app = typer.Typer(add_completion=False, rich_markup_mode=None, help=_HELP)

Effect = Annotated[str, typer.Argument(help="open, launch, screenshot or search")]
Name = Annotated[list[str] | None, typer.Argument(help="A host or an app; without one: any.")]


@app.command("list")
def list_(context: typer.Context, json: AsJson = False, env_file: EnvFile = None) -> None:
    """List the rules."""

    def work(screen: Screen, settings: Settings) -> None:
        rules = load(settings.folders.policy).rules
        if json:
            screen.out(dumped([{**rule._asdict(), "too_wide": is_too_wide(rule)} for rule in rules]))
            return
        for rule in rules:
            screen.out(f"{rule.number:>4}  {rule.verdict:<5}  {on(rule)}")
            if is_too_wide(rule):
                why, what = why_too_wide(rule)
                screen.out(f"      It counts for nothing: {why}")
                screen.out(f"      {what}; then: jarvis policy rm {rule.number}")
        if not rules:
            screen.err("No rules yet.")

    command(context.obj, Options(json=json, env_file=env_file), work)


@app.command("test")
def say(
    context: typer.Context,
    words: list[str],
    thread: Annotated[str | None, typer.Option("-t", "--thread", help="The thread of `open 2`.")] = None,
    json: AsJson = False,
    env_file: EnvFile = None,
) -> None:
    """Say what the rules say of WORDS. Nothing is done, asked or looked up."""
    text = " ".join(words)

    def work(screen: Screen, settings: Settings) -> None:
        policy = load(settings.folders.policy)
        verdict = verdict_of(
            meant_by(text, Options(env_file=env_file), screen.environment),
            policy,
            lambda number: _line(settings, number),
        )
        against = [] if verdict else [rule for rule in policy.rules if rule.verdict != ALLOW]
        if json:
            rules = [rule._asdict() for rule in against]
            screen.out(dumped({"plain": verdict and verdict.as_record(), "rules": rules}))
        elif verdict:
            screen.out(verdict.told)
        else:
            screen.out("The model's reading of these words decides what they ask for; nothing else is done.")
            screen.out("Rules that would deny or ask:" if against else "No rule would deny or ask.")
            for rule in against:
                screen.out(f"  {told(rule)}")

    command(context.obj, Options(thread=thread, json=json, env_file=env_file), work)


@app.command(ALLOW)
def allow(
    context: typer.Context,
    effect: Effect,
    name: Name = None,
    doubt: Annotated[str, typer.Option("--for", help=f"The only doubt: {', '.join(DOUBTS)}.")] = "",
    json: AsJson = False,
    env_file: EnvFile = None,
) -> None:
    """Let it be done unasked, once you ask for it: whatever the doubt, or for one doubt only."""
    _keep(context.obj, ALLOW, effect, name, Options(json=json, env_file=env_file), doubt)


@app.command(ASK)
def ask(
    context: typer.Context, effect: Effect, name: Name = None, json: AsJson = False, env_file: EnvFile = None
) -> None:
    """Have it asked about each time."""
    _keep(context.obj, ASK, effect, name, Options(json=json, env_file=env_file))


@app.command(DENY)
def deny(
    context: typer.Context, effect: Effect, name: Name = None, json: AsJson = False, env_file: EnvFile = None
) -> None:
    """Have it refused."""
    _keep(context.obj, DENY, effect, name, Options(json=json, env_file=env_file))


@app.command()
def rm(context: typer.Context, number: int, json: AsJson = False, env_file: EnvFile = None) -> None:
    """Remove the rule of that NUMBER."""

    def work(screen: Screen, settings: Settings) -> None:
        rule = forget(settings.folders.policy, number)
        if json:
            screen.out(dumped({"removed": rule._asdict()}))
        else:
            undo = f"jarvis policy {_as_typed(rule)}"
            screen.out(f"Removed rule {rule.number}: {rule.told} (policy.toml)   undo: {undo}")

    command(context.obj, Options(json=json, env_file=env_file), work)


def _keep(
    screen: Screen, verdict: str, word: str, names: list[str] | None, options: Options, doubt: str = ""
) -> None:
    def work(screen: Screen, settings: Settings) -> None:
        effect = effect_of(word)
        name = _named(effect, " ".join(names or []), screen)
        # The person's own words: they may mean many hosts.
        rule = remember(settings.folders.policy, verdict, effect, name, doubt, wide=True)
        first = load(settings.folders.policy).against(effect, *([] if rule.is_wide else [rule.name]))
        if options.json:
            screen.out(dumped({"saved": rule._asdict()}))
        else:
            undo = f"jarvis policy rm {rule.number}"
            screen.out(f"Saved rule {rule.number}: {rule.told} (policy.toml)   undo: {undo}")
        is_settled = first and (first.verdict, rule.doubt) == (ASK, A_RULE_ASKS)
        if first and first.verdict != rule.verdict and not is_settled:
            screen.err(f"Rule {first.number} comes before it: {first.told}.")

    command(screen, options, work)


def _named(effect: str, name: str, screen: Screen) -> str:
    """*name*, of an address its host alone: that is said. Raises UsageError for what names nothing."""
    try:
        return as_kept(effect, name)
    except UsageError as error:
        host = _host_in(name) if effect == "opens" else ""
        if not host:
            raise error from None
    screen.err(f"A rule is about a whole host: of {one_line(name, 200)} it takes {host}, any page and port.")
    return host


def _host_in(address: str) -> str:
    """The host of what is more than a host; empty where that is not plain."""
    try:
        found = canon(address if "://" in address else f"https://{address}")
    except BadTarget:
        return ""
    return "" if found.userinfo else found.host


def _line(settings: Settings, number: int) -> str:
    history = build.plain_history(settings)
    address = nth(at_once(history.shown(settings.thread)), number)
    at_once(history.close())
    if address is None:
        raise UsageError(
            f"There is no line {number} in the list last shown in the thread {settings.thread}.",
            hint="To name another thread: jarvis policy test -t work open 2",
        )
    return address.url


def _as_typed(rule: Rule) -> str:
    """What a person types to have *rule* again."""
    doubt = ["--for", rule.doubt] if rule.doubt else []
    word = scope(rule.effect, "").split(" ")[0]
    return shlex.join([rule.verdict, *doubt, word, *([rule.name] if rule.name else [])])
