"""Asks about one effect, reads the answer, and saves it if it is to last."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..actions.base import Action
from ..core import urls
from ..core.errors import JarvisError, Refused
from ..core.events import Event, Notice, Option, Question, QuestionAsked
from ..core.text import LONGEST_WORDS, as_typed, digest, one_line
from ..core.types import APP, DECLINED, FILE, INSTEAD, ActionRequest, Address, Effect, Outcome, Plan, Turn
from .guard import PASTED, is_file, names_of, refusal
from .rules import A_RULE_ASKS, DOUBTS, Rule, scope

EXPLAIN = "?"  # shows what each key does
FOR_GOOD = "!"  # after the number of a choice: the name always means it from then on
YES, ALWAYS, EDIT, NO, NEVER = "y", "a", "e", "n", "N"
_WORDS = {"y": YES, "yes": YES, "no": NO, "": NO, "never": NEVER, "always": ALWAYS}
_SAVES = "save a rule in policy.txt:"
_UNDO = "Undo: jarvis policy rm NUMBER"
_SCOPES = {"opens": " this site", "launches": " this app", "shows": ""}
_ASKED = {"opens": "Open this site", "launches": "Start this app"}
NONE = Option(NO, "none of these", whole="none of these. Esc and Ctrl-D do the same")
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
_NAMED = ("searches", "reads", "opens", "launches")  # effects whose target people know by name
_NOES = ("no", "nope", "nah", "not", "never", "don't", "dont", "stop", "maybe")
_SECONDS = 900.0  # for which a yes to a write counts
_MOST = 2  # in one turn: who is asked too often says yes to anything

Remember = Callable[[str, str, str, str], Rule]  # verdict, effect, name, doubt → the rule, with its number
# the name, the meaning they chose, whether it always means that from then on; the last shows what came of it
RememberChoice = Callable[[str, Address, bool, Callable[[str], None]], None]
# What they said yes to, which may be another address or app than planned, with its plan; or how it ended.
Said: TypeAlias = tuple[ActionRequest, Plan] | Outcome


class Decision(NamedTuple):
    """The meaning of an answer."""

    option: str  # one of the above, or the number of a choice; empty: something else
    text: str = ""  # what to do instead
    for_good: bool = False  # whether the name is to mean that choice from then on


class Asks(Protocol):
    """A front end that can ask the user."""

    def tell(self, event: Event) -> None: ...

    async def ask(self, question: Question) -> str: ...


class Pending(NamedTuple):
    """A question that waits for its answer, and its step."""

    question: Question
    step: int

    def as_record(self) -> dict[str, Any]:
        """Return a record that leads a later answer to its step. It has no data that would be sent."""
        question = self.question._replace(table=None, lines=(), body={})  # which may show what they own
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
        """away: surrounds waiting for the user, which doesn't count as the turn's time."""
        self.pending: Pending | None = None
        self.instead = ""  # what they asked for instead of answering
        self.turn = turn
        self._front = front
        self._actions = actions
        self._away = away
        self._remember = remember
        self._remember_choice = remember_choice
        self._question_count = 0

    async def ask(self, request: ActionRequest) -> tuple[Question, str]:
        """Ask about *request*. Returns the question and the answer.

        Raises NeedsAnswer if nobody can answer, Refused after too many questions.
        """
        question = self.question(request)
        self.pending = Pending(question, request.n)
        self._question_count += request.doubts != (A_RULE_ASKS,)  # their own rule may ask any number of times
        if self._question_count > _MOST:
            raise Refused("Jarvis already asked twice in this request.", hint="Name the one you mean")
        self._front.tell(QuestionAsked(request.n, question))
        async with self._away():
            answer = await self._front.ask(question)
        self.pending = None
        return question, answer

    def apply_answer(
        self, decision: Decision, request: ActionRequest, plan: Plan, chosen: Address | None, name: str
    ) -> Said:
        """Apply the answer *decision* to the question about *request*.

        chosen: the choice it takes, if any. name: in the user's words.
        """
        if decision.option in (ALWAYS, NEVER):
            self._keep(request, decision.option)
        if decision.option in (NO, NEVER, EDIT, ""):
            return self._refused(request, decision)
        approved = request
        if chosen:
            self._remember_choice(name, chosen, decision.for_good, self._tell)
            approved = _with_choice(request, chosen)
            argument = self._actions[approved.action].argument
            arguments = {argument: approved.opened or approved.effect.formatted}
            plan = plan._replace(action=approved.action, arguments=arguments)
        return approved._replace(rule=f"you said yes ({request.rule})"), plan

    def question(self, request: ActionRequest) -> Question:
        """Return the question about *request*."""
        offered, id_ = request.choices, f"q{request.n}-{effect_digest(self.turn, request)}"
        if request.effect.kind == "writes" and not offered:
            return write_question(id_, request)
        return Question(
            id=id_,
            kind="choice" if offered else "approval",  # one page is a choice too, so no `-y` makes it
            text="Which one?" if offered else _short_question(request),
            options=_choices(offered, is_marked=request.is_marked) if offered else _options(request),
            reason=request.ask,
            rule=request.rule,
            doubts=request.doubts,
        )

    def _keep(self, request: ActionRequest, option: str) -> None:
        """Save a lasting yes to exactly this host or app and these doubts, or a lasting no to it."""
        for doubt in request.doubts if option == ALWAYS else ("",):
            try:
                verdict, kind = "allow" if option == ALWAYS else "deny", request.effect.kind
                rule = self._remember(verdict, kind, _name_in(request), doubt)
            except JarvisError as error:  # the answer still counts now
                self._front.tell(Notice(f"{error.message} Your answer counts this once."))
                continue
            undo = f"Undo: jarvis policy rm {rule.number}"
            self._tell(f"Saved rule {rule.number}: {rule.formatted} (policy.txt). {undo}")

    def _tell(self, text: str) -> None:
        self._front.tell(Notice(text, must_know=True))

    def _refused(self, request: ActionRequest, decision: Decision) -> Outcome:
        """Return the outcome of a no, which may say what to do instead."""
        words = decision.text.lower().replace(",", " ").split()
        # Words instead of a key may be another way to say no.
        is_other = len(words) > 1 or decision.option == EDIT
        self.instead = decision.text if is_other and words and words[0].strip(".!") not in _NOES else ""
        if urls.address_from_word(self.instead):  # an address alone asks for that
            self.instead = f"open {self.instead}"
        return Outcome(
            state="declined",
            text=f"{UNDONE.get(request.effect.kind, 'Not done')}. {_no_to(request, decision.text)}",
            value="" if request.effect.kind == "shows" else request.effect.target,  # no picture was taken
            code=INSTEAD if self.instead else DECLINED,
            exit_status=Refused.exit_status,
            rule=request.rule,
            part=request.part,
            closes=PASTED in request.doubts,
        )


def _short_question(request: ActionRequest) -> str:
    """Return a short question and, on a line of its own, what *request* is about."""
    effect, title = request.effect, request.action.replace("_", " ").capitalize()
    if effect.kind == "shows":
        return f"Send your {effect.title} to the model?"
    text = title if is_file(effect) else _ASKED.get(effect.kind, title)
    return f"{text}?\n{one_line(effect.formatted)}".strip()


def write_question(id_: str, request: ActionRequest) -> Question:
    """Return the question whether exactly what is in *request* may be sent."""
    effect, text = request.effect, request.effect.question or f"Send this to {request.effect.host}?"
    question = Question(id_, "write", text, _options(request), request.ask, request.rule)
    shown = question._replace(host=effect.host, table=effect.table, lines=effect.lines)
    return shown._replace(body=dict(effect.arguments), expires_at=time.time() + _SECONDS)


def read_answer(question: Question, answer: str) -> Decision:
    """Return the decision that *answer* to *question* means."""
    text = one_line(as_typed(answer), LONGEST_WORDS)
    offered = [option.id for option in question.options]
    option = _WORDS.get(text.lower(), text)
    if option in offered or option == NO:
        return Decision(option)
    if text.endswith(FOR_GOOD) and text[:-1].isdigit() and text[:-1] in offered:
        return Decision(text[:-1], for_good=True)
    if text.startswith(f"{EDIT} "):
        return Decision(EDIT, text[2:].strip())
    return Decision("", text)


def rest_of(answer: str) -> str:
    """Return the letters after the key *answer* if the user types the whole word: “es” after “y”."""
    return next((word[1:] for word, option in _WORDS.items() if option == answer and len(word) > 1), "")


def effect_digest(turn: Turn, request: ActionRequest) -> str:
    """Return a digest of exactly what would be done: another effect, doubt, or choice changes it.

    Addresses count, not their ids, which differ on a server that the turn is delivered to.
    """
    effect = request.effect
    pairs = (f"{name}={value}" for name, value in sorted(effect.arguments.items()))
    # The path of a picture may change until it is taken.
    target = "" if effect.kind in ("captures", "shows") else effect.target
    done = (turn.id, str(request.n), request.action, effect.kind, effect.host, target, effect.title, *pairs)
    choices = (f"{each.source} {each.url}" for each in request.choices)
    return digest("\0".join((*done, *request.doubts, *choices)))


def still_approved(
    action: Action, turn: Turn, approved: ActionRequest, now: ActionRequest | Outcome
) -> ActionRequest | Outcome:
    """Return *approved* as the guard has it *now*. It is refused if it has changed since the yes."""
    if isinstance(now, Outcome):
        return now
    ours, theirs = (effect_digest(turn, each._replace(doubts=(), choices=())) for each in (approved, now))
    if ours != theirs:
        return refusal(action.not_done(approved.effect.formatted), "it is not what was decided on.")
    return now._replace(ask="", doubts=(), choices=(), rule=approved.rule, part=approved.part)


def _choices(offered: Sequence[Address], *, is_marked: bool) -> tuple[Option, ...]:
    """Return the options of a choice: each address of *offered*, and none of them.

    is_marked: whether Enter takes the first.
    """
    options = [
        Option(
            id=str(n),
            title=one_line(address.title, 160) or address.url,
            host=(host := urls.host_of(address.url)) or address.source,
            whole=APP if address.source == APP else address.url if host or address.source == FILE else "",
            is_marked=is_marked and n == 1,
        )
        for n, address in enumerate(offered, 1)
    ]
    return (*options, NONE)


def _name_in(request: ActionRequest) -> str:
    """Return the name for a lasting answer to *request*: a host or an app.

    An app is saved by its name in the menu, so people can read the rule, and plain commands follow it too.
    """
    return request.effect.title or (*names_of(request.effect), "")[0]


def _options(request: ActionRequest) -> tuple[Option, ...]:
    once = Option(YES, "yes", whole="yes, this once")
    no = Option(NO, "no", whole="no, and stop here. Esc, Ctrl-D, and Enter do the same")
    scopes = _SCOPES.get(request.effect.kind)
    # Only the user settles what their words mean, and only now.
    if scopes is None or is_file(request.effect) or not set(request.doubts) <= set(DOUBTS):
        return (once, no)
    kept, doubts = scope(request.effect.kind, _name_in(request)), ", ".join(request.doubts)
    always = f"yes, and {_SAVES} allow {kept}, for: {doubts}. {_UNDO}"
    return (
        once,
        Option(ALWAYS, f"always{scopes}", whole=always),
        no,
        Option(NEVER, f"never{scopes}", whole=f"no, and {_SAVES} deny {kept}. {_UNDO}"),
    )


def _no_to(request: ActionRequest, text: str) -> str:
    """Return the user's no as a sentence. text: what they typed instead of a key."""
    if text:
        return f"You said instead: {text[:500]}"
    if request.choices:
        return "You chose none of them."
    return f"You said no to {request.effect.formatted}." if request.effect.kind in _NAMED else "You said no."


def _with_choice(request: ActionRequest, chosen: Address) -> ActionRequest:
    """Return *request* for the *chosen* address, or for an app of the same name."""
    if chosen.source == APP:
        return request._replace(action="open_app", effect=Effect("launches", chosen.url, title=chosen.title))
    opening = Effect("opens", chosen.url, address=chosen)
    return request._replace(action="open_file" if chosen.source == FILE else "open_website", effect=opening)
