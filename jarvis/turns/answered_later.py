"""A question that nobody could answer when it was asked, answered later: by `jarvis --answer ID=OPTION`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

from ..actions.base import Action
from ..config.settings import Settings
from ..core.errors import UsageError
from ..core.events import Option, Question, TurnEnded
from ..core.types import APP, NOT_ASKED, Address, Effect, Facts, Outcome, Plan, Request, Turn
from ..policy import guard, questions, rules_file
from ..policy.approval import Consent, Memory, meant
from ..policy.consents import Consents
from ..policy.questions import Said
from ..policy.verdict import REFUSE
from ..store.history import History, Taken
from .direct import PlainTurn

Evidence = Callable[[Taken, Request, Turn], Awaitable[Facts]]


async def answer(
    id_: str,
    said: str,
    history: History,
    turn: PlainTurn,
    actions: Mapping[str, Action],
    settings: Settings,
    evidence: Evidence,
) -> TurnEnded:
    """Carry out what they *said* to the question *id_*, as a turn of its own; once, whoever else answers.

    evidence: what the words of its turn ask for, read again: nothing that a database holds counts for it.
    Raises UsageError, with the question left as it was, where it can't be answered so.
    """
    open_ = await history.question(id_)
    if open_ is None:
        raise await _not_open(id_, history)
    heard = questions.understood(_question(open_.question), said)
    if not heard.option or (heard.option == questions.EDIT and not heard.text):
        options = [option["id"] for option in open_.question["options"]]
        raise UsageError(
            f"{id_} is answered by one of: {', '.join(options)}.", hint=f"jarvis --answer {id_}={options[0]}"
        )
    if open_.question["request"]["effect"] == "reads" and heard.option != questions.NO:
        raise UsageError(f"{id_} is about a search, which has no use later.", hint="Ask again, with -y.")
    taken = await history.take_question(id_)
    if taken is None:
        raise UsageError(f"The question {id_} was answered just now.", hint="Ask again.")
    # It is called what they typed, whatever the row says.
    taken = taken._replace(question={**taken.question, "id": id_})
    return await _carried_out(taken, heard, history, turn, actions, settings, evidence)


async def _not_open(id_: str, history: History) -> UsageError:
    """Why *id_* can't be answered."""
    if await history.is_void(id_):
        told = f"The question {id_} is void: it was asked more than a day ago."
    else:
        told = f"There is no open question {id_}: it was answered, or never asked."
    return UsageError(told, hint="Ask again.")


async def _carried_out(
    taken: Taken,
    said: Said,
    history: History,
    plain: PlainTurn,
    actions: Mapping[str, Action],
    settings: Settings,
    evidence: Evidence,
) -> TurnEnded:
    request, known = _request(taken.question), _addresses(taken.question)
    action = actions[request.action]
    # No words become their own by being answered about.
    new = await history.begin(taken.thread, taken.goal, material=taken.material, is_own=taken.is_own)
    plan = Plan(action.name, {action.argument: request.address or request.target}, finish=True)

    async def decide() -> Request | Outcome:
        again = request
        if said.option not in (questions.NO, questions.NEVER):
            facts = await evidence(taken, request, new)
            await plain.keep_intent(new, facts.intent.told if facts.intent else ())
            checked = _checked(request, said, taken, actions, facts._replace(addresses=known), settings)
            if isinstance(checked, Outcome):
                return checked
            again = checked
        memory = Memory(
            partial(rules_file.remember, settings.folders.policy), Consents(settings.folders.consents).allow
        )
        consent = Consent(
            Turn(taken.turn, *new[1:]), plain, history.addresses.keep_typed, memory, nullcontext
        )
        decided = await consent.heeded(said, again, action, known)
        if isinstance(decided, Outcome):
            return decided
        approved, address = decided
        if said.option.isdigit():
            plain.chose(taken.goal, approved)
        rule = f"you said yes later ({request.rule})"
        if address is not None and said.option == questions.EDIT:
            rule = "you answered with another address"
            if refused := _denied(approved, address, actions[approved.action], settings):
                return refused
        return approved._replace(n=1, rule=rule)

    return await plain.through(new, taken.goal, action, plan, request.title or request.target, decide)


def _checked(
    request: Request,
    said: Said,
    taken: Taken,
    actions: Mapping[str, Action],
    facts: Facts,
    settings: Settings,
) -> Request | Outcome:
    """*request*, as it is now; or why not: it is not what was asked about, or the words don't ask for it."""
    offered = facts.addresses if taken.question["kind"] == "choice" else {}
    asked_about = questions.digest(Turn(taken.turn, taken.thread, 0, ()), request, offered)
    if not taken.question["id"].endswith(f"-{asked_about}"):
        not_done = actions[request.action].not_done(request.title or request.target)
        return guard.refusal(not_done, "it is not what you were asked about.")
    first = request
    if said.option.isdigit():
        chosen = questions.choosable(request, facts.addresses)[int(said.option) - 1]
        request = meant(request, facts.addresses[chosen])
    action = actions[request.action]
    effect = Effect(request.effect, request.target, facts.addresses.get(request.address), title=request.title)
    # What they typed in its place is held against the rules by itself.
    rules = guard.NoRules() if said.option == questions.EDIT else rules_file.load(settings.folders.policy)
    verdict = guard.check(effect, facts, rules, [want.form for want in action.wants])
    if verdict.verdict == REFUSE:
        reason = f"{verdict.reason} Ask again." if verdict.code == NOT_ASKED else verdict.reason
        not_done = action.not_done(request.title or request.target)
        return guard.refusal(not_done, reason, request.target, verdict.rule)
    # What a yes that lasts would be kept for: no other than they were asked about.
    title = _titles(facts).get(request.target, "") if request.effect == "launches" else ""
    return first._replace(title=title)


def _titles(facts: Facts) -> dict[str, str]:
    """What the apps are called that the names in the words mean here, by their targets."""
    meanings = (meaning for meant in facts.meanings.values() for meaning in meant)
    return {meaning.url: meaning.title for meaning in meanings if meaning.source == APP}


def _denied(request: Request, address: Address, action: Action, settings: Settings) -> Outcome | None:
    """Whether a rule denies what they answered with."""
    names = guard.names_of(Effect(request.effect, request.target, address))
    rule = rules_file.load(settings.folders.policy).against(request.effect, *names)
    if rule is None or rule.verdict != rules_file.DENY:
        return None
    told = f"policy rule {rule.number}"
    return guard.refusal(action.not_done(request.target), f"{told} denies it.", request.target, told)


def _question(record: Mapping[str, Any]) -> Question:
    options = tuple(Option(**option) for option in record["options"])
    names = ("id", "kind", "text", "reason", "rule")
    return Question(**{name: record[name] for name in names}, options=options)


def _request(record: Mapping[str, Any]) -> Request:
    kept = dict(record["request"])
    return Request(**{**kept, **{name: tuple(kept.get(name, ())) for name in ("choices", "doubts")}})


def _addresses(record: Mapping[str, Any]) -> dict[str, Address]:
    return {kept["id"]: Address(**kept) for kept in record["addresses"]}
