"""What the commands beside requests have in common: two options, and how their work is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NoReturn

import typer

from ..config.settings import Settings
from ..core.options import Options
from ..output.screen import Screen
from .errors import guarded
from .one_shot import settings_for

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
EnvFile = Annotated[str | None, typer.Option("--env-file", help="Read NAME=value settings from this file.")]


def command(screen: Screen, options: Options, work: Callable[[Screen, Settings], int | None]) -> NoReturn:
    """Do *work*, and leave with its exit status: None is 0."""
    raise typer.Exit(guarded(options, screen, lambda: work(screen, settings_for(options, screen)) or 0))
