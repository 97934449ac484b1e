"""The questions about one effect, and what an answer to one means."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from ..core.events import Option, Question
from ..core.stdlib import NamedTuple
from ..core.text import as_typed, one_line
from ..core.types import Address, Request, Turn
from ..core.urls import host_of
from .guard import is_file
from .rules import DOUBTS

YES, THREAD, ALWAYS, EDIT, NO, NEVER = "y", "t", "a", "e", "n", "N"
_WORDS = {"y": YES, "yes": YES, "no": NO, "": NO, "never": NEVER, "always": ALWAYS}
_SCOPES = {"opens": "for this host", "launches": "for this app"}


class Heard(NamedTuple):
    """What an answer means."""

    option: str  # one of the above; the id of an address that was chosen; empty: something else
    text: str = ""  # the edited value, or what to do instead


def approval(turn: Turn, request: Request) -> Question:
    """Return the question whether *request* may be carried out, once, in *turn*."""
    what = f"{request.action.replace('_', ' ').capitalize()} {request.effect.told} ?"
    return Question(_id(turn, request), "approval", what, _options(request), request.ask, request.rule)


def choice(turn: Turn, request: Request, known: Mapping[str, Address]) -> Question:
    """Return the question which of the addresses that *request* may mean is to be opened in *turn*."""
    offered = [known[id_] for id_ in choosable(request, known)]
    options = [
        Option(str(n), one_line(address.title, 160) or address.url, host_of(address.url) or address.source)
        for n, address in enumerate(offered, 1)
    ]
    none = Option(NO, "none of them")
    return Question(
        id=_id(turn, request, known),
        kind="choice",
        text="Which one do you mean?",
        options=(*options, none),
        reason=request.ask,
        rule=request.rule,
    )


def choosable(request: Request, known: Mapping[str, Address]) -> list[str]:
    """Return the ids that a choice offers, in the order of their numbers."""
    return [id_ for id_ in request.choices if id_ in known]


def hear(question: Question, answer: str) -> Heard:
    """Return what *answer* says to *question*."""
    said = one_line(as_typed(answer), 2048)
    option = _WORDS.get(said.lower(), said)
    if option in [offered.id for offered in question.options] or option == NO:
        return Heard(option)
    if said.startswith(f"{EDIT} ") and EDIT in [offered.id for offered in question.options]:
        return Heard(EDIT, said[2:].strip())
    return Heard("", said)


def digest(turn: Turn, request: Request, offered: Mapping[str, Address] | None = None) -> str:
    """Return a digest of exactly what would be done or kept: another effect or doubt has another one.

    An address counts by itself: its id is another one on a server that the turn is delivered to.
    offered: what there is to choose from.
    """
    effect = request.effect
    named = (f"{name}={value}" for name, value in sorted(effect.arguments.items()))
    done = (turn.id, str(request.n), request.action, effect.kind, effect.target, effect.title, *named)
    choices = [offered[id_] for id_ in choosable(request, offered)] if offered else []
    said = "\0".join((*done, *request.doubts, *(f"{each.source} {each.url}" for each in choices)))
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _id(turn: Turn, request: Request, offered: Mapping[str, Address] | None = None) -> str:
    return f"q{request.n}-{digest(turn, request, offered)}"


def _options(request: Request) -> tuple[Option, ...]:
    once, no = Option(YES, "yes, once"), Option(NO, "no")
    scope = _SCOPES.get(request.effect.kind)
    if not scope or is_file(request.effect):
        return (once, no)
    edit = (Option(EDIT, "edit"),) if request.effect.kind == "opens" else ()
    # Only the person settles what their words mean, and only now.
    if not set(request.doubts) <= set(DOUBTS):
        return (once, *edit, no)
    lasting = (Option(THREAD, f"{scope} in this thread"), Option(ALWAYS, f"always {scope}"))
    return (once, *lasting, *edit, no, Option(NEVER, f"never {scope}"))
