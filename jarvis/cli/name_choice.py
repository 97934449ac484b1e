"""What a name may mean that only comes near, or whose program is not installed: the person picks one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..actions import catalogue
from ..actions.open_file import misspelt
from ..config.settings import Settings, read_settings
from ..core.errors import JarvisError, NotInstalled, Refused
from ..core.events import Option, Question
from ..core.intent import folded
from ..core.text import told_apart
from ..core.types import ALIAS, APP, SITE, Options
from ..core.urls import host_of
from ..desktop import hands_for, installed
from ..language.command_grammar import Called, Said, called, said
from ..language.lexicon import OPENS, STARTS
from ..language.programs import program
from ..launcher import aliases
from ..launcher.bookmarks import bookmarks
from ..launcher.command import meant_by
from ..launcher.fuzzy import habits, near
from ..launcher.meant import Meaning, Meant, by_kind
from ..launcher.names import keep_name
from ..policy.questions import NO, hear
from ..store.sqlite import at_once
from ..turns.plain import plain_history

_MOST_WORDS = 3  # of a name
_MOST = 4  # apps that come near
_SEARCH = "s"


class NameChoice(NamedTuple):
    """What a name may mean, to be picked from, for now or for good."""

    text: str
    meanings: tuple[Meaning, ...]
    others: tuple[Option, ...]  # what else may be answered
    file: str  # where a pick is kept that is to last
    error: NotInstalled | None = None  # it, told to whoever can't be asked

    @property
    def question(self) -> Question:
        titles = [each.title for each in self.meanings if each.kind == APP]
        offered = [_offer(n, each, titles) for n, each in enumerate(self.meanings, 1)]
        return Question("", "name", self.text, (*offered, *self.others))

    def picked(self, answer: str, tell: Callable[[str], None]) -> Meant | None:
        """Return what the words mean by *answer*, and keep it if it is to last. None: the model looks for it.

        Raises Refused where a program that is not installed is left.
        """
        said = hear(self.question, answer.strip().rstrip("."))
        if said.option.isdigit():
            meaning = self.meanings[int(said.option) - 1]
            if meaning.kind == ALIAS:  # its title is somebody's word for the page
                meaning = meaning._replace(title="")
            if said.for_good:
                keep_name(self.file, meaning.name, meaning.kind, meaning.target, tell)
            action, field = by_kind(meaning.kind, catalogue())
            return Meant(action, {field: meaning.target}, (meaning,))
        if self.error and said.option != _SEARCH:
            raise Refused("Nothing was opened.")
        return None


def _offer(number: int, offered: Meaning, titles: Sequence[str]) -> Option:
    """Return the line of *offered*, by its whole address: the title may be somebody's own word for it.

    titles: of all the apps among what is offered.
    """
    if offered.kind == APP:
        return Option(str(number), told_apart(offered.title, offered.target, titles), APP, whole=APP)
    host = host_of(offered.target)
    title = offered.title if offered.title not in ("", host) else offered.target
    return Option(str(number), title, host, offered.target)


def missing(words: str, options: Options, environment: Mapping[str, str]) -> NameChoice | Meant | None:
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
    return _not_installed(name, title or name, (*site, *apps[:_MOST]), folders.aliases)


def _not_installed(name: str, title: str, instead: tuple[Meaning, ...], file: str) -> NameChoice:
    """Return what there is *instead* of a program."""
    told = f"{title} is not installed. Nothing was opened."
    near = [each.title or host_of(each.target) for each in instead]
    hint = f"What comes near: {', '.join(near)}." if near else f'jarvis "search the web for {title}"'
    search = Option(_SEARCH, f"search the web for {title}", whole="look for it; the model does that")
    leave = Option(NO, "leave it", whole="leave it, and it ends there")
    return NameChoice(told, instead, (search, leave), file, NotInstalled(told, hint=hint))


def _is_app(meant: Said, named: Called) -> bool:
    """Return whether they say that it is one app: “the foo app”, and no “an app for that”."""
    is_one = meant.words[0].lower() not in ("a", "an") and not meant.wished
    return named.kind_said == "app" and is_one and len(named.names[-1].split()) <= _MOST_WORDS


def nearby(words: str, options: Options, environment: Mapping[str, str]) -> NameChoice | Meant | None:
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
    name = named.names[-1]
    asked = f"Nothing here is called “{name}”. Which one do you mean?"
    none = Option(NO, "none of them: look for it", whole="none of them: the model looks for it")
    meanings = [Meaning(APP if each.kind == APP else ALIAS, name, each.target, each.title) for each in found]
    return NameChoice(asked, tuple(meanings), (none,), settings.folders.aliases)


def _used(settings: Settings) -> dict[str, float]:
    """Return what was opened and started lately, as far as this machine knows without asking a server."""
    history = plain_history(settings)
    try:
        return at_once(habits(history.database))
    except JarvisError:  # what can't be read puts nothing first
        return {}
    finally:
        at_once(history.close())
