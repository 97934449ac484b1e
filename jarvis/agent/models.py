"""The models to choose from. Each service's wire decides which client is used."""

from collections.abc import Callable
from contextlib import aclosing

from ..config.services import service_of
from ..config.settings import Settings
from ..core.concurrency import run_async
from .retry import Model, Retry


def _gemini(name: str, settings: Settings) -> Model:
    from .gemini import Gemini  # seconds of imports, which no other wire needs

    return Gemini(name, settings)


CLIENTS: dict[str, Callable[[str, Settings], Model]] = {"gemini": _gemini}  # by their wires


def model_client(name: str, settings: Settings) -> Model:
    """Return a client for the model of that *name*. Raises UsageError."""
    return CLIENTS[service_of(name).wire](name, settings)


def model_names(model: str, settings: Settings) -> list[str]:
    """Return the names of the models of the service of *model*, newest first. Raises JarvisError."""

    async def names() -> list[str]:
        async with aclosing(model_client(model, settings)) as client:
            return await client.names()

    return run_async(names())


class Models:
    """A client for each model, built once: that of the usual one here, which takes its imports."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._clients: dict[str, Model] = {}
        self.get_model("")

    def get_model(self, name: str) -> Model:
        """Return the model with that *name*, or the default one for ""."""
        name = name or self._settings.model
        if name not in self._clients:
            self._clients[name] = model_client(name, self._settings)
        return self._clients[name]

    def patient(self, name: str, left: Callable[[], float]) -> Retry:
        """Return that model with retries, for one turn with so many seconds *left*."""
        model, fallback = self.get_model(name), self._settings.fallback_model
        takes_over = fallback and fallback != model.name
        return Retry(model, self.get_model(fallback) if takes_over else None, left)

    async def close(self) -> None:
        for client in self._clients.values():
            await client.aclose()
