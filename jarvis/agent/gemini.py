"""Gemini: the only importer of langchain-google-genai, and the only place that translates its errors.

It tells errors apart by the service's answer, not by class names, since there are five families of them.
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
        """Make one call, once. retry.py decides whether to repeat it.

        schema: of the JSON object to return. on_text: gets the whole text so far, each time it grows. Raises
        JarvisErrors, SchemaRefused if another schema may help.
        """
        bound = self._client.bind(response_mime_type="application/json", response_json_schema=schema)
        seconds, messages = self._settings.budgets.first_token_seconds, ""
        pieces: list[Any] = []
        answer = [("system", system), ("human", _content(prompt))]
        limit = asyncio.timeout(seconds)  # for each piece: the client's own is per read and far too long
        try:
            async with limit:
                async for piece in bound.astream(answer):
                    limit.reschedule(asyncio.get_running_loop().time() + seconds)
                    pieces.append(piece)
                    if piece.text:
                        messages += piece.text
                        on_text(messages)
        except Exception as error:  # noqa: BLE001 (five unrelated families come out of this client)
            if limit.expired():
                message = f"Gemini did not answer within {seconds:g} s."
                raise ServiceUnreachable(message, hint="Try again in a moment.") from None
            explained = self.translate_error(error)
            if explained.code == _NO_SUCH_MODEL:
                with suppress(JarvisError):  # a hint is not worth a second error
                    names = ", ".join((await self.names())[:_MOST_NAMED])
                    explained.hint += f". Your key can use: {names}"
            raise explained from None
        return _answer(messages, pieces, self.name, self._settings.secrets())

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
        """Translate *error* into a JarvisError. The transport may already have done so."""
        if isinstance(error, JarvisError):
            return error
        failure = _dig(error, self._settings.secrets())
        server = server_in(self._settings.model_urls[self.service.name])
        if failure.code in _DOWN:
            message = f"{self.name} is overloaded or down ({failure.code})."
            return Overloaded(message + failure.sentence, hint=f"Try again in a minute, or {_FALLBACK}")
        if failure.is_foreign:
            message = f"The answer is not Gemini's ({failure.code or 200} from {server}): "
            message += "a proxy, a login page or a wrong address."
            hint = "Open a page in your browser. Check HTTPS_PROXY and GOOGLE_GEMINI_BASE_URL."
            return ServiceUnreachable(message, hint=hint)
        if failure.info.get("reason") == "API_KEY_INVALID" or failure.code == 401:
            return refused_key(GOOGLE, self._settings.key(GOOGLE))
        if failure.code:
            return _refusal(failure, self.name)
        if failure.message.startswith(_NO_JSON):
            return ModelFailed("Can't read Gemini's answer: it isn't JSON.", hint="Try again.")
        message = f"Gemini's client failed: {type(error).__name__}: {failure.short}"
        return ModelFailed(message, hint="Try again.")

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
    """Return *prompt* as the content of a message. Each picture follows its name."""
    parts: list[Any] = [prompt.text]
    for name, (kind, body) in prompt.pictures.items():
        picture = {"type": "media", "mime_type": kind, "data": body}
        parts += [f"The picture [{name}]:", picture]
    return parts if prompt.pictures else prompt.text


def _answer(text: str, pieces: Sequence[Any], name: str, secrets: tuple[str, ...]) -> ModelAnswer:
    """Join *pieces* into an answer. Each may have a finish reason. The first one other than STOP counts."""
    metadata = [piece.response_metadata or {} for piece in pieces]
    reasons = [str(each["finish_reason"]) for each in metadata if each.get("finish_reason")]
    feedback: Any = next((each["prompt_feedback"] for each in metadata if each.get("prompt_feedback")), {})
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


_DOWN = (500, 502, 503, 504, *range(520, 530))  # the latter come from proxies in front of services
_NO_JSON = "Failed to parse response as JSON. Raw response:"  # as Google's client begins then
_FALLBACK = "have another model take over: export JARVIS_FALLBACK_MODEL=NAME   (jarvis models lists them)"
_NO_SUCH_MODEL = "unknown_model"


class _ServiceError(NamedTuple):
    """The service's own error, taken from the chain of exceptions."""

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
        """The first sentence of its message, to append to ours, or ""."""
        found = re.match(r".*?[.!?](?=\s|$)", self.message)
        sentence = one_line(found[0] if found else self.message, 200)
        return f"{says(USUAL)}{sentence}" if self.status else ""


