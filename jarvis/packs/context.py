"""Everything of a pack's own: its settings, its host, its key, and its saved items.

Also the Console of its commands, which the command line passes as `ctx.obj`. The commands.py of its folder
has an `app`, a `typer.Typer(name=NAME, help=…)`, imported only when a line uses it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..config.keys import looks_like_key, refused_key
from ..config.settings import Settings
from ..config.sources import Secret
from ..core.errors import JarvisError, KeyRefused, NoKey, SearchFailed, ServiceUnreachable, SettingsError
from ..output.screen import Screen
from ..search.web_service import WebService, checked_json, server_in
from ..store.database import file_lock
from ..store.items import SavedItems
from .pack import BASE_URL, Pack, server_hint, settings_of

if TYPE_CHECKING:
    from ..core.types import Effect
    from ..search.http import HttpClient
    from ..search.serpapi import Engines
    from ..store.open import Store

_T = TypeVar("_T")
_TO_READ, _TO_SEND = 10.0, 60.0  # seconds for an answer: hundreds of activities may be sent at once
_WAITS = (0.2, 0.8)  # seconds before the second and the third try without an answer
_PAUSE = 0.05  # seconds between two looks whether another process is still at it
_BEARER = "Bearer"


class PackContext:
    """The source of a pack's services, commands, and checks."""

    def __init__(
        self, pack: Pack, settings: Settings, store: Store | None = None, *, is_online: bool = True
    ) -> None:
        """settings: with the keys from the keyring. store: None if nothing is saved or read.

        is_online: whether requests to its host are allowed.
        """
        self.pack = pack
        self.settings: Mapping[str, str] = settings_of(pack, settings)
        self.is_online = is_online
        self._store = store
        self._key = settings.key(pack.key) if pack.key else Secret("")
        self._token = Secret("")  # made of it, where it is made a token of

    @property
    def items(self) -> SavedItems:
        """The items that the pack saved for the user."""
        return SavedItems(self._open_store.database, self.pack.name)

    @property
    def _open_store(self) -> Store:
        if self._store is None:
            raise RuntimeError("A check reads no lists: history may be what is wrong.")
        return self._store

    async def get(self, path: str, params: Mapping[str, str] | None = None) -> Any:
        """Return the JSON at *path* of the pack's host, and no other, requested with the pack's key.

        If nothing answers, it tries twice more. If a token made from the key is refused, it makes a new one,
        once. Failures are JarvisErrors, with no trace of the key: NoKey, KeyRefused, ServiceUnreachable, …
        """
        is_old, waits = bool(self._token), [*_WAITS]
        while True:
            try:
                return await self._ask("GET", path, await self._credential(), params=params or {})
            except KeyRefused:
                if not is_old:
                    raise
                self._token, is_old = Secret(""), False
            except (ServiceUnreachable, SearchFailed) as error:
                if isinstance(error, ServiceUnreachable) and waits:
                    await self.pause(waits.pop(0))
                    continue
                if self.pack.server:
                    needed = " ".join(filter(None, (self._server.name, self.pack.since)))
                    error.hint = f"Check that {needed} runs at {self.host}, or: {server_hint(self.pack)}"
                raise

    async def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of a request that changes something, sent only once.

        Failures are those of `get`. After a ServiceUnreachable other than NotSent, the change may still
        happen.
        """
        return await self._ask(method, path, await self._credential(), _TO_SEND, json=body)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Keep others on this machine from changing the host in this block: who is at it is waited for."""
        name = f"{self.pack.name} {self.host}"
        while (held := await file_lock(self._open_store.folders.state, name)) is None:
            await self.pause(_PAUSE)
        async with held:
            yield

    async def pause(self, seconds: float) -> None:
        """Let others work for so long."""
        from asyncio import sleep  # which a page of help does without

        await sleep(seconds)

    async def _credential(self) -> Secret:
        """Return the credential: the key, or the token made from it. Raises NoKey."""
        key, secret = self.pack.key, self._key
        if key and not secret:
            hint = f"jarvis keys set {key.name}   (a key: {key.page})"
            raise NoKey(f"No {key.service} key is set.", hint=hint)
        if key and key.login and not self._token:
            page = await self._ask("POST", key.login.path, Secret(""), json={key.login.key: secret.reveal()})
            made = page.get(key.login.token) if isinstance(page, dict) else None
            if not isinstance(made, str) or not looks_like_key(made):
                raise SearchFailed(f"Can't read {key.service}'s answer: it has no token.", hint="Try again.")
            self._token = Secret(made)
        return self._token or secret

    async def _ask(
        self, method: str, path: str, secret: Secret, seconds: float = _TO_READ, **sent: Any
    ) -> Any:
        """Return the JSON that comes of one request, with what lets in. sent: its params, or its json."""
        server, headers = self._server, {}
        if (key := self.pack.key) and secret:  # never in the address, which logs and proxies keep
            is_bearer = key.sent_as == _BEARER
            name, before = ("Authorization", f"{_BEARER} ") if is_bearer else (key.sent_as, "")
            headers[name] = before + secret.reveal()
        url = f"{server.url}/{path.lstrip('/')}"
        answer = await self._client.request(method, url, headers=headers, timeout=seconds, **sent)
        text = answer.content.decode("utf-8", "replace")
        # What says why it was refused may quote what was sent.
        shown = secret.reveal() or self._key.reveal()
        return checked_json(text, answer.status_code, server, shown, self._refused)

    async def aclose(self) -> None:
        if "_client" in vars(self):
            await self._client.aclose()

    @cached_property
    def _client(self) -> HttpClient:
        """The client, which keeps its connections between requests."""
        from ..search.http import client_of  # httpx takes half a second

        return client_of(self._server)

    @property
    def _server(self) -> WebService:
        pack, setting = self.pack, self.pack.server or BASE_URL
        name, page = (pack.key.service, pack.key.page) if pack.key else (pack.name, pack.host)
        if not (url := self.settings[setting]):
            raise SettingsError(f"Jarvis doesn't know where your {name} is.", hint=server_hint(pack))
        return WebService(name, url, f"packs.{pack.name}.{setting}", page)

    @property
    def host(self) -> str:
        """The host with its port, to show."""
        return server_in(self.settings[self.pack.server or BASE_URL])

    def _refused(self) -> JarvisError:
        if self.pack.key:
            return refused_key(self.pack.key, self._key)
        server = self._server
        return JarvisError(f"{server.name} refused the request.", hint=f"See {server.page}", code="refused")


class Console(Protocol):
    """The line that was typed, and what may be done for it. Failures are JarvisErrors, which it tells."""

    @property
    def screen(self) -> Screen: ...

    def settings(self) -> Settings:
        """Read the settings. After that, no key is printed."""

    def with_pack(self, name: str, work: Callable[[PackContext], Awaitable[_T]]) -> _T:
        """Return the result of *work* on what the pack of that *name* has: its host, what it saved."""

    def confirm(self, effect: Effect) -> None:
        """Get the user's yes to *effect*: to a write, unless a rule allows it, and to a read, if a rule asks.

        Raises Refused, NeedsAnswer.
        """

    def with_store(self, work: Callable[[Store], Awaitable[_T]]) -> _T:
        """Return the result of *work* on the store."""

    def with_engines(self, work: Callable[[Store, Engines], Awaitable[_T]]) -> _T:
        """Return the result of *work* that searches, each counted in the day's limit."""
