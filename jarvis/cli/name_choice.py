"""Lets the user pick what a name means that has no exact match, and says which program isn't installed."""

from __future__ import annotations

from collections.abc import Sequence

from ..actions.base import desktop_for
from ..config.sources import Folders, folders_of
from ..core.errors import NotInstalled, Refused
from ..core.events import Option, Question
from ..core.intent import SHORT_NAME
from ..core.text import distinct_title
from ..core.types import APP, NameMatch, Options, ParsedWords
from ..core.urls import host_of
from ..desktop.apps import role_in
from ..desktop.desktop import own_platform
from ..language.command_grammar import OPENS, STARTS, Name, parse_name
from ..launcher import Command, aliases, command_for, parse_command
from ..launcher.match import near
from ..launcher.names import known_program
from ..output.questions import answer_to
from ..output.screen import Screen
from ..policy.questions import NONE, read_answer

_MOST = 4  # apps with similar names


def picked_for(parsed: ParsedWords, options: Options, screen: Screen) -> Command | None:
    """Return the command that the user picks for the name in *parsed*, or None to ask the model.

    Raises NotInstalled for a program that isn't here, Refused if they pick nothing.
    """
    parsed_name = parse_name(parsed)
    if parsed_name is None:
        return None
    folders = folders_of(screen.environment, options.env_file)
    name, is_asked = parsed_name.names[-1], not (options.json or options.ndjson or options.yes)
    asks = is_asked and screen.is_interactive and aliases.is_kept(name)
    if found := _long_named(parsed, parsed_name, screen, folders, asks=asks):
        return found
    if not asks:
        return None
    # Some systems know their apps only after listing them.
    here = own_platform(screen.environment, cache=folders.cache)
    apps = here.apps() if parsed_name.kind != "site" else []
    if found := parse_command(parsed, options, screen.environment):
        return found
    meanings = near(parsed, parsed_name, apps)
    return _ask_which(name, meanings, options, screen, folders) if meanings else None


def _ask_which(
    name: str, meanings: Sequence[NameMatch], options: Options, screen: Screen, folders: Folders
) -> Command | None:
    """Return the command that the user picks, saved for next time, or None to ask the model."""
    titles = [each.title for each in meanings if each.kind == APP]
    last = aliases.chosen_last(folders.aliases, name)
    meanings = sorted(meanings, key=lambda each: each.target != last)
    first, *others = [_offer(n, each, titles) for n, each in enumerate(meanings, 1)]
    search = Option(str(len(meanings) + 1), "search the web for it", whole="with the model")
    offered = (first._replace(is_marked=not others or meanings[0].target == last), *others, search, NONE)
    question = Question("", "name", f"No exact match for “{name}”. Did you mean:", offered)
    answer = read_answer(question, answer_to(question, options, screen).strip().rstrip("."))
    if answer.option == search.id:
        return None
    if not answer.option.isdigit():
        raise Refused("Nothing was opened.")
    meaning = meanings[int(answer.option) - 1]
    kind = meaning.kind if answer.for_good else aliases.LAST
    aliases.keep_chosen(folders.aliases, aliases.Alias(meaning.name, kind, meaning.target), screen.err)
    return command_for(meaning)


def _long_named(
    parsed: ParsedWords, parsed_name: Name, screen: Screen, folders: Folders, *, asks: bool
) -> Command | None:
    """Return the command that starts a program with a longer name or one listed late.

    None: no such program, or the user should choose. Raises NotInstalled with similar names. asks: whether
    the user can be asked about other meanings.
    """
    if parsed.verb not in (OPENS, STARTS):
        return None
    name = parsed_name.names[-1]
    title, url = known_program(name)
    # “The foo app” is one app, “an app for that” is none.
    is_one = parsed.words[0].lower() not in ("a", "an") and not parsed.wished
    role = "" if parsed_name.kind == "site" else role_in(parsed_name.names)
    is_said = parsed_name.kind_said == "app" and is_one and len(name.split()) <= SHORT_NAME
    if not (title or role or is_said):
        return None
    found = desktop_for(screen.environment, cache=folders.cache).find_apps(name)
    if found.apps and not found.is_near:
        return command_for(*(NameMatch(APP, name, app.id, app.title) for app in found.apps))
    if asks and found.apps and not title:
        return None
    if role and not found.apps:
        hint = "Install one, or start what you have by its name: jarvis start NAME"
        raise NotInstalled(f"No {role} app was found. Nothing was opened.", hint=hint)
    instead = [*([host_of(url)] if url else []), *(app.title for app in found.apps[:_MOST])]
    search = f'jarvis "search the web for {title or name}"'
    hint = f"Similar: {', '.join(instead)}." if instead else search
    raise NotInstalled(f"{title or name} isn't installed. Nothing was opened.", hint=hint)


def _offer(number: int, offered: NameMatch, titles: Sequence[str]) -> Option:
    """Return the option of *offered*, a site by its whole address. titles: of all apps that are offered."""
    if offered.kind == APP:
        return Option(str(number), distinct_title(offered.title, offered.target, titles), APP, whole=APP)
    return Option(str(number), offered.target, host_of(offered.target))
