"""Takes a key from the person: shows where to get one, checks it with its service, keeps it, and says so.

A check is a request that costs nothing, and follows no redirect: that would carry the key along.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..config.keys import COPY_AGAIN, GOOGLE, NO_KEY, Key, looks_like_key, refused_key, store_key
from ..config.settings import Settings, places_of, sources_of
from ..config.sources import Secret
from ..core.certificates import check_files, distrust, server_in, trusted
from ..core.errors import JarvisError, KeyRefused, ServiceUnreachable, SettingsError
from ..core.text import counted, one_line, redact
from ..core.types import Options
from ..output.questions import typed_line
from ..output.screen import Screen, show_failure
from .work import settings_for

if TYPE_CHECKING:
    import requests

_LABEL = "Paste the key (hidden; Enter: later): "
_PRIVACY = (
    "With a free key Google may use what is sent to improve its products, and people may read it; "
    "not so with a paid one: https://ai.google.dev/gemini-api/terms"
)
_SECONDS = (5, 10)  # to connect, and between two pieces of the answer
_GEMINI, _SERPAPI = "https://generativelanguage.googleapis.com", "https://serpapi.com"
_REFUSES = (400, 401, 403)
_OURS = {"models", "account_id", "name"}  # one of them is in each answer: a list, an account, a model


class Checked(NamedTuple):
    """What a service says of a key, or of a model."""

    is_taken: bool | None  # of a model: it is there. None: the service could not be asked
    why: str = ""  # it is not taken, or was not asked; in the service's own words where it has some
    searches_left: int | None = None  # of the plan that SerpAPI's key is for

    @property
    def taken(self) -> str:
        """That it is taken, in words, and what is left of its plan."""
        left = self.searches_left
        return "takes it" + ("" if left is None else f", {counted(left, 'searches')} left of your plan")

    def error(self, key: Key, secret: Secret) -> JarvisError | None:
        """Return the error for *secret*, the *key* that was checked; None where it is taken."""
        if self.is_taken is False:
            return refused_key(key, secret)
        if self.is_taken is None:
            return ServiceUnreachable(
                f"{self.why}.", hint=f"Check your network, then: jarvis keys test {key.name}"
            )
        return None


def ask_for_key(key: Key, options: Options, screen: Screen) -> bool:
    """Ask for *key* on the terminal until one is kept, and return True; False where the person leaves it."""
    settings = settings_for(options, screen)
    screen.err(f"A {key.service} key is for {key.use}.")
    screen.err(f"Get one at {key.page}")
    while typed := typed_line(screen, _LABEL, is_hidden=True):
        try:
            keep_key(key, typed, settings, options, screen)
        except KeyRefused as error:
            show_failure(screen, error.message)
        else:
            return True
    return False


def keep_key(key: Key, typed: str, settings: Settings, options: Options, screen: Screen) -> None:
    """Check the key that the person *typed*, keep it, and tell what came of both.

    Raises KeyRefused for one that its service refuses, StoreFailed and SettingsError where none can be kept.
    """
    value = typed.strip()
    screen.secrets = (*screen.secrets, value)
    if not looks_like_key(value):
        raise SettingsError(f"This {key.service} key {NO_KEY}.", hint=COPY_AGAIN)
    screen.passing(f"asking {key.service}…")
    answer = check_key(key, value, settings)
    screen.clear()
    if answer.is_taken is False:
        raise KeyRefused(
            f"{key.service} refuses this key: {answer.why}", hint=f"Copy it again from {key.page}"
        )
    place = store_key(key, value, settings.folders)
    said = f"Checked with {key.service}" if answer.is_taken else f"Not checked ({answer.why})"
    screen.err(f"{said}, kept in {place}.")
    if key is GOOGLE:
        screen.err(_PRIVACY)
    first = places_of(key, sources_of(screen.environment, options.env_file)[1])[0]
    if not place.startswith(first.place):
        screen.err(f"It is not used yet: {first.origin} comes before it.")


def check_key(key: Key, value: str, settings: Settings) -> Checked:
    """Return what the service of *key* says of *value*. Raises SettingsError for bad certificates."""
    if key is GOOGLE:
        return _asked(key, value, f"{settings.gemini_url or _GEMINI}/v1beta/models?pageSize=1")
    return _asked(key, value, f"{settings.serpapi_url or _SERPAPI}/account")


def check_model(name: str, value: str, settings: Settings) -> Checked:
    """Return whether Gemini has the model of that *name* for the key *value*. Raises as `check`."""
    return _asked(GOOGLE, value, f"{settings.gemini_url or _GEMINI}/v1beta/models/{name}", refuses=(404,))


def _asked(key: Key, value: str, url: str, refuses: Sequence[int] = _REFUSES) -> Checked:
    """Return what *key*'s service answers at *url*. refuses: the statuses that mean no."""
    import requests  # takes 0.1 s: not while nothing is typed

    logging.getLogger("urllib3.connectionpool").setLevel(logging.WARNING)  # at DEBUG it logs what is asked
    check_files()
    headers, params = ({"x-goog-api-key": value}, None) if key is GOOGLE else (None, {"api_key": value})
    try:
        answer = requests.get(
            url, params, headers=headers, timeout=_SECONDS, allow_redirects=False, verify=trusted()
        )
    except (OSError, ValueError) as error:  # their text has the key in it
        distrusted = distrust(error, key.service, server_in(url))
        told = f"{key.service} can't be reached: {type(error).__name__}"
        return Checked(None, distrusted.message.rstrip(".") if distrusted else told)
    return _read(key, value, answer, refuses)


def _read(key: Key, value: str, answer: requests.Response, refuses: Sequence[int]) -> Checked:
    said: dict[str, Any] = {}
    with suppress(ValueError, TypeError):  # no JSON, or no object
        said = {**answer.json()}
    error = said.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    why = one_line(redact(str(message or ""), (value,)), 200)
    if answer.status_code in refuses:
        return Checked(False, why or f"status {answer.status_code}")
    if answer.status_code != 200:
        return Checked(None, f"{key.service} answered with status {answer.status_code}")
    if not _OURS & said.keys():
        return Checked(None, why or f"what answered was not {key.service}: a proxy, or a login page?")
    left = said.get("total_searches_left")
    return Checked(True, searches_left=left if type(left) is int else None)
