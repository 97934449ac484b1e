"""A turn as its client knows it: what its hands did, what was answered and told. It outlives a brain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.errors import JarvisError
from ..core.types import Performed, unknown
from .protocol import Act, Ask, Did

if TYPE_CHECKING:
    from collections.abc import Sequence

FIND = 0  # the number of what is only looked up here
_MAY_BE = ("done", "unknown")  # the states of what may have had an effect


class ClientTurn:
    def __init__(self, ask: Ask) -> None:
        self.thread = ""  # once it is in history
        self.told: list[str] = []
        self.answers: dict[str, str | None] = {}  # by their questions; None: nobody could answer
        self._ask = ask
        self._acts: dict[int, Act] = {}
        self._did: dict[int, Did] = {}

    def begins(self, act: Act) -> None:
        self._acts[act.n] = act

    def has_done(self, did: Did) -> None:
        self._did[did.n] = did

    @property
    def asked_again(self) -> Ask:
        """What asks another brain to go on with it."""
        return self._ask._replace(
            thread=self.thread or self._ask.thread,
            continue_last=self._ask.continue_last and not self.thread,
            resumes=True,
            did=[each.as_record() for each in self._performed],
            told=[*self.told],
        )

    def telling(self, error: JarvisError) -> JarvisError:
        """Return *error*, telling what the hands did before it."""
        return with_deeds(error, self._performed, self.thread, self._ask)

    @property
    def _performed(self) -> list[Performed]:
        """What the hands did, or are at, which nobody knows yet."""
        return [self._outcome_of(act) for n, act in self._acts.items() if n != FIND]

    def _outcome_of(self, act: Act) -> Performed:
        did = self._did.get(act.n)
        # Whether what they let the brain keep was kept, that brain knew alone.
        is_known = did is not None and did.state != "approved"
        outcome = did.outcome if did and is_known else unknown(act.action, act.target)
        return Performed(act.n, act.action, act.target, outcome._replace(part=act.part), act.ends)


def with_deeds(error: JarvisError, performed: Sequence[Performed], thread: str, ask: Ask) -> JarvisError:
    """Return *error*, telling what the hands *performed* before it. thread: of the turn; empty: unknown."""
    steps = [
        {
            "n": each.n,
            "action": each.action,
            "arguments": {"target": each.target} if each.target else {},
            "state": each.outcome.state,
            "outcome": each.outcome.text,
        }
        for each in performed
    ]
    begun = {"thread": thread, "turn": ask.id} if thread else {}
    error.beside = {"goal": ask.own, "steps": steps, **begun}
    if said := " ".join(each.outcome.text for each in performed if each.outcome.text):
        error.message = f"{said} {error.message}"
        if any(each.outcome.state in _MAY_BE for each in performed):  # to ask again would do it twice
            error.hint = f"See what came of it: jarvis threads show {thread}".rstrip()
    return error
