"""The person's rules: what one is, what several say together, and how policy.txt keeps them.

A rule is a verdict on an effect, on everything or on one name. Cheap to import: the quick way asks for them.
"""

import os
import re
import shlex
import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..actions.base import catalogue
from ..config.sources import read_own
from ..core import urls
from ..core.errors import BadTarget, SettingsError, UsageError
from ..core.files import exclusive_lock, replace_file
from ..core.text import one_line
from ..core.types import EFFECTS, READS_FILE

ALLOW, ASK, DENY = VERDICTS = ("allow", "ask", "deny")
# Doubts that a rule may name, beside those of an address or an app.
A_RULE_ASKS, CHANGES = "a rule asks", "changes something"
MANY = "many searches"
SENT = "shown to the model"  # what is on the screen, or was copied
SHARED = "shared folder"  # in which a file lies that would be read
# How a person calls what a rule is about; the names in types.EFFECTS will do too.
WORDS = {
    "open": "opens",
    "launch": "launches",
    "start": "launches",
    "app": "launches",
    "screenshot": "captures",
    "show": "shows",
    "search": "reads",
    "read": READS_FILE,
    "write": "writes",
}
# Of what has a name.
KINDS = {"opens": "host", "launches": "app", "shows": "what", "writes": "host", READS_FILE: "path"}
# What is asked about although it was asked for. Nothing else is settled by a rule.
_OF_ADDRESSES = ("odd letters", "another host", "private", "piped in", "near name")
DOUBTS = (*_OF_ADDRESSES, SENT, SHARED, CHANGES, A_RULE_ASKS)
# What `-y` says yes to. Never to a secret, a search after something private, a write, or an unsure reading.
BY_YES = frozenset({*DOUBTS, MANY} - {CHANGES})
_RULED = (*EFFECTS[1:], READS_FILE)  # of what stays on this machine no rule speaks
_WIDER = {"searches": "reads"}  # a rule on what is read speaks of what is searched for, too
_SHOWN = ("screen", "clipboard")  # a window is of the screen
_LONGEST_NAME = 253  # as a host's
_HEAD = "# What Jarvis may do unasked, asks about, and may not do: jarvis policy --help"
_NOTE = "  #"
_FOR = "--for"
_NUMBERS = r"(?m)^[# ]*(\d+) (?:allow|ask|deny|was) "
_A_HOST = "A host looks like www.example.com, or www.example.com:8080 with a port. "
_A_HOST += "*.example.com means its subdomains. Leave it out for any host."


class Rule(NamedTuple):
    """One lasting answer of the person."""

    number: int  # as `jarvis policy rm` takes it; never given again
    verdict: str  # allow | ask | deny
    effect: str  # one of types.EFFECTS, or READS_FILE
    name: str = ""  # a host, perhaps with a port, an app's id or name, a path; empty: whatever it acts on
    added: str = ""  # the day: 2026-01-31
    doubt: str = ""  # one of DOUBTS, of an allow rule: the only one that it settles; empty: any

    @property
    def formatted(self) -> str:
        """Its verdict and its exact scope: `allow open host=a.example, for: odd letters`."""
        return f"{self.verdict} {scope(self.effect, self.name)}{f', for: {self.doubt}' if self.doubt else ''}"

    @property
    def is_wide(self) -> bool:
        """Whether it applies to every subdomain of a host."""
        return self.name.startswith("*.")

    def fits(self, name: str) -> bool:
        """Return whether its name means *name*, which is as `as_kept` returns it."""
        if self.effect == READS_FILE:  # a folder's stands for all that is in it
            return f"{name}{os.sep}".casefold().startswith(f"{self.name.rstrip(os.sep)}{os.sep}".casefold())
        if self.is_wide:
            return name.endswith(self.name[1:])
        # What is denied is not let in by another door of the same house.
        if self.verdict == DENY and self.effect == "opens" and name.endswith(f".{self.name}"):
            return True
        return self.name.casefold() == name.casefold() or (
            self.verdict != ALLOW and self.effect == "launches" and _may_be_one(self.name, name)
        )

    def settles(self, doubt: str) -> bool:
        """Return whether it makes a question about *doubt* unnecessary, where its name fits.

        A rule that asks is stronger: only what was allowed in spite of one, by its one name, settles that.
        """
        if self.verdict != ALLOW or doubt not in DOUBTS:
            return False
        if doubt == A_RULE_ASKS:
            return self.doubt == doubt and names_one(self.effect, self.name)
        return self.doubt in ("", doubt)


