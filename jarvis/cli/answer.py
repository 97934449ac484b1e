"""`jarvis --answer ID=OPTION`: answer a question that was asked where nobody could answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.errors import UsageError
from ..core.events import TurnEnded
from ..core.types import Options
from ..desktop import hands_for
from ..launcher.command import meant_by
from ..launcher.meant import Meant
from ..output.screen import Screen
from ..store.open import Store
from ..store.turns import find_asking
from ..turns.plain import PlainTurn, answering, take
from .one_shot import tell_on
from .work import guarded, on_store, settings_for


def answer_question(options: Options, words: Sequence[str], screen: Screen, go_on: Callable[[], int]) -> int:
    """Do what the answer allows; return the exit status. go_on: goes on with a turn of the loop."""
    return guarded(options, screen, lambda: _answered(options, words, screen, go_on))


def _answered(options: Options, words: Sequence[str], screen: Screen, go_on: Callable[[], int]) -> int:
    said = options.answer or ""
    id_, equals, _ = said.partition("=")
    if words or options.files or not id_ or not equals:
        raise UsageError("--answer takes ID=OPTION and no words.", hint="jarvis --answer q2-0123456789ab=y")
    settings = settings_for(options, screen)
    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)

    def understand(text: str) -> Meant | None:
        return meant_by(text, options, screen.environment)

    async def work(store: Store) -> TurnEnded | None:
        open_ = await find_asking(store.database, id_)
        meant = understand(open_.goal) if open_ and open_.is_own else None
        if open_ and meant is None:
            return None
        taken = await take(store.database, said)
        tell = tell_on(options, screen, settings.folders.state)
        turn = PlainTurn(
            store.history, hands, settings, tell, answering(said), lambda: not screen.has_lost_words
        )
        return await turn.answer(taken, meant, store.lock(taken.thread)) if meant else None

    ended = on_store(settings, screen, work)
    return go_on() if ended is None else ended.exit_status
