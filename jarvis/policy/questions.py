"""The questions about one effect, and what an answer to one means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..actions import Action
from ..core.errors import NeedsAnswer
from ..core.events import Option, Question
from ..core.text import as_typed, digest, one_line
from ..core.types import APP, Address, Outcome, Request, Turn
from ..core.urls import host_of
from .guard import is_file, names_of, refusal
from .rules import DOUBTS, scope

EXPLAIN = "?"  # tells what each key does
FOR_GOOD = "!"  # behind the number of a choice: the name means that from now on
YES, ALWAYS, EDIT, NO, NEVER = "y", "a", "e", "n", "N"
_WORDS = {"y": YES, "yes": YES, "no": NO, "": NO, "never": NEVER, "always": ALWAYS}
_SO_DO_OTHERS = "Esc, Ctrl-D and Enter by itself mean it too"
_SAVES = "a rule is saved in policy.txt:"
_UNDO = "To undo it: jarvis policy rm NUMBER"
_SCOPES = {"opens": "for this host", "launches": "for this app"}


class Decision(NamedTuple):
    """What an answer means."""

    option: str  # one of the above; the number of what was chosen; empty: something else
    text: str = ""  # what to do instead
    for_good: bool = False  # whether the name is to mean what was chosen from now on


def approval(turn: Turn, request: Request) -> Question:
    """Return the question whether *request* may be carried out, once, in *turn*."""
    what = f"{request.action.replace('_', ' ').capitalize()} {request.effect.told} ?"
    options = _options(request)
    id_ = f"q{request.n}-{effect_digest(turn, request)}"
    return Question(id_, "approval", what, options, request.ask, request.rule)


def choice(turn: Turn, request: Request, known: Mapping[str, Address]) -> Question:
    """Return the question which of the addresses that *request* may mean is to be opened in *turn*."""
    offered = [known[id_] for id_ in choosable(request, known)]
    options = [
        Option(
            id=str(n),
            title=one_line(address.title, 160) or address.url,
            host=host_of(address.url) or address.source,
            whole=APP if address.source == APP else address.url,
        )
        for n, address in enumerate(offered, 1)
    ]
    none = Option(NO, "none of them", whole=f"none of them, and it ends there. {_SO_DO_OTHERS}")
    return Question(
        id=f"q{request.n}-{effect_digest(turn, request, known)}",
        kind="choice",
        text="Which one do you mean?",
        options=(*options, none),
        reason=request.ask,
        rule=request.rule,
    )


def choosable(request: Request, known: Mapping[str, Address]) -> list[str]:
    """Return the ids that a choice offers, in the order of their numbers."""
    return [id_ for id_ in request.choices if id_ in known]


def read_answer(question: Question, answer: str) -> Decision:
    """Return what *answer* says to *question*."""
    said = one_line(as_typed(answer), 2048)
    offered = [option.id for option in question.options]
    option = _WORDS.get(said.lower(), said)
    if option in offered or option == NO:
        return Decision(option)
    if said.endswith(FOR_GOOD) and said[:-1].isdigit() and said[:-1] in offered:
        return Decision(said[:-1], for_good=True)
    if said.startswith(f"{EDIT} "):
        return Decision(EDIT, said[2:].strip())
    return Decision("", said)


def left_open(question: Question) -> NeedsAnswer:
    """Return the error for a person who is gone before they answered: *question* waits for them."""
    return NeedsAnswer(f"The terminal was closed before you answered: {question.text}", hint="Ask again.")


def rest_of(answer: str) -> str:
    """Return what is typed behind the key *answer* by those who type the whole word: “es” behind “y”."""
    return next((word[1:] for word, option in _WORDS.items() if option == answer and len(word) > 1), "")


def effect_digest(turn: Turn, request: Request, offered: Mapping[str, Address] | None = None) -> str:
    """Return a digest of exactly what would be done or kept: another effect or doubt has another one.

    An address counts by itself: its id is another one on a server that the turn is delivered to.
    offered: what there is to choose from.
    """
    effect = request.effect
    named = (f"{name}={value}" for name, value in sorted(effect.arguments.items()))
    target = "" if effect.kind == "captures" else effect.target  # a picture's path is free until it is taken
    done = (turn.id, str(request.n), request.action, effect.kind, target, effect.title, *named)
    choices = [offered[id_] for id_ in choosable(request, offered)] if offered else []
    said = "\0".join((*done, *request.doubts, *(f"{each.source} {each.url}" for each in choices)))
    return digest(said)


def refused_as_another(action: Action, turn: Turn, approved: Request, now: Request) -> Outcome | None:
    """Return the refusal of what is something else *now* than they said yes to; None: it is the same."""
    ours, theirs = (effect_digest(turn, each._replace(doubts=())) for each in (approved, now))
    if ours == theirs:
        return None
    return refusal(action.not_done(approved.effect.told), "it is not what was decided on.")


def name_in(request: Request) -> str:
    """Return the name under which a lasting answer to *request* is kept: a host, or an app.

    An app by what its menu calls it, so that the rule can be read, and holds for plain commands too.
    """
    return request.effect.title or (*names_of(request.effect), "")[0]


def _options(request: Request) -> tuple[Option, ...]:
    once = Option(YES, "yes, once", whole="yes, this once")
    no = Option(NO, "no", whole=f"no, and it ends there. {_SO_DO_OTHERS}")
    named = _SCOPES.get(request.effect.kind)
    if not named or is_file(request.effect):
        return (once, no)
    # Only the person settles what their words mean, and only now.
    if not set(request.doubts) <= set(DOUBTS):
        return (once, no)
    kept, doubts = scope(request.effect.kind, name_in(request)), ", ".join(request.doubts)
    always = f"yes, and {_SAVES} allow {kept}, for: {doubts}. {_UNDO}"
    return (
        once,
        Option(ALWAYS, f"always {named}", whole=always),
        no,
        Option(NEVER, f"never {named}", whole=f"no, and {_SAVES} deny {kept}. {_UNDO}"),
    )
