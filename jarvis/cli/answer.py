"""`jarvis --answer ID=OPTION`: answer a question that was asked where nobody could answer it."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from ..actions import catalogue, planned
from ..core.errors import UsageError
from ..core.events import TurnEnded
from ..core.types import Options
from ..launcher.command import meant_by
from ..launcher.meant import Meant
from ..output.prompts import nobody_answers
from ..output.screen import Screen
from ..store.log import log_for
from ..store.open import Store
from ..turns import build
from ..turns.answered_later import answer
from ..turns.direct import DirectTurn
from ..turns.evidence import Evidence
from .one_shot import tell_on
from .storage import on_store
from .work import guarded, settings_for


def answer_question(options: Options, words: Sequence[str], screen: Screen) -> int:
    """Do what the answer allows; return the exit status."""
    return guarded(options, screen, lambda: _answered(options, words, screen))


def _answered(options: Options, words: Sequence[str], screen: Screen) -> int:
    id_, equals, said = (options.answer or "").partition("=")
    if words or options.files or not id_ or not equals:
        raise UsageError("--answer takes ID=OPTION and no words.", hint="jarvis --answer q2-0123456789ab=y")
    settings = settings_for(options, screen)
    hands = build.hands(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)

    def understand(text: str) -> Meant | None:
        return meant_by(text, options, screen.environment)

    def work(store: Store) -> Awaitable[TurnEnded]:
        tell = tell_on(options, screen)
        turn = DirectTurn(
            store.history, hands, settings, tell, nobody_answers, lambda: not screen.has_lost_words
        )
        evidence = Evidence(store, settings, planned(), hands, turn, understand, log_for(settings))
        return answer(id_, said, store.history, turn, catalogue(), evidence)

    return on_store(settings, screen, work).exit_status
