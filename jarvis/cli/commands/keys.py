"""`jarvis keys set|list|test|rm` and `jarvis setup`: read, check, and save API keys.

`jarvis models`: list the models for the model's key.

No key is ever shown. A check is a free request, or for Brave a search. It follows no redirect,
which would carry the key along.
"""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from difflib import get_close_matches
from typing import Annotated, TypeVar

import typer

from ...config.keys import (
    BRAVE,
    COPY_AGAIN,
    NO_KEY,
    SERPAPI,
    TYPED,
    Key,
    forget_key,
    looks_like_key,
    store_key,
)
from ...config.services import MODEL_ENDS, MODEL_KEYS, describe_model, service_of
from ...config.settings import Settings, places_of, sources_of
from ...config.sources import FoundSetting, Secret
from ...core.errors import (
    KeyRefused,
    NeedsAnswer,
    NoKey,
    RateLimited,
    Refused,
    SearchFailed,
    ServiceUnreachable,
    SettingsError,
    UsageError,
)
from ...core.text import pluralize
from ...core.types import Options
from ...output.records import dumped
from ...output.screen import Screen, show_failure
from ...packs.context import PackContext
from ...packs.pack import Pack, all_packs, known_keys, names_on
from .. import completion
from ..completion import Json
from ..invocation import ask_line, current, report, settings_for

_LABEL = "Paste the key (hidden, Enter skips): "
_LONGEST = 2000  # characters of a line that are read: more than a key may have
_T = TypeVar("_T")

app = typer.Typer(
    name="keys",
    help="""API keys for the language model and the search.

    Without a name, this is the key of your model. serpapi or brave is for searching the web. Jarvis saves a
    key in the system keyring, or if there is none, in .env in the configuration folder. It asks for the key
    (hidden) or reads it from stdin. It is never an argument, since your shell would keep that.
    """,
)
setup, models = typer.Typer(), typer.Typer()
KEYS = known_keys()

_Service = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SERVICE]",
        help=" or ".join(KEYS),
        autocompletion=completion.words(KEYS),
    ),
]


@app.command("list", help="List your keys and where each comes from.")
def list_keys(as_json: Json = False) -> None:
    lines, records = [], []
    screen, options = current()
    for name, key in KEYS.items():
        found = [place.origin for place in _places(key, options, screen)]
        first, *hidden = found or [f"not set: jarvis keys set {name}"]
        lines += [f"{name:<10} {first}", *(f"{'':<10} hides {each}" for each in hidden)]
        records.append({"name": name, "from": first if found else None, "hides": hidden})
    report(records, *lines)


@app.command("set", help="Set a key: asks (hidden) or reads stdin, checks it, saves it.")
def set_key(service: _Service = None) -> int:
    key, (screen, options) = _find_key(service, "set"), current()
    if not screen.stdin.isatty():
        if not (line := screen.stdin.readline(_LONGEST).strip()):  # it may be endless
            hint = f"jarvis keys set {key.name} < FILE_WITH_THE_KEY"
            raise UsageError("No key came in on stdin.", hint=hint)
        _keep(key, line, options, screen)
        return 0
    _check_terminal(key, screen)
    if ask_for_key(key, options, screen):
        return 0
    screen.err("No key was saved.")
    return Refused.exit_status


@app.command("rm", help="Delete a saved key.")
def remove_key(service: _Service = None) -> int:
    key, (screen, options) = _find_key(service, "rm"), current()
    places = forget_key(key, current().settings().folders)
    for place in places:
        screen.out(f"Removed the {key.name} key from {place}.")
    if not places:
        screen.err(f"No {key.name} key is saved here.")
    for left in _places(key, options, screen):
        screen.err(f"Still in use: {left.origin}.")
    return int(not places)


@app.command("test", help="Ask each service whether it accepts your key.")
def check_keys(service: _Service = None, as_json: Json = False) -> int:
    """Test keys. The exit status is that of the worst result."""
    screen, settings = current().screen, current().settings(with_keys=True)
    wanted = [_find_key(service, "test")] if service else list(KEYS.values())
    found = [key for key in wanted if settings.key(key)]
    if not found:
        raise NoKey(f"No {wanted[0].name} key is set.", hint=f"jarvis keys set {wanted[0].name}")
    tested = [_tested(key, settings, screen) for key in found]
    if as_json:
        screen.out(dumped([record for record, _ in tested]))
    return max(status for _, status in tested)


