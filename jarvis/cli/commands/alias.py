"""`jarvis alias …`: the person's own names for addresses, and what they picked for a name."""

from __future__ import annotations

from ...core.stdlib import TYPE_CHECKING
from ...core.text import one_line
from ...core.types import ALIAS, APP, SITE
from ...output.summary import dumped
from ..options import PRINTED
from ..registry import Argument, Call, Command, Group
from ..storage import with_settings

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...launcher.aliases import Alias
    from ...output.screen import Screen

_ABOUT = """
`jarvis alias add gh https://github.com`; with {query} in it, what follows the name is filled in:
`jarvis alias add gh 'https://github.com/search?q={query}'`, then `jarvis open gh langgraph interrupt`."""


def _add(call: Call, screen: Screen) -> int:
    name, address = call.words

    def work(settings: Settings) -> None:
        # For the work alone: help imports this file too.
        import shlex

        from ...launcher import aliases

        before = aliases.load(settings.folders.aliases)
        alias = aliases.add(settings.folders.aliases, name, address)
        if call.options.json:
            screen.out(dumped({"saved": alias._asdict()}))
            return
        undo = f"jarvis alias rm {shlex.quote(alias.name)}"
        screen.out(f"Saved {_shown(alias)} (aliases.json)   undo: {undo}")
        if (old := before.get(alias.name)) and old != alias:
            screen.err(f"Before, it meant {one_line(old.target, 300)}.")

    return with_settings(call, screen, work)


def _list(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> None:
        from ...launcher import aliases  # help imports this file too

        kept = sorted(aliases.load(settings.folders.aliases).values())
        if call.options.json:
            screen.out(dumped([alias._asdict() for alias in kept]))
            return
        for alias in kept:
            screen.out(_shown(alias))
        if not kept:
            screen.err("No aliases yet.")

    return with_settings(call, screen, work)


def _rm(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> None:
        # For the work alone: help imports this file too.
        import shlex

        from ...launcher import aliases

        alias = aliases.remove(settings.folders.aliases, " ".join(call.words))
        if call.options.json:
            screen.out(dumped({"removed": alias._asdict()}))
            return
        again = f"   undo: jarvis alias add {shlex.quote(alias.name)} {shlex.quote(alias.target)}"
        screen.out(f"Removed {_shown(alias)} (aliases.json){again if alias.kind == ALIAS else ''}")

    return with_settings(call, screen, work)


def _shown(alias: Alias) -> str:
    picked = {SITE: "   the site, as you picked", APP: "   the app, as you picked"}
    takes = "   takes words" if alias.takes_words else ""
    return f"{alias.name}  {one_line(alias.target, 300)}{picked.get(alias.kind, takes)}"


_NAME = Argument("name", most=3, kind="alias")
COMMAND = Group(
    "alias",
    "your own names for addresses: jarvis open NAME",
    (
        Command("list", "list the names", _list, options=PRINTED),
        Command(
            "add",
            "let NAME stand for ADDRESS",
            _add,
            (_NAME._replace(most=1), Argument("address", kind="address")),
            PRINTED,
        ),
        Command("rm", "forget NAME", _rm, (_NAME,), PRINTED),
    ),
    about=_ABOUT,
)
