"""Decides whether an action may run, for plain commands and the loop alike.

Pure: it looks at what Python knows and does nothing. First whether the person asked for it, by the kind of
effect (targets.py); then what is doubtful about it; then which of these doubts they have settled for good.
No rule and no yes allows what was not asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..actions.base import ENGINES, SEARCH, Action, failed
from ..core import urls
from ..core.errors import ActionFailed, JarvisError, Refused
from ..core.file_kinds import may_hold_secret, secret_place
from ..core.intent import Part
from ..core.types import FILE, LOOKUPS, READS_FILE, Effect, Facts, NamedFile, Outcome, Request
from . import targets
from .targets import Doubt, Verdict

if TYPE_CHECKING:
    from .rules import Policy

_LONGEST_QUERY = 200  # characters
_A_RULE = "policy rule"  # before the number of one that let something pass, or refused it
_FEW = 4  # searches of one step, that nobody is asked about


def authorize(
    n: int, action: Action, arguments: Mapping[str, object], facts: Facts, policy: Policy
) -> Request | Outcome:
    """Return what *action* may do as step *n*, with Python's own value; or the outcome that it is refused.

    arguments: as the kinds of its fields read them.
    """
    try:
        effect = action.resolve(arguments, facts)
    except Refused as error:
        return refusal(action.not_done(""), error.message, code=error.code, hint=error.hint)
    except ActionFailed as error:
        return failure(action, error, facts)
    goes = "searches" if action.needed & {SEARCH, ENGINES} else action.effect
    if not goes == action.effect == effect.kind:
        raise TypeError(f"{action.name} does not say where it goes: it {goes}")
    verdict = check(effect, facts, policy, [want.form for want in action.wants])
    if verdict.verdict == targets.REFUSE:
        said = action.not_done(effect.told)
        refused = refusal(said, verdict.reason, effect.target, verdict.rule, verdict.code)
        return refused._replace(part=verdict.part, closes=verdict.closes)
    return Request(
        n=n,
        action=action.name,
        effect=effect,
        ask=verdict.reason,
        rule=verdict.rule,
        choices=verdict.choices,
        is_marked=verdict.is_marked,
        doubts=tuple(doubt.kind for doubt in verdict.doubts),
        part=verdict.part,
    )


def check(effect: Effect, facts: Facts, policy: Policy, forms: Sequence[str] = ()) -> Verdict:
    """Decide whether *effect* may be carried out. forms: of the intent (Want.form) that ask for it."""
    verdict = _by_intent(effect, facts, forms)
    if verdict.verdict == targets.REFUSE:
        return verdict
    names = names_of(effect)
    # Nobody is asked whether something may be looked up that the words perhaps ask for.
    doubts = [*([] if effect.kind in LOOKUPS else _about_words(verdict, facts)), *verdict.doubts]
    if facts.is_private and effect.kind == "searches":  # their own service tells nobody
        why = f"something private was read, and this is sent out: {effect.told}"
        doubts.append(Doubt(targets.AFTER_PRIVATE, why))
    ruled = READS_FILE if effect.file else effect.kind
    if rule := policy.against(ruled, *names):
        if rule.verdict == "deny":
            named = f"{_A_RULE} {rule.number}"
            return targets.refuse(f"{named} denies it.", named)._replace(part=verdict.part, closes=True)
        doubts.append(Doubt(targets.A_RULE_ASKS, f"{_A_RULE} {rule.number} asks"))
    settled = {doubt: policy.settling(doubt.kind, ruled, *names) for doubt in doubts}
    left = [doubt for doubt, rule in settled.items() if not rule]
    if left:
        reason = "; ".join(doubt.reason for doubt in left)
        kinds = ", ".join(doubt.kind for doubt in left)
        return verdict._replace(verdict=targets.ASK, reason=reason, rule=kinds, doubts=tuple(left))
    told = dict.fromkeys(f"{_A_RULE} {rule.number}" for rule in settled.values() if rule)
    return verdict._replace(rule="; ".join([verdict.rule, *told]), choices=(), is_marked=False, doubts=())


def names_of(effect: Effect) -> tuple[str, ...]:
    """Return the names by which a rule may speak of *effect*: app, path, host, and that with its port."""
    match effect.kind:
        case "opens" if is_file(effect):
            return ()
        case "opens":
            canon = urls.canon(effect.target)
            return canon.host, canon.place
        case "shows":
            return (effect.title,)
        case "reads" if effect.file:
            return (effect.file.path,)
        case "launches":
            return tuple(dict.fromkeys(filter(None, (effect.target, effect.title, effect.known_as))))
        case "writes" if effect.host:
            canon = urls.canon(f"https://{effect.host}")
            return (canon.host, canon.place) if canon.port else (canon.host,)  # else its scheme is not known
    return ()


def is_file(effect: Effect) -> bool:
    """Return whether *effect* opens a file, of which no rule on a host speaks."""
    return effect.address is not None and effect.address.source == FILE


def refusal(
    said: str, reason: str, target: str = "", rule: str = "", code: str = "refused", hint: str = ""
) -> Outcome:
    """Return the outcome of something refused. said: what did not happen."""
    text = f"{said.strip()}: {reason}"
    return Outcome("refused", text, target, code, hint, exit_status=Refused.exit_status, rule=rule)


def failure(action: Action, error: JarvisError, facts: Facts) -> Outcome:
    """Return the outcome where the part that asks for *action* can't be turned into an effect here."""
    n, part = _first(facts, [want.form for want in action.wants])
    name = "" if part.form.endswith("N") else part.value  # what has a number has no name
    return failed(action.not_done(name), error)._replace(part=n)


