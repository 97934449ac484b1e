"""Gemini: the only importer of langchain-google-genai, and the only place where its errors become ours.

They are told apart by what the service said, not by the names of classes, of which there are five families.
"""

import asyncio
import math
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, NamedTuple

from langchain_google_genai import ChatGoogleGenerativeAI

from ..config.keys import refused_key
from ..config.services import GOOGLE, USUAL, service_of
from ..config.settings import Settings, check_model_key
from ..core.errors import (
    JarvisError,
    KeyRefused,
    ModelFailed,
    SchemaRefused,
    ServiceUnreachable,
    SettingsError,
    chain,
)
from ..core.text import one_line, redact
from ..search.extract import at
from ..search.http import BoundedTransport, last_event
from ..search.web_service import WebService, server_in
from .retry import ANOTHER, STOP, Busy, ModelAnswer, ModelPrompt, Overloaded, says

_VERSION = "v1beta"  # of the API; what Google's client asks by itself changes with its own version
_STEERING = "GOOGLE_GENAI_"  # how the variables begin by which that client is steered
_LONGEST = 8192  # tokens of an answer, with what was thought
_LARGEST = 2_000_000  # bytes of one, as it comes: _LONGEST take 0.3 MB
_SECONDS = 60  # from a request to the last byte of its answer
_MOST_NAMED = 12  # models, in a hint
_OTHER_USES = {"embedding", "tts", "image", "audio", "live", "aqa"}


class Gemini:
    """One client, built once: building it costs 200 ms and more."""

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self.service = service_of(name)
        self._settings = settings

    async def ask(
        self, system: str, prompt: ModelPrompt, schema: dict[str, object], on_text: Callable[[str], object]
    ) -> ModelAnswer:
        """Make one call, once: whether it is made again is decided in retry.py.

        schema: of the JSON object that is wanted. on_text: is given all that was written so far, each time
        there is more. Failures are JarvisErrors; SchemaRefused where another schema may help.
        """
        bound = self._client.bind(response_mime_type="application/json", response_json_schema=schema)
        seconds, text = self._settings.budgets.first_token_seconds, ""
        pieces: list[Any] = []
        said = [("system", system), ("human", _content(prompt))]
        limit = asyncio.timeout(seconds)  # for each piece: the client's own is per read and far too long
        try:
            async with limit:
                async for piece in bound.astream(said):
                    limit.reschedule(asyncio.get_running_loop().time() + seconds)
                    pieces.append(piece)
                    if piece.text:
                        text += piece.text
                        on_text(text)
        except Exception as error:  # noqa: BLE001 (five unrelated families come out of this client)
            if limit.expired():
                told = f"Gemini did not answer within {seconds:g} s."
                raise ServiceUnreachable(told, hint="Try again in a moment.") from None
            explained = self.translate_error(error)
            if explained.code == _NO_SUCH_MODEL:
                with suppress(JarvisError):  # a hint is not worth a second error
                    names = ", ".join((await self.names())[:_MOST_NAMED])
                    explained.hint += f". Your key can use: {names}"
            raise explained from None
        return _answer(text, pieces, self.name, self._settings.secrets())

    async def names(self) -> list[str]:
        """Return the models that this key can plan with, newest first. Failures are JarvisErrors."""
        try:
            async with asyncio.timeout(5):
                pager = await self._client.client.aio.models.list()
                return _newest_first([model async for model in pager])
        except Exception as error:  # noqa: BLE001 (as above)
            raise self.translate_error(error) from None

    async def aclose(self) -> None:
        if "_client" in vars(self):
            await self._client.client.aio.aclose()
            self._client.client.close()

    def translate_error(self, error: BaseException) -> JarvisError:
        """Return *error* as one of ours; it may be one of ours, from where its bytes came in."""
        if isinstance(error, JarvisError):
            return error
        said = _dig(error, self._settings.secrets())
        server = server_in(self._settings.model_urls[self.service.name])
        if said.code in _DOWN:
            told = f"{self.name} is overloaded or down ({said.code})."
            return Overloaded(told + said.sentence, hint=f"Try again in a minute, or {_FALLBACK}")
        if said.is_foreign:
            told = f"The answer is not Gemini's ({said.code or 200} from {server}): "
            told += "a proxy, a login page or a wrong address."
            hint = "Open a page in your browser. Check HTTPS_PROXY and GOOGLE_GEMINI_BASE_URL."
            return ServiceUnreachable(told, hint=hint)
        if said.info.get("reason") == "API_KEY_INVALID" or said.code == 401:
            return refused_key(GOOGLE, self._settings.key(GOOGLE))
        if said.code:
            return _refusal(said, self.name)
        if said.message.startswith(_NO_JSON):
            return ModelFailed("Can't read Gemini's answer: it isn't JSON.", hint="Try again.")
        told = f"Gemini's client failed: {type(error).__name__}: {said.short}"
        return ModelFailed(told, hint="Try again.")

    @cached_property
    def _client(self) -> Any:
        settings = self._settings
        check_model_key(settings, self.name)
        # Another project's variables would send prompts elsewhere, past the bounds, or to a file. Google's
        # client heeds them whatever langchain's is told, so they go before it is built.
        for name in [name for name in os.environ if name.startswith(_STEERING)]:
            del os.environ[name]
        os.environ["GOOGLE_GENAI_HTTP_CLIENT"] = "httpx"
        url = settings.model_urls[self.service.name]
        server = WebService("Gemini", url, self.service.url_variable, GOOGLE.page)
        transport = BoundedTransport(server, ModelFailed, _LARGEST, settings.budgets.turns_at_once)
        return ChatGoogleGenerativeAI(
            model=self.name.rpartition(":")[2],
            google_api_key=settings.key(GOOGLE).reveal(),
            base_url=url,
            api_version=_VERSION,
            max_retries=1,  # that is none
            timeout=_SECONDS,
            max_output_tokens=_LONGEST,
            vertexai=False,
            client_args={"transport": transport, "follow_redirects": False},
            # A temperature and what is thought are best left to each model; some refuse them.
            temperature=None,
            thinking_level=settings.thinking or None,
        )


