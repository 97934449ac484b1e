"""Reads and keeps the person's rules, in policy.toml in the config folder.

They stand in policy.toml in the config folder. Cheap to import: the quick way asks for them too.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from json import loads
from typing import NamedTuple

from ..core.errors import SettingsError, StoreFailed, UsageError
from ..core.files import alone, check_private, private_folder, replace_file
from .rules import (
    ALLOW,
    ASK,
    DENY,
    KINDS,
    BadRule,
    Rule,
    as_kept,
    as_table,
    check_doubt,
    check_verdict,
    last_in,
    names_one,
    rule_in,
)
from .targets import A_RULE_ASKS

__all__ = ["ALLOW", "ASK", "DENY", "Policy", "Rule", "forget", "load_rules", "remember"]

_STRONGEST_FIRST = (DENY, ASK, ALLOW)


class Policy(NamedTuple):
    rules: tuple[Rule, ...] = ()

    def against(self, effect: str, *names: str) -> Rule | None:
        """Return the rule that denies *effect* on what goes by any of *names*, or else has it asked about.

        Of several with one verdict, the one that names it most closely.
        """
        return next((rule for rule in self._on(effect, names) if rule.verdict != ALLOW), None)

    def settling(self, doubt: str, effect: str, *names: str) -> Rule | None:
        """Return the rule that makes a question about *doubt* unnecessary, for *effect* on any of *names*.

        It carries that doubt or, unless a rule asks, none. What is not one of rules.DOUBTS no rule settles.
        """
        from .wide_rules import is_too_wide  # seldom needed: what is asked for is seldom doubtful

        settling = (rule for rule in self._on(effect, names) if rule.settles(doubt))
        return next((rule for rule in settling if not is_too_wide(rule)), None)

    def allowing(self, effect: str, *names: str) -> list[Rule]:
        """Return the rules that allow *effect* on any of *names*, each for its own doubt or for any."""
        from .wide_rules import is_too_wide  # it may take 50 ms

        allowing = (rule for rule in self._on(effect, names) if rule.verdict == ALLOW)
        return [rule for rule in allowing if not is_too_wide(rule)]

    def _on(self, effect: str, names: Sequence[str]) -> list[Rule]:
        """Return the rules on *effect* on what goes by any of *names*: deny, ask, allow; closest first."""
        about = [rule for rule in self.rules if rule.effect == effect]
        kept = [_as_asked(effect, name) for name in names if name] if about else []
        speaking = [rule for rule in about if not rule.name or any(map(rule.fits, kept))]
        return sorted(speaking, key=_rank)


class _File(NamedTuple):
    text: str
    rules: list[Rule]
    last: int  # the highest number that was ever given


def load_rules(path: str) -> Policy:
    """Return the rules in the file at *path*; none where there is no file.

    Raises SettingsError, which names the line, for a file that can't be read as rules.
    """
    return Policy(tuple(_read(path).rules))


def remember(
    path: str, verdict: str, effect: str, name: str = "", doubt: str = "", *, wide: bool = False
) -> Rule:
    """Keep a rule, and return it as it was read back from the disk.

    The same rule twice is one rule; rules that allow one thing for different doubts stand side by side.
    On the very same effect and name, one that denies or asks replaces all others; one that allows whatever
    the doubt replaces those that deny or ask; one that allows what "a rule asks" about replaces that rule.
    doubt: the only one that it settles, one of rules.DOUBTS; empty: any, but for "a rule asks".
    wide: whether it may be about many hosts (`*.example.com`) or, without a name, about any host or app:
    only where the person wrote it so.
    Raises UsageError for what can't be a rule, SettingsError for a file that can't be read as rules,
    StoreFailed where it could not be kept.
    """
    check_verdict(verdict)
    name = as_kept(effect, name)
    check_doubt(verdict, effect, name, doubt)
    if not wide and (name.startswith("*") or (not name and effect in KINDS)):
        raise UsageError(
            f"A rule for many {KINDS[effect]}s is kept only where you write it yourself.",
            hint=f"jarvis policy {verdict} {effect} {f'{name!r}' if name else ''}".rstrip(),
        )
    rule = Rule(0, verdict, effect, name, time.strftime("%Y-%m-%d"), doubt)
    _check_width(rule)
    return _kept(path, rule)


def forget(path: str, number: int) -> Rule:
    """Remove the rule of that *number*, and return it. Raises UsageError where there is none."""
    with _alone(path):
        file = _read(path)
        gone = [rule for rule in file.rules if rule.number == number]
        if not gone:
            raise UsageError(f"There is no rule {number}.", hint="jarvis policy list")
        _write(path, file, gone, [])
        left = _read(path).rules
    if any(rule.number == number for rule in left):
        raise StoreFailed(f"Rule {number} is still in {path}.", hint="jarvis policy list")
    return gone[0]


def _check_width(rule: Rule) -> None:
    from .wide_rules import is_too_wide, why_too_wide  # it may take 50 ms

    if is_too_wide(rule):
        message, hint = why_too_wide(rule)
        raise UsageError(message, hint=hint)


def _kept(path: str, rule: Rule) -> Rule:
    """Keep *rule*, and return it as the file has it from now on, with its number."""
    with _alone(path):
        file = _read(path)
        about = [other for other in file.rules if other.is_about(rule.effect, rule.name)]
        same = [other for other in about if (other.verdict, other.doubt) == (rule.verdict, rule.doubt)]
        gone = same[1:] + [other for other in about if other not in same and _gives_way(other, rule)]
        new = [] if same else [rule._replace(number=file.last + 1)]
        if gone or new:
            _write(path, file, gone, new)
        kept = [other for other in _read(path).rules if other in (same[:1] or new)]
    if not kept:
        raise StoreFailed(f"The rule was written to {path}, and is not there.", hint="jarvis policy list")
    return kept[0]


def _gives_way(old: Rule, new: Rule) -> bool:
    """Return whether *new*, on the very same effect and name, replaces *old*."""
    if new.verdict != ALLOW:
        return True
    return old.verdict != ALLOW and (not new.doubt or (new.doubt, old.verdict) == (A_RULE_ASKS, ASK))


def _read(path: str) -> _File:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            check_private(os.fstat(file.fileno()), path)
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return _File("", [], 0)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} can't be read: {error}.", hint="Check its owner and mode.") from None
    return _parsed(path, text)


def _parsed(path: str, text: str) -> _File:
    import tomllib  # most have no such file

    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # which names the line
        raise SettingsError(f"{path} can't be read: {error}.", hint=_mending(path)) from None
    rules: list[Rule] = []
    at = None
    try:
        last = _head(table)
        for at, row in enumerate(table.get("rule", [])):  # noqa: B007 (it names the line below)
            rules.append(_another(rules, rule_in(row)))
    except BadRule as error:
        from .rules_text import RulesText  # as for a change: a file that is in order needs none of it

        line = RulesText(text).line_of(error.key, at)
        where = f"line {line}: " if line else ""
        raise SettingsError(f"{path}, {where}{error.message}.", hint=error.hint) from None
    return _File(text, rules, max([last, *(rule.number for rule in rules)]))


def _head(table: dict[str, object]) -> int:
    """Return the highest number that was given, which stands above the rules. Raises BadRule."""
    for key in table:
        if key not in ("rule", "last"):
            raise BadRule(key, "only [[rule]] tables stand in it", "Check how it is spelt: [[rule]]")
    if not isinstance(table.get("rule", []), list):
        raise BadRule("rule", "a rule has two brackets on each side", "[[rule]]")
    return last_in(table.get("last", 0))


def _another(known: Sequence[Rule], rule: Rule) -> Rule:
    if any(rule.number == other.number for other in known):
        raise BadRule("number", f"there are two rules {rule.number}", "Give each a number of its own.")
    return rule


def _write(path: str, file: _File, gone: Collection[Rule], new: Sequence[Rule]) -> None:
    """Write the file anew. Raises SettingsError, with nothing written, where its form is too uncommon."""
    from .rules_text import RulesText  # only for a change

    wanted = [rule for rule in file.rules if rule not in gone] + list(new)
    places = [place for place, rule in enumerate(file.rules) if rule in gone]
    last = max(file.last, *(rule.number for rule in (*wanted, *gone)))
    noted = last if last > max((rule.number for rule in wanted), default=0) else 0
    text = str(RulesText(file.text).changed(places, [as_table(rule) for rule in new], noted))
    with contextlib.suppress(SettingsError):
        if _parsed(path, text)[1:] == (wanted, last):
            return replace_file(path, text)
    raise SettingsError(
        f"{path} is written in a way that can't be changed here.",
        hint=f"Change it in an editor, one [[rule]] table for each rule: {path}",
    )


def _alone(path: str) -> AbstractContextManager[None]:
    """Keep other processes from changing the file at *path*. A reader needs no lock."""
    return alone(os.path.join(private_folder(os.path.dirname(path)), ".policy.lock"))


def _as_asked(effect: str, name: str) -> str:
    try:
        return as_kept(effect, name)
    except UsageError:  # not what a rule could name: as it is
        return name


def _rank(rule: Rule) -> tuple[int, int, int]:
    breadth = 2 if not rule.name else int(rule.is_wide)
    return _STRONGEST_FIRST.index(rule.verdict), breadth, rule.number


def _mending(path: str) -> str:
    return f"Mend that line, or move the file away: mv {path} {path}.broken"


# Keeps what the person allowed for one thread: on this machine, never in the database of its turns.


Allowed = frozenset[tuple[str, str, str]]  # effect, name, doubt


class Consents:
    """What is allowed, in the file at *path*. Each call reads it anew: another window may have changed it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def allowed(self, thread: str) -> Allowed:
        """Return what may be done in *thread* in spite of a doubt. Raises SettingsError."""
        return self._read().get(thread, frozenset())

    def allow(self, thread: str, effect: str, name: str, doubt: str) -> None:
        """Allow *effect* on *name* in *thread*, in spite of *doubt*, one of rules.DOUBTS.

        Raises UsageError for what no rule could say either, StoreFailed where it could not be kept.
        """
        name = as_kept(effect, name)
        check_doubt(ALLOW, effect, name, doubt)
        if not doubt or not names_one(effect, name):
            raise UsageError("A yes for a thread is about one doubt on one host or app.", hint="Name both.")
        self._change(lambda kept: {**kept, thread: kept.get(thread, frozenset()) | {(effect, name, doubt)}})

    def forget(self, thread: str | None) -> None:
        """Forget what was said for *thread*; None: for all threads."""
        if self._read():
            self._change(lambda kept: {t: rows for t, rows in kept.items() if thread not in (None, t)})

    def threads(self) -> list[str]:
        """Return the threads for which something is allowed."""
        return sorted(self._read())

    def _change(self, changed: Callable[[Mapping[str, Allowed]], Mapping[str, Allowed]]) -> None:
        import json  # it costs more than all of this

        with alone(os.path.join(private_folder(os.path.dirname(self._path)), ".consents.lock")):
            record = {thread: sorted(rows) for thread, rows in changed(self._read()).items()}
            replace_file(self._path, json.dumps(record, indent=1) + "\n")

    def _read(self) -> dict[str, Allowed]:
        """Return what is allowed, by thread; nothing where there is no file."""
        try:
            with open(self._path, encoding="utf-8-sig") as file:
                check_private(os.fstat(file.fileno()), self._path)
                record = loads(file.read())
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise self._unreadable(str(error)) from None
        rows = record.values() if isinstance(record, dict) else [None]
        if not all(isinstance(each, list) and all(map(_is_yes, each)) for each in rows):
            raise self._unreadable("it does not hold threads, each with a list of [effect, name, doubt]")
        return {thread: frozenset(map(tuple, each)) for thread, each in record.items()}

    def _unreadable(self, why: str) -> SettingsError:
        return SettingsError(
            f"{self._path} can't be read: {why}.",
            hint=f"Mend it, or move it away: mv {self._path} {self._path}.broken",
        )


def _is_yes(row: object) -> bool:
    return isinstance(row, list) and len(row) == 3 and all(isinstance(word, str) for word in row)
