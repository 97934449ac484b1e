"""`jarvis --answer ID=OPTION`: the answer to a question that was asked where nobody could give one."""

from __future__ import annotations

from collections.abc import Sequence

from .. import build
from ..actions import catalogue
from ..aside import run as on_loop
from ..commandline import Options
from ..errors import UsageError
from ..plain import PlainTurn
from .guarded import guarded
from .oneshot import settings_for, tell_on
from .screen import Screen


def run(options: Options, words: Sequence[str], screen: Screen) -> int:
    """Carry it out; the exit status."""
    return guarded(options, screen, lambda: _answered(options, words, screen))


def _answered(options: Options, words: Sequence[str], screen: Screen) -> int:
    id_, equals, said = (options.answer or "").partition("=")
    if words or not id_ or not equals:
        raise UsageError("--answer takes ID=OPTION and no words.", hint="jarvis --answer q2-0123456789ab=y")
    settings = settings_for(options, screen)
    hands, pictures = build.hands(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)

    async def work() -> int:
        from ..answered import answer
        from ..store.opened import opened
        from .asking import nobody_answers

        async with opened(settings) as store:
            turn = PlainTurn(
                store.history, hands, settings, pictures, tell_on(options, screen), nobody_answers
            )
            ended = await answer(id_, said, store.history, turn, catalogue(), settings)
            return ended.exit_status

    return on_loop(work())
