"""Takes a key from the person: shows where it is had, checks it with its service, keeps it, and tells so."""

from __future__ import annotations

from ..config import key_store
from ..config.keys import GOOGLE, KEYRING, Key
from ..config.settings import Settings, layers_of
from ..core.errors import JarvisError, KeyRefused
from ..core.types import Address, Effect, Options, Request
from ..desktop import hands_for
from ..output.questions import typed_line
from ..output.screen import Screen, show_failure
from .work import settings_for

LABEL = "Paste the key (hidden; Enter: not now): "
_OPEN = "o"
_PRIVACY = (
    "With a free key Google may use what is sent to improve its products, and people may read it; "
    "not so with a paid one: https://ai.google.dev/gemini-api/terms"
)


def ask_for_key(key: Key, options: Options, screen: Screen) -> bool:
    """Ask for *key* on the terminal until one is kept, and return True; False where the person leaves it."""
    settings = settings_for(options, screen)
    show_way(key, screen)
    while typed := typed_line(screen, LABEL, is_hidden=True):
        if take(key, typed, settings, options, screen):
            return True
    return False


def show_way(key: Key, screen: Screen) -> None:
    screen.err(f"A {key.service} key is for {key.use}.")
    screen.err(f"It is had at {key.page}   (o and Enter opens the page)")


def take(key: Key, typed: str, settings: Settings, options: Options, screen: Screen) -> bool:
    """Do what the person *typed* where a key is asked for; return whether a key was kept. Tells why not."""
    if typed == _OPEN:
        _open_page(key, settings, options, screen)
        return False
    try:
        keep_key(key, typed, settings, options, screen)
    except JarvisError as error:
        if not isinstance(error, KeyRefused):
            raise
        show_failure(screen, error.message)
        return False
    return True


def keep_key(key: Key, typed: str, settings: Settings, options: Options, screen: Screen) -> None:
    """Check the key that the person *typed*, keep it, and tell what came of both.

    Raises KeyRefused for one that its service refuses, StoreFailed and SettingsError where none can be kept.
    """
    screen.secrets = (*screen.secrets, typed.strip())
    value = key_store.checked_key(key, typed)
    from .key_check import check  # requests takes 0.1 s: not while nothing is typed

    screen.passing(f"asking {key.service}…")
    checked = check(key, value, settings)
    screen.clear()
    if checked.is_taken is False:
        raise KeyRefused(
            f"{key.service} refuses this key: {checked.why}", hint=f"Copy it again from {key.page}"
        )
    kept = key_store.keep(key, value, settings.folders)
    said = f"Checked with {key.service}" if checked.is_taken else f"Not checked ({checked.why})"
    why = f" ({KEYRING}: {kept.why})" if kept.why else ""
    screen.err(f"{said}, kept in {kept.place}{why}.")
    if key is GOOGLE:
        screen.err(_PRIVACY)
    _tell_stronger(key, options, screen)


def _tell_stronger(key: Key, options: Options, screen: Screen) -> None:
    """Tell what comes before the key that was just kept."""
    found = list(layers_of(screen.environment, options.env_file)[2].found(*key.variables))
    if found and not found[0].is_ours:
        screen.err(f"It is not used yet: {found[0].told} comes before it.")


def _open_page(key: Key, settings: Settings, options: Options, screen: Screen) -> None:
    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    effect = Effect("opens", key.page, address=Address("", key.page))
    screen.err(hands.perform(Request(1, "open_website", effect)).text)
