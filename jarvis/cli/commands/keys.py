"""`jarvis keys set|list|test|rm`, `jarvis setup`: take the keys of the services, check and keep them.

None is ever shown. A check is a request that costs nothing, and follows no redirect: that would carry the key
along.
"""

from __future__ import annotations

import logging
from contextlib import aclosing
from typing import Annotated, Any

import typer

from ...config.keys import (
    COPY_AGAIN,
    GOOGLE,
    NO_KEY,
    Key,
    forget_key,
    looks_like_key,
    store_key,
)
from ...config.settings import Settings, places_of, sources_of, with_kept_keys
from ...config.sources import FoundSetting, Secret
from ...core.errors import (
    JarvisError,
    KeyRefused,
    NeedsAnswer,
    NoKey,
    Refused,
    ServiceUnreachable,
    SettingsError,
    UsageError,
)
from ...core.text import counted, one_line, redact
from ...core.types import Options
from ...output.screen import Screen, show_failure
from ...packs.context import PackContext
from ...packs.pack import known, known_keys, names_on
from ...search.web_service import distrust, server_in, trusted
from .. import completion
from ..completion import Json, only
from ..work import current, report, settings_for

_LABEL = "Paste the key (hidden; Enter: later): "
_PRIVACY = (
    "With a free key Google may use what is sent to improve its products, and people may read it; "
    "not so with a paid one: https://ai.google.dev/gemini-api/terms"
)
_LONGEST = 2000  # characters of a line that are read: more than a key may have
_SECONDS = (5, 10)  # to connect, and between two pieces of the answer
_GEMINI, _SERPAPI = "https://generativelanguage.googleapis.com", "https://serpapi.com"
_REFUSES = (400, 401, 403)
_OURS = {"models", "account_id"}  # one of them is in each answer

app = typer.Typer(
    name="keys",
    help="""The keys of the language model and of the search.

    google is for the language model, and meant where none is named; serpapi for searching the web. A key is
    kept in the system keyring, or where there is none, in .env in the configuration folder. It is asked for,
    hidden, or read from stdin; never an argument, which your shell would keep.
    """,
)
single = typer.Typer()
KEYS = known_keys()

# What follows the name of a key may be a secret, and no sentence.
_service = only(lambda words: len(words) == 1 or words[0] in KEYS, "it is no service")
_Service = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SERVICE]",
        help=" or ".join(KEYS),
        callback=_service,
        autocompletion=completion.words(KEYS),
    ),
]


@app.command("list", help="List where each key comes from, and what it hides.")
def list_keys(as_json: Json = False) -> None:
    lines, records = [], []
    for name, key in KEYS.items():
        found = [place.origin for place in _places(key)]
        first, *hidden = found or [f"not set: jarvis keys set {name}"]
        lines += [f"{name:<8} {first}", *(f"{'':<8} hides {each}" for each in hidden)]
        records.append({"name": name, "from": first if found else None, "hides": hidden})
    report(records, *lines, as_json=as_json)


@app.command("set", help="Ask for a key, hidden, or read it from stdin; check and keep it.")
def set_key(service: _Service = None) -> int:
    key, (screen, options) = _named(service, "set"), current()
    if not screen.stdin.isatty():
        _keep(key, _piped_key(key, screen), options, screen)
        return 0
    _check_terminal(key, screen)
    if ask_for_key(key, options, screen):
        return 0
    screen.err("Nothing was kept.")
    return Refused.exit_status


@app.command("rm", help="Forget a key that is kept here.")
def remove_key(service: _Service = None) -> int:
    key, screen = _named(service, "rm"), current().screen
    places = forget_key(key, current().settings().folders)
    for place in places:
        screen.out(f"Removed the {key.name} key from {place}.")
    if not places:
        screen.err(f"No {key.name} key is kept here.")
    for left in _places(key):
        screen.err(f"There still is {left.origin}.")
    return int(not places)


