"""Translates failures of Gemini's client into ours, by what the service said, not by class names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..config.keys import GOOGLE, Secret, refused_key
from ..config.settings import DEFAULT_MODEL
from ..core.errors import (
    JarvisError,
    KeyRefused,
    ModelFailed,
    RateLimited,
    SchemaRefused,
    ServiceUnreachable,
    SettingsError,
)
from ..core.stdlib import NamedTuple
from ..core.text import one_line, redact
from .model import ANOTHER

_BACKOFF = (1.0, 2.0)  # seconds before the second and the third try of an overloaded service
_LONGEST_WAIT = 5.0
_DOWN = (500, 502, 503, 504)
_UNKNOWN = Secret("")


class _Said(NamedTuple):
    """What the service itself said, dug out of the chain of exceptions."""

    code: int | None
    message: str
    reason: str  # ErrorInfo's
    delay: float | None  # RetryInfo's, in seconds
    daily: bool  # the quota that is used up is the day's
    names: tuple[str, ...]  # of the exceptions' classes


class _UnknownModel(SettingsError):
    code = "unknown_model"


def retry_after(error: BaseException, tries: int) -> float | None:
    """Return the seconds to wait before trying again; None where that would not help."""
    said = _dig(error)
    if said.code in _DOWN and tries < len(_BACKOFF):
        return _BACKOFF[tries]
    # The service names a delay for a daily quota too: it would be waited for in vain.
    if said.code == 429 and not said.daily and tries == 0 and said.delay and said.delay <= _LONGEST_WAIT:
        return said.delay
    return None


def as_our_error(
    error: BaseException, model: str, secrets: tuple[str, ...], thinking: str = "", key: Secret = _UNKNOWN
) -> JarvisError:
    """Return *error* as one of ours.

    secrets: are struck out. thinking: the level that was asked for. key: the one that was sent.
    """
    said = _dig(error, secrets)
    if said.reason == "API_KEY_INVALID" or said.code == 401:
        return refused_key(GOOGLE, key)
    if said.code == 403:
        return KeyRefused(
            f"Gemini does not allow this key to use {model}: {said.message or 'permission denied'}",
            hint=f"Check the key's project at {GOOGLE.page}",
        )
    if said.code == 404:
        return _UnknownModel(
            f"Gemini has no model named {model}, or has retired it.", hint=f"Ask another: {ANOTHER}"
        )
    if said.code == 429:
        return _limited(said)
    if said.code in _DOWN:
        return ServiceUnreachable(
            f"Gemini is overloaded or down ({said.code}).", hint="Try again in a minute."
        )
    if said.code and 300 <= said.code < 400:
        return ServiceUnreachable(
            "Gemini's address redirected the request. It was not followed, to protect your key.",
            hint="Check GOOGLE_GEMINI_BASE_URL, and your network.",
        )
    return _refused(said, model, thinking) if said.code else _unanswered(said)


def _refused(said: _Said, model: str, thinking: str) -> JarvisError:
    told = f"Gemini refused the request ({said.code}): {said.message}"
    if thinking:
        hint = f"{model} may not know “{thinking}”: unset JARVIS_THINKING"
    elif model != DEFAULT_MODEL:
        hint = f"Try another model: export JARVIS_MODEL={DEFAULT_MODEL}"
    else:
        hint = "Say it in other words, or with less."
    # A 400 without a reason may mean anything; newer models say no more of a schema that is too large.
    kind = SchemaRefused if said.code == 400 and not said.reason else ModelFailed
    return kind(told, hint=hint)


def _limited(said: _Said) -> RateLimited:
    if said.daily:
        return RateLimited(
            "Gemini's daily quota for this model is used up.",
            hint=f"It comes back at midnight Pacific time; or ask another model: {ANOTHER}",
        )
    wait = f" in {said.delay:.0f} s" if said.delay else " in a minute"
    return RateLimited("Gemini's quota for this minute is used up.", hint=f"Try again{wait}.")


def _unanswered(said: _Said) -> JarvisError:
    names = " ".join(said.names)
    if "Timeout" in names:
        return ServiceUnreachable("Gemini did not answer in time.", hint="Try again in a moment.")
    if "JSONDecodeError" in names or "Decod" in names:
        return ServiceUnreachable(
            "What answered was not Gemini (a proxy or a login page?).", hint="Check your network."
        )
    if "Protocol" in names or "ReadError" in names:
        return ServiceUnreachable("The connection to Gemini broke off.", hint="Try again.")
    if "Connect" in names or "gaierror" in names:
        return ServiceUnreachable("Gemini can't be reached: no network?", hint="Check your connection.")
    return ModelFailed(f"Gemini's client failed: {said.names[0]}: {said.message}", hint="Try again.")


def _dig(error: BaseException, secrets: tuple[str, ...] = ()) -> _Said:
    chain = list(_chain(error))
    details = next((d for e in chain if isinstance(d := getattr(e, "details", None), dict)), {})
    body = details.get("error", details)
    body = body if isinstance(body, dict) else {}
    infos = [info for info in body.get("details") or [] if isinstance(info, dict)]
    code = next((c for e in chain if isinstance(c := getattr(e, "code", None), int)), body.get("code"))
    return _Said(
        code if isinstance(code, int) else None,
        # Struck out before it is cut short: half a key would not be recognised.
        one_line(_struck(one_line(_struck(str(body.get("message") or error), secrets)), secrets), 200),
        next((str(i["reason"]) for i in infos if "reason" in i), ""),
        _seconds(next((i["retryDelay"] for i in infos if "retryDelay" in i), None)),
        any("PerDay" in str(v) for i in infos for v in i.get("violations") or []),
        tuple(type(e).__name__ for e in chain),
    )


def _struck(text: str, secrets: tuple[str, ...]) -> str:
    """Return *text* without *secrets*, short ones too: an error can do without a word."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return redact(text)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _seconds(delay: Any) -> float | None:
    match = re.fullmatch(r"([\d.]+)s", str(delay or ""))
    return float(match[1]) if match else None
