"""Suggestions for a name that only comes near: the person picks one, for now or for good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..config.settings import Settings, read_settings
from ..core.errors import JarvisError
from ..core.events import Option, Question
from ..core.types import ALIAS, APP, Options
from ..desktop import installed
from ..language.command_grammar import called, said
from ..language.lexicon import STARTS
from ..launcher import aliases
from ..launcher.bookmarks import bookmarks
from ..launcher.command import meant_by
from ..launcher.fuzzy import Near, habits, near
from ..launcher.meant import Meaning, Meant
from ..output.screen import Screen
from ..policy.questions import NO, hear
from ..store.sqlite import at_once
from ..turns import plain
from .offers import chosen, offer


class Nearby(NamedTuple):
    """The suggestions that the person picks from."""

    name: str
    found: list[Near]
    file: str  # where a pick is kept that is to last

    @property
    def question(self) -> Question:
        titles = [each.title for each in self.found if each.kind == APP]
        listed = [offer(n, each, titles) for n, each in enumerate(self.found, 1)]
        none = Option(NO, "none of them: look for it", whole="none of them: the model looks for it")
        asked = f"Nothing here is called “{self.name}”. Which one do you mean?"
        return Question("", "name", asked, (*listed, none))

    def picked(self, answer: str, tell: Callable[[str], None]) -> Meant | None:
        """Return what the words mean by *answer*, and keep it if it is to last. None: it picks none."""
        said = hear(self.question, answer.strip().rstrip("."))
        if not said.option.isdigit():
            return None
        near_it = self.found[int(said.option) - 1]
        title = near_it.title if near_it.kind == APP else ""
        meaning = Meaning(APP if title else ALIAS, self.name, near_it.target, title)
        return chosen(meaning, self.file, tell, for_good=said.for_good)


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
    from ..output.questions import answer_at  # only where something comes near

    return asked.picked(answer_at(screen, asked.question), screen.err)


def _used(settings: Settings) -> dict[str, float]:
    """Return what was opened and started lately, as far as this machine knows without asking a server."""
    history = plain.plain_history(settings)
    try:
        return at_once(habits(history.database))
    except JarvisError:  # what can't be read puts nothing first
        return {}
    finally:
        at_once(history.close())