@app.command("test", help="Ask the services whether they take the keys that are set.")
def check_keys(service: _Service = None, as_json: Json = False) -> int:
    """The exit status is that of what is worst."""
    screen, settings = current().screen, with_kept_keys(current().settings())
    screen.secrets = settings.secrets()
    wanted = [_named(service, "test")] if service else list(KEYS.values())
    found = [(key, secret) for key in wanted if (secret := settings.key(key))]
    if not found:
        raise NoKey(f"No {wanted[0].name} key is set.", hint=f"jarvis keys set {wanted[0].name}")
    tested = [_tested(key, secret, settings, screen) for key, secret in found]
    failures = [failure for *_, failure in tested if failure]
    lines = (line for _, line, failure in tested if not failure)
    report([record for record, *_ in tested], *lines, as_json=as_json)
    for failure in failures if not as_json else ():
        show_failure(screen, failure.message, failure.hint)
    return max((failure.exit_status for failure in failures), default=0)


def _tested(
    key: Key, secret: Secret, settings: Settings, screen: Screen
) -> tuple[dict[str, object], str, JarvisError | None]:
    """Return what the service says of *secret*, as a record and as a line, and what is wrong with it."""
    record = {"name": key.name, "from": secret.origin, "is_taken": True, "why": "", "searches_left": None}
    try:
        left = check_key(key, secret, settings, screen)
    except (KeyRefused, ServiceUnreachable) as error:
        is_taken = False if isinstance(error, KeyRefused) else None
        return {**record, "is_taken": is_taken, "why": error.message}, "", error
    line = f"{key.name:<8} {told_taken(key, left)}: {secret.origin}"
    return {**record, "searches_left": left}, line, None


@single.command("setup", help="Ask for the keys that are missing.")
def set_up() -> None:
    screen, options = current()
    _check_terminal(GOOGLE, screen)
    off = {name for name in KEYS if name in known()} - {*names_on(current().settings())}
    for key in (key for name, key in KEYS.items() if name not in off):
        if places := _places(key):
            screen.err(f"{key.service} key: {places[0].origin}.")
        elif not ask_for_key(key, options, screen):
            screen.err(f"Not set. To set it later: jarvis keys set {key.name}")


def _named(service: list[str] | None, command: str) -> Key:
    """Return the key that the words name. Raises UsageError, which shows none of them: one may be a key."""
    name, *more = service or [GOOGLE.name]
    if more or name not in KEYS:
        known = " or ".join(f"jarvis keys {command} {each}" for each in KEYS)
        told = "A key is typed later, hidden: your shell may keep what is typed here in its history."
        raise UsageError(f"That is not the name of a key. {told}", hint=known)
    return KEYS[name]


def _places(key: Key) -> list[FoundSetting]:
    """Return where *key* comes from: the place that counts, then those that it hides."""
    screen, options = current()
    return places_of(key, sources_of(screen.environment, options.env_file)[1])


def _check_terminal(key: Key, screen: Screen) -> None:
    if not screen.is_interactive:
        raise NeedsAnswer(
            "A key is asked for on a terminal; here it can come on stdin.",
            hint=f"jarvis keys set {key.name} < FILE_WITH_THE_KEY",
        )


def _piped_key(key: Key, screen: Screen) -> str:
    """Return the first line of stdin, or the beginning of an endless one. Raises UsageError without any."""
    if line := screen.stdin.readline(_LONGEST).strip():
        return line
    raise UsageError("No key came in on stdin.", hint=f"jarvis keys set {key.name} < FILE_WITH_THE_KEY")


# Taking one, also from a person whose request needs it.


def ask_for_key(key: Key, options: Options, screen: Screen) -> bool:
    """Ask for *key* on the terminal until one is kept, and return True; False where the person leaves it."""
    screen.err(f"A {key.service} key is for {key.use}.")
    screen.err(f"Get one at {key.page}")
    from ...output.dialog import typed_line  # prompt_toolkit, while the person reads

    while typed := typed_line(screen, _LABEL, is_hidden=True):
        try:
            _keep(key, typed.strip(), options, screen)
        except KeyRefused as error:
            show_failure(screen, error.message)
        else:
            return True
    return False


