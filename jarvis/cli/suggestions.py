"""Suggestions for a name that only comes near: the person picks one, and the choice is kept."""

from __future__ import annotations

from collections.abc import Mapping

from ..config.settings import Settings, read_settings
from ..core.errors import JarvisError
from ..core.stdlib import NamedTuple
from ..core.text import clean
from ..core.types import ALIAS, APP, Options
from ..core.urls import host_of
from ..desktop import installed
from ..language.command_grammar import called, said
from ..language.lexicon import STARTS
from ..launcher import aliases
from ..launcher.bookmarks import bookmarks
from ..launcher.command import meant_by
from ..launcher.fuzzy import Near, habits, near
from ..launcher.meant import Meant
from ..output.screen import Screen
from ..store.sqlite import at_once
from ..turns import build


class Nearby(NamedTuple):
    """The suggestions that the person picks from."""

    name: str
    found: list[Near]
    file: str  # where a pick is kept

    @property
    def lines(self) -> list[str]:
        """The question, as it is printed."""
        listed = [f"  {n}  {_told(each)}" for n, each in enumerate(self.found, 1)]
        asked = f"Nothing here is called “{self.name}”. Which one do you mean?"
        return [asked, *listed, "  Enter  none of them: look for it"]

    def keep(self, answer: str) -> str:
        """Keep what *answer* picks for the name; return what to tell of it, empty where it picks none."""
        pick_one = answer.strip().rstrip(".")
        if not pick_one.isdecimal() or not 0 < int(pick_one) <= len(self.found):
            return ""
        choice = self.found[int(pick_one) - 1]
        aliases.picked(self.file, self.name, APP if choice.kind == APP else ALIAS, choice.target)
        return (
            f"“{self.name}” means {clean(choice.title)} from now on. To undo it: jarvis alias rm {self.name}"
        )


def _told(found: Near) -> str:
    """Return a suggestion in words; with its host, where the title is somebody's own word for it."""
    if found.kind == APP:
        return clean(f"{found.title} (app)")
    host = host_of(found.target)
    return clean(found.title if found.title == host else f"{found.title} ({host})")


def nearby(words: str, options: Options, environment: Mapping[str, str]) -> Nearby | Meant | None:
    """Return what to ask the person; None where nothing comes near, or *words* name nothing to be opened.

    They may be plain by now: some systems know their apps only once they were listed, which is done here.
    """
    meant = said(words)
    named = called(meant)
    if not named or not aliases.is_kept(named.names[-1]):
        return None
    settings = read_settings(environment, env_file=options.env_file)
    used = _used(settings)
    addresses = [target for target in used if target.startswith("http")]
    apps = installed(environment, cache=settings.folders.cache) if named.kind != "site" else []
    if plain := meant_by(words, options, environment):
        return plain
    kept = bookmarks(settings.bookmarks) if settings.bookmarks else []
    found = near(meant, named, apps, addresses, used, kept)
    # To start something is not to look for it: without an app that comes near, there is nothing to ask.
    if not found or (meant.verb == STARTS and found[0].kind != APP):
        return None
    return Nearby(named.names[-1], found, settings.folders.aliases)


def pick_one(words: str, options: Options, screen: Screen) -> Meant | None:
    """Ask the person, on their terminal, for what comes near; return what *words* plainly mean then."""
    asked = nearby(words, options, screen.environment)
    if not isinstance(asked, Nearby):
        return asked
    from ..output.prompts import begin_to_ask  # only where something comes near

    for line in asked.lines:
        screen.err(line)
    begin_to_ask(screen)
    if not (told := asked.keep(screen.stdin.readline())):
        return None
    screen.err(told)
    return meant_by(words, options, screen.environment)


def _used(settings: Settings) -> dict[str, float]:
    """Return what was opened and started lately, as far as this machine knows without asking a server."""
    history = build.plain_history(settings)
    try:
        return at_once(habits(history.database))
    except JarvisError:  # what can't be read puts nothing first
        return {}
    finally:
        at_once(history.close())
