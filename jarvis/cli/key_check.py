"""Asks a service whether it takes a key, or has a model, by a request that costs nothing.

No redirect is followed with a key.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import requests

from ..config.keys import GOOGLE, Key
from ..config.settings import Settings
from ..core.certificates import check_files, distrust, server_in, trusted
from ..core.errors import SettingsError
from ..core.text import counted, one_line, redact

_SECONDS = (5, 10)  # to connect, and between two pieces of the answer
_GEMINI, _SERPAPI = "https://generativelanguage.googleapis.com", "https://serpapi.com"
_REFUSES = (400, 401, 403)
_HAS_NONE = (404,)
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


def check(key: Key, value: str, settings: Settings) -> Checked:
    """Return what the service of *key* says of *value*."""
    if key is GOOGLE:
        return _checked(key, value, lambda: _of_gemini("models", {"pageSize": "1"}, value, settings))
    url = f"{settings.serpapi_url or _SERPAPI}/account"
    return _checked(key, value, lambda: _got(url, {"api_key": value}, {}))


def check_model(name: str, value: str, settings: Settings) -> Checked:
    """Return whether Gemini has the model of that *name* for the key *value*."""
    return _checked(GOOGLE, value, lambda: _of_gemini(f"models/{name}", {}, value, settings), _HAS_NONE)


def _checked(
    key: Key, value: str, ask: Callable[[], requests.Response], refuses: Sequence[int] = _REFUSES
) -> Checked:
    """Return what *key*'s service answers. refuses: the statuses that mean no."""
    logging.getLogger("urllib3.connectionpool").setLevel(logging.WARNING)  # at DEBUG it logs what is asked
    try:
        check_files()
        answer = ask()
        said = _said(answer)
    except (requests.RequestException, OSError, ValueError) as error:  # their text has the key in it
        return Checked(None, _told(error, key.service))
    except SettingsError as error:
        return Checked(None, error.message.rstrip("."))
    why = one_line(redact(_error_in(said), (value,)), 200)
    if answer.status_code in refuses:
        return Checked(False, why or f"status {answer.status_code}")
    if answer.status_code != 200:
        return Checked(None, f"{key.service} answered with status {answer.status_code}")
    if not _OURS & said.keys():
        return Checked(None, why or f"what answered was not {key.service}: a proxy, or a login page?")
    left = said.get("total_searches_left")
    return Checked(True, searches_left=left if type(left) is int else None)


def _told(error: Exception, service: str) -> str:
    """Return that *service* can't be reached, without the text of *error*, which has the key in it."""
    url = getattr(getattr(error, "request", None), "url", None) or ""
    if distrusted := distrust(error, service, server_in(url)):
        return distrusted.message.rstrip(".")
    return f"{service} can't be reached: {type(error).__name__}"


def _of_gemini(path: str, parameters: dict[str, str], value: str, settings: Settings) -> requests.Response:
    url = f"{settings.gemini_url or _GEMINI}/v1beta/{path}"
    return _got(url, parameters, {"x-goog-api-key": value})


def _got(url: str, parameters: dict[str, str], headers: dict[str, str]) -> requests.Response:
    return requests.get(
        url, parameters, headers=headers, timeout=_SECONDS, allow_redirects=False, verify=trusted()
    )


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
