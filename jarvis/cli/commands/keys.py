"""`jarvis keys set|list|test|rm`, `jarvis setup`: the keys of the services. None of them is ever shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...config.keys import GOOGLE, KEYS, Key, forget_key
from ...config.settings import places_of, sources_of, with_kept_keys
from ...core.errors import NeedsAnswer, NoKey, Refused, UsageError
from ...output.records import show
from ...output.screen import show_failure
from .. import completion
from ..parameters import Json, only
from ..work import current

if TYPE_CHECKING:
    from ...output.screen import Screen

_LONGEST = 2000  # characters of a line that are read: more than a key may have

app = typer.Typer(
    name="keys",
    help="""The keys of the language model and of the search.

    google is for the language model, and meant where none is named; serpapi for searching the web. A key is
    kept in the system keyring, or where there is none, in .env in the configuration folder. It is asked for,
    hidden, or read from stdin; never an argument, which your shell would keep.
    """,
)
single = typer.Typer()


# What follows the name of a key may be a secret, and no sentence.
_service = only(lambda words: len(words) == 1 or words[0] in KEYS, "it is no service")
_Service = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SERVICE]",
        help="google or serpapi",
        callback=_service,
        autocompletion=completion.words(KEYS),
    ),
]


@app.command("list", help="List where each key comes from, and what it hides.")
def list_keys(as_json: Json = False) -> None:
    screen = current().screen
    current().settings()  # which knows what is secret
    places = {name: _places(key) for name, key in KEYS.items()}
    lines, records = [], []
    for name, found in places.items():
        first, *hidden = found or [f"not set: jarvis keys set {name}"]
        lines += [f"{name:<8} {first}", *(f"{'':<8} hides {each}" for each in hidden)]
        records.append({"name": name, "from": first if found else None, "hides": hidden})
    show(screen, records, *lines, as_json=as_json)


@app.command("set", help="Ask for a key, hidden, or read it from stdin; check and keep it.")
def set_key(service: _Service = None) -> int:
    from ..key_prompt import ask_for_key, keep_key  # what tells of keys needs none of it

    key, (screen, options) = _named(service, "set"), current()
    if not screen.stdin.isatty():
        keep_key(key, _piped_key(key, screen), current().settings(), options, screen)
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
    for place in _places(key):
        screen.err(f"There still is {place}.")
    return int(not places)


@app.command("test", help="Ask the services whether they take the keys that are set.")
def check_keys(service: _Service = None, as_json: Json = False) -> int:
    """The exit status is that of what is worst."""
    from ..key_prompt import check_key  # what tells of keys needs none of it

    screen, settings = current().screen, with_kept_keys(current().settings())
    screen.secrets = settings.secrets()
    wanted = [_named(service, "test")] if service else list(KEYS.values())
    found = [key for key in wanted if settings.key(key)]
    if not found:
        raise NoKey(f"No {wanted[0].name} key is set.", hint=f"jarvis keys set {wanted[0].name}")
    records, lines, errors = [], [], []
    for key in found:
        secret = settings.key(key)
        screen.passing(f"asking {key.service}…")
        checked = check_key(key, secret.reveal(), settings)
        screen.clear()
        records.append({"name": key.name, "from": secret.origin, **checked._asdict()})
        if error := checked.error(key, secret):
            errors.append(error)
        else:
            lines.append(f"{key.name:<8} {key.service} {checked.taken}: {secret.origin}")
    show(screen, records, *lines, as_json=as_json)
    for error in errors if not as_json else ():
        show_failure(screen, error.message, error.hint)
    return max((error.exit_status for error in errors), default=0)


@single.command("setup", help="Ask for the keys that are missing.")
def set_up() -> None:
    from ..key_prompt import ask_for_key  # as above

    screen, options = current()
    _check_terminal(GOOGLE, screen)
    for key in KEYS.values():
        if places := _places(key):
            screen.err(f"{key.service} key: {places[0]}.")
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


def _places(key: Key) -> list[str]:
    """Return where *key* comes from, in words: the place that counts, then those that it hides."""
    screen, options = current()
    return [found.origin for found in places_of(key, sources_of(screen.environment, options.env_file)[1])]


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
