"""`jarvis portfolio …`: activities from a file, and what was sent, taken back; without a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Account = Annotated[str, typer.Option(metavar="NAME", help="The account of rows that name none.")]
Number = Annotated[int, typer.Argument(metavar="[N]", help="Of the batch: the last, unless you say.")]

app = typer.Typer(
    name="portfolio",
    help="What was sent to your portfolio. Any other words behind `portfolio` are a request.",
)


@app.command("import", help="Send the activities in FILE, a CSV or Ghostfolio's own JSON.")
def import_file(ctx: typer.Context, file: str, account: Account = "", as_json: Json = False) -> int:
    return int(_work().send_file(ctx.obj, file, account, as_json=as_json))


@app.command("batches", help="List what was sent, and what came of it.")
def list_batches(ctx: typer.Context, as_json: Json = False) -> None:
    _work().tell_batches(ctx.obj, as_json=as_json)


@app.command("undo", help="Remove what a batch stored, once you say yes.")
def undo(ctx: typer.Context, number: Number = 0, as_json: Json = False) -> int:
    return int(_work().take_back(ctx.obj, number, as_json=as_json))


def _work() -> Any:
    """Return importing.py."""
    from . import importing  # asyncio, which a page of help does without

    return importing