def _first(facts: Facts, forms: Sequence[str]) -> tuple[int, Part]:
    """Return the first part that is left and has one of *forms*, behind its number; 0: there is none."""
    return next((each for each in facts.parts_left if each[1].form in forms), (0, Part("")))


def _about_words(verdict: Verdict, facts: Facts) -> list[Doubt]:
    """Return what is doubtful about the words that ask for it, whatever it is."""
    if not verdict.part or facts.intent is None:
        return []
    part = facts.intent.part(verdict.part)
    # Of a command, they know what they typed.
    told = "you only named it" if facts.intent.is_command else part.told
    doubts = [Doubt(targets.UNSURE, f"it is not sure that you ask for it: {told}")] if part.unsure else []
    if facts.is_pasted and targets.PASTED not in facts.settled:
        told = "; ".join(facts.intent.told)
        doubts.append(
            Doubt(targets.PASTED, f"your words have several lines, so this may be somebody else's: {told}")
        )
    return doubts


def _by_intent(effect: Effect, facts: Facts, forms: Sequence[str]) -> Verdict:
    match effect.kind:
        case "arranges" | "searches" | "reads":
            return _looking_up(effect, facts, forms)
        case "opens" if is_file(effect):
            return targets.showing(effect, facts)
        case "opens":
            return targets.opening(effect, facts)
        case "launches":
            return targets.starting(effect, facts)
        case "keeps" | "captures" | "shows" | "writes" | "spends":
            return _named_by_form(effect, facts, forms)
    return targets.refuse(f"no rule allows an action that {effect.kind}.")


def _looking_up(effect: Effect, facts: Facts, forms: Sequence[str]) -> Verdict:
    """Decide on what changes nothing: it needs no part of the intent, unless its action names some."""
    part, _ = _first(facts, forms)
    if forms and not part:
        return targets.not_asked()
    if effect.kind == "arranges":
        verdict = Verdict(targets.ALLOW, rule="nothing is looked up")
    elif effect.kind == "searches" or not (effect.file or effect.address):
        verdict = _asking(effect, facts)
    else:
        verdict = _reading_file(effect.file, facts) if effect.file else _reading(effect, facts)
    return verdict._replace(part=part)


def _asking(effect: Effect, facts: Facts) -> Verdict:
    """Allow a query: it goes to the service that the person chose, but never with their keys."""
    query = effect.target
    if len(query) > _LONGEST_QUERY or not query.isprintable():
        return targets.refuse("that can't be a query: it is too long, or has signs that can't be shown.")
    if facts.holds_key(query):
        return targets.refuse("it has one of your keys in it.")
    many = Doubt(targets.MANY, f"it takes {effect.credits} searches at once")
    return Verdict(targets.ALLOW, rule="a search", doubts=(many,) if effect.credits > _FEW else ())


def _reading(effect: Effect, facts: Facts) -> Verdict:
    """Allow a page that is known here, as it is known: nothing can be put into its address."""
    if effect.address is None or facts.addresses.get(effect.address.id) != effect.address:
        return targets.refuse("that address is not known here.")
    if effect.address.url != effect.target or facts.holds_key(effect.target):
        return targets.refuse("it has one of your keys in it, or is another address.")
    return Verdict(targets.ALLOW, rule="a page is read")


def _reading_file(file: NamedFile, facts: Facts) -> Verdict:
    """Allow a file that this turn's words name. What was read of it goes to the model, once that passes."""
    if facts.files.get(file.id) != file:
        return targets.refuse("that is not a file that you named.")
    secret = f"{why}, which would go to the model" if (why := why_unsafe(file)) else ""
    unsafe = secret or ("only what was kept with the question says that you named it" * file.is_recalled)
    doubts = [Doubt(targets.UNSAFE, unsafe)] if unsafe else []
    if file.shared:
        doubts.append(
            Doubt(targets.SHARED, f"others can write to {file.shared}, and so change what that name means")
        )
    return Verdict(targets.ALLOW, rule="you named this file", doubts=tuple(doubts))


def why_unsafe(file: NamedFile) -> str:
    """Return why *file* may hold a secret, by where it lies, what it is called, what is in it; or nothing."""
    name, place = os.path.basename(file.path), secret_place(file.path)
    if place or may_hold_secret(name):
        return f"{name}{f' lies in {place} and' if place else ''} may hold a secret"
    return f"{name} holds {file.holds}" if file.holds else ""


def _named_by_form(effect: Effect, facts: Facts, forms: Sequence[str]) -> Verdict:
    """Decide on what needs no more than a part of the intent that asks for it."""
    part, _ = _first(facts, forms)
    if not part:
        return targets.not_asked()
    of_kind = {"writes": targets.CHANGES, "spends": targets.COSTS}
    doubts = tuple(Doubt(kind, f"it {kind}") for kind in [of_kind.get(effect.kind, "")] if kind)
    if effect.kind == "shows":
        doubts = (Doubt(targets.SENT, f"what is on your {effect.title} goes to {facts.receiver}"),)
    # What exactly is sent elsewhere they have not seen yet.
    is_plain = facts.intent is not None and facts.intent.is_command and not effect.host
    return targets.allowed(part, facts, () if is_plain else doubts)