def _tested(key: Key, settings: Settings, screen: Screen) -> tuple[dict[str, object], int]:
    """Test *key* at its service and report. Returns the record and the exit status."""
    secret = settings.key(key)
    record = {"name": key.name, "from": secret.origin, "is_taken": True, "why": "", "searches_left": None}
    try:
        left = check_key(key, secret, settings, screen)
    except (KeyRefused, ServiceUnreachable) as error:
        show_failure(screen, error.message, error.hint)
        is_taken = False if isinstance(error, KeyRefused) else None
        return {**record, "is_taken": is_taken, "why": error.message}, error.exit_status
    if not current().options.json:
        screen.out(f"{key.name:<10} {describe_accepted(key, left)}: {secret.origin}")
    return {**record, "searches_left": left}, 0


@setup.command("setup", help="Ask for missing keys.")
def set_up() -> None:
    (screen, options), settings = current(), current().settings()
    own = service_of(settings.model).key
    _check_terminal(own or SERPAPI, screen)
    on = names_on(settings)
    off = {pack.key for pack in all_packs().values() if pack.key and pack.name not in on}
    off |= {*MODEL_KEYS, BRAVE} - {own}  # Brave is in SerpAPI's place
    for key in (key for key in KEYS.values() if key not in off):
        if places := _places(key, options, screen):
            screen.err(f"{key.service} key: {places[0].origin}.")
        elif not ask_for_key(key, options, screen):
            screen.err(f"Skipped. Set it later: jarvis keys set {key.name}")


def _find_key(service: list[str] | None, command: str) -> Key:
    """Return the key called *service*. Raises UsageError, which shows no word: one may be a key."""
    own = None if service else service_of(current().settings().model).key
    name, *more = service or [own.name if own else ""]
    if more or name not in KEYS:
        commands = " or ".join(f"jarvis keys {command} {each}" for each in KEYS)
        message = "Don't type a key here: your shell may save it. Jarvis asks for it, hidden."
        raise UsageError(f"No key has that name. {message}", hint=commands)
    return KEYS[name]


def _places(key: Key, options: Options, screen: Screen) -> list[FoundSetting]:
    """Return where *key* comes from: the place that counts, then those that it hides."""
    return places_of(key, sources_of(screen.environment, options.env_file)[1])


def _check_terminal(key: Key, screen: Screen) -> None:
    if not screen.is_interactive:
        raise NeedsAnswer(
            "Jarvis asks for a key on a terminal. Without one, send it on stdin.",
            hint=f"jarvis keys set {key.name} < FILE_WITH_THE_KEY",
        )


# Asking for a key, also when a request needs it.


def ask_for_model_key(options: Options, screen: Screen) -> bool:
    """Ask for the model's key, if it needs one. Returns whether the user entered one."""
    key = service_of(settings_for(options, screen).model).key
    return key is not None and ask_for_key(key, options, screen)


def ask_for_key(key: Key, options: Options, screen: Screen) -> bool:
    """Ask for *key* on the terminal until one is saved. Returns False if the user gives up."""
    screen.err(f"A {key.service} key is for {key.use}.")
    screen.err(f"Get one at {key.page}")
    while typed := ask_line(screen, _LABEL, is_hidden=True):
        try:
            _keep(key, typed.strip(), options, screen)
        except KeyRefused as error:
            show_failure(screen, error.message)
        else:
            return True
    return False


