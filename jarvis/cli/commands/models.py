"""`jarvis models`: list the models that the key can use for planning and answering."""

from __future__ import annotations

import time

import typer

from ...config.settings import MODEL_ENDS
from ..completion import Json
from ..work import current, report

app = typer.Typer()


@app.command("models", help="The models that your key can use.")
def list_models(as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings(needs_model=True)
    screen.passing("asking Google…")
    from ...agent.gemini import model_names  # asyncio, and seconds of imports

    try:
        names = model_names(settings)
    finally:
        screen.clear()
    usual = settings.model
    lines = (f"{'*' if name == usual else ' '} {name:<32} {told_end(name)}".rstrip() for name in names)
    records = [{"name": name, "is_set": name == usual, "ends": MODEL_ENDS.get(name)} for name in names]
    report(records, *lines, as_json=as_json)
    if as_json:
        return
    if usual not in names:
        screen.err(f"{usual}, which is set, is not among them: it may have been retired.")
    screen.err("To ask another: jarvis -m NAME …; in a chat: /model NAME; for good: export JARVIS_MODEL=NAME")


def told_end(name: str) -> str:
    """Return when the model of that *name* is or was retired; empty where that is not known."""
    if not (day := MODEL_ENDS.get(name)):
        return ""
    return f"retired since {day}" if time.strftime("%Y-%m-%d") >= day else f"will be retired on {day}"
