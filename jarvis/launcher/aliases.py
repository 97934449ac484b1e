"""Keep the person's own names: aliases for addresses, and what they picked where a name means several things.

They are kept in aliases.json in the config folder.
"""

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..core import urls
from ..core.errors import BadTarget, JarvisError, SettingsError, UsageError
from ..core.files import check_private, exclusive_lock, replace_file
from ..core.intent import SHORT_NAME
from ..core.text import fold_case
from ..core.types import ADDRESS, ALIAS, APP, FILE, Address
from ..language.command_grammar import parse_name, parse_words

QUERY = "{query}"
CHOSEN = "chosen"  # the kind of a name that always means a site, as they chose with `!`
LAST = "last"  # of one for which they chose something by Enter: it only leads the next choice
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Alias(NamedTuple):
    name: str  # in lower case, without signs
    kind: str  # ALIAS: the person defined it; CHOSEN or APP: they chose that site or app for good; LAST: once
    target: str  # an address, maybe with QUERY in it; an app's name or id

    @property
    def takes_words(self) -> bool:
        return QUERY in self.target

    def address(self, query: str) -> str | None:
        """Return the address to open, with *query* filled in, or None if the result isn't an address."""
        if not self.takes_words:
            return None if query else self.target
        before, _, after = self.target.partition(QUERY)
        filled = before + _encoded(query, is_plus="?" in before) + after
        with contextlib.suppress(BadTarget):
            return urls.canon(filled).url
        return None


def load(path: str) -> dict[str, Alias]:
    """Return the names in the file at *path*, or none if there is no file. Raises SettingsError."""
    try:
        with open(path, encoding="utf-8") as file:
            check_private(os.fstat(file.fileno()), path)
            record = json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None
    rows = record.items() if isinstance(record, dict) else ()
    # A name may have become a polite word since it was kept: it is skipped, and the others still count.
    found = {name: _alias(name, row) for name, row in rows if is_kept(name)}
    if not isinstance(record, dict) or None in found.values():
        raise _unreadable(path, "it does not hold names, each with its kind and target")
    return {name: alias for name, alias in found.items() if alias}


def lasting(path: str) -> dict[str, Alias]:
    """Return the names that always mean the same. Raises SettingsError."""
    return {name: alias for name, alias in load(path).items() if alias.kind != LAST}


def chosen_last(path: str, name: str) -> str:
    """Return the user's last choice for *name*: the address of a site or the id of an app, or ""."""
    kept = load(path).get(fold_case(name))
    return kept.target if kept and kept.kind == LAST else ""


def add(path: str, name: str, target: str) -> Alias:
    """Store *name* as an alias for *target*. Raises UsageError if either isn't usable."""
    alias = Alias(_as_name(name), ALIAS, _as_target(target))
    _change(path, {alias.name: alias})
    return alias


def is_kept(name: str) -> bool:
    """Return whether *name* is found again as it is written: of “jarvis app” nothing would be left."""
    return _as_named(name) == name


def remember_choice(
    path: str, name: str, chosen: Address, for_good: bool, tell: Callable[[str], None]
) -> None:
    """Make *name* mean *chosen* from now on and notify the user, or list it first next time.

    for_good: from now on.
    """
    # A file lies in this folder alone, and an address needs no name.
    if not name or chosen.source in (FILE, ADDRESS):
        return
    kind = LAST if not for_good else APP if chosen.source == APP else CHOSEN
    keep_chosen(path, Alias(fold_case(name), kind, chosen.url), tell)


def keep_chosen(path: str, chosen: Alias, tell: Callable[[str], None]) -> None:
    """Store the user's choice for a name. Notifies them if the name now always means that."""
    name, lasts = chosen.name, chosen.kind != LAST
    message = f"“{name}” means this from now on. To undo it: jarvis alias rm {name}"
    try:
        if not is_kept(name):
            raise UsageError(f"Can't remember “{name}”: part of it does not read as a name.")
        if lasts or load(path).get(name, chosen._replace(target="")).kind == LAST:
            _change(path, {name: chosen})
    except JarvisError as error:  # their choice counts this once all the same
        message = f"{error.message} It counts this once."
    if lasts:
        tell(message)


def remove(path: str, name: str) -> Alias:
    """Forget *name*, and return what it was. Raises UsageError if there is no such name."""
    key = _as_named(name)
    if (alias := load(path).get(key)) is None:
        raise UsageError(f"There is no alias “{key}”.", hint="jarvis alias list")
    _change(path, {key: None})
    return alias


def _change(path: str, new: Mapping[str, Alias | None]) -> None:
    with exclusive_lock(f"{path}.lock"):
        kept = {name: alias for name, alias in {**load(path), **new}.items() if alias}
        record = {name: {"kind": alias.kind, "target": alias.target} for name, alias in kept.items()}
        replace_file(path, json.dumps(record, indent=1) + "\n")  # ASCII: an app's id may not be valid text


def _alias(name: str, row: object) -> Alias | None:
    kind, target = (row.get("kind"), row.get("target")) if isinstance(row, dict) else (None, None)
    if not isinstance(target, str) or kind not in (ALIAS, CHOSEN, LAST, APP):
        return None
    return Alias(name, str(kind), target) if kind in (LAST, APP) or _is_address(target) else None


def _as_name(name: str) -> str:
    key = _as_named(name)
    is_name = key and len(key.split()) <= SHORT_NAME and is_kept(key)
    if not is_name or key.isdecimal() or urls.address_from_word(name):
        raise UsageError(
            f"“{name}” can't be an alias.",
            hint="Use one to three words without signs: jarvis alias add gh https://github.com",
        )
    return key


def _as_target(target: str) -> str:
    if not _is_address(target) and (typed := urls.address_from_word(target)) and QUERY not in target:
        target = typed
    if not _is_address(target):
        raise UsageError(
            f"{target} is not an address.",
            hint="{query} may follow the host: jarvis alias add gh 'https://github.com/search?q={query}'",
        )
    return target if QUERY in target else urls.canon(target).url


def _is_address(target: str) -> bool:
    """Return whether *target* is an address whose host does not depend on the words that are filled in."""
    if target.count(QUERY) > 1:
        return False
    try:
        empty, filled = (urls.canon(target.replace(QUERY, word)) for word in ("", "x/@:y"))
    except BadTarget:
        return False
    return (empty.host, empty.port, empty.userinfo) == (filled.host, filled.port, filled.userinfo)


def _as_named(name: str) -> str:
    parsed = parse_name(parse_words(f"open {name}"))
    return parsed.names[0] if parsed else ""


def _encoded(query: str, *, is_plus: bool) -> str:
    space = "+" if is_plus else "%20"
    words = ("".join(chr(b) if b in _PLAIN else f"%{b:02X}" for b in w.encode()) for w in query.split())
    return space.join(words)


def _unreadable(path: str, why: str) -> SettingsError:
    return SettingsError(
        f"Can't read {path}: {why}.", hint=f"Fix it, or move it away: mv {path} {path}.broken"
    )
