"""Looks at the settings, the keys, the model and the search."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from functools import partial

from ...agent.alternatives import ENDS
from ...config.keys import GOOGLE, KEYS, NEEDS_MODEL, Key, refused_key
from ...config.settings import DEFAULT_MODEL, layers_of
from ...config.system_keyring import with_kept_keys
from ...core.errors import ServiceUnreachable, SettingsError
from ..commands.keys import origins_of
from .finding import NOTED, WRONG, Finding, Patient, finding

_SECRETS = (*(name for key in KEYS.values() for name in key.variables), "DATABASE_URL")
_OTHERS_READ = 0o044


def settings(patient: Patient) -> Iterator[Finding]:
    folders, _, layers = layers_of(patient.environment, patient.env_file)
    # Which of them hold a key, or a password.
    files = {found.origin for found in layers.found(*_SECRETS) if os.path.exists(found.origin)}
    for path in dict.fromkeys([folders.toml, folders.env_file, *sorted(files)]):
        name = os.path.basename(path)
        if not os.path.exists(path):
            yield Finding(name, "there is none")
        elif path in files and (mode := os.stat(path).st_mode & 0o777) & _OTHERS_READ and os.name != "nt":
            told = f"by its mode ({mode:o}) others may read {path}, which holds a secret"
            yield Finding(name, told, f"chmod 600 {shlex.quote(path)}", WRONG)
        else:
            yield Finding(name, path)
    for warning in patient.settings.warnings:
        yield Finding("config.toml", warning, state=NOTED)


def keys(patient: Patient) -> Iterator[Finding]:
    for key in KEYS.values():
        _, places = origins_of(key, patient.environment, patient.env_file)
        if not places:
            yield _missing(key)
            continue
        first, *hidden = places
        told = f"{first}; hides {', '.join(hidden)}" if hidden else first
        yield finding(key.name, partial(_tried, key, told, patient))


def _missing(key: Key) -> Finding:
    is_needed = key is GOOGLE
    told = NEEDS_MODEL if is_needed else "The web is not searched without one."
    return Finding(key.name, f"not set. {told}", f"jarvis keys set {key.name}", WRONG if is_needed else NOTED)


def _tried(key: Key, told: str, patient: Patient) -> str:
    """Return what is *told* of *key*, and that its service takes it, if it is to be asked."""
    if not patient.is_online:
        return told
    from ..key_check import check  # requests takes 0.1 s

    known = with_kept_keys(patient.settings)
    secret = known.google_key if key is GOOGLE else known.serpapi_key
    checked = check(key, secret.reveal(), known)
    if checked.is_taken is False:
        raise refused_key(key, secret)
    if checked.is_taken is None:
        raise ServiceUnreachable(f"{checked.why}.", hint="Check your network, then: jarvis doctor --online")
    return f"{told}; {key.service} takes it"


def model(patient: Patient) -> Iterator[Finding]:
    name = patient.settings.model
    found = list(layers_of(patient.environment, patient.env_file)[2].found("JARVIS_MODEL"))
    told = f"{name} ({found[0].told if found else 'the default'})"
    ends = ENDS.get(name, "")
    if not ends:
        yield finding("model", lambda: _known(told, patient))
        return
    is_gone = today() >= ends
    verb = "was" if is_gone else "will be"
    cure = f"export JARVIS_MODEL={DEFAULT_MODEL}"
    yield Finding("model", f"{told} {verb} retired on {ends}", cure, WRONG if is_gone else NOTED)


def today() -> str:
    return time.strftime("%Y-%m-%d")


def _known(told: str, patient: Patient) -> str:
    """Return what is *told* of the model, and that Gemini has it, if that is to be asked."""
    if not (patient.is_online and patient.settings.google_key.origin):
        return told
    from ..key_check import check_model  # as above

    known = with_kept_keys(patient.settings)
    checked = check_model(known.model, known.google_key.reveal(), known)
    if checked.is_taken is False:
        hint = f"export JARVIS_MODEL={DEFAULT_MODEL}"
        raise SettingsError(
            f"Gemini has no model named {patient.settings.model}, or has retired it.", hint=hint
        )
    # Whatever else is wrong is told of the key.
    return f"{told}; Gemini has it" if checked.is_taken else told


def search(patient: Patient) -> Iterator[Finding]:
    limit = patient.settings.daily.searches
    if not patient.settings.serpapi_key.origin:
        yield Finding("search", "off, without a key: answers come from what the model knows", state=NOTED)
    elif limit == 0:
        yield Finding("search", "off: searches = 0 below [daily] in config.toml", state=NOTED)
    else:
        yield Finding("search", "by SerpAPI" + ("" if limit is None else f", at most {limit} a day"))