def _keep(key: Key, value: str, options: Options, screen: Screen) -> None:
    """Check *value*, the *key* that came in, keep it, and tell what came of both.

    Raises KeyRefused for one that its service refuses, StoreFailed and SettingsError where none can be kept.
    """
    settings = settings_for(options, screen)
    screen.secrets = (*screen.secrets, value)
    if not looks_like_key(value):
        raise SettingsError(f"This {key.service} key {NO_KEY}.", hint=COPY_AGAIN)
    said = f"Checked with {key.service}"
    try:
        check_key(key, Secret(value, "this key"), settings, screen)
    except ServiceUnreachable as error:
        said = f"Not checked ({error.message.rstrip('.')})"
    place = store_key(key, value, settings.folders)
    screen.err(f"{said}, kept in {place}.")
    if key is GOOGLE:
        screen.err(_PRIVACY)
    first = places_of(key, sources_of(screen.environment, options.env_file)[1])[0]
    if not place.startswith(first.place):
        screen.err(f"It is not used yet: {first.origin} comes before it.")


# Asking its service.


def check_key(key: Key, secret: Secret, settings: Settings, screen: Screen) -> int | None:
    """Ask the service of *key* whether it takes *secret*; return the searches left of its plan, if it tells.

    Raises KeyRefused; ServiceUnreachable where it does not say; SettingsError for bad certificates.
    """
    if pack := known().get(key.name):
        _check_at_pack(PackContext(pack, settings._replace(api_keys={key.name: secret})), key, screen)
        return None
    screen.passing(f"asking {key.service}…")
    try:
        status, said = _asked(key, secret.reveal(), settings)
    finally:
        screen.clear()
    error = said.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    why = one_line(redact(str(message or ""), (secret.reveal(),)), 200)
    if status in _REFUSES:
        told = f"{key.service} refused {secret.origin}: {why or f'status {status}'}"
        raise KeyRefused(told, hint=f"jarvis keys set {key.name}   (with one of {key.page})")
    if status != 200:
        raise _unclear(key, f"{key.service} answered with status {status}.")
    if not _OURS & said.keys():
        raise _unclear(key, why or f"What answered was not {key.service}: a proxy, or a login page?")
    left = said.get("total_searches_left")
    return left if type(left) is int else None


def _check_at_pack(context: PackContext, key: Key, screen: Screen) -> None:
    """Ask the host of the pack that *key* is of. Raises as `check_key`."""
    from ...core.concurrency import run_async  # asyncio, which most keys do without

    async def ask() -> None:
        async with aclosing(context):
            await context.get(key.check)

    screen.passing(f"asking {key.service}…")
    try:
        if not key.check:
            raise _unclear(key, f"{key.service} can't be asked")
        run_async(ask())
    except JarvisError as error:
        raise error if isinstance(error, KeyRefused) else _unclear(key, error.message) from None
    finally:
        screen.clear()


def told_taken(key: Key, left: int | None) -> str:
    """Return that the service of *key* takes it, and what is *left* of its plan."""
    return f"{key.service} takes it" + (
        "" if left is None else f", {counted(left, 'searches')} left of your plan"
    )


def _asked(key: Key, value: str, settings: Settings) -> tuple[int, dict[str, Any]]:
    """Return the status of what the service of *key* answers, and the object in it; an empty one for none."""
    import requests  # takes 0.1 s: not while nothing is typed

    logging.getLogger("urllib3.connectionpool").setLevel(logging.WARNING)  # at DEBUG it logs what is asked
    how: dict[str, Any] = {"allow_redirects": False, "verify": trusted()}
    if key is GOOGLE:
        url = f"{settings.gemini_url or _GEMINI}/v1beta/models?pageSize=1"
        how["headers"] = {"x-goog-api-key": value}
    else:
        url, how["params"] = f"{settings.serpapi_url or _SERPAPI}/account", {"api_key": value}
    try:
        answer = requests.get(url, timeout=_SECONDS, **how)
    except (OSError, ValueError) as error:  # their text has the key in it
        told = f"{key.service} can't be reached: {type(error).__name__}."
        raise distrust(error, key.service, server_in(url)) or _unclear(key, told) from None
    try:
        return answer.status_code, {**answer.json()}
    except (ValueError, TypeError):  # no JSON, or no object
        return answer.status_code, {}


def _unclear(key: Key, why: str) -> JarvisError:
    return ServiceUnreachable(why, hint=f"Check your network, then: jarvis keys test {key.name}")