def _refusal(failure: _ServiceError, model: str) -> JarvisError:
    match failure.code:
        case 403:
            message = f"Gemini does not allow this key to use {model}: {failure.short}"
            return KeyRefused(message, hint=f"Check the key's project at {GOOGLE.page}")
        case 404:
            message = f"Gemini has no model named {model}, or has retired it."
            hint = f"Use another: {ANOTHER}. From now on: jarvis config set model NAME"
            return SettingsError(message, hint=hint, code=_NO_SUCH_MODEL)
        case 402 | 429:
            return _busy(failure, model)
    # A 400 without a reason may mean anything; newer models say no more of a schema that is too large.
    kind = SchemaRefused if failure.code == 400 and not failure.info.get("reason") else ModelFailed
    hint = "Try other or fewer words, or: unset JARVIS_MODEL JARVIS_THINKING"
    hint = (
        f"See what your key is allowed at {GOOGLE.page}" if failure.status == "FAILED_PRECONDITION" else hint
    )
    return kind(f"Gemini refused the request ({failure.code}): {failure.short}", hint=hint)


def _busy(failure: _ServiceError, model: str) -> Busy:
    """Return which quota is used up, and when it comes back: not today without one, or without credits."""
    quotas, seconds = str(failure.info.get("violations")), math.inf
    if re.search(r"\blimit: 0\b(?!\.\d)|'quotaValue': '0'", f"{failure.message} {quotas}"):
        message, hint = (
            f"This key has no quota for {model} at all.",
            f"Use another: {ANOTHER}. Or {_FALLBACK}",
        )
    elif failure.code == 402 or re.search(
        r"\bcredits?\b|\bprepa(y|id)|\bspend", failure.message, re.IGNORECASE
    ):
        message = "The credits of this key are used up."
        hint = f"Check your plan at {GOOGLE.page} or {_FALLBACK}"
    elif "PerDay" in quotas:
        message = f"The daily quota of {model} is used up."
        hint = f"It comes back at midnight Pacific time. Until then, {_FALLBACK}"
    else:
        is_of_minute, seconds = "PerMinute" in quotas or failure.info.get("retryDelay"), failure.seconds
        message = ": this minute's quota is used up." if is_of_minute else " allows no more requests for now."
        message, wait = f"Gemini{message}", f"in {seconds:.0f} s" if seconds else "in a minute"
        hint = f"Try again {wait}, or let it wait that long: --timeout {60 + seconds:.0f}"
    return Busy(message + failure.sentence, hint=hint, seconds=seconds)


def _dig(error: BaseException, secrets: tuple[str, ...]) -> _ServiceError:
    # The one that tells what the service answered.
    source = next((each for each in chain(error) if isinstance(getattr(each, "details", None), dict)), error)
    details = getattr(source, "details", None)
    body = next((each for each in (at(details, "error"), details) if isinstance(each, dict)), {})
    infos = [each for each in body.get("details") or [] if isinstance(each, dict)]
    raw = str(body.get("message") or error)
    code = getattr(source, "code", None) or body.get("code")
    code = code if isinstance(code, int) else 0
    is_page = raw.removeprefix(_NO_JSON).lstrip().startswith("<")
    info = {name: value for each in reversed(infos) for name, value in each.items()}
    after = getattr(getattr(source, "response", None), "headers", {}).get("retry-after")
    return _ServiceError(
        code,
        # Struck out before it is cut short: half a key would not be recognised.
        _struck(one_line(_struck(raw, secrets)), secrets),
        info,
        is_page or 300 <= code < 400,
        _seconds_in(info.get("retryDelay")) or _seconds_in(after),
        str(body.get("status") or ""),
    )


def _seconds_in(text: object) -> float:
    """Return the seconds in *text* (Google's "20s", or a header's 20 or date), or 0."""
    if delay := re.fullmatch(r"(\d{1,9}(?:\.\d+)?)s?", str(text)):
        return float(delay[1])
    with suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(str(text)).timestamp() - time.time())
    return 0.0


def _struck(text: str, secrets: tuple[str, ...]) -> str:
    """Return *text* without *secrets*, short ones too: an error can do without a word."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return redact(text)
