"""Lists the values that an argument or an option may have, by their kind, as far as this machine knows.

Nothing is written, and nobody is asked: neither a server nor a program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...config.settings import Settings

# Imported when first used: each kind brings its own, and a key press is to cost little.


class Candidate(NamedTuple):
    """What a word may become."""

    word: str
    about: str = ""  # a line that tells of it


# Stands for the files that there are: a shell, and a chat, know how to complete those.
FILES = Candidate(":files")


class Spot(NamedTuple):
    """The place of the word under the cursor."""

    begun: str  # the word, as far as it is typed
    environment: Mapping[str, str]
    env_file: str | None = None
    thread: str | None = None  # that is named on the line
    said: Sequence[str] = ()  # the words of the same argument before it
    words: Sequence[str] = ()  # all words of its command before it

    def settings(self) -> Settings:
        from ...config.settings import read_settings
        from ...core.types import DEFAULT_THREAD
        from ...desktop.terminal import terminal_name

        # Not by the streams, as a command does: a shell reads what this prints.
        own = terminal_name(self.environment) or DEFAULT_THREAD
        return read_settings(self.environment, env_file=self.env_file, thread=self.thread, own_thread=own)


def values(kind: str, spot: Spot) -> list[Candidate]:
    """Return the values of *kind*, one of rows.KINDS, that the word under the cursor may become.

    Raises JarvisError for a file of the person's that can't be read.
    """
    found: dict[str, Candidate] = {}
    for each in _OF_KIND[kind](spot) if kind in _OF_KIND else ():
        if each.word not in found or not found[each.word].about:
            found[each.word] = each
    return list(found.values())


def _aliases(spot: Spot) -> Iterable[Candidate]:
    return _next_words(_alias_names(spot), spot.said, spot.begun)


def _alias_names(spot: Spot) -> Iterator[Candidate]:
    from ...launcher import aliases

    own = aliases.load(spot.settings().folders.aliases)
    return (Candidate(alias.name, alias.target) for alias in own.values())


def _apps(spot: Spot) -> Iterator[Candidate]:
    from ...desktop import names_of_apps

    listed = names_of_apps(spot.environment, cache=spot.settings().folders.cache)
    return (Candidate(name, f"{title} (app)") for name, title in listed)


def _sites() -> Iterator[Candidate]:
    from ...language.sites import names

    return (Candidate(name, address) for name, address in names())


def _commands(spot: Spot) -> Iterable[Candidate]:
    from ..registry import COMMANDS

    return _beginning(spot, (Candidate(row.name, row.help) for row in COMMANDS.values()))


def _doubts(spot: Spot) -> Iterable[Candidate]:
    from ...policy.rules import DOUBTS

    return _beginning(spot, map(Candidate, DOUBTS))


def _effects(spot: Spot) -> Iterable[Candidate]:
    from ...policy.rules import WORDS

    first = {effect: word for word, effect in reversed(WORDS.items())}  # one word for each
    return _beginning(spot, (Candidate(word) for word in reversed(first.values())))


def _files(spot: Spot) -> Iterable[Candidate]:
    return [FILES]


def _keys(spot: Spot) -> Iterable[Candidate]:
    from ...config.keys import KEYS

    return _beginning(spot, (Candidate(key.name, key.use) for key in KEYS.values()))


def _names_in_rules(spot: Spot) -> Iterable[Candidate]:
    """Return hosts or apps, as the effect before them says."""
    from ...language.sites import hosts
    from ...policy.rules import KINDS, WORDS

    effect, *said = spot.words
    kind = KINDS.get(WORDS.get(effect, effect))
    if kind == "app":
        return _next_words(_apps(spot), said, spot.begun)
    return _beginning(spot, map(Candidate, sorted(hosts()))) if kind == "host" and not said else ()


def _packs(spot: Spot) -> Iterable[Candidate]:
    from ...packs import known

    return _beginning(spot, (Candidate(pack.name, pack.purpose) for pack in known().values()))


def _rules(spot: Spot) -> Iterable[Candidate]:
    from ...policy.rules_file import load_rules

    rules = load_rules(spot.settings().folders.policy).rules
    return _beginning(spot, (Candidate(str(rule.number), rule.told) for rule in rules))


def _shells(spot: Spot) -> Iterable[Candidate]:
    from .scripts import SCRIPTS

    return _beginning(spot, map(Candidate, SCRIPTS))


def _threads(spot: Spot) -> Iterable[Candidate]:
    from ...store.threads import known_threads

    settings = spot.settings()
    # A server is not asked at a key press.
    known = [] if settings.database_url else known_threads(settings.folders.history)
    return _beginning(spot, (Candidate(name, title) for name, title in known))


def _turns(spot: Spot) -> Iterable[Candidate]:
    from ...store.threads import known_turns

    settings = spot.settings()
    known = (
        [] if settings.database_url else known_turns(settings.folders.history, settings.thread)
    )  # as above
    return _beginning(spot, (Candidate(str(number), goal) for number, goal in known))


def _words(spot: Spot) -> Iterable[Candidate]:
    """Return the verbs of plain commands; behind one, the names of what it opens, and files."""
    from ...language import command_grammar, lexicon

    if not spot.said:
        verbs = (listed.partition("/")[0] for listed in lexicon.VERBS.values())
        return _beginning(spot, (Candidate(verb) for verb in verbs if " " not in verb))
    meant = command_grammar.said(" ".join(spot.said))
    known: list[Candidate] = []
    if meant.verb in (lexicon.OPENS, lexicon.GOES, lexicon.RETURNS):
        known += [*_alias_names(spot), *_sites()]
    if meant.verb in (lexicon.OPENS, lexicon.STARTS, lexicon.RETURNS):
        known += _apps(spot)
    found = _next_words(known, meant.words, spot.begun)
    return [*found, FILES] if meant.verb == lexicon.OPENS and not meant.words else found


def _beginning(spot: Spot, found: Iterable[Candidate]) -> list[Candidate]:
    return [each for each in found if each.word.startswith(spot.begun)]


def _next_words(named: Iterable[Candidate], said: Sequence[str], begun: str) -> Iterator[Candidate]:
    """Yield the next word of each name that *said* and *begun* are the beginning of."""
    before, begun, at = [word.casefold() for word in said], begun.casefold(), len(said)
    for each in named:
        words = each.word.casefold().split()
        if len(words) > at and words[:at] == before and words[at].startswith(begun):
            yield Candidate(words[at], each.about if len(words) == at + 1 else "")


_OF_KIND: Mapping[str, Callable[[Spot], Iterable[Candidate]]] = {
    "alias": _aliases,
    "command": _commands,
    "doubt": _doubts,
    "effect": _effects,
    "file": _files,
    "key": _keys,
    "name": _names_in_rules,
    "pack": _packs,
    "rule": _rules,
    "shell": _shells,
    "thread": _threads,
    "turn": _turns,
    "words": _words,
}
