"""The language model services, one row each, and every key of the core.

Keys, settings, hints, questions, doctor, and setup read a row. agent/models.py has a client for each wire.
"""

from typing import NamedTuple

from ..core.errors import UsageError
from .keys import BRAVE, SERPAPI, Key


class ModelService(NamedTuple):
    """A service that offers language models."""

    name: str  # as people type it: small letters and digits
    title: str  # for people
    receiver: str  # who gets what the model is shown, in a sentence
    wire: str  # how it is talked to
    url: str  # of its server, unless NAME_base_url says another one
    url_variable: str  # or this variable
    key: Key | None = None  # None: it takes none


GOOGLE = Key(
    "google",
    "Google",
    ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "https://aistudio.google.com/apikey",
    "the language model, Gemini (there are free ones)",
    "x-goog-api-key",
    "v1beta/models",
    note="With a free key, Google may use what you send to improve its products, and people may read it. "
    "Not with a paid one: https://ai.google.dev/gemini-api/terms",
)
_URL, _VARIABLE = "https://generativelanguage.googleapis.com", "GOOGLE_GEMINI_BASE_URL"
USUAL = ModelService("gemini", "Gemini", "Google's Gemini", "gemini", _URL, _VARIABLE, GOOGLE)
MODEL_SERVICES = {service.name: service for service in (USUAL,)}
MODEL_KEYS = [service.key for service in MODEL_SERVICES.values() if service.key]
KEYS = {key.name: key for key in (*MODEL_KEYS, SERPAPI, BRAVE)}  # those of packs stand besides: packs/pack.py
NO_SERVICE = f"names no known model service (known: {', '.join(MODEL_SERVICES)})"

DEFAULT_MODEL = "gemini-3.5-flash-lite"
# As Google announced: from when models are no more, and what answers then. Its list of models does not say.
MODEL_ENDS = {"gemini-2.5-flash": "2026-12-01", "gemini-2.5-pro": "2026-12-01"}
_SUCCESSORS = {"gemini-2.5-flash": "gemini-3.5-flash-lite", "gemini-2.5-pro": "gemini-3.8-flash"}


def service_of(model: str) -> ModelService:
    """Return the service of *model*: SERVICE:NAME, or a bare name of the usual one. Raises UsageError."""
    if not is_known_service(model):
        raise UsageError(f"“{model}” {NO_SERVICE}.", hint="jarvis models")
    return MODEL_SERVICES[_service_name(model)]


def is_known_service(model: str) -> bool:
    """Tell whether the table has the service of *model*."""
    return _service_name(model) in MODEL_SERVICES


def _service_name(model: str) -> str:
    return model.partition(":")[0] if ":" in model else USUAL.name


def describe_model(name: str) -> str:
    """Return the *name* of a model, and of one that ends when that is and what helps."""
    day, other = MODEL_ENDS.get(name), _SUCCESSORS.get(name)
    return f"{name} ends on {day}. Then {other} answers instead. Set that one." if day else name
