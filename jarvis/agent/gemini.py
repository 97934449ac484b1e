"""Gemini: the only importer of langchain-google-genai, and the only place where its errors become ours.

They are told apart by what the service said, not by the names of classes, of which there are five families.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from langchain_google_genai import ChatGoogleGenerativeAI

from ..config.keys import GOOGLE as GOOGLE_KEY
from ..config.keys import no_model_key, refused_key
from ..config.settings import Budgets
from ..config.sources import Secret
from ..core.certificates import chain, distrust, server_in
from ..core.errors import (
    JarvisError,
    KeyRefused,
    ModelFailed,
    SchemaRefused,
    ServiceUnreachable,
    SettingsError,
)
from ..core.text import one_line, redact
from ..search.http import BoundedTransport, Bounds
from .retry import ANOTHER, Busy, Lost, ModelAnswer, Overloaded, QuotaSpent, Retry

GOOGLE = "https://generativelanguage.googleapis.com"
_LONGEST = 8192  # tokens of an answer, with what was thought
_LARGEST = 2_000_000  # bytes of one, as it comes: _LONGEST take 0.3 MB
_SECONDS = 60  # from a request to the last byte of its answer
_MOST_NAMED = 12  # models, in a hint
_OTHER_USES = {"embedding", "tts", "image", "audio", "live", "aqa"}


class Gemini:
    """One client, built once: building it costs 200 ms and more."""

    def __init__(
        self,
        name: str,
        key: Secret,
        base_url: str,
        budgets: Budgets,
        *,
        thinking: str = "",
        secrets: tuple[str, ...] = (),
    ) -> None:
        """thinking: one of settings.THINKING, or empty. secrets: are struck out of every error."""
        self.name = name
        self._key = key
        self._base_url = base_url or GOOGLE
        self._budgets = budgets
        self._thinking = thinking
        self._secrets = (key.reveal(), *secrets)

    async def ask(
        self, system: str, prompt: str, schema: dict[str, object], on_text: Callable[[str], object]
    ) -> ModelAnswer:
        """Make one call, once: whether it is made again is decided in retry.py.

        schema: of the JSON object that is wanted. on_text: is given all that was written so far, each time
        there is more. Failures are JarvisErrors; SchemaRefused where another schema may help.
        """
        bound = self._client.bind(response_mime_type="application/json", response_json_schema=schema)
        seconds, text, whole = self._budgets.first_token_seconds, "", None
        limit = asyncio.timeout(seconds)  # for each piece: the client's own is per read and far too long
        try:
            async with limit:
                async for piece in bound.astream([("system", system), ("human", prompt)]):
                    limit.reschedule(asyncio.get_running_loop().time() + seconds)
                    whole = piece if whole is None else whole + piece
                    if piece.text:
                        text += piece.text
                        on_text(text)
        except JarvisError:
            raise
        except Exception as error:  # noqa: BLE001 (five unrelated families come out of this client)
            if limit.expired():
                told = f"Gemini did not answer within {seconds:g} s."
                raise ServiceUnreachable(told, hint="Try again in a moment.") from None
            if text and not getattr(error, "details", None):
                raise Lost("The connection to Gemini broke off.", hint="Try again.") from None
            explained = self.explained(error)
            if isinstance(explained, _UnknownModel):
                with suppress(JarvisError):  # a hint is not worth a second error
                    names = ", ".join((await self.names())[:_MOST_NAMED])
                    explained.hint += f". Your key can use: {names}"
            raise explained from None
        return _answer(text, whole, self.name)

    async def names(self) -> list[str]:
        """Return the models that this key can plan with, newest first. Failures are JarvisErrors."""
        try:
            async with asyncio.timeout(5):
                pager = await self._client.client.aio.models.list()
                return _newest_first([model async for model in pager])
        except Exception as error:  # noqa: BLE001 (as above)
            raise self.explained(error) from None

    def warm(self) -> None:
        """Build the client now, on whatever thread, if there is a key. No network is touched."""
        with suppress(SettingsError):  # the turn that asks tells it
            _ = self._client

    async def close(self) -> None:
        if "_client" in vars(self):
            await self._client.client.aio.aclose()
            self._client.client.close()

    def explained(self, error: BaseException) -> JarvisError:
        """Return *error* as one of ours; it may be one of ours, from where its bytes came in."""
        if isinstance(error, JarvisError):
            return error
        said, server = _dig(error, self._secrets), server_in(self._base_url)
        if said.code in _DOWN:
            told = f"{self.name} is overloaded or down ({said.code})."
            return Overloaded(told, hint=f"Try again in a minute, or {_FALLBACK}")
        if said.is_foreign:
            told = f"What answered was not Gemini ({said.code or 200} from {server}): "
            told += "a proxy, a login page or a wrong address."
            hint = "Open a page in your browser; check HTTPS_PROXY and GOOGLE_GEMINI_BASE_URL."
            return ServiceUnreachable(told, hint=hint)
        if said.info.get("reason") == "API_KEY_INVALID" or said.code == 401:
            return refused_key(GOOGLE_KEY, self._key)
        if said.code:
            return _refusal(said, self.name)
        return distrust(error, "Gemini", server) or _unanswered(said)

    @cached_property
    def _client(self) -> Any:
        if not self._key:
            raise no_model_key()
        # A turn may be as quick as `warm`: of two that are built then, either will do.
        limits = Bounds(_LARGEST, self._budgets.turns_at_once)
        # vertexai, base_url and the kind of client are said outright, since variables of another project
        # would send prompts elsewhere, or past the bounds.
        os.environ["GOOGLE_GENAI_HTTP_CLIENT"] = "httpx"
        return ChatGoogleGenerativeAI(
            model=self.name,
            google_api_key=self._key.reveal(),
            base_url=self._base_url,
            max_retries=1,  # that is none
            timeout=_SECONDS,
            max_output_tokens=_LONGEST,
            vertexai=False,
            client_args={"transport": BoundedTransport(limits, _too_large), "follow_redirects": False},
            **_sampling(self.name, self._thinking),
        )


class Models:
    """A client for each model, built once, when it is first asked."""

    def __init__(self, usual: str, client: Callable[[str], Gemini], fallback: str = "") -> None:
        """usual: the name of the one that is asked where none is named. client: makes one of that name.

        fallback: the name of the one that takes over; empty: none does.
        """
        self._usual = usual
        self._fallback = fallback
        self._client = client
        self._clients: dict[str, Gemini] = {}

    def named(self, name: str) -> Gemini:
        """Return the model of that *name*; the usual one for an empty name."""
        name = name or self._usual
        if name not in self._clients:
            self._clients[name] = self._client(name)
        return self._clients[name]

    def patient(self, name: str, left: Callable[[], float]) -> Retry:
        """Return what asks the model of that *name* for one turn, which has so many seconds *left*."""
        model = self.named(name)
        takes_over = self._fallback and self._fallback != model.name
        return Retry(model, self.named(self._fallback) if takes_over else None, left)

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()


def _sampling(model: str, thinking: str) -> dict[str, Any]:
    """Return what a request says of temperature and thinking: nothing, but where that is known to be right.

    A name that nobody knows yet would be taken for one of the wrong family; of newer ones some refuse a
    temperature, and each thinks as much as suits it. thinking: what the person wants, or empty.
    """
    if "gemini-2.5" not in model:
        return {"temperature": None, **({"thinking_level": thinking} if thinking else {})}
    # As little as it can do with: it plans one step, and the person waits. The larger one refuses less.
    return {"temperature": 0.7, "thinking_budget": 128 if "gemini-2.5-pro" in model else 0}


def _answer(text: str, whole: Any, name: str) -> ModelAnswer:
    metadata = getattr(whole, "response_metadata", None) or {}
    usage = getattr(whole, "usage_metadata", None) or {}
    blocked = (metadata.get("prompt_feedback") or {}).get("block_reason") or ""
    return ModelAnswer(
        text,
        str(metadata.get("finish_reason") or ""),
        str(getattr(blocked, "name", blocked) or ""),
        int(usage.get("input_tokens", 0)),
        int(usage.get("output_tokens", 0)),
        name,
    )


def _newest_first(listed: Iterable[Any]) -> list[str]:
    """Return the names of the *listed* models that write text: Gemini's own first, by version."""
    able = [model.name or "" for model in listed if "generateContent" in (model.supported_actions or ())]
    names = [name.removeprefix("models/") for name in able]
    writing = sorted(name for name in names if name and _OTHER_USES.isdisjoint(name.split("-")))
    return sorted(writing, key=_version, reverse=True)


