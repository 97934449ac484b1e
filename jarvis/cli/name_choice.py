"""What a name may mean that only comes near: the person picks one. And which program is not installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..config.settings import Settings, read_settings
from ..core.errors import NotInstalled
from ..core.events import Option, Question
from ..core.text import folded, told_apart
from ..core.types import ALIAS, APP, NameMatch, Options
from ..core.urls import host_of
from ..desktop import desktop_for, own_platform
from ..language.command_grammar import OPENS, STARTS, Name, ParsedWords, parse_name, parse_words
from ..launcher import Command, aliases, command_for, meant_by
from ..launcher.match import near
from ..launcher.names import known_program
from ..output.questions import answer_to
from ..output.screen import Screen
from ..policy.questions import NO, read_answer

if TYPE_CHECKING:
    from ..desktop.apps import App

_MOST_WORDS = 3  # of a name
_MOST = 4  # apps that come near
_NONE = Option(NO, "none of them: look for it", whole="none of them: the model looks for it")


def picked_for(words: str, options: Options, screen: Screen) -> Command | None:
    """Return what the person picks for the name in *words*; None where the model is to look for it.

    Raises NotInstalled for a program that is not here.
    """
    meant = parse_words(words)
    named = parse_name(meant)
    if named is None:
        return None
    settings = read_settings(screen.environment, env_file=options.env_file)
    if found := _long_named(meant, named, screen, settings):
        return found
    name, is_asked = named.names[-1], not (options.json or options.ndjson or options.yes)
    if not (is_asked and screen.is_interactive and aliases.is_kept(name)):
        return None
    # Some systems know their apps only once they were listed.
    here = own_platform(screen.environment, cache=settings.folders.cache)
    apps = here.apps() if named.kind != "site" else []
    if found := meant_by(words, options, screen.environment):
        return found
    meanings = _nearby(meant, named, apps)
    return _picked(name, meanings, options, screen, settings) if meanings else None


def _picked(
    name: str, meanings: Sequence[NameMatch], options: Options, screen: Screen, settings: Settings
) -> Command | None:
    """Return what the person picks, kept if it is to last; None where the model is to look for it."""
    titles = [each.title for each in meanings if each.kind == APP]
    offered = [_offer(n, each, titles) for n, each in enumerate(meanings, 1)]
    asked = f"Nothing here is called “{name}”. Which one do you mean?"
    question = Question("", "name", asked, (*offered, _NONE))
    said = read_answer(question, answer_to(question, options, screen).strip().rstrip("."))
    if not said.option.isdigit():
        return None
    meaning = meanings[int(said.option) - 1]
    if meaning.kind == ALIAS:  # its title is somebody's word for the page
        meaning = meaning._replace(title="")
    if said.for_good:
        aliases.picked(settings.folders.aliases, meaning.name, meaning.kind, meaning.target, screen.err)
    return command_for(meaning)


def _long_named(meant: ParsedWords, named: Name, screen: Screen, settings: Settings) -> Command | None:
    """Return what starts the program that is asked for, if it has a longer name, or is not listed at once.

    None: they ask for none. Raises NotInstalled for one that is not here, with what comes near.
    """
    if meant.verb not in (OPENS, STARTS):
        return None
    name = named.names[-1]
    title, url = known_program(name)
    # “The foo app” is one app, “an app for that” is none.
    is_one = meant.words[0].lower() not in ("a", "an") and not meant.wished
    if not title and not (named.kind_said == "app" and is_one and len(name.split()) <= _MOST_WORDS):
        return None
    found = desktop_for(screen.environment, cache=settings.folders.cache).find_apps(name)
    # “Gimpy” begins like GIMP, and is another app.
    if whole := [app for app in found.apps if f" {name} " in f" {folded(app.title)} "]:
        return command_for(*(NameMatch(APP, name, app.id, app.title) for app in whole))
    instead = [*([host_of(url)] if url else []), *(app.title for app in found.apps[:_MOST])]
    raise _not_installed(title or name, instead)


def _not_installed(title: str, instead: Sequence[str]) -> NotInstalled:
    """Return the error for the program of that *title*. instead: names of what comes near."""
    search = f'jarvis "search the web for {title}"'
    hint = f"What comes near: {', '.join(instead)}." if instead else search
    return NotInstalled(f"{title} is not installed. Nothing was opened.", hint=hint)


def _nearby(meant: ParsedWords, named: Name, apps: Sequence[App]) -> Sequence[NameMatch]:
    """Return what comes near the name."""
    found = near(meant, named, apps)
    # To start something is not to look for it: without an app that comes near, there is nothing to ask.
    return [] if meant.verb == STARTS and found and found[0].kind != APP else found


def _offer(number: int, offered: NameMatch, titles: Sequence[str]) -> Option:
    """Return the line of *offered*, by its whole address: the title may be somebody's own word for it.

    titles: of all the apps among what is offered.
    """
    if offered.kind == APP:
        return Option(str(number), told_apart(offered.title, offered.target, titles), APP, whole=APP)
    host = host_of(offered.target)
    title = offered.title if offered.title not in ("", host) else offered.target
    return Option(str(number), title, host, offered.target)
