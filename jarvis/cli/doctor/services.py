"""Looks at the settings, the keys, the model and the search."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from ... import packs
from ...agent.retry import ENDS
from ...config.keys import GOOGLE, KEYS, NEEDS_MODEL, Key, Secret, refused_key
from ...config.market import market_of
from ...config.settings import DEFAULT_MODEL, Settings, layers_of
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
    for warning in packs.warnings(patient.settings):
        yield Finding("config.toml", warning, state=NOTED)
    if patient.settings.shop:
        yield finding("packs.shop", partial(_market, patient.settings))
    on = [_pack(state) for state in packs.states(patient.settings) if state.is_on]
    yield Finding("packs", f"on: {', '.join(on)}" if on else "none is on: jarvis packs list")


def _market(settings: Settings) -> str:
    said = market_of(settings)._asdict()
    return ", ".join(f"{name} {value}" for name, value in said.items() if value)


def _pack(state: packs.PackState) -> str:
    name = state.pack.name
    return f"{name}, which is not used without {state.missing}" if state.missing else name


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

    secret = _secret(key, patient.settings)
    checked = check(key, secret.reveal(), patient.settings)
    if checked.is_taken is False:
        raise refused_key(key, secret)
    if checked.is_taken is None:
        raise ServiceUnreachable(f"{checked.why}.", hint="Check your network, then: jarvis doctor --online")
    return f"{told}; {key.service} {checked.taken}"


def _secret(key: Key, settings: Settings) -> Secret:
    """Return the person's *key*. Raises SettingsError where only the keyring has it, and does not tell."""
    secret = settings.google_key if key is GOOGLE else settings.serpapi_key
    if not secret.is_in_keyring:
        return secret
    kept = with_kept_keys(settings)
    return kept.google_key if key is GOOGLE else kept.serpapi_key


def model(patient: Patient) -> Iterator[Finding]:
    name = patient.settings.model
    found = list(layers_of(patient.environment, patient.env_file)[2].found("JARVIS_MODEL"))
    told = f"{name} ({found[0].told if found else 'the default'})"
    yield ended(name, told, time.strftime("%Y-%m-%d")) or finding("model", lambda: _known(told, patient))


def ended(name: str, told: str, today: str) -> Finding | None:
    """Return that the model of that *name* is retired, or will be; None where no such day is known."""
    if not (day := ENDS.get(name)):
        return None
    cure = f"export JARVIS_MODEL={DEFAULT_MODEL}"
    if today >= day:
        return Finding("model", f"{told} was retired on {day}", cure, WRONG)
    return Finding("model", f"{told} will be retired on {day}", cure, NOTED)


def _known(told: str, patient: Patient) -> str:
    """Return what is *told* of the model, and that Gemini has it, if that is to be asked."""
    if not (patient.is_online and patient.settings.google_key.origin):
        return told
    from ..key_check import Checked, check_model  # as above

    name, checked = patient.settings.model, Checked(None)
    with suppress(SettingsError):
        secret = _secret(GOOGLE, patient.settings)
        checked = check_model(name, secret.reveal(), patient.settings)
    if checked.is_taken is False:
        text = f"Gemini has no model named {name}, or has retired it."
        raise SettingsError(text, hint=f"export JARVIS_MODEL={DEFAULT_MODEL}")
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