def _version(name: str) -> tuple[bool, list[int]]:
    version = re.search(r"-(\d+(?:\.\d+)?)(?=-|$)", name)
    return name.startswith("gemini-"), [int(part) for part in version[1].split(".")] if version else []


_DOWN = (500, 502, 503, 504)
_NO_JSON = "Failed to parse response as JSON. Raw response:"  # as Google's client begins then
_FALLBACK = "have another model take over: export JARVIS_FALLBACK_MODEL=NAME   (jarvis models lists them)"
_LINE_FAULTS = {  # in the names of exceptions
    "Timeout": "Gemini did not answer in time.",
    "Protocol|ReadError|WriteError|Disconnected|Payload": "The connection to Gemini broke off.",
    "Connect|gaierror": "Gemini can't be reached: no network?",
}


class _ServiceError(NamedTuple):
    """What the service itself said, dug out of the chain of exceptions."""

    code: int  # 0: none
    message: str
    info: Mapping[str, Any]  # ErrorInfo, RetryInfo and QuotaFailure in one
    is_foreign: bool  # a web page, a redirect, or what nobody can read
    names: str  # of the exceptions' classes


class _UnknownModel(SettingsError):
    code = "unknown_model"


def _refusal(said: _ServiceError, model: str) -> JarvisError:
    match said.code:
        case 403:
            told = f"Gemini does not allow this key to use {model}: {said.message}"
            return KeyRefused(told, hint=f"Check the key's project at {GOOGLE_KEY.page}")
        case 404:
            told = f"Gemini has no model named {model}, or has retired it."
            return _UnknownModel(told, hint=f"Ask another: {ANOTHER}")
        case 429 if "PerDay" in str(said.info.get("violations")):
            hint = f"It comes back at midnight Pacific time; or {_FALLBACK}"
            return QuotaSpent(f"The daily quota of {model} is used up.", hint=hint)
        case 429:
            delay = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(said.info.get("retryDelay")))
            busy = Busy(f"The quota of {model} for this minute is used up.")
            busy.seconds = float(delay[1]) if delay else 0.0
            wait = f"in {busy.seconds:.0f} s" if delay else "in a minute"
            busy.hint = f"Try again {wait}, or let it wait that long: --timeout {60 + busy.seconds:.0f}"
            return busy
    # A 400 without a reason may mean anything; newer models say no more of a schema that is too large.
    kind = SchemaRefused if said.code == 400 and not said.info.get("reason") else ModelFailed
    hint = "Say it in other words, or with less. Or: unset JARVIS_MODEL JARVIS_THINKING"
    return kind(f"Gemini refused the request ({said.code}): {said.message}", hint=hint)


