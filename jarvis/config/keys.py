"""The keys of services: what is known of one without showing it, and where one is kept.

They are kept in the system keyring, or where there is none, in `.env` in the config folder. This is the only
importer of keyring, which takes a quarter of a second.
"""

from _queue import Empty, SimpleQueue  # a tenth of what queue and threading take
from _thread import start_new_thread
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ..core.errors import KeyRefused, SettingsError, attempt
from ..core.files import private_folder, replace_file
from .sources import ENVIRONMENT, KEYRING, Folders, Secret, assignment, names_in_keyring, read_own

NEEDS_MODEL = "This needs a language model. Sites, apps and screenshots work without one."
_NO_SIGNS = frozenset(" \"'\\")  # a file of settings would need quotes for them
NO_KEY = "is too long for a key, or has characters that a key can't have"
COPY_AGAIN = "Copy it again, without quotes."
_LONGEST = 1000  # characters: an endless stream is no key
SECONDS = 2.0  # for all that is asked of the keyring at a time: a locked one may wait for its password
_OURS = "jarvis"  # the name of what our keys are for, in the keyring
_ABOUT = "# The names of the keys that the system keyring holds for Jarvis. This file contains no key."
_WHY = {"NoKeyringError": "there is none here", "KeyringLocked": "it is locked"}
_T = TypeVar("_T")


API_KEY = "_api_key"  # the end of the name of each setting that is a key
ENDINGS = (API_KEY, "_token")  # those of variables, in small letters


class Login(NamedTuple):
    """How a service turns a key into a token, which is sent instead of the key for a while."""

    path: str  # of its host, which the key is posted to
    key: str  # its name there, in JSON
    token: str  # and that of the token which comes back


class Key(NamedTuple):
    """A key of a service, by whose name it goes."""

    name: str  # as people type it: small letters, digits, underscores
    service: str
    variables: tuple[str, ...]  # each may hold it: NAME_API_KEY, or NAME_TOKEN
    page: str  # where to get one
    use: str  # what it is for
    sent_as: str = "X-Api-Key"  # the header that it goes in; Bearer: that of any authorization
    check: str = ""  # a path of its host that answers those whose key is good, and costs next to nothing
    login: Login | None = None  # None: the key itself is sent
    note: str = ""  # what is to be known of one that is kept


SERPAPI = Key(
    "serpapi",
    "SerpAPI",
    ("SERPAPI_API_KEY",),
    "https://serpapi.com/manage-api-key",
    "searching the web, shops, and flights (some searches are free)",
    check="account",
)
BRAVE = Key(
    "brave",
    "Brave",
    ("BRAVE_API_KEY",),
    "https://api-dashboard.search.brave.com",
    "searching the web where there is no SerpAPI key",
    "X-Subscription-Token",
    "res/v1/web/search",
)
TYPED = "this key"  # the origin of one that is being set


def looks_like_key(value: str) -> bool:
    is_plain = value.isascii() and value.isprintable() and not set(value) & _NO_SIGNS
    return is_plain and 0 < len(value) < _LONGEST


def refused_key(key: Key, secret: Secret) -> KeyRefused:
    """Return the error for *secret*, a *key* that its service refused."""
    what = "this key" if secret.origin == TYPED else f"the key: {secret.origin or key.variables[0]}"
    hint = f"jarvis keys set {key.name}"
    variable, _, place = secret.origin.partition(" in ")
    if place == ENVIRONMENT:  # one that is kept would not count
        hint = f"unset {variable}; {hint}"
    return KeyRefused(f"{key.service} refused {what}. Get one at {key.page}", hint=hint)


# Where they are kept.


def store_key(key: Key, value: str, folders: Folders) -> str:
    """Keep *value* as the person's *key*, in place of one kept before.

    Returns where, and why it is not in the keyring. Raises StoreFailed, SettingsError.
    """
    private_folder(folders.config)
    is_kept, why = _ask_keyring(lambda keyring: _put(keyring, key, value))
    if not is_kept:
        _set_line(key, value, folders.env_file)
        return f"{folders.env_file} ({KEYRING}: {why or 'it does not keep what it is given'})"
    _write_names(folders, names_in_keyring(folders) | {key.name})
    _set_line(key, "", folders.env_file)  # it would come before the keyring's
    return KEYRING


def forget_key(key: Key, folders: Folders) -> list[str]:
    """Delete *key* wherever it is stored. Returns those places. Raises StoreFailed, SettingsError."""
    places = []
    names = names_in_keyring(folders)
    if key.name in names:
        _, why = _ask_keyring(lambda keyring: _delete(keyring, key))
        if why:
            hint = f"Unlock it, then: jarvis keys rm {key.name}"
            raise SettingsError(f"The key is still in {KEYRING}: {why}.", hint=hint)
        _write_names(folders, names - {key.name})
        places.append(KEYRING)
    if _set_line(key, "", folders.env_file):
        places.append(folders.env_file)
    return places


def kept_in_keyring(key: Key) -> Secret:
    """Return *key* from the keyring, or "" if it is gone. Raises SettingsError."""
    value, why = _ask_keyring(lambda keyring: keyring.get_password(_OURS, key.name))
    if why:
        raise SettingsError(
            f"Can't read your {key.name} key from {KEYRING}: {why}.",
            hint=f"Unlock it and ask again, or: jarvis keys set {key.name}",
        )
    return Secret(value, KEYRING) if value else Secret("")


def _put(keyring: Any, key: Key, value: str) -> bool:
    """Put *value* in the keyring. Returns False if it did not keep it: a disabled keyring keeps nothing."""
    keyring.set_password(_OURS, key.name, value)
    return bool(keyring.get_password(_OURS, key.name) == value)


def _delete(keyring: Any, key: Key) -> None:
    if keyring.get_password(_OURS, key.name) is not None:  # else the person took it out
        keyring.delete_password(_OURS, key.name)


def _ask_keyring(work: Callable[[Any], _T]) -> tuple[_T | None, str]:
    """Return the result of *work*, given the keyring library, or the reason why that failed.

    It runs on a thread that nobody waits for in the end, so the program can exit anyway.
    """
    answers: SimpleQueue[tuple[_T | None, BaseException | None]] = SimpleQueue()

    def ask() -> _T:
        import keyring  # the reason for this file

        return work(keyring)

    start_new_thread(lambda: answers.put(attempt(ask)), ())
    try:
        result, error = answers.get(timeout=SECONDS)
    except Empty:
        return None, f"it did not answer within {SECONDS:g} s (is it locked?)"
    if error is None:
        return result, ""
    name = type(error).__name__  # each backend has its own, whose words are left out: a key may be among them
    return None, _WHY.get(name, f"it failed with {name}")


def _write_names(folders: Folders, names: frozenset[str]) -> None:
    """Write down which keys the keyring holds. Each time it is a new file: another brain is needed."""
    _write(folders.keyring, [_ABOUT, *sorted(names)])


def _set_line(key: Key, value: str, path: str) -> bool:
    """Have `.env` at *path* set *key* to *value*, or not at all where that is empty.

    Returns whether it was set there before.
    """
    lines = read_own(path).splitlines()
    others = [line for line in lines if (assignment(line) or ("", ""))[0] not in key.variables]
    wanted = [*others, f"{key.variables[0]}={value}"] if value else others
    if wanted != lines:
        _write(path, wanted)
    return others != lines


def _write(path: str, lines: list[str]) -> None:
    replace_file(path, "".join(f"{line}\n" for line in lines))
