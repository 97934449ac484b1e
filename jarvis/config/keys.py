"""The keys that services ask for: which there are, and what is known of one without showing it."""

from __future__ import annotations

from typing import NamedTuple

from ..core.errors import KeyRefused, NoKey
from .file import KEYRING, read_own

NEEDS_MODEL = "This needs a language model. Sites, apps and screenshots work without one."
_NO_SIGNS = frozenset(" \"'\\")  # a file of settings would need quotes for them
NO_KEY = "is too long for a key, or has characters that a key can't have"
COPY_AGAIN = "Copy it again, without quotes."
_LONGEST = 1000  # characters: an endless stream is no key


class Key(NamedTuple):
    """A key of a service."""

    name: str  # as people type it
    service: str
    variables: tuple[str, ...]  # each may hold it, the first one before the second
    page: str  # where to get one
    use: str  # what it is for


GOOGLE = Key(
    "google",
    "Google",
    ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "https://aistudio.google.com/apikey",
    "the language model, Gemini; there are free ones",
)
SERPAPI = Key(
    "serpapi",
    "SerpAPI",
    ("SERPAPI_API_KEY",),
    "https://serpapi.com/manage-api-key",
    "searching the web; some searches are free",
)
KEYS = {key.name: key for key in (GOOGLE, SERPAPI)}


class Secret:
    """A key that does not print itself."""

    __slots__ = ("_value", "origin")

    def __init__(self, value: str, origin: str = "") -> None:
        """origin: where it comes from, in words for the person."""
        self._value = value
        self.origin = origin

    def reveal(self) -> str:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    @property
    def is_in_keyring(self) -> bool:
        """Whether the keyring holds it, and was not asked for it yet."""
        return not self._value and self.origin == KEYRING

    def __repr__(self) -> str:
        return "Secret(…)" if self._value else "Secret()"


def looks_like_key(value: str) -> bool:
    is_plain = value.isascii() and value.isprintable() and not set(value) & _NO_SIGNS
    return is_plain and 0 < len(value) < _LONGEST


def names_in_keyring(path: str) -> frozenset[str]:
    """Return the names of the keys that the keyring holds, by the file at *path*. Raises SettingsError."""
    return frozenset(read_own(path).split()) & KEYS.keys()


def no_model_key(env_file: str = "") -> NoKey:
    """Return the error for a request that needs the model, without a key. env_file: where one may stand."""
    place = f"{GOOGLE.variables[0]}=… in {env_file}, or in the environment" if env_file else "the environment"
    return NoKey(
        f"No model key is set. {NEEDS_MODEL}",
        hint=f"jarvis keys set {GOOGLE.name}   (a free key: {GOOGLE.page}; or {place})",
    )


def refused_key(key: Key, secret: Secret) -> KeyRefused:
    """Return the error for *secret*, a *key* that its service refused."""
    where = secret.origin or key.variables[0]
    told = f"{key.service} refused the key: {where}. Get one at {key.page}"
    return KeyRefused(told, hint=f"jarvis keys set {key.name}")
