"""A question that nobody could answer when it was asked, answered later: by `jarvis --answer ID=OPTION`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

from . import approval, guard, policy
from .actions.base import Action
from .approval import Said
from .consent import Consent, Memory
from .errors import UsageError
from .events import Option, Question, TurnEnded
from .front import Words
from .guard.verdict import REFUSE
from .plain import PlainTurn
from .settings import Settings
from .store.history import History, Taken
from .turn import SAID, Address, Effect, Facts, Grant, Outcome, Plan, Request, Turn


async def answer(
    id_: str, said: str, history: History, turn: PlainTurn, actions: Mapping[str, Action], settings: Settings
) -> TurnEnded:
    """Carry out what they *said* to the question *id_*, as a turn of its own; once, whoever else answers.

    Raises UsageError, with the question left as it was, where it can't be answered so.
    """
    open_ = await history.question(id_)
    if open_ is None:
        raise await _not_open(id_, history)
    heard = approval.understood(_question(open_.question), said)
    if not heard.option or (heard.option == approval.EDIT and not heard.text):
        options = [option["id"] for option in open_.question["options"]]
        raise UsageError(
            f"{id_} is answered by one of: {', '.join(options)}.", hint=f"jarvis --answer {id_}={options[0]}"
        )
    if open_.question["request"]["effect"] == "reads" and heard.option != approval.NO:
        raise UsageError(f"{id_} is about a search, which has no use later.", hint="Ask again, with -y.")
    taken = await history.take_question(id_)
    if taken is None:
        raise UsageError(f"The question {id_} was answered just now.", hint="Ask again.")
    return await _carried_out(taken, heard, history, turn, actions, settings)


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
) -> TurnEnded:
    request, known = _request(taken.question), _addresses(taken.question)
    action = actions[request.action]
    # No words become their own by being answered about.
    words = Words(taken.goal, taken.material)
    new = await history.begin(taken.thread, words.own, material=words.piped, is_own=taken.is_own)
    field = next((field.name for field in action.fields), "")
    plan = Plan(action.name, {field: request.address or request.target} if field else {}, finish=True)

    async def decide() -> Request | Outcome:
        memory = Memory(partial(policy.remember, settings.folders.policy))
        consent = Consent(Turn(taken.turn, *new[1:]), plain, history, memory, nullcontext)
        decided = await consent.heeded(said, request, action, known)
        if isinstance(decided, Outcome):
            return decided
        approved, address = decided
        if said.option.isdigit():
            plain.chose(taken.goal, approved)
        addresses = {**known, **({address.id: address} if address else {})}
        return _checked(approved, taken, action, addresses, settings, is_new=address is not None)

    return await plain.through(new, words.text, action, plan, request.target, decide)


def _checked(
    request: Request,
    taken: Taken,
    action: Action,
    known: Mapping[str, Address],
    settings: Settings,
    *,
    is_new: bool,
) -> Request | Outcome:
    """*request*, if it is still what was asked about, and no rule denies it by now."""
    asked_about = approval.digest(Turn(taken.turn, taken.thread, 0, ()), _request(taken.question))
    if not taken.question["id"].endswith(f"-{asked_about}"):
        return guard.refusal(action.not_done(request.target), "it is not what you were asked about.")
    address = known.get(request.address)
    named = frozenset([request.target] if address and address.source == "alias" else [])
    objects = (request.target,)
    grant = Grant(opens=SAID, captures=SAID, named=named, objects=objects, lines=(1,), is_plain=True)
    facts = Facts(known, shown=(request.address,))
    effect = Effect(request.effect, request.target, address)
    verdict = guard.check(effect, grant, facts, policy.load(settings.folders.policy))
    if verdict.verdict == REFUSE:
        return guard.refusal(action.not_done(request.target), verdict.reason, request.target, verdict.rule)
    rule = "you answered with another address" if is_new else f"you said yes later ({request.rule})"
    return request._replace(n=1, rule=rule)


def _question(record: Mapping[str, Any]) -> Question:
    options = tuple(Option(**option) for option in record["options"])
    names = ("id", "kind", "text", "reason", "rule")
    return Question(**{name: record[name] for name in names}, options=options)


def _request(record: Mapping[str, Any]) -> Request:
    kept = dict(record["request"])
    return Request(**{**kept, "choices": tuple(kept["choices"])})


def _addresses(record: Mapping[str, Any]) -> dict[str, Address]:
    return {kept["id"]: Address(**kept) for kept in record["addresses"]}
