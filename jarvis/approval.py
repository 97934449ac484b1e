"""The person's yes to one effect: what they are asked, and what it means if they say anything else."""

from __future__ import annotations

import hashlib

from .actions.base import Action
from .errors import Refused
from .events import Option, Question
from .text import one_line
from .turn import Outcome, Request, Turn

YES, NO = "y", "n"
_OPTIONS = (Option(YES, "yes, once"), Option(NO, "no"))


def approval(turn: Turn, request: Request) -> Question:
    """Whether *request* may be carried out, once, in *turn*."""
    what = f"{request.action.replace('_', ' ').capitalize()} {request.target} ?"
    return Question(_id(turn, request), "approval", what, _OPTIONS, request.ask, request.rule)


def is_yes(answer: str) -> bool:
    return answer.strip().lower() in (YES, "yes")


def refusal(action: Action, request: Request, answer: str) -> Outcome:
    """What came of it, where they did not say yes: a no, or what to do instead."""
    said = one_line(answer, 500)
    instead = f" They said instead: {said}" if said.lower() not in ("", NO, "no") else ""
    text = f"{action.not_done(request.target)}: you were asked, and did not say yes.{instead}"
    return Outcome("declined", text, code="declined", exit_status=Refused.exit_status)


def _id(turn: Turn, request: Request) -> str:
    """Bound to what would be done: another effect is another question."""
    effect = f"{turn.id}/{request.n}/{request.effect}/{request.target}".encode()
    return f"q{request.n}-{hashlib.blake2b(effect, digest_size=6).hexdigest()}"