def _unanswered(said: _ServiceError) -> JarvisError:
    for names, told in _LINE_FAULTS.items():
        if re.search(names, said.names):
            return Lost(told, hint="Check your connection, and try again in a moment.")
    return ModelFailed(f"Gemini's client failed: {said.names.split()[0]}: {said.message}", hint="Try again.")


def _too_large(why: str) -> ModelFailed:
    hint = f"Try again, or another model: {ANOTHER}"
    return ModelFailed(f"Gemini's answer is too large: {why}.", hint=hint)


def _dig(error: BaseException, secrets: tuple[str, ...]) -> _ServiceError:
    errors = list(chain(error))
    # The one that tells what the service answered.
    told = next((each for each in errors if isinstance(getattr(each, "details", None), dict)), error)
    details = getattr(told, "details", None) or {}
    body = details.get("error", details) if isinstance(details, dict) else {}
    body = body if isinstance(body, dict) else {}
    infos = [each for each in body.get("details") or [] if isinstance(each, dict)]
    raw, names = str(body.get("message") or error), " ".join(type(each).__name__ for each in errors)
    code = getattr(told, "code", None) or body.get("code")
    code = code if isinstance(code, int) else 0
    is_page = raw.removeprefix(_NO_JSON).lstrip().startswith("<")
    return _ServiceError(
        code,
        # Struck out before it is cut short: half a key would not be recognised.
        one_line(_struck(one_line(_struck(raw, secrets)), secrets), 200),
        {name: value for each in reversed(infos) for name, value in each.items()},
        is_page or 300 <= code < 400 or bool(re.search("Proxy|Decod", names)),
        names,
    )


def _struck(text: str, secrets: tuple[str, ...]) -> str:
    """Return *text* without *secrets*, short ones too: an error can do without a word."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return redact(text)
