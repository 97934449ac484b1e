"""Calls Gemini: the only importer of langchain-google-genai. gemini_errors.py translates its errors."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from langchain_google_genai import ChatGoogleGenerativeAI

from ..config.keys import Secret, no_model_key
from ..config.settings import Budgets
from ..core.certificates import server_in
from ..core.errors import JarvisError, ModelFailed, SettingsError
from ..search.http import BoundedTransport, Bounds
from .alternatives import alternatives
from .faults import Lost, TooSlow
from .gemini_errors import Asked, as_our_error
from .model import ANOTHER, ModelAnswer

GOOGLE = "https://generativelanguage.googleapis.com"
_LONGEST = 8192  # tokens of an answer, with what was thought
_LARGEST = 2_000_000  # bytes of one, as it comes: _LONGEST take 0.3 MB
_LONGEST_LINE = 500_000  # bytes: it is read line by line
_SECONDS = 60  # from a request to the last byte of its answer
_MOST_NAMED = 12  # models, in a hint


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
        self._client: Any = None

    def check(self) -> None:
        """Raise NoKey where no call can be made."""
        if not self._key:
            raise no_model_key()

    async def ask(
        self,
        system: str,
        prompt: str,
        schema: dict[str, object],
        on_text: Callable[[str], bool],
        on_waiting: Callable[[str], None],
    ) -> ModelAnswer:
        """Make one call, once. Whether it is made again is decided in patience.py."""
        started = False

        def note(text: str) -> None:
            nonlocal started
            started = True
            on_text(text)

        try:
            return await self._stream(system, prompt, schema, note)
        except JarvisError:
            raise
        except Exception as error:  # noqa: BLE001 (five unrelated families come out of this client)
            if started and not getattr(error, "details", None):
                raise Lost("The connection to Gemini broke off.", hint="Try again.") from None
            raise await self._explained(error) from None

    def warm(self) -> None:
        """Build the client now, on whatever thread, if there is a key. No network is touched."""
        if self._key and self._client is None:
            with suppress(SettingsError):  # the turn that asks tells it
                built = self._built()
                self._client = self._client or built  # a turn may have been quicker

    async def close(self) -> None:
        if self._client is not None:
            await self._client.client.aio.aclose()
            self._client.client.close()

    async def _stream(
        self, system: str, prompt: str, schema: dict[str, object], on_text: Callable[[str], None]
    ) -> ModelAnswer:
        bound = self._model().bind(response_mime_type="application/json", response_json_schema=schema)
        text, whole = "", None
        pieces = bound.astream([("system", system), ("human", prompt)])
        async for piece in self._in_time(pieces):
            whole = piece if whole is None else whole + piece
            if piece.text:
                text += piece.text
                on_text(text)
        return _answer(text, whole)._replace(model=self.name)

    async def _in_time(self, pieces: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield *pieces*, each within its time: the client's own time-out is per read and far too long."""
        seconds = self._budgets.first_token_seconds
        while True:
            try:
                async with asyncio.timeout(seconds):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise TooSlow(
                    f"Gemini did not answer within {seconds:g} s.", hint="Try again in a moment."
                ) from None
            yield piece

    def _model(self) -> Any:
        if self._client is None:
            self._client = self._built()
        return self._client

    def _built(self) -> Any:
        limits = Bounds(_LARGEST, _LONGEST_LINE, self._budgets.turns_at_once)
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

    async def _explained(self, error: Exception) -> JarvisError:
        explained = self._as_our_error(error)
        if explained.code == "unknown_model":
            with suppress(JarvisError):  # a hint is not worth a second error
                names = ", ".join((await self.names())[:_MOST_NAMED])
                explained.hint = f"Ask another: {ANOTHER}. Your key can use: {names}"
        return explained

    async def names(self) -> list[str]:
        """Return the models that this key can plan with, newest first. Failures are JarvisErrors."""
        self.check()
        try:
            async with asyncio.timeout(5):
                pager = await self._model().client.aio.models.list()
                return alternatives([model async for model in pager])
        except Exception as error:  # noqa: BLE001 (as above)
            raise self._as_our_error(error) from None

    def _as_our_error(self, error: Exception) -> JarvisError:
        server = server_in(self._base_url)
        return as_our_error(error, Asked(self.name, server, self._key, self._thinking, self._secrets))


def _too_large(why: str) -> ModelFailed:
    return ModelFailed(
        f"Gemini's answer is too large: {why}.", hint=f"Try again, or another model: {ANOTHER}"
    )


def _sampling(model: str, thinking: str) -> dict[str, Any]:
    """Return what a request says of temperature and thinking: nothing, but where that is known to be right.

    A name that nobody knows yet would be taken for one of the wrong family; of newer ones some refuse a
    temperature, and each thinks as much as suits it. thinking: what the person wants, or empty.
    """
    if "gemini-2.5" not in model:
        return {"temperature": None, **({"thinking_level": thinking} if thinking else {})}
    # As little as it can do with: it plans one step, and the person waits. The larger one refuses less.
    return {"temperature": 0.7, "thinking_budget": 128 if "gemini-2.5-pro" in model else 0}


def _answer(text: str, whole: Any) -> ModelAnswer:
    metadata = getattr(whole, "response_metadata", None) or {}
    usage = getattr(whole, "usage_metadata", None) or {}
    feedback = metadata.get("prompt_feedback") or {}
    blocked = feedback.get("block_reason") or ""
    return ModelAnswer(
        text,
        str(metadata.get("finish_reason") or ""),
        str(getattr(blocked, "name", blocked) or "") if blocked else "",
        int(usage.get("input_tokens", 0)),
        int(usage.get("output_tokens", 0)),
    )