def _keep(key: Key, value: str, options: Options, screen: Screen) -> None:
    """Check and save *value* as *key*, and report both.

    Raises KeyRefused if its service refuses it, StoreFailed and SettingsError if saving fails.
    """
    settings = settings_for(options, screen)
    screen.secrets = (*screen.secrets, value)
    if not looks_like_key(value):
        raise SettingsError(f"This {key.service} key {NO_KEY}.", hint=COPY_AGAIN)
    text = f"Checked with {key.service}"
    try:
        check_key(key, Secret(value, TYPED), settings, screen)
    except ServiceUnreachable as error:
        text = f"Not checked ({error.message.rstrip('.')})"
    place = store_key(key, value, settings.folders)
    screen.err(f"{text}, saved in {place}.")
    if key.note:
        screen.err(key.note)
    first = _places(key, options, screen)[0]
    if not place.startswith(first.place):
        screen.err(f"It isn't used yet: {first.origin} overrides it.")


# Asking its service.


def check_key(key: Key, secret: Secret, settings: Settings, screen: Screen) -> int | None:
    """Ask the service of *key* whether it accepts *secret*. Returns the searches left, if known.

    Raises KeyRefused, ServiceUnreachable, or SettingsError for bad certificates.
    """
    answer = _answer_to(key, secret, settings, screen)
    left = answer.get("total_searches_left") if isinstance(answer, dict) else None
    return left if type(left) is int else None


def check_model(name: str, settings: Settings, screen: Screen) -> None:
    """Ask its service whether it has the model of that *name*. Raises UsageError if not.

    Raises another JarvisError if the service doesn't answer.
    """
    names = _names(name, settings, screen)
    if names and name not in names:
        near = "".join(f" Did you mean {each}?" for each in get_close_matches(name, names, n=1))
        message = f"{service_of(name).title} has no model called {name} for you.{near}"
        raise UsageError(message, hint="jarvis models")


def _answer_to(key: Key, secret: Secret, settings: Settings, screen: Screen) -> object:
    """Return the answer of *key*'s service to a free request. Raises the same errors as `check_key`."""
    # One of ours is asked as if it were a pack's.
    ours = Pack(key.name, key.use, {}, (), key=key, host=settings.servers.get(key.name, ""))
    pack = next((pack for pack in all_packs().values() if pack.key == key), ours)
    context = PackContext(pack, settings._replace(api_keys={key.name: secret}))
    # SerpAPI takes none in a header; Brave answers no request but a search.
    params = {SERPAPI: {"api_key": secret.reveal()}, BRAVE: {"q": "jarvis"}}
    screen.passing(f"asking {key.service}…")
    try:
        if not key.check:
            raise ServiceUnreachable(f"Can't reach {key.service}.")
        return ask_service(context, lambda: context.get(key.check, params.get(key)))
    except (RateLimited, SearchFailed, ServiceUnreachable) as error:
        hint = "; then: ".join(filter(None, (error.hint.rstrip("."), f"jarvis keys test {key.name}")))
        raise ServiceUnreachable(error.message, hint=hint) from None


def ask_service(context: PackContext, work: Callable[[], Awaitable[_T]]) -> _T:
    """Return the result of *work*, which asks the service of *context*."""
    from ...core.concurrency import run_async  # asyncio, which listing the keys does without

    async def ask() -> _T:
        async with aclosing(context):
            return await work()

    return run_async(ask())


def describe_accepted(key: Key, left: int | None) -> str:
    """Return a sentence: the service of *key* accepts it, with the searches *left*."""
    plan = "" if left is None else f", {pluralize(left, 'searches')} left in your plan"
    return f"{key.service} accepts it{plan}"


# The models of a key.


@models.command("models", help="List the models that your key can use.")
def list_models(as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings(with_keys=True)
    usual = settings.model
    names = _names(usual, settings, screen)
    lines = (f"{'*' if name == usual else ' '} {describe_model(name)}" for name in names)
    records = [{"name": name, "is_set": name == usual, "ends": MODEL_ENDS.get(name)} for name in names]
    report(records, *lines)
    if not as_json:
        screen.err(
            "Use another: jarvis -m NAME … In a chat: /model NAME. From now on: jarvis config set model NAME"
        )


def _names(model: str, settings: Settings, screen: Screen) -> list[str]:
    """Return the models of the service of *model*. Raises JarvisError."""
    screen.passing(f"asking {service_of(model).title}…")
    from ...agent.models import model_names  # asyncio, and seconds of imports

    return model_names(model, settings)
