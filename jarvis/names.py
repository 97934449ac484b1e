"""What a name means on this machine: an alias of the person's, a known site, an installed app."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import aliases
from .aliases import QUERY, Alias
from .errors import JarvisError
from .phrases import OPENS, STARTS, Called, Said, called, said
from .sites import site
from .turn import ALIAS, APP, SEVERAL, SITE, Request
from .typed import NamedTuple

# What an alias with a query is followed by, where it is no query.
_GOES_ON = frozenset("and then in with using not but via on or if unless don't later tomorrow".split())
# They may be left out before the name of a site.
_ARTICLES = ("the", "my")
_IN = frozenset("in with using".split())
_BROWSERS = frozenset("browser brave chrome chromium edge firefox opera safari tab vivaldi window".split())
_POLITE = frozenset("please pls plz".split())
# What begins something else to do, beside the verbs of plain commands.
_DOES_MORE = frozenset(
    "capture close compare find give list look play read search send show summarize take tell write".split()
)


class Meaning(NamedTuple):
    """One thing that goes by a name."""

    kind: str  # ALIAS | SITE | APP
    name: str  # as it was said, folded
    target: str  # its address; what the app is to be asked for by
    title: str = ""  # what the app is called in its menu


class Names:
    """What can be opened by its name, here."""

    def __init__(self, environment: Mapping[str, str], file: str, cache: str) -> None:
        """file: where aliases are kept. cache: a folder of ours."""
        self._environment = environment
        self._file = file
        self._cache = cache

    def meanings(self, text: str) -> tuple[Meaning, ...]:
        """All that *text*, after a verb, is the whole name of; of several, what was picked before.

        Raises SettingsError where aliases can't be read.
        """
        meant = said(text)
        if not meant.verb or meant.doubts:
            return ()
        own = aliases.load(self._file)
        named = called(meant)
        if own and (alias := _alias(meant, named, own)):
            return (alias,)
        found = self._found(meant, named) if named else []
        pick = own.get(named.names[-1]) if named else None
        if pick and len(found) > 1:
            found = [meaning for meaning in found if _is(meaning, pick)] or found
        elif pick and named and not found and pick.kind == APP:
            from .desktop.match import normalise

            found = self._apps((normalise(pick.target),), pick.name)
        return tuple(found)

    def _found(self, meant: Said, named: Called) -> list[Meaning]:
        sites = [] if named.kind == "app" else _sites(meant, named)
        if named.kind == "site":
            return sites
        apps = self._apps(named.names, named.names[-1])
        if named.kind_said and not apps and (url := site(f"{named.names[-1]} app")):
            return [Meaning(SITE, f"{named.names[-1]} app", url)]
        # A site is not launched, nor run, where there is an app of that name.
        return apps if apps and meant.verb != OPENS else sites + apps

    def _apps(self, called: tuple[str, ...], name: str) -> list[Meaning]:
        """Those that are *called* so, as meanings of *name*."""
        from .desktop import apps_called

        listed = apps_called(called, self._environment, cache=self._cache)
        if len(listed) == 1:
            return [Meaning(APP, name, called[-1], listed[0][0])]
        alike = len({title for title, _ in listed}) < len(listed)
        return [Meaning(APP, name, id_ if alike else title, title) for title, id_ in listed]


def _sites(meant: Said, named: Called) -> list[Meaning]:
    is_said = named.kind_said == "site"
    # “A starbucks” is a shop.
    called = named.names if is_said or meant.words[0].lower() in _ARTICLES else named.names[:1]
    found = [site(name, OPENS if is_said else meant.verb) for name in called]
    return [Meaning(SITE, named.names[-1], url) for url in found if url][:1]


def _alias(meant: Said, named: Called | None, own: Mapping[str, Alias]) -> Meaning | None:
    """The alias that the words are, or begin with where it takes a query."""
    if named and named.kind_said != "app":
        for name in named.names:
            if (alias := own.get(name)) and alias.kind == ALIAS and (url := alias.address("")):
                return Meaning(ALIAS, name, url)
    is_app = named.names[-1] if named and named.kind_said == "app" else ""
    for count in range(1, min(4, len(meant.words)) if meant.verb != STARTS else 1):
        name = " ".join(word.lower() for word in meant.words[:count])
        alias, query = own.get(name), _query(meant, count)
        goes_on = not query or query[0].lower() in _GOES_ON or _is_more(query) or _is_way(query)
        if alias and QUERY in alias.target and not goes_on and name != is_app:
            return Meaning(ALIAS, name, url) if (url := alias.address(" ".join(query))) else None
    return None


def _query(meant: Said, count: int) -> tuple[str, ...]:
    """What the words after the first *count* look for; polite words at its end are cut only for certain."""
    words, after = meant.words[count:], meant.after
    if words[-1].endswith(","):
        after = ()
    while after and after[-1].lower().strip(",.!?") in _POLITE:
        after = after[:-1]
    *query, last = *words, *after
    # It was asked politely, or it would be a doubt.
    return tuple(filter(None, (*query, last.rstrip(",?"))))


def _is_more(query: tuple[str, ...]) -> bool:
    """Whether *query* goes on with something else to do: `… and open the first one`."""
    ends = [n for n, word in enumerate(query) if word.lower() in ("and", "then") or word.endswith(",")]
    starts = [" ".join(query[n + 1 :]) for n in ends]
    return any(said(rest).verb or _DOES_MORE.intersection(rest.lower().split()[:1]) for rest in starts)


def _is_way(query: tuple[str, ...]) -> bool:
    """Whether *query* ends with where it is to be opened: `… in chrome`, `… in a new tab`."""
    *before, last = [word.lower().rstrip(".!") for word in query]
    return last in _BROWSERS and not _IN.isdisjoint(before[-3:])


def _is(meaning: Meaning, pick: Alias) -> bool:
    return meaning.kind == pick.kind and pick.target in (meaning.target, meaning.title)


def remember(file: str, words: str, request: Request, tell: Callable[[str], None]) -> None:
    """From now on the name in *words* means what *request* opens; whoever listens is told."""
    named = called(said(words))
    if not named or request.rule != SEVERAL:
        return
    name, kind = named.names[-1], APP if request.effect == "launches" else SITE
    try:
        aliases.picked(file, name, kind, request.target)
    except JarvisError as error:  # what they said counts, now
        tell(f"{error.message} It counts this once.")
    else:
        tell(f"“{name}” means this from now on. To undo it: jarvis alias rm {name}")
