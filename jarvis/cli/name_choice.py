"""What a name may mean that only comes near, or whose program is not installed: the person picks one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..actions import catalogue
from ..config.settings import Settings, read_settings
from ..core.errors import NotInstalled, Refused
from ..core.events import Option, Question
from ..core.intent import folded
from ..core.text import told_apart
from ..core.types import ALIAS, APP, SITE, NameMatch, Options
from ..core.urls import host_of
from ..desktop import desktop_for, own_platform
from ..language.command_grammar import OPENS, STARTS, Name, ParsedWords, parse_name, parse_words
from ..launcher import Command, aliases, by_kind, meant_by
from ..launcher.match import near
from ..launcher.names import known_program
from ..output.questions import answer_to
from ..output.screen import Screen
from ..policy.questions import NO, read_answer

if TYPE_CHECKING:
    from ..desktop.apps import App

_MOST_WORDS = 3  # of a name
_MOST = 4  # apps that come near
_SEARCH = Option("s", "", whole="look for it; the model does that")
_LEAVE = Option(NO, "leave it", whole="leave it, and it ends there")
_NONE = Option(NO, "none of them: look for it", whole="none of them: the model looks for it")


class NameChoice(NamedTuple):
    """What a name may mean, to be picked from, for now or for good."""

    text: str
    meanings: Sequence[NameMatch]
    others: tuple[Option, ...]  # what else may be answered
    error: NotInstalled | None = None  # it, told to whoever can't be asked

    @property
    def question(self) -> Question:
        titles = [each.title for each in self.meanings if each.kind == APP]
        offered = [_offer(n, each, titles) for n, each in enumerate(self.meanings, 1)]
        return Question("", "name", self.text, (*offered, *self.others))


def picked_for(words: str, options: Options, screen: Screen) -> Command | None:
    """Return what the person picks for the name in *words*; None where the model is to look for it.

    Raises NotInstalled for a program that is not here, where nobody can be asked; Refused where it is left.
    """
    meant = parse_words(words)
    named = parse_name(meant)
    if named is None:
        return None
    settings = read_settings(screen.environment, env_file=options.env_file)
    is_asked = screen.is_interactive and not (options.json or options.ndjson or options.yes)
    found = _not_installed(meant, named, screen, settings)
    if found is None and is_asked and aliases.is_kept(named.names[-1]):
        # Some systems know their apps only once they were listed.
        here = own_platform(screen.environment, cache=settings.folders.cache)
        apps = here.apps() if named.kind != "site" else []
        found = meant_by(words, options, screen.environment) or _nearby(meant, named, apps)
    if not isinstance(found, NameChoice):
        return found
    if found.error and not is_asked:
        raise found.error
    return _picked(found, options, screen, settings)


def _picked(choice: NameChoice, options: Options, screen: Screen, settings: Settings) -> Command | None:
    """Return what the person picks of *choice*, kept if it is to last; None where the model looks for it."""
    question = choice.question
    said = read_answer(question, answer_to(question, options, screen).strip().rstrip("."))
    if not said.option.isdigit():
        if choice.error and said.option != _SEARCH.id:
            raise Refused("Nothing was opened.")
        return None
    meaning = choice.meanings[int(said.option) - 1]
    if meaning.kind == ALIAS:  # its title is somebody's word for the page
        meaning = meaning._replace(title="")
    if said.for_good:
        aliases.picked(settings.folders.aliases, meaning.name, meaning.kind, meaning.target, screen.err)
    return _command(meaning)


def _not_installed(
    meant: ParsedWords, named: Name, screen: Screen, settings: Settings
) -> NameChoice | Command | None:
    """Return what there is instead of the program that is asked for, which is not installed.

    None: they ask for none. Some are installed all the same, under a longer name or one that is not listed
    at once: then return what starts it.
    """
    if meant.verb not in (OPENS, STARTS):
        return None
    name = named.names[-1]
    title, url = known_program(name)
    # “The foo app” is one app, “an app for that” is none.
    is_one = meant.words[0].lower() not in ("a", "an")
    if not title and not (named.kind_said == "app" and is_one and len(name.split()) <= _MOST_WORDS):
        return None
    found = desktop_for(screen.environment, cache=settings.folders.cache).find_apps(name)
    apps = [NameMatch(APP, name, each.id, each.title) for each in found.apps]
    # “Gimpy” begins like GIMP, and is another app.
    if whole := [app for app in apps if f" {name} " in f" {folded(app.title)} "]:
        return _command(*whole)
    return _instead_of(title or name, [*([NameMatch(SITE, name, url)] if url else []), *apps[:_MOST]])


def _instead_of(title: str, meanings: Sequence[NameMatch]) -> NameChoice:
    """Return what there is in place of the program of that *title*."""
    told = f"{title} is not installed. Nothing was opened."
    near = [each.title or host_of(each.target) for each in meanings]
    hint = f"What comes near: {', '.join(near)}." if near else f'jarvis "search the web for {title}"'
    search = _SEARCH._replace(title=f"search the web for {title}")
    return NameChoice(told, meanings, (search, _LEAVE), NotInstalled(told, hint=hint))


def _nearby(meant: ParsedWords, named: Name, apps: Sequence[App]) -> NameChoice | None:
    """Return what comes near the name; None where nothing does."""
    found = near(meant, named, apps)
    # To start something is not to look for it: without an app that comes near, there is nothing to ask.
    if not found or (meant.verb == STARTS and found[0].kind != APP):
        return None
    asked = f"Nothing here is called “{named.names[-1]}”. Which one do you mean?"
    return NameChoice(asked, found, (_NONE,))


def _offer(number: int, offered: NameMatch, titles: Sequence[str]) -> Option:
    """Return the line of *offered*, by its whole address: the title may be somebody's own word for it.

    titles: of all the apps among what is offered.
    """
    if offered.kind == APP:
        return Option(str(number), told_apart(offered.title, offered.target, titles), APP, whole=APP)
    host = host_of(offered.target)
    title = offered.title if offered.title not in ("", host) else offered.target
    return Option(str(number), title, host, offered.target)


def _command(*meanings: NameMatch) -> Command:
    """Return the command that opens the first of *meanings*."""
    action, field = by_kind(meanings[0].kind, catalogue())
    return Command(action, {field: meanings[0].target}, meanings)
