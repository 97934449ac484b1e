"""Takes a late answer, `jarvis --answer ID=OPTION`; carries out one to the question of a plain command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..core.errors import UsageError
from ..core.events import TurnEnded, question_in
from ..core.intent import Intent
from ..core.types import APP, FILE, NOT_ASKED, Address, Effect, Facts, Outcome, Plan, Request, Turn
from ..core.urls import typed_addresses
from ..launcher.meant import Meant, commanded, is_line, parts_of
from ..policy import guard, questions
from ..policy.approval import Approved, meant
from ..policy.questions import Heard
from ..store.addresses import Addresses
from ..store.database import Database
from ..store.history import History
from ..store.kept_questions import Taken, is_void, kept_question, question_taken, take_question
from ..store.untold import untold_in
from .direct import DirectTurn
from .steps import StepRunner


async def take(database: Database, answer: str, *, again: bool) -> Taken:
    """Take the question that *answer* is to, ID=OPTION, so that it is answered once; return its turn.

    again: it was taken already, by a brain that died.
    Raises UsageError, with the question left as it was, where it can't be answered so.
    """
    id_, _, said = answer.partition("=")
    if again and (taken := await question_taken(database, id_)):
        return taken
    open_ = await kept_question(database, id_)
    if open_ is None:
        raise await _not_open(id_, database)
    heard = questions.hear(question_in(open_.question), said)
    options = [option["id"] for option in open_.question["options"]]
    if heard.option not in options or (heard.option == questions.EDIT and not heard.text):
        raise UsageError(
            f"{id_} is answered by one of: {', '.join(options)}.", hint=f"jarvis --answer {id_}={options[0]}"
        )
    if taken := await take_question(database, id_):
        return taken
    raise UsageError(f"The question {id_} was answered just now.", hint="Ask again.")


async def answer(
    answer: str, history: History, turn: DirectTurn, understand: Callable[[str], Meant | None]
) -> TurnEnded:
    """Carry out the *answer*, ID=OPTION, to the question of a plain command, as a turn of its own, once.

    understand: what words plainly ask for: nothing that a database says is believed to be what they ask.
    Raises UsageError, with the question left as it was, where it can't be answered so.
    """
    taken = await take(history.database, answer, again=False)
    # It is called what they typed, whatever the row says.
    id_, _, said = answer.partition("=")
    taken = taken._replace(question={**taken.question, "id": id_})
    heard = questions.hear(question_in(taken.question), said)
    return await _Answer(taken, heard, turn, understand).carried_out(history)


async def _not_open(id_: str, database: Database) -> UsageError:
    """Return why *id_* can't be answered."""
    if await is_void(database, id_):
        told = f"The question {id_} is void: it was asked more than a day ago."
    else:
        told = f"There is no open question {id_}: it was answered, or never asked."
    return UsageError(told, hint="Ask again.")


