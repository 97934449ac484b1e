"""Asks a service whether it takes a key, by a request that costs nothing. No redirect is followed with it."""

from __future__ import annotations

import logging

import requests

from ..config.keys import GOOGLE, Key
from ..config.settings import Settings
from ..core.stdlib import Any, NamedTuple
from ..core.text import one_line, redact

_SECONDS = (5, 10)  # to connect, and between two pieces of the answer
_GEMINI, _SERPAPI = "https://generativelanguage.googleapis.com", "https://serpapi.com"
_REFUSES = (400, 401, 403)


class Checked(NamedTuple):
    """What a service says of a key."""

    is_taken: bool | None  # None: it could not be asked
    why: str = ""  # it is not taken, or was not asked; in the service's own words where it has some


def check(key: Key, value: str, settings: Settings) -> Checked:
    """Return what the service of *key* says of *value*."""
    logging.getLogger("urllib3.connectionpool").setLevel(logging.WARNING)  # at DEBUG it logs what is asked
    try:
        answer = _asked(key, value, settings)
        said = _said(answer)
    except (requests.RequestException, OSError, ValueError) as error:  # their text has the key in it
        return Checked(None, f"{key.service} can't be reached: {type(error).__name__}")
    why = one_line(redact(_error_in(said), (value,)), 200)
    if answer.status_code in _REFUSES:
        return Checked(False, why or f"status {answer.status_code}")
    if answer.status_code != 200:
        return Checked(None, f"{key.service} answered with status {answer.status_code}")
    if not {"models", "account_id"} & said.keys():
        return Checked(None, why or f"what answered was not {key.service}: a proxy, or a login page?")
    return Checked(True)


def _asked(key: Key, value: str, settings: Settings) -> requests.Response:
    if key is GOOGLE:
        url, sent = f"{settings.gemini_url or _GEMINI}/v1beta/models", {"pageSize": "1"}
        headers = {"x-goog-api-key": value}
    else:
        url, sent, headers = f"{settings.serpapi_url or _SERPAPI}/account", {"api_key": value}, {}
    return requests.get(url, sent, headers=headers, timeout=_SECONDS, allow_redirects=False)


def _said(answer: requests.Response) -> dict[str, Any]:
    """Return the object that the service answered with; empty where it is none."""
    try:
        said = answer.json()
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _error_in(said: dict[str, Any]) -> str:
    """Return the service's own words on what is wrong; empty where there are none."""
    error = said.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else ""