class Policy(NamedTuple):
    rules: tuple[Rule, ...] = ()

    def against(self, effect: str, *names: str) -> Rule | None:
        """Return the rule that denies *effect* on what goes by any of *names*, or else has it asked about.

        Of several with one verdict, the one that names it most closely.
        """
        return next((rule for rule in self._on(effect, names) if rule.verdict != ALLOW), None)

    def settling(self, doubt: str, effect: str, *names: str) -> Rule | None:
        """Return the rule that settles *doubt* for *effect* on any of *names*, so that no question is needed.

        The rule has that doubt, or, unless a rule asks, none. Only the doubts in DOUBTS can be settled.
        Sending data to a host needs a rule with its name.
        """
        rules = [rule for rule in self._on(effect, names) if rule.settles(doubt)]
        by_name = effect == "writes" and names
        return next((rule for rule in rules if not by_name or names_one(effect, rule.name)), None)

    def allowing(self, effect: str, *names: str) -> list[Rule]:
        """Return the rules that allow *effect* on any of *names*, each for its own doubt or for any."""
        return [rule for rule in self._on(effect, names) if rule.verdict == ALLOW]

    def _on(self, effect: str, names: Sequence[str]) -> list[Rule]:
        """Return the rules on *effect* for any of *names*: deny, ask, allow. Closest first.

        names: of a host in its stored form, lower case and ASCII.
        """
        about = [rule for rule in self.rules if rule.effect in (effect, _WIDER.get(effect))]
        speaking = [rule for rule in about if not rule.name or any(map(rule.fits, names))]
        return sorted(speaking, key=_rank)


def as_kept(effect: str, name: str) -> str:
    """Return *name*, of what an *effect* acts on, as a rule keeps it: a host in lower case and ASCII.

    Raises UsageError for what can't be one.
    """
    _check_one_of("effect", effect, _RULED)
    if not name:
        return ""
    if KINDS.get(effect) == "host":
        return _host(name)
    if effect == "shows" and name not in _SHOWN:
        raise UsageError(f"Use one of: {', '.join(_SHOWN)}.", hint="Leave it out to mean both.")
    if effect not in KINDS:
        raise UsageError(f"A rule on what {effect} takes no name.", hint="Leave the name out.")
    if effect == READS_FILE:
        return _whole_path(name)
    if name != one_line(name) or len(name) > _LONGEST_NAME or "*" in name:
        raise UsageError(
            "That can't be an app's name.", hint="Name one app. For any app, leave the name out."
        )
    return name


def effect_of(word: str) -> str:
    """Return the effect that a person calls *word*, or that the action of that name has.

    Raises UsageError where there is none.
    """
    effect = WORDS.get(word.lower(), word.lower())
    if effect not in _RULED and (action := catalogue().get(effect)):
        effect = action.effect
    if effect not in _RULED:
        hint = f"There are: {', '.join(WORDS)}."
        raise UsageError(f"There is nothing called {one_line(word, 40)} to make a rule on.", hint=hint)
    return effect


def checked_rule(rule: Rule) -> Rule:
    """Return *rule* with its name as it is kept. Raises UsageError for what can't be a rule."""
    _check_one_of("verdict", rule.verdict, VERDICTS)
    rule = rule._replace(name=as_kept(rule.effect, rule.name))
    if not rule.doubt:
        return rule
    if rule.verdict != ALLOW:
        raise UsageError(f"A rule that says {rule.verdict} settles no doubt.", hint="Leave --for out.")
    _check_one_of("doubt", rule.doubt, DOUBTS)
    if rule.doubt == A_RULE_ASKS and not names_one(rule.effect, rule.name):
        kind = KINDS[rule.effect]
        raise UsageError(
            f"A rule for what another rule asks about names one {kind}.",
            hint=f"Name the {kind}, or remove the rule that asks: jarvis policy list",
        )
    return rule