class _Answer:
    """What the person said to a question that they may answer now."""

    def __init__(
        self,
        taken: Taken,
        said: Heard,
        turn: DirectTurn,
        understand: Callable[[str], Meant | None],
    ) -> None:
        self._taken = taken
        self._said = said
        self._turn = turn
        self._actions = turn.actions
        self._understand = understand
        self._known = {kept["id"]: Address(**kept) for kept in taken.question["addresses"]}
        self._request = asked_in(taken.question, self._known)

    async def carried_out(self, history: History) -> TurnEnded:
        taken, request = self._taken, self._request
        self._turn.tell_left(await untold_in(history.database, taken.thread))
        # No words become their own by being answered about.
        new = await history.begin(taken.thread, taken.goal, material=taken.material, is_own=taken.is_own)
        plan = self._plan(request)

        async def carry_out(steps: StepRunner) -> None:
            decided: Request | Outcome = request._replace(n=1)
            if self._said.option not in (questions.NO, questions.NEVER):
                facts = await self._read(history.addresses)
                self._turn.facts = facts._replace(
                    addresses={**self._known, **facts.addresses},
                    pictures=self._turn.pictures(request.effect.kind),
                )
                await self._turn.keep_intent(facts.intent)
                decided = self._checked(steps)
            await steps.run(plan, decided, asks=True)

        told = request.effect.told
        return await self._turn.through(new, taken.goal, plan, told, carry_out, self._heeded)

    async def _read(self, addresses: Addresses) -> Facts:
        """Return what the words of that turn ask for, understood again."""
        taken = self._taken
        shown = await addresses.shown(taken.thread, taken.n)
        ids = await addresses.typed(taken.thread, taken.n)
        typed = tuple(ids[url] for url in typed_addresses(taken.goal) if url in ids)
        known = Facts({}, shown=tuple(address.id for address in shown), typed=typed)
        meant = self._understand(taken.goal) if taken.is_own else None  # not of an import
        return _plainly(meant, known) if meant else known._replace(intent=Intent())

    async def _heeded(self, request: Request, plan: Plan, known: Mapping[str, Address]) -> Approved | Outcome:
        """Return the answer, which is there already. Implements steps.Ask."""
        approval = self._turn.approval = self._turn.approves()
        decided = await approval.heeded(self._said, request, plan, self._known)
        if isinstance(decided, Outcome):
            return decided
        rule = f"you said yes later ({request.rule})"
        if decided.typed:
            rule = "you answered with another address"
        return decided._replace(request=decided.request._replace(rule=rule))

    def _checked(self, steps: StepRunner) -> Request | Outcome:
        """Return the request as it is now; a refusal where it is not what was asked about."""
        request, taken = self._request, self._taken
        offered = self._known if taken.question["kind"] == "choice" else {}
        asked_about = questions.digest(Turn(taken.turn, taken.thread, 0, ()), request, offered)
        not_this = self._refusal(request, "it is not what you were asked about.")
        if not taken.question["id"].endswith(f"-{asked_about}"):
            return not_this
        wanted = request
        if self._said.option.isdigit():
            chosen = self._known[questions.choosable(request, self._known)[int(self._said.option) - 1]]
            wanted = meant(request, chosen)
            self._turn.facts = _narrowed(self._turn.facts, chosen)
        # What they typed in its place is held against the rules by itself.
        rules = guard.NoRules() if self._said.option == questions.EDIT else None
        now = steps.authorise(1, self._plan(wanted), rules)
        if isinstance(now, Outcome):
            if now.code != NOT_ASKED:
                return now
            # Here that is news: they were asked about it.
            return now._replace(text=f"{now.text} Ask again.", code="refused")
        if (now.effect.kind, now.effect.target) != (wanted.effect.kind, wanted.effect.target):
            return not_this if wanted.effect.kind != "captures" else now
        # What a yes that lasts is kept for is no other than they were asked about, by what it is called now.
        effect = request.effect if self._said.option.isdigit() else now.effect
        return request._replace(n=1, effect=effect, part=now.part)

    def _plan(self, request: Request) -> Plan:
        argument, effect = self._actions[request.action].argument, request.effect
        named = {argument: request.opened or effect.target} if argument else {}
        return Plan(request.action, {**named, **effect.arguments}, finish=True)

    def _refusal(self, request: Request, reason: str) -> Outcome:
        return guard.refusal(self._actions[request.action].not_done(request.effect.told), reason)


def _narrowed(facts: Facts, chosen: Address) -> Facts:
    """Return *facts* in which the name means only what was *chosen*, if it is among its meanings."""
    meanings = {
        place: tuple(each for each in meant if each.url == chosen.url) or meant
        for place, meant in facts.meanings.items()
    }
    return facts._replace(meanings=meanings)


def asked_in(record: Mapping[str, Any], known: Mapping[str, Address]) -> Request:
    """Return the request that was asked about, as `Request.as_record` wrote it down."""
    kept = record["request"]
    effect = Effect(
        kind=kept["effect"],
        target=kept["target"],
        arguments=kept.get("arguments", {}),
        address=known.get(kept["address"]),
        title=kept.get("title", ""),
    )
    return Request(
        n=kept["n"],
        action=kept["action"],
        effect=effect,
        ask=kept["ask"],
        rule=kept["rule"],
        choices=tuple(kept.get("choices", ())),
        doubts=tuple(kept.get("doubts", ())),
        part=kept.get("part", 0),
    )


def _plainly(meant: Meant, known: Facts) -> Facts:
    """Return what a plain command asks for."""
    lines = [_line(each.named, len(known.shown)) for each in meant.each]
    named = [
        [Address("", m.target, source=m.kind) for m in each.meanings if m.kind not in (APP, FILE)]
        for each in meant.each
    ]
    return commanded(meant, parts_of(meant, lines), known, named)


def _line(named: str, last: int) -> int:
    """Return the number of the line that is *named*, 0 where it is none. last: the number of the last one."""
    return 0 if not is_line(named) else int(named) if int(named) > 0 else last
