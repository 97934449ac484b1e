"""Decides whether an action may run, for plain commands and the loop.

Pure: it looks at Python's facts and does nothing. First it checks whether the user asked for the effect. Then
it lists the doubts, and drops those that a rule settles. No rule and no yes allows anything that the user did
not ask for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..actions.base import ENGINES, SEARCH, Action, failed
from ..core import urls
from ..core.errors import ActionFailed, BadTarget, JarvisError, Refused
from ..core.file_kinds import may_hold_secret, secret_place
from ..core.intent import MOST_LINES, Form, Part, by_ids
from ..core.types import (
    APP,
    FILE,
    LOOKUPS,
    NOT_ASKED,
    READS_FILE,
    SEVERAL,
    ActionRequest,
    Address,
    Effect,
    Facts,
    Meanings,
    NamedFile,
    Outcome,
)
from ..core.urls import is_well_known
from ..search.hosts import suffix_of
from .rules import A_RULE_ASKS, ALLOW, ASK, CHANGES, MANY, SENT, SHARED, Policy

_LONGEST_QUERY = 200  # characters
_A_RULE = "policy rule"  # before the number of one that let something pass, or refused it
_FEW = 4  # searches of one step, that nobody is asked about
REFUSE = "refuse"
# Doubts about the words, which no rule settles.
UNSURE, PASTED = "unsure", "pasted"
COSTS = "costs something"  # which no rule settles either
AFTER_PRIVATE = "after something private"  # has been read: a search might tell of it
UNSAFE = "perhaps a key"  # in a file, which would be sent to the model
WHOSE = "nothing vouches"  # for the site of a name as its own


class Doubt(NamedTuple):
    """The reason to ask the user first."""

    kind: str  # as a rule may name it: rules.DOUBTS; or one of the above, or SEVERAL
    reason: str


class Verdict(NamedTuple):
    verdict: str  # ALLOW | ASK | REFUSE
    reason: str = ""  # for the person, where it is not simply allowed
    rule: str = ""  # what lets it pass, or is asked about, for `jarvis why`
    choices: tuple[Address, ...] = ()  # what they may mean, the likeliest first
    is_marked: bool = False  # whether Enter takes the first of them
    doubts: tuple[Doubt, ...] = ()
    part: int = 0  # as in Request
    code: str = ""  # of the outcome, where it is refused
    closes: bool = False  # as in Outcome


def authorize(
    n: int, action: Action, arguments: Mapping[str, object], facts: Facts, policy: Policy
) -> ActionRequest | Outcome:
    """Return the request for *action* as step *n*, with Python's own value, or the outcome of a refusal.

    arguments: parsed by the kinds of its fields.
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
    if verdict.verdict == REFUSE:
        not_done = action.not_done(effect.formatted)
        refused = refusal(not_done, verdict.reason, effect.target, verdict.rule, verdict.code)
        return refused._replace(part=verdict.part, closes=verdict.closes)
    return ActionRequest(
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
    if verdict.verdict == REFUSE:
        return verdict
    rule_text = names_of(effect)
    # Nobody is asked whether something may be looked up that the words perhaps ask for.
    doubts = [*([] if effect.kind in LOOKUPS else _about_words(verdict, facts)), *verdict.doubts]
    if facts.is_private and effect.kind == "searches":  # their own service tells nobody
        why = f"something private was read, and this is sent out: {effect.formatted}"
        doubts.append(Doubt(AFTER_PRIVATE, why))
    ruled = READS_FILE if effect.file else effect.kind
    if rule := policy.against(ruled, *rule_text):
        if rule.verdict == "deny":
            label = f"{_A_RULE} {rule.number}"
            return refuse(f"{label} denies it.", label)._replace(part=verdict.part, closes=True)
        doubts.append(Doubt(A_RULE_ASKS, f"{_A_RULE} {rule.number} asks"))
    settled = {doubt: policy.settling(doubt.kind, ruled, *rule_text) for doubt in doubts}
    left = [doubt for doubt, rule in settled.items() if not rule]
    if left:
        reason = "; ".join(doubt.reason for doubt in left)
        kinds = ", ".join(doubt.kind for doubt in left)
        return verdict._replace(verdict=ASK, reason=reason, rule=kinds, doubts=tuple(left))
    rules_used = dict.fromkeys(f"{_A_RULE} {rule.number}" for rule in settled.values() if rule)
    return verdict._replace(
        rule="; ".join([verdict.rule, *rules_used]), choices=(), is_marked=False, doubts=()
    )


def names_of(effect: Effect) -> tuple[str, ...]:
    """Return the names of *effect* that a rule may use: app, path, host, and host with port."""
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
    """Return whether *effect* opens a file. Rules on hosts don't apply to it."""
    return effect.address is not None and effect.address.source == FILE


def refusal(
    answer: str, reason: str, target: str = "", rule: str = "", code: str = "refused", hint: str = ""
) -> Outcome:
    """Return the outcome of something refused. answer: what did not happen."""
    not_done = f"{answer.strip()}: {reason}"
    return Outcome("refused", not_done, target, code, hint, exit_status=Refused.exit_status, rule=rule)


def failure(action: Action, error: JarvisError, facts: Facts) -> Outcome:
    """Return the outcome if the part for *action* has no possible effect here."""
    n, part = _first(facts, [want.form for want in action.wants])
    name = "" if part.form.endswith("N") else part.value  # what has a number has no name
    return failed(action.not_done(name), error)._replace(part=n)


def _first(facts: Facts, forms: Sequence[str]) -> tuple[int, Part]:
    """Return the first open part with one of *forms*, and its number, or 0."""
    return next((each for each in facts.parts_left if each[1].form in forms), (0, Part("")))


def _about_words(verdict: Verdict, facts: Facts) -> list[Doubt]:
    """Return the doubts about the words of the request, for any effect."""
    if not verdict.part or facts.intent is None:
        return []
    part = facts.intent.part(verdict.part)
    # Of a command, they know what they typed.
    message = "you only named it" if facts.intent.is_command else part.canonical
    reason = f"Jarvis is not sure that you asked for this: {message.rstrip('?')}"
    doubts = [Doubt(UNSURE, reason)] if part.unsure else []
    if facts.is_pasted and PASTED not in facts.settled:
        message = "; ".join(facts.intent.canonical_parts)
        doubts.append(
            Doubt(PASTED, f"your words have several lines, so this may be somebody else's: {message}")
        )
    return doubts


def _by_intent(effect: Effect, facts: Facts, forms: Sequence[str]) -> Verdict:
    match effect.kind:
        case "arranges" | "searches" | "reads":
            return _looking_up(effect, facts, forms)
        case "opens" if is_file(effect):
            return showing(effect, facts)
        case "opens":
            return opening(effect, facts)
        case "launches":
            return starting(effect, facts)
        case "keeps" | "captures" | "shows" | "writes" | "spends":
            return _named_by_form(effect, facts, forms)
    return refuse(f"no rule allows an action that {effect.kind}.")


def _looking_up(effect: Effect, facts: Facts, forms: Sequence[str]) -> Verdict:
    """Decide on what changes nothing: it needs no part of the intent, unless its action names some."""
    part, _ = _first(facts, forms)
    if forms and not part:
        return not_asked()
    if effect.kind == "arranges":
        verdict = Verdict(ALLOW, rule="nothing is looked up")
    elif effect.kind == "searches" or not (effect.file or effect.address):
        verdict = _asking(effect, facts)
    else:
        verdict = _reading_file(effect.file, facts) if effect.file else _reading(effect, facts)
    return verdict._replace(part=part)


def _asking(effect: Effect, facts: Facts) -> Verdict:
    """Allow a query: it goes to the service that the person chose, but never with their keys."""
    query = effect.target
    if len(query) > _LONGEST_QUERY or not query.isprintable():
        return refuse("that can't be a query: it is too long, or has signs that can't be shown.")
    if facts.holds_key(query):
        return refuse("it has one of your keys in it.")
    many = Doubt(MANY, f"it takes {effect.credits} searches at once")
    return Verdict(ALLOW, rule="a search", doubts=(many,) if effect.credits > _FEW else ())


def _reading(effect: Effect, facts: Facts) -> Verdict:
    """Allow a page that is known here, as it is known: nothing can be put into its address."""
    if effect.address is None or facts.addresses.get(effect.address.id) != effect.address:
        return refuse("that address is not known here.")
    if effect.address.url != effect.target or facts.holds_key(effect.target):
        return refuse("it has one of your keys in it, or is another address.")
    return Verdict(ALLOW, rule="a page is read")


def _reading_file(file: NamedFile, facts: Facts) -> Verdict:
    """Allow a file that this turn's words name. Once allowed, the model gets its content."""
    if facts.files.get(file.id) != file:
        return refuse("that is not a file that you named.")
    secret = f"{why}, which would go to the model" if (why := why_unsafe(file)) else ""
    unsafe = secret or ("only what was kept with the question says that you named it" * file.is_recalled)
    doubts = [Doubt(UNSAFE, unsafe)] if unsafe else []
    if file.shared:
        doubts.append(Doubt(SHARED, f"others can write to {file.shared}, and so change what that name means"))
    return Verdict(ALLOW, rule="you named this file", doubts=tuple(doubts))


def why_unsafe(file: NamedFile) -> str:
    """Return why *file* may hold a secret (its place, name, or content), or ""."""
    name, place = os.path.basename(file.path), secret_place(file.path)
    if place or may_hold_secret(name):
        return f"{name}{f' lies in {place} and' if place else ''} may hold a secret"
    return f"{name} holds {file.holds}" if file.holds else ""


def _named_by_form(effect: Effect, facts: Facts, forms: Sequence[str]) -> Verdict:
    """Decide on what needs no more than a part of the intent that asks for it."""
    part, _ = _first(facts, forms)
    if not part:
        return not_asked()
    of_kind = {"writes": CHANGES, "spends": COSTS}
    doubts = tuple(Doubt(kind, f"it {kind}") for kind in [of_kind.get(effect.kind, "")] if kind)
    if effect.kind == "shows":
        doubts = (Doubt(SENT, f"what is on your {effect.title} goes to {facts.receiver}"),)
    # What exactly is sent elsewhere they have not seen yet.
    is_plain = facts.intent is not None and facts.intent.is_command and not effect.host
    return allowed(part, facts, () if is_plain else doubts)


# Verdicts.


def refuse(reason: str, rule: str = "", code: str = "refused") -> Verdict:
    return Verdict(REFUSE, reason, rule, code=code)


def allowed(part: int, facts: Facts, doubts: tuple[Doubt, ...] = ()) -> Verdict:
    """Allow the part with that number, with its *doubts*."""
    request = by_ids([facts.intent.part(part).canonical], facts.typed)[0] if facts.intent else ""
    choices, is_marked = _choices(facts.meaning_of(part), [doubt.kind for doubt in doubts])
    return Verdict(ALLOW, "", f"you asked: {request}", choices, is_marked, doubts, part)


def _choices(meanings: Meanings, doubts: Sequence[str]) -> tuple[tuple[Address, ...], bool]:
    """Return the meanings of a name, the user's last choice first, and whether the first is marked."""
    if SEVERAL not in doubts and WHOSE not in doubts:
        return (), False
    addresses, last = meanings.addresses if SEVERAL in doubts else meanings.site.choices, meanings.site.last
    ordered = sorted(addresses, key=lambda each: each.url != last)
    return tuple(ordered), WHOSE in doubts or ordered[0].url == last


def not_asked(reason: str = "you did not ask for it.") -> Verdict:
    """Refuse what nobody asked for: it changes neither the turn's status nor its exit status."""
    return refuse(reason, "not asked for", NOT_ASKED)


# Decides whether an address may be opened: which part of the intent asks for it, and what is doubtful.


_ROUTERS = (".ip", ".home.arpa")  # of a network of one's own, beside those in core/urls.py


def opening(effect: Effect, facts: Facts) -> Verdict:
    address = effect.address
    if address is None or facts.addresses.get(address.id) != address or address.url != effect.target:
        return refuse("that address is not one that you named or that was found.")
    try:
        canon = urls.canon(effect.target)
    except BadTarget as error:
        return refuse(error.message)
    if canon.url != effect.target:
        return refuse("that address is not in its stored form.")
    fits = [
        (n, _doubts(part, facts.meaning_of(n), address, canon, facts))
        for n, part in facts.parts_left
        if _asks_for(part, facts.meaning_of(n), address, facts)
    ]
    if not fits:
        return _not_asked(facts)
    # Where several parts fit this address, the one with the fewest doubts counts.
    n, doubts = min(fits, key=lambda fit: len(fit[1]))
    return allowed(n, facts, tuple(doubts))


def _asks_for(part: Part, meanings: Meanings, address: Address, facts: Facts) -> bool:
    """Return whether *part*, whose name may mean what is *meanings* so, asks for *address*."""
    at = slice(part.number - 1, part.number)
    pointed = {Form.TYPED: facts.typed[at], Form.LINE: facts.shown[at], Form.LINES: facts.shown[:MOST_LINES]}
    if part.form in pointed:
        return address.id in pointed[part.form]
    if part.form == Form.FILE:  # of a file's name, where that may be an address as well
        return _is_meant(meanings, address)
    # What stands in their words now was not found for a name, unless it was found besides.
    if address.id in facts.typed and address.id not in facts.found:
        return False
    return part.form == Form.FOUND or (part.is_name and _may_be_meant(part, meanings, address, facts))


def _is_meant(meanings: Meanings, address: Address) -> bool:
    return address.url in [each.url for each in meanings.addresses if each.source != APP]


def _may_be_meant(part: Part, meanings: Meanings, address: Address, facts: Facts) -> bool:
    """Return whether the address is what Python found the name in *part* to mean, or one of what it may mean.

    Of a plain command it is what the name is known by here.
    """
    if _is_meant(meanings, address):
        return True
    if (facts.intent and facts.intent.is_command) or (part.form == Form.START and meanings.addresses):
        return not meanings.addresses
    site = meanings.site
    return address.url == site.url if site.url else address.id in [each.id for each in site.choices]


def _doubts(part: Part, meanings: Meanings, address: Address, canon: urls.Canon, facts: Facts) -> list[Doubt]:
    # A known site stands in our own table.
    is_theirs = part.form in (Form.TYPED, Form.FILE) or address.source in ("alias", "site")
    doubts = _about_typed(canon) if is_theirs else _about_found(address, canon)
    is_plain = facts.intent and facts.intent.is_command  # then they know what they typed
    if part.form == Form.TYPED and not is_plain and urls.may_be_file(canon.url.partition("://")[2]):
        doubts.append(Doubt(UNSURE, f"{canon.host} may be the name of a file"))
    if part.form in (Form.SITE, Form.START):
        doubts += _about_name(part.value, meanings, address, is_plain=bool(is_plain))
    return doubts


def _about_typed(canon: urls.Canon) -> list[Doubt]:
    """Return the doubts about an address that the person typed: it may only look like what they meant."""
    doubts = []
    read = urls.as_read(canon.host)
    if read and urls.imitates(read):
        doubts.append(Doubt("odd letters", f"its name has letters that imitate others (it reads {read})"))
    if name := canon.userinfo and _host_in(canon.userinfo):
        doubts.append(Doubt("another host", f"it leads to {canon.host}, and not to {name}"))
    return doubts


def _host_in(userinfo: str) -> str:
    """Return the part before the @ that looks like a host, as in paypal.com%2Flogin@, or ""."""
    text = re.sub("%2e|[。．]", ".", userinfo, flags=re.IGNORECASE)
    found = re.findall(r"[^\W_]+(?:\.[^\W_]+)+", text)
    return next((each for each in found if any(map(is_well_known, each.lower().split(".")[1:]))), "")


def _about_found(address: Address, canon: urls.Canon) -> list[Doubt]:
    """Return the doubts about an address that a stranger may have named."""
    doubts = []
    if read := urls.as_read(canon.host):
        reason = f"its name has letters that can imitate others (it reads {read})"
        doubts.append(Doubt("odd letters", reason))
    if canon.userinfo:
        doubts.append(Doubt("another host", f"it leads to {canon.host}, no matter what is before the @"))
    if _is_private(canon):
        doubts.append(Doubt("private", f"the name {canon.host} is not that of a public website"))
    if address.source == "piped":
        doubts.append(Doubt("piped in", "it was in piped text"))
    return doubts


def _is_private(canon: urls.Canon) -> bool:
    host = canon.host
    if not urls.is_public(canon._replace(userinfo="")) or host.startswith("wpad.") or host.endswith(_ROUTERS):
        return True
    return not (is_well_known(host.rpartition(".")[2]) or suffix_of(host))


def _about_name(name: str, meanings: Meanings, address: Address, *, is_plain: bool) -> list[Doubt]:
    """Return the doubts whether the address is the site of that *name* which they mean."""
    if len(meanings.addresses) > 1 and address.id in [each.id for each in meanings.addresses]:
        return [Doubt(SEVERAL, f"“{name}” can mean each of these")]
    is_known = address.url in (meanings.site.url, *(each.url for each in meanings.addresses))
    return [] if is_known or is_plain else [Doubt(WHOSE, f"Jarvis is not sure which site “{name}” is")]


def _not_asked(facts: Facts) -> Verdict:
    sites = [(part.value, facts.meaning_of(n).site.url) for n, part in facts.parts_left]
    if known_sites := [(name, url) for name, url in sites if url]:
        return not_asked(
            "; ".join(f"the site of {name} is {urls.host_of(url)}" for name, url in known_sites) + "."
        )
    lines = [part.number for _, part in facts.parts_left if part.form == Form.LINE]
    if not lines:
        return not_asked("you did not ask for it to be opened.")
    if max(lines) > len(facts.shown):
        return refuse(f"the list last shown has no line {max(lines)}.", "no such line", NOT_ASKED)
    return not_asked(f"you pointed at line {lines[0]} of the list.")


# Decides whether an app may be started: only one that Python found for a name in the intent.


# What goes by the name of a site, or of a file here, may be an app.
_NAMED = (Form.START, Form.SITE, Form.FILE)


def starting(effect: Effect, facts: Facts) -> Verdict:
    for n, part in facts.parts_left:
        meanings = facts.meaning_of(n) if part.form in _NAMED else Meanings()
        if effect.target in [address.url for address in meanings.addresses if address.source == APP]:
            return allowed(n, facts, _app_doubts(part.value, meanings))
    return not_asked("you did not ask for it to be started.")


def _app_doubts(name: str, meanings: Meanings) -> tuple[Doubt, ...]:
    if len(meanings.addresses) > 1:
        return (Doubt(SEVERAL, f"“{name}” can mean each of these"),)
    return (Doubt("near name", f"“{name}” only comes near its name"),) if meanings.is_near else ()


# Decides whether a file may be opened: only one that the person typed, in a plain command of their own.


def showing(effect: Effect, facts: Facts) -> Verdict:
    file, intent = effect.address, facts.intent
    if file is None or facts.addresses.get(file.id) != file or file.url != effect.target:
        return refuse("that is not a file that you named.")
    if intent is None or not intent.is_command:
        return not_asked()
    for n, part in facts.parts_left:
        if part.form == Form.FILE and file.id == f"f{part.value}":
            # What lies here under a name may be what they mean by it, or not.
            is_other = len(facts.meaning_of(n).addresses) > 1
            return allowed(n, facts, (Doubt(SEVERAL, "a file of that name lies here"),) * is_other)
    return not_asked()
