"""The models that are asked: the one of the settings, and others that a request names."""

from __future__ import annotations

from collections.abc import Callable

from .gemini import Gemini
from .patience import Patience


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

    def patient(self, name: str, left: Callable[[], float]) -> Patience:
        """Return what asks the model of that *name* for one turn, which has so many seconds *left*."""
        model = self.named(name)
        takes_over = self._fallback and self._fallback != model.name
        return Patience(model, self.named(self._fallback) if takes_over else None, left)

    def warm(self) -> None:
        self.named("").warm()

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()
