"""`jarvis models`: list the models that the key can use for planning and answering."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import typer

from ...output.records import show
from ..parameters import Json
from ..work import current

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen


app = typer.Typer()


@app.command("models", help="The models that your key can use.")
def list_models(as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings(needs_model=True)
    names, ends = _listed(settings, screen)
    usual = settings.model
    lines = (f"{'*' if n == usual else ' '} {n:<32} {_told(ends.get(n, ''))}".rstrip() for n in names)
    records = [{"name": name, "is_set": name == usual, "ends": ends.get(name)} for name in names]
    show(screen, records, *lines, as_json=as_json)
    if as_json:
        return
    if usual not in names:
        screen.err(f"{usual}, which is set, is not among them: it may have been retired.")
    screen.err("To ask another: jarvis -m NAME …; in a chat: /model NAME; for good: export JARVIS_MODEL=NAME")


def _listed(settings: Settings, screen: Screen) -> tuple[list[str], dict[str, str]]:
    """Return the models' names, newest first, and the days on which some of them end."""
    screen.passing("asking Google…")
    # They take seconds to import.
    from ...agent.retry import ENDS
    from ...core.concurrency import run_async
    from ...turns.build import models_of

    async def names() -> list[str]:
        models = models_of(settings)
        try:
            return await models.named("").names()
        finally:
            await models.close()

    try:
        return run_async(names()), ENDS
    finally:
        screen.clear()


def _told(day: str) -> str:
    if not day:
        return ""
    return f"retired since {day}" if time.strftime("%Y-%m-%d") >= day else f"will be retired on {day}"