def names_one(effect: str, name: str) -> bool:
    """Return whether a rule on that is about one host or app. An effect without names counts as one."""
    return effect not in KINDS or bool(name and not name.startswith("*."))


def scope(effect: str, name: str) -> str:
    """Describe a rule's effect and target: `open host=www.example.com`, `screenshot`."""
    word = next((word for word, effect_meant in WORDS.items() if effect_meant == effect), effect)
    if name:
        return f"{word} {KINDS.get(effect, 'name')}={name}"
    return f"{word} any {KINDS[effect]}" if effect in KINDS else word


def _may_be_one(one: str, other: str) -> bool:
    """Return whether two names may be of one app, however shortened. The desktop finds out which."""
    first, second = one.casefold().split(), other.casefold().split()
    if f" {' '.join(first)} " in f" {' '.join(second)} ":
        return True
    return _is_short_for(first, second) or _is_short_for(second, first)


def _is_short_for(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether *short* is made of words of *long*, beginnings of them and initials, in order.

    “VS Code” and “calc” are short for “Visual Studio Code” and “Calculator”.
    """
    at = 0
    for word in short:
        found = next((n for n in range(at, len(long)) if _fits(word, long[n])), None)
        if found is not None:
            at = found + 1
            continue
        initials = "".join(part[0] for part in long[at : at + len(word)])
        if len(word) < 2 or initials != word:
            return False
        at += len(word)
    return bool(short)


def _fits(word: str, name: str) -> bool:
    # Beginnings are short, as in “calc” and “libre”: a longer word is said in full.
    return name == word or (2 < len(word) < 6 and name.startswith(word))


def _host(name: str) -> str:
    wild, rest = ("*.", name[2:]) if name.startswith("*.") else ("", name)
    try:
        host = urls.canon(f"https://{rest}")
    except BadTarget:
        raise UsageError(f"{one_line(name, 80)} isn't a host name.", hint=_A_HOST) from None
    place = host.place if host.port else host.host
    if host.url != f"https://{place}":
        raise UsageError(f"{one_line(name, 80)} is more than a host name.", hint=_A_HOST)
    return f"{wild}{place}"


def _whole_path(name: str) -> str:
    path = os.path.expanduser(name)
    if not os.path.isabs(path) or name != one_line(name):
        raise UsageError(f"{one_line(name, 80)} isn't a whole path.", hint="It looks like this: ~/private")
    return os.path.realpath(path)


def _check_one_of(kind: str, word: str, choices: tuple[str, ...]) -> None:
    if word not in choices:
        raise UsageError(
            f"There is no {kind} {one_line(word, 40)}.", hint=f"There are: {', '.join(choices)}."
        )


def _rank(rule: Rule) -> tuple[int, int, int]:
    breadth = 2 if not rule.name else int(rule.is_wide)
    return (DENY, ASK, ALLOW).index(rule.verdict), breadth, rule.number


# Rules are kept in policy.txt in the config folder, one a line, as it is typed behind `jarvis policy`.


_File = list[tuple[str, Rule | None]]  # its lines, each with the rule that it is


def load_rules(path: str) -> Policy:
    """Return the rules in the file at *path*, or none if there is no file.

    Raises SettingsError with the line that isn't a rule.
    """
    return Policy(tuple(_rules(_read(path))))


def remember(path: str, verdict: str, effect: str, name: str = "", doubt: str = "") -> Rule:
    """Save a rule. Returns it with its number.

    Saving the same rule twice keeps one. Rules that allow one thing for different doubts are kept side by
    side. On exactly the same effect and name, deny and ask replace all others. Allow for any doubt replaces
    deny and ask. Allow for "a rule asks" replaces that rule. doubt: one of DOUBTS, or "" for any except "a
    rule asks". Raises UsageError for an impossible rule, SettingsError for an unreadable file, StoreFailed if
    it could not save.
    """
    rule = checked_rule(Rule(0, verdict, effect, name, time.strftime("%Y-%m-%d"), doubt))
    with exclusive_lock(f"{path}.lock"):
        file = _read(path)
        about = [other for other in _rules(file) if _subject(other) == _subject(rule)]
        same = [other for other in about if (other.verdict, other.doubt) == (rule.verdict, rule.doubt)]
        gone = same[1:] + [other for other in about if other not in same and _gives_way(other, rule)]
        # The number of a rule that went stands in front of its line still.
        given = re.findall(_NUMBERS, "\n".join(line for line, _ in file))
        last = max([0, *map(int, given)])
        new = [] if same else [rule._replace(number=last + 1)]
        if gone or new:
            _write(path, file, gone, new)
    return (same or new)[0]


def forget(path: str, number: int) -> Rule:
    """Remove the rule of that *number*, and return it. Raises UsageError where there is none."""
    with exclusive_lock(f"{path}.lock"):
        file = _read(path)
        gone = [rule for rule in _rules(file) if rule.number == number]
        if not gone:
            raise UsageError(f"There is no rule {number}.", hint="jarvis policy list")
        _write(path, file, gone[:1], [])
    return gone[0]


def _subject(rule: Rule) -> tuple[str, str]:
    return rule.effect, rule.name.casefold()


def _gives_way(old: Rule, new: Rule) -> bool:
    """Return whether *new*, on the very same effect and name, replaces *old*."""
    if new.verdict != ALLOW:
        return True
    return old.verdict != ALLOW and (not new.doubt or (new.doubt, old.verdict) == (A_RULE_ASKS, ASK))


def _read(path: str) -> _File:
    if not (text := read_own(path).removesuffix("\n")):
        _refuse_earlier(os.path.join(os.path.dirname(path), "policy.toml"))
        text = _HEAD
    # Not splitlines: what looks like one line is one.
    return [(line, _rule_in(line, path)) for line in re.split("\r?\n", text)]


def _refuse_earlier(path: str) -> None:
    """Raise SettingsError where an older version kept rules: what they deny must not be done unnoticed."""
    if os.path.lexists(path):
        hint = f"Type its rules again (jarvis policy --help), once it is away: mv {path} {path}.old"
        raise SettingsError(f"Jarvis can't read {path}, which an older version wrote.", hint=hint)


def _rules(file: _File) -> list[Rule]:
    return [rule for _, rule in file if rule]


def _rule_in(line: str, path: str) -> Rule | None:
    """Return the rule in *line*: `3 allow open www.example.com # added 2026-01-31`, or None for a note."""
    if not line.strip() or line.lstrip().startswith("#"):
        return None
    typed, _, note = line.partition(_NOTE)  # no name has two spaces
    added = note.strip().removeprefix("added ") if note.startswith(" added ") else ""
    hint = f"It looks like this: 3 allow open www.example.com{_NOTE} a note"
    try:
        number, verdict, word, *rest = shlex.split(typed)
        if int(number) < 1 or any(each.startswith("#") for each in rest):
            raise ValueError
        name, doubt = (rest[:-2], rest[-1]) if rest[-2:-1] == [_FOR] else (rest, "")
        rule = Rule(int(number), verdict, effect_of(word), " ".join(name), added, doubt.replace("-", " "))
        return checked_rule(rule)
    except UsageError as error:
        message, hint = error.message, error.hint
    except ValueError:
        message = "That isn't a rule."
    raise SettingsError(f"{path}: {one_line(line, 80)}: {message}", hint=hint)


def _write(path: str, file: _File, gone: Collection[Rule], new: Sequence[Rule]) -> None:
    """Write the file again. A rule that is *gone* stays as a comment."""
    lines = [f"# {line}" if rule in gone else line for line, rule in file]
    replace_file(path, "".join(f"{line}\n" for line in [*lines, *map(_as_line, new)]))


def _as_line(rule: Rule) -> str:
    doubt = [_FOR, rule.doubt.replace(" ", "-")] if rule.doubt else []
    words = [str(rule.number), rule.verdict, scope(rule.effect, "").split()[0], rule.name, *doubt]
    return shlex.join(filter(None, words)) + (f"{_NOTE} added {rule.added}" if rule.added else "")