def _content(prompt: ModelPrompt) -> Any:
    """Return *prompt* as the content of a message: each picture stands behind its name."""
    parts: list[Any] = [prompt.text]
    for name, (kind, body) in prompt.pictures.items():
        picture = {"type": "media", "mime_type": kind, "data": body}
        parts += [f"The picture [{name}]:", picture]
    return parts if prompt.pictures else prompt.text


def _answer(text: str, pieces: Sequence[Any], name: str, secrets: tuple[str, ...]) -> ModelAnswer:
    """Return what was written in *pieces*, each of which may say how it stopped: what is not STOP counts."""
    told = [piece.response_metadata or {} for piece in pieces]
    reasons = [str(each["finish_reason"]) for each in told if each.get("finish_reason")]
    feedback: Any = next((each["prompt_feedback"] for each in told if each.get("prompt_feedback")), {})
    blocked = feedback.get("block_reason") or ""
    used = [piece.usage_metadata or {} for piece in pieces]
    return ModelAnswer(
        text,
        next((reason for reason in reasons if reason != STOP), reasons[0] if reasons else ""),
        str(getattr(blocked, "name", blocked) or ""),
        sum(int(each.get("input_tokens", 0)) for each in used),
        sum(int(each.get("output_tokens", 0)) for each in used),
        name,
        one_line(_struck(feedback.get("block_reason_message") or _last_words(), secrets), 200),
    )


def _last_words() -> str:
    """Return the service's own words on why it stopped, which its client leaves out."""
    with suppress(LookupError, TypeError):
        return str(last_event.get()["candidates"][0]["finishMessage"])
    return ""


def _newest_first(listed: Iterable[Any]) -> list[str]:
    """Return the names of the *listed* models that write text, Gemini's own first."""
    able = [model.name or "" for model in listed if "generateContent" in (model.supported_actions or ())]
    names = [name.removeprefix("models/") for name in able]
    writing = [name for name in names if name and _OTHER_USES.isdisjoint(name.split("-"))]
    return sorted(writing, key=lambda name: (name.startswith("gemini-"), name), reverse=True)


_DOWN = (500, 502, 503, 504, *range(520, 530))  # the latter ones are those of what stands before services
_NO_JSON = "Failed to parse response as JSON. Raw response:"  # as Google's client begins then
_FALLBACK = "have another model take over: export JARVIS_FALLBACK_MODEL=NAME   (jarvis models lists them)"
_NO_SUCH_MODEL = "unknown_model"


