"""Translates failures of Gemini's client into ours, by what the service said, not by class names."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..config.keys import GOOGLE, Secret, refused_key
from ..config.settings import DEFAULT_MODEL
from ..core.certificates import chain, distrust
from ..core.errors import (
    JarvisError,
    KeyRefused,
    ModelFailed,
    SchemaRefused,
    ServiceUnreachable,
    SettingsError,
)
from ..core.text import one_line, redact
from .faults import Busy, Lost, Overloaded, QuotaSpent
from .model import ANOTHER

_DOWN = (500, 502, 503, 504)
_NO_JSON = "Failed to parse response as JSON. Raw response:"  # as Google's client begins then
_FALLBACK = "have another model take over: export JARVIS_FALLBACK_MODEL=NAME   (jarvis models lists them)"


class Asked(NamedTuple):
    """Who was asked, and with what."""

    model: str
    server: str = ""
    key: Secret = Secret("")
    thinking: str = ""  # the level that was asked for
    secrets: tuple[str, ...] = ()  # are struck out of what is told


class _Said(NamedTuple):
    """What the service itself said, dug out of the chain of exceptions."""

    code: int | None
    message: str
    reason: str  # ErrorInfo's
    delay: float  # RetryInfo's, in seconds; 0: none
    daily: bool  # the quota that is used up is the day's
    is_page: bool  # it answered with a web page
    names: tuple[str, ...]  # of the exceptions' classes


class _UnknownModel(SettingsError):
    code = "unknown_model"


def as_our_error(error: BaseException, asked: Asked) -> JarvisError:
    """Return *error* as one of ours; it may be one of ours, from where its bytes came in."""
    if isinstance(error, JarvisError):
        return error
    said = _dig(error, asked.secrets)
    if said.is_page:
        return _page(said, asked.server)
    if said.reason == "API_KEY_INVALID" or said.code == 401:
        return refused_key(GOOGLE, asked.key)
    if said.code == 403:
        return KeyRefused(
            f"Gemini does not allow this key to use {asked.model}: {said.message or 'permission denied'}",
            hint=f"Check the key's project at {GOOGLE.page}",
        )
    if said.code == 404:
        return _UnknownModel(
            f"Gemini has no model named {asked.model}, or has retired it.", hint=f"Ask another: {ANOTHER}"
        )
    if said.code == 429:
        return _limited(said, asked.model)
    if said.code in _DOWN:
        told = f"{asked.model} is overloaded or down ({said.code})."
        return Overloaded(told, hint=f"Try again in a minute, or {_FALLBACK}")
    if said.code and 300 <= said.code < 400:
        return ServiceUnreachable(
            "Gemini's address redirected the request. It was not followed, to protect your key.",
            hint="Check GOOGLE_GEMINI_BASE_URL, and your network.",
        )
    if said.code:
        return _refused(said, asked.model, asked.thinking)
    return distrust(error, "Gemini", asked.server) or _unanswered(said)


def _page(said: _Said, server: str) -> ServiceUnreachable:
    """Return that a proxy, a login page or a wrong address answered. That of a gateway may be gone soon."""
    kind = Lost if said.code in _DOWN else ServiceUnreachable
    return kind(
        f"A web page came instead of Gemini's answer ({said.code or 200} from {server}): "
        "a proxy, a login page or a wrong address.",
        hint="Open a page in your browser; check HTTPS_PROXY and GOOGLE_GEMINI_BASE_URL.",
    )


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


def _limited(said: _Said, model: str) -> JarvisError:
    if said.daily:
        return QuotaSpent(
            f"The daily quota of {model} is used up.",
            hint=f"It comes back at midnight Pacific time; or {_FALLBACK}",
        )
    wait = f"in {said.delay:.0f} s" if said.delay else "in a minute"
    busy = Busy(
        f"The quota of {model} for this minute is used up.",
        hint=f"Try again {wait}, or let it wait that long: --timeout {60 + said.delay:.0f}",
    )
    busy.seconds = said.delay
    return busy


def _unanswered(said: _Said) -> JarvisError:
    names = " ".join(said.names)
    if "Timeout" in names:
        return Lost("Gemini did not answer in time.", hint="Try again in a moment.")
    if "ProxyError" in names:
        return ServiceUnreachable(
            f"The proxy on the way to Gemini refused: {said.message}", hint="Check HTTPS_PROXY."
        )
    if "JSONDecodeError" in names or "Decod" in names:
        return ServiceUnreachable(
            "What answered was not Gemini (a proxy or a login page?).", hint="Check your network."
        )
    if re.search("Protocol|ReadError|WriteError|Disconnected|Payload", names):
        return Lost("The connection to Gemini broke off.", hint="Try again.")
    if "Connect" in names or "gaierror" in names:
        return Lost("Gemini can't be reached: no network?", hint="Check your connection.")
    return ModelFailed(f"Gemini's client failed: {said.names[0]}: {said.message}", hint="Try again.")


def _dig(error: BaseException, secrets: tuple[str, ...] = ()) -> _Said:
    errors = list(chain(error))
    details = next((d for e in errors if isinstance(d := getattr(e, "details", None), dict)), {})
    body = details.get("error", details)
    body = body if isinstance(body, dict) else {}
    infos = [info for info in body.get("details") or [] if isinstance(info, dict)]
    code = next((c for e in errors if isinstance(c := getattr(e, "code", None), int)), body.get("code"))
    headers: Any = next((r.headers for e in errors if (r := getattr(e, "response", None)) is not None), {})
    raw = str(body.get("message") or error)
    return _Said(
        code if isinstance(code, int) else None,
        # Struck out before it is cut short: half a key would not be recognised.
        one_line(_struck(one_line(_struck(raw, secrets)), secrets), 200),
        next((str(i["reason"]) for i in infos if "reason" in i), ""),
        _seconds(next((i["retryDelay"] for i in infos if "retryDelay" in i), None))
        or _seconds(f"{headers.get('retry-after')}s"),
        any("PerDay" in str(v) for i in infos for v in i.get("violations") or []),
        raw.removeprefix(_NO_JSON).lstrip().startswith("<"),
        tuple(type(e).__name__ for e in errors),
    )


def _struck(text: str, secrets: tuple[str, ...]) -> str:
    """Return *text* without *secrets*, short ones too: an error can do without a word."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return redact(text)


def _seconds(delay: Any) -> float:
    match = re.fullmatch(r"([\d.]+)s", str(delay or ""))
    return float(match[1]) if match else 0.0
