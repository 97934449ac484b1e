"""`jarvis doctor`: look at all that a request needs, and tell what is wrong and how to mend it.

What it prints can be shown to others: no key, no password, and `~` in place of the home folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from ...config.settings import read_settings
from ...config.sources import home_of
from ...core.errors import JarvisError, SettingsError
from ...core.text import counted, one_line, redact
from ...output.records import dumped
from ...output.screen import fitted
from ..parameters import Json
from ..work import current

if TYPE_CHECKING:
    from ...output.screen import Screen
    from ..findings import Finding

app = typer.Typer()


@app.command("doctor")
def examine(
    online: Annotated[
        bool, typer.Option("--online", help="Ask the services too: whether they take the keys.")
    ] = False,
    as_json: Json = False,
) -> int:
    """What is wrong, from the keys to the desktop, and what mends it.

    Nothing is changed by looking. What it prints can be shown to others: no key is in it, and ~ stands for
    your home folder. Exit status 1: something is wrong.
    """
    screen = current().screen
    records: list[dict[str, str]] = []
    wrong: list[Finding] = []
    for group, found in _found(is_online=online):
        if screen.out_tty:  # else it might stand in a row of a pager
            screen.passing(f"looking at the {group}…")
        told = [_shareable(each, screen) for each in found]
        records += [{"group": group, **each._asdict()} for each in told]
        wrong += [each for each in told if each.state == "wrong"]
        if not as_json:
            _print(group, told, screen)
    if as_json:
        screen.out(dumped({"ok": not wrong, "findings": records}))
    else:
        _print_end(wrong, screen)
    return int(bool(wrong))


def _found(*, is_online: bool) -> Iterator[tuple[str, Iterator[Finding]]]:
    """Yield what is found, group by group."""
    # Much, for a page of help.
    from ...config.settings import with_kept_keys
    from .. import findings

    screen, options = current()
    environment, env_file = screen.environment, options.env_file
    try:
        settings = read_settings(environment, env_file=env_file)
    except JarvisError as error:  # nothing else can be told of what they set
        yield "settings", iter([findings.Finding("settings", error.message, error.hint, findings.WRONG)])
    else:
        if is_online:
            with suppress(SettingsError):  # of the keyring, which is told of its key
                settings = with_kept_keys(settings)
        screen.secrets = settings.secrets()
        patient = findings.Patient(environment, env_file, settings, is_online)
        yield from ((group, look(patient)) for group, look in findings.LOOKS.items())
    yield "desktop", findings.desktop_findings(environment)
    yield "versions", findings.versions()


def _print(group: str, found: list[Finding], screen: Screen) -> None:
    screen.out(group)
    for each in found:
        named = each.text if each.name == group else f"{each.name}: {each.text}"
        screen.out(fitted(f"  {each.state:<5}  {named}", screen))
        if each.cure and each.state != "wrong":
            screen.out(f"         {each.cure}")  # never broken: it is to be pasted


def _print_end(wrong: list[Finding], screen: Screen) -> None:
    """Print what is wrong once more, each with its cure: the rest may have run off the screen."""
    screen.out(f"\nWrong: {counted(len(wrong), 'things')}." if wrong else "\nNothing is wrong.")
    for each in wrong:
        screen.out(fitted(f"  {each.name}: {each.text}", screen))
        if each.cure:
            # A command is never broken: it is to be pasted.
            screen.out(fitted(f"    {each.cure}", screen) if each.cure.endswith(".") else f"    {each.cure}")


def _shareable(found: Finding, screen: Screen) -> Finding:
    """Return *found* without secrets, and with `~` for the home folder: its name is often the person's."""
    home = re.escape(home_of(screen.environment).rstrip("/") or "/nowhere")

    def shared(text: str) -> str:
        # A shell leaves a quoted `~` as it is, so the quote comes after it.
        return re.sub(rf"('?){home}(?![\w.-])(/?)", r"~\2\1", redact(one_line(text), screen.secrets))

    return found._replace(text=shared(found.text), cure=shared(found.cure))
