"""Tells of a program that was asked for and is not installed, and offers what there is in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..actions import catalogue
from ..actions.open_file import misspelt
from ..config.settings import read_settings
from ..core.errors import NotInstalled, Refused
from ..core.events import Option, Question
from ..core.intent import folded
from ..core.types import APP, SITE, Options
from ..core.urls import host_of
from ..desktop import hands_for
from ..language.command_grammar import Called, Said, called, said
from ..language.lexicon import OPENS, STARTS
from ..language.programs import program
from ..launcher.meant import Meaning, Meant, by_kind
from ..policy.questions import NO, hear
from .offers import chosen, offer

_MOST_WORDS = 3  # of a name
_MOST = 4  # apps that come near
_SEARCH = "s"


class Missing(NamedTuple):
    """A program that is not installed."""

    name: str  # as it was said
    title: str
    instead: tuple[Meaning, ...]  # its maker's site, and apps that come near
    file: str  # where a pick is kept that is to last

    @property
    def question(self) -> Question:
        """What to do instead."""
        titles = [each.title for each in self.instead if each.kind == APP]
        offered = [offer(n, each, titles) for n, each in enumerate(self.instead, 1)]
        search = Option(_SEARCH, f"search the web for {self.title}", whole="look for it; the model does that")
        leave = Option(NO, "leave it", whole="leave it, and it ends there")
        text = f"{self.title} is not installed. Nothing was opened."
        return Question("", "name", text, (*offered, search, leave))

    def picked(self, answer: str, tell: Callable[[str], None]) -> Meant | None:
        """Return what they want instead; None: that it is searched for. Raises Refused: to leave it."""
        said = hear(self.question, answer)
        if said.option == _SEARCH:
            return None
        if not said.option.isdigit():
            raise Refused("Nothing was opened.")
        meaning = self.instead[int(said.option) - 1]
        return chosen(meaning, self.file, tell, for_good=said.for_good)

    @property
    def error(self) -> NotInstalled:
        """It, told to whoever can't be asked."""
        near = [each.title or host_of(each.target) for each in self.instead]
        hint = f"What comes near: {', '.join(near)}." if near else f'jarvis "search the web for {self.title}"'
        return NotInstalled(f"{self.title} is not installed. Nothing was opened.", hint=hint)


def missing(words: str, options: Options, environment: Mapping[str, str]) -> Missing | Meant | None:
    """Return the program that *words* ask for, where it surely is one and is not installed.

    None: they ask for none. Some are installed all the same, under a longer name or one that is not listed
    at once: then return what the words mean. Raises NotThere for the name of a file here that is misspelt.
    """
    meant = said(words)
    named = called(meant)
    if not named or meant.verb not in (OPENS, STARTS):
        return None
    if meant.verb == OPENS and len(meant.words) == 1 and (lost := misspelt(meant.words[0])):
        raise lost
    name = named.names[-1]
    title, url = program(name)
    if not title and not _is_app(meant, named):
        return None
    folders = read_settings(environment, env_file=options.env_file).folders
    found = hands_for(environment, cache=folders.cache).find_apps(name)
    apps = tuple(Meaning(APP, name, each.id, each.title) for each in found.apps)
    # “Gimpy” begins like GIMP, and is another app.
    if whole := tuple(app for app in apps if f" {name} " in f" {folded(app.title)} "):
        action, field = by_kind(APP, catalogue())
        return Meant(action, {field: whole[0].target}, whole)
    site = (Meaning(SITE, name, url),) if url else ()
    return Missing(name, title or name, (*site, *apps[:_MOST]), folders.aliases)


def _is_app(meant: Said, named: Called) -> bool:
    """Return whether they say that it is one app: “the foo app”, and no “an app for that”."""
    is_one = meant.words[0].lower() not in ("a", "an") and not meant.wished
    return named.kind_said == "app" and is_one and len(named.names[-1].split()) <= _MOST_WORDS