class _ServiceError(NamedTuple):
    """What the service itself said, dug out of the chain of exceptions."""

    code: int  # 0: none
    message: str  # on one line; empty: it said nothing
    info: Mapping[str, Any]  # ErrorInfo, RetryInfo and QuotaFailure in one
    is_foreign: bool  # a web page, or a redirect
    seconds: float  # after which it wants to be asked again; 0: it does not say
    status: str  # its code in words

    @property
    def short(self) -> str:
        return one_line(self.message, 200)

    @property
    def sentence(self) -> str:
        """Its first sentence, as it stands behind what is told; empty: it said none."""
        found = re.match(r".*?[.!?](?=\s|$)", self.message)
        told = one_line(found[0] if found else self.message, 200)
        return f"{says(USUAL)}{told}" if self.status else ""


def _refusal(said: _ServiceError, model: str) -> JarvisError:
    match said.code:
        case 403:
            told = f"Gemini does not allow this key to use {model}: {said.short}"
            return KeyRefused(told, hint=f"Check the key's project at {GOOGLE.page}")
        case 404:
            told = f"Gemini has no model named {model}, or has retired it."
            hint = f"Use another: {ANOTHER}. From now on: jarvis config set model NAME"
            return SettingsError(told, hint=hint, code=_NO_SUCH_MODEL)
        case 402 | 429:
            return _busy(said, model)
    # A 400 without a reason may mean anything; newer models say no more of a schema that is too large.
    kind = SchemaRefused if said.code == 400 and not said.info.get("reason") else ModelFailed
    hint = "Try other or fewer words, or: unset JARVIS_MODEL JARVIS_THINKING"
    hint = f"See what your key is allowed at {GOOGLE.page}" if said.status == "FAILED_PRECONDITION" else hint
    return kind(f"Gemini refused the request ({said.code}): {said.short}", hint=hint)


def _busy(said: _ServiceError, model: str) -> Busy:
    """Return which quota is used up, and when it comes back: not today without one, or without credits."""
    quotas, seconds = str(said.info.get("violations")), math.inf
    if re.search(r"\blimit: 0\b(?!\.\d)|'quotaValue': '0'", f"{said.message} {quotas}"):
        told, hint = f"This key has no quota for {model} at all.", f"Ask another: {ANOTHER}; or {_FALLBACK}"
    elif said.code == 402 or re.search(r"\bcredits?\b|\bprepa(y|id)|\bspend", said.message, re.IGNORECASE):
        told = "The credits of this key are used up."
        hint = f"See what your plan allows at {GOOGLE.page}; or {_FALLBACK}"
    elif "PerDay" in quotas:
        told = f"The daily quota of {model} is used up."
        hint = f"It comes back at midnight Pacific time; or {_FALLBACK}"
    else:
        is_of_minute, seconds = "PerMinute" in quotas or said.info.get("retryDelay"), said.seconds
        told = ": this minute's quota is used up." if is_of_minute else " allows no more requests for now."
        told, wait = f"Gemini{told}", f"in {seconds:.0f} s" if seconds else "in a minute"
        hint = f"Try again {wait}, or let it wait that long: --timeout {60 + seconds:.0f}"
    return Busy(told + said.sentence, hint=hint, seconds=seconds)


def _dig(error: BaseException, secrets: tuple[str, ...]) -> _ServiceError:
    # The one that tells what the service answered.
    told = next((each for each in chain(error) if isinstance(getattr(each, "details", None), dict)), error)
    details = getattr(told, "details", None)
    body = next((each for each in (at(details, "error"), details) if isinstance(each, dict)), {})
    infos = [each for each in body.get("details") or [] if isinstance(each, dict)]
    raw = str(body.get("message") or error)
    code = getattr(told, "code", None) or body.get("code")
    code = code if isinstance(code, int) else 0
    is_page = raw.removeprefix(_NO_JSON).lstrip().startswith("<")
    info = {name: value for each in reversed(infos) for name, value in each.items()}
    after = getattr(getattr(told, "response", None), "headers", {}).get("retry-after")
    return _ServiceError(
        code,
        # Struck out before it is cut short: half a key would not be recognised.
        _struck(one_line(_struck(raw, secrets)), secrets),
        info,
        is_page or 300 <= code < 400,
        _seconds_in(info.get("retryDelay")) or _seconds_in(after),
        str(body.get("status") or ""),
    )


def _seconds_in(said: object) -> float:
    """Return the seconds that *said* names, as Google's "20s" or as a header: 20, or a date; 0: none."""
    if delay := re.fullmatch(r"(\d{1,9}(?:\.\d+)?)s?", str(said)):
        return float(delay[1])
    with suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(str(said)).timestamp() - time.time())
    return 0.0


def _struck(text: str, secrets: tuple[str, ...]) -> str:
    """Return *text* without *secrets*, short ones too: an error can do without a word."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return redact(text)
