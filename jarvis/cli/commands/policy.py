"""`jarvis policy …`: list, test, add and remove the person's rules. Imports no LangGraph."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...core.errors import BadTarget, UsageError
from ...core.text import one_line
from ...core.types import EFFECTS
from ...core.urls import canon
from ...launcher.command import meant_by
from ...output.results import dumped, fitted
from ...policy.rules import ALLOW, ASK, WORDS, Rule, as_kept, effect_of, scope
from ...policy.rules_file import forget, load_rules, remember
from ...policy.targets import A_RULE_ASKS
from ..policy_check import on, told_check, verdict_of
from ..work import with_settings

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ..grammar import Call


def list_rules(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> None:
        from ...policy.wide_rules import is_too_wide, why_too_wide  # the public suffixes: for a list alone

        rules = load_rules(settings.folders.policy).rules
        if call.options.json:
            screen.out(dumped([{**rule._asdict(), "too_wide": is_too_wide(rule)} for rule in rules]))
            return
        for rule in rules:
            screen.out(fitted(f"{rule.number:>4}  {rule.verdict:<5}  {on(rule)}", screen))
            if is_too_wide(rule):
                why, what = why_too_wide(rule)
                screen.out(fitted(f"      It has no effect: {why}", screen))
                screen.out(fitted(f"      {what}; then: jarvis policy rm {rule.number}", screen))
        if not rules:
            screen.err("No rules yet.")

    return with_settings(call, screen, work)


def check_rules(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> None:
        policy = load_rules(settings.folders.policy)
        meant = meant_by(" ".join(call.words), call.options, screen.environment)
        verdict = verdict_of(meant, policy, lambda number: _line(settings, number))
        against = [] if verdict else [rule for rule in policy.rules if rule.verdict != ALLOW]
        if call.options.json:
            rules = [rule._asdict() for rule in against]
            screen.out(dumped({"plain": verdict and verdict.as_record(), "rules": rules}))
        elif verdict:
            screen.out(fitted(verdict.told, screen))
        else:
            screen.out(
                fitted(
                    "This is no plain command: the model decides what it asks for. Nothing was done.", screen
                )
            )
            screen.out(
                fitted("Rules that would deny or ask:" if against else "No rule would deny or ask.", screen)
            )
            for rule in against:
                screen.out(fitted(f"  {told_check(rule)}", screen))

    return with_settings(call, screen, work)


def remove_rule(call: Call, screen: Screen) -> int:
    (number,) = call.words

    def work(settings: Settings) -> None:
        if not number.isdecimal():
            raise UsageError(
                "Invalid value for 'number': it must be a whole number.", hint="jarvis policy list"
            )
        rule = forget(settings.folders.policy, int(number))
        if call.options.json:
            screen.out(dumped({"removed": rule._asdict()}))
        else:
            undo = f"jarvis policy {_as_typed(rule)}"
            screen.out(
                fitted(f"Removed rule {rule.number}: {rule.told} (policy.toml)   undo: {undo}", screen)
            )

    return with_settings(call, screen, work)


def keep_rule(call: Call, screen: Screen) -> int:
    """Keep a rule, whose verdict is the command's name."""
    word, *names = call.words

    def work(settings: Settings) -> None:
        effect = effect_of(word)
        name = _named(effect, " ".join(names), screen)
        doubt = call.values.get("doubt", "")
        # The person's own words: they may mean many hosts.
        rule = remember(settings.folders.policy, call.command.name, effect, name, doubt, wide=True)
        first = load_rules(settings.folders.policy).against(effect, *([] if rule.is_wide else [rule.name]))
        if call.options.json:
            screen.out(dumped({"saved": rule._asdict()}))
        else:
            undo = f"jarvis policy rm {rule.number}"
            screen.out(fitted(f"Saved rule {rule.number}: {rule.told} (policy.toml)   undo: {undo}", screen))
        is_settled = first and (first.verdict, rule.doubt) == (ASK, A_RULE_ASKS)
        if first and first.verdict != rule.verdict and not is_settled:
            screen.err(f"Rule {first.number} comes before it: {first.told}.")

    return with_settings(call, screen, work)


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


def is_rule(words: Sequence[str]) -> bool:
    """Return whether *words*, after a verdict, may be what a rule is about: `open www.example.com`."""
    near = difflib.get_close_matches(words[0].lower(), (*WORDS, *EFFECTS), n=1, cutoff=0.8)
    if not near:
        return False
    return len(words) - 1 <= {"opens": 1, "launches": 8}.get(effect_of(near[0]), 0)


def is_number(words: Sequence[str]) -> bool:
    return words[0].isdecimal()
