"""The questions about one effect, what an answer to one means, and what is kept of it: once, or for good."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..actions.base import Action
from ..core import urls
from ..core.errors import JarvisError, Refused
from ..core.events import Asked, Event, Notice, Option, Question
from ..core.text import LONGEST_WORDS, as_typed, digest, one_line
from ..core.types import APP, DECLINED, FILE, INSTEAD, Address, Effect, Outcome, Plan, Request, Turn
from .guard import PASTED, is_file, names_of, refusal
from .rules import A_RULE_ASKS, DOUBTS, Rule, scope

EXPLAIN = "?"  # tells what each key does
FOR_GOOD = "!"  # behind the number of a choice: the name means that from now on
YES, ALWAYS, EDIT, NO, NEVER = "y", "a", "e", "n", "N"
_WORDS = {"y": YES, "yes": YES, "no": NO, "": NO, "never": NEVER, "always": ALWAYS}
_SO_DO_OTHERS = "Esc, Ctrl-D and Enter by itself mean it too"
_SAVES = "a rule is saved in policy.txt:"
_UNDO = "To undo it: jarvis policy rm NUMBER"
_SCOPES = {"opens": "for this host", "launches": "for this app", "shows": "for it"}
UNDONE = {
    "searches": "Not looked up",
    "reads": "Not looked up",
    "keeps": "Not kept",
    "opens": "Not opened",
    "launches": "Not started",
    "captures": "Not taken",
    "shows": "Not looked at",
    "writes": "Not sent",
}
_NAMED = ("searches", "reads", "opens", "launches")  # the effects whose target people know by name
_NOES = ("no", "nope", "nah", "not", "never", "don't", "dont", "stop", "maybe")
_SECONDS = 900.0  # in which a write has to be said yes to
_MOST = 2  # in one turn: who is asked too often says yes to anything

Remember = Callable[[str, str, str, str], Rule]  # verdict, effect, name, doubt → the rule, with its number
# name, what they chose of what it may mean, whether it means that from now on; tells what came of it.
RememberChoice = Callable[[str, Address, bool, Callable[[str], None]], None]
# What they said yes to, another address or app perhaps than was planned, with its plan; or how it ended.
Said: TypeAlias = tuple[Request, Plan] | Outcome


class Decision(NamedTuple):
    """What an answer means."""

    option: str  # one of the above; the number of what was chosen; empty: something else
    text: str = ""  # what to do instead
    for_good: bool = False  # whether the name is to mean what was chosen from now on


class Asks(Protocol):
    """What can ask the person."""

    def tell(self, event: Event) -> None: ...

    async def ask(self, question: Question) -> str: ...


class Pending(NamedTuple):
    """A question that was asked and not answered yet, and what it is about."""

    question: Question
    step: int

    def as_record(self) -> dict[str, Any]:
        """Return what it takes to find what a later answer is about. What is sent is made anew by then."""
        question = self.question._replace(lines=(), body={})  # which may tell what they hold
        return {**question.as_record(), "step": self.step}


class Approval:
    def __init__(
        self,
        turn: Turn,
        front: Asks,
        actions: Mapping[str, Action],
        remember: Remember,
        remember_choice: RememberChoice,
        away: Callable[[], AbstractAsyncContextManager[None]],
    ) -> None:
        """away: around waiting for the person, which is not our time."""
        self.pending: Pending | None = None
        self.instead = ""  # what they said to do instead of answering
        self.turn = turn
        self._front = front
        self._actions = actions
        self._away = away
        self._remember = remember
        self._remember_choice = remember_choice
        self._asked = 0

    async def ask(self, request: Request) -> tuple[Question, str]:
        """Ask about *request*; return the question, and what they say to it.

        Raises NeedsAnswer where there is nobody to ask, Refused where they would be asked too often.
        """
        question = self.question(request)
        self.pending = Pending(question, request.n)
        self._asked += request.doubts != (A_RULE_ASKS,)  # they want that, however often
        if self._asked > _MOST:
            raise Refused("This was the third question in one turn.", hint="Say which one you mean.")
        self._front.tell(Asked(request.n, question))
        async with self._away():
            answer = await self._front.ask(question)
        self.pending = None
        return question, answer

    def apply_answer(
        self, said: Decision, request: Request, plan: Plan, chosen: Address | None, name: str
    ) -> Said:
        """Return what comes of the answer *said* to the question about *request*.

        chosen: by that, of what *name*, that of its part, may mean.
        """
        if said.option in (ALWAYS, NEVER):
            self._keep(request, said.option)
        if said.option in (NO, NEVER, EDIT, ""):
            return self._refused(request, said)
        approved = request
        if chosen:
            self._remember_choice(name, chosen, said.for_good, self._tell)
            approved = _meant(request, chosen)
            argument = self._actions[approved.action].argument
            named = {argument: approved.opened or approved.effect.told}
            plan = plan._replace(action=approved.action, arguments=named)
        return approved._replace(rule=f"you said yes ({request.rule})"), plan

    def question(self, request: Request) -> Question:
        """Return the question about *request*."""
        offered, id_ = request.choices, f"q{request.n}-{effect_digest(self.turn, request)}"
        if request.effect.kind == "writes" and not offered:
            return write_question(id_, request)
        what = f"{request.action.replace('_', ' ').capitalize()} {request.effect.told}".rstrip() + " ?"
        if request.effect.kind == "shows":
            what = f"Show the model your {request.effect.title}?"
        return Question(
            id=id_,
            kind="choice" if offered else "approval",  # a choice of one page, too: no `-y` makes it
            text="Which one do you mean?" if offered else what,
            options=_choices(offered, is_marked=request.is_marked) if offered else _options(request),
            reason=request.ask,
            rule=request.rule,
            doubts=request.doubts,
        )

    def _keep(self, request: Request, option: str) -> None:
        """Keep a lasting yes, for exactly this host or app and these doubts; or a lasting no to it."""
        for doubt in request.doubts if option == ALWAYS else ("",):
            try:
                verdict, kind = "allow" if option == ALWAYS else "deny", request.effect.kind
                rule = self._remember(verdict, kind, _name_in(request), doubt)
            except JarvisError as error:  # what they said counts, now
                self._front.tell(Notice(f"{error.message} It counts this once."))
                continue
            told = f"Saved rule {rule.number}: {rule.told} (policy.txt)."
            undo = f"To undo it: jarvis policy rm {rule.number}"
            self._tell(f"{told} {undo}")

    def _tell(self, text: str) -> None:
        self._front.tell(Notice(text, must_know=True))

    def _refused(self, request: Request, said: Decision) -> Outcome:
        """Return the outcome of a no, which may say what to do instead."""
        words = said.text.lower().replace(",", " ").split()
        # What comes in place of a key may be another way to say no.
        is_other = len(words) > 1 or said.option == EDIT
        self.instead = said.text if is_other and words and words[0].strip(".!") not in _NOES else ""
        if urls.typed(self.instead):  # by itself it says the same
            self.instead = f"open {self.instead}"
        return Outcome(
            state="declined",
            text=f"{UNDONE.get(request.effect.kind, 'Not done')}. {_no_to(request, said.text)}",
            value="" if request.effect.kind == "shows" else request.effect.target,  # no picture was taken
            code=INSTEAD if self.instead else DECLINED,
            exit_status=Refused.exit_status,
            rule=request.rule,
            part=request.part,
            closes=PASTED in request.doubts,
        )


def write_question(id_: str, request: Request) -> Question:
    """Return the question whether exactly what is in *request* may be sent."""
    effect, text = request.effect, f"Send this to {request.effect.host} ?"
    until = time.time() + _SECONDS
    question = Question(id_, "write", text, _options(request), request.ask, request.rule)
    return question._replace(
        host=effect.host, lines=effect.lines, body=dict(effect.arguments), expires_at=until
    )


def read_answer(question: Question, answer: str) -> Decision:
    """Return what *answer* says to *question*."""
    said = one_line(as_typed(answer), LONGEST_WORDS)
    offered = [option.id for option in question.options]
    option = _WORDS.get(said.lower(), said)
    if option in offered or option == NO:
        return Decision(option)
    if said.endswith(FOR_GOOD) and said[:-1].isdigit() and said[:-1] in offered:
        return Decision(said[:-1], for_good=True)
    if said.startswith(f"{EDIT} "):
        return Decision(EDIT, said[2:].strip())
    return Decision("", said)


def rest_of(answer: str) -> str:
    """Return what is typed behind the key *answer* by those who type the whole word: “es” behind “y”."""
    return next((word[1:] for word, option in _WORDS.items() if option == answer and len(word) > 1), "")


def effect_digest(turn: Turn, request: Request) -> str:
    """Return a digest of exactly what would be done or kept: another effect, doubt or choice has another one.

    An address counts by itself: its id is another one on a server that the turn is delivered to.
    """
    effect = request.effect
    named = (f"{name}={value}" for name, value in sorted(effect.arguments.items()))
    # A picture's path is free until it is taken.
    target = "" if effect.kind in ("captures", "shows") else effect.target
    done = (turn.id, str(request.n), request.action, effect.kind, effect.host, target, effect.title, *named)
    choices = (f"{each.source} {each.url}" for each in request.choices)
    return digest("\0".join((*done, *request.doubts, *choices)))


def still_approved(
    action: Action, turn: Turn, approved: Request, now: Request | Outcome
) -> Request | Outcome:
    """Return what they said yes to, as the guard has it *now*: refused, if it is something else by now."""
    if isinstance(now, Outcome):
        return now
    ours, theirs = (effect_digest(turn, each._replace(doubts=(), choices=())) for each in (approved, now))
    if ours != theirs:
        return refusal(action.not_done(approved.effect.told), "it is not what was decided on.")
    return now._replace(ask="", doubts=(), choices=(), rule=approved.rule, part=approved.part)


def _choices(offered: Sequence[Address], *, is_marked: bool) -> tuple[Option, ...]:
    """Return what may be chosen: one of the addresses that are *offered*, or none.

    is_marked: whether Enter takes the first.
    """
    options = [
        Option(
            id=str(n),
            title=one_line(address.title, 160) or address.url,
            host=urls.host_of(address.url) or address.source,
            whole=APP if address.source == APP else address.url,
            is_marked=is_marked and n == 1,
        )
        for n, address in enumerate(offered, 1)
    ]
    none = Option(NO, "none of them", whole=f"none of them, and it ends there. {_SO_DO_OTHERS}")
    return (*options, none)


def _name_in(request: Request) -> str:
    """Return the name under which a lasting answer to *request* is kept: a host, or an app.

    An app by what its menu calls it, so that the rule can be read, and holds for plain commands too.
    """
    return request.effect.title or (*names_of(request.effect), "")[0]


def _options(request: Request) -> tuple[Option, ...]:
    once = Option(YES, "yes, once", whole="yes, this once")
    no = Option(NO, "no", whole=f"no, and it ends there. {_SO_DO_OTHERS}")
    named = _SCOPES.get(request.effect.kind)
    # Only the person settles what their words mean, and only now.
    if not named or is_file(request.effect) or not set(request.doubts) <= set(DOUBTS):
        return (once, no)
    kept, doubts = scope(request.effect.kind, _name_in(request)), ", ".join(request.doubts)
    always = f"yes, and {_SAVES} allow {kept}, for: {doubts}. {_UNDO}"
    return (
        once,
        Option(ALWAYS, f"always {named}", whole=always),
        no,
        Option(NEVER, f"never {named}", whole=f"no, and {_SAVES} deny {kept}. {_UNDO}"),
    )


def _no_to(request: Request, text: str) -> str:
    """Return what they said, in words. text: what they said in place of a key."""
    if text:
        return f"You said instead: {text[:500]}"
    if request.choices:
        return "You chose none of them."
    return f"You said no to {request.effect.told}." if request.effect.kind in _NAMED else "You said no."


def _meant(request: Request, chosen: Address) -> Request:
    """Return *request* for what was *chosen*: an address, or an app that goes by the same name."""
    if chosen.source == APP:
        return request._replace(action="open_app", effect=Effect("launches", chosen.url, title=chosen.title))
    opening = Effect("opens", chosen.url, address=chosen)
    return request._replace(action="open_file" if chosen.source == FILE else "open_website", effect=opening)
