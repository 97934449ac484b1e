"""`jarvis keys set|list|test|rm`, `jarvis setup`: the keys of the services. None of them is ever shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...config.keys import GOOGLE, KEYRING, KEYS, Key, names_in_keyring, refused_key
from ...config.settings import layers_of
from ...core.errors import JarvisError, NeedsAnswer, NoKey, Refused, ServiceUnreachable, UsageError
from ...output.results import dumped, fitted, show_failure
from ..work import guarded, settings_for, with_settings

if TYPE_CHECKING:
    from ...config.keys import Secret
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ..grammar import Call

_LONGEST = 2000  # characters of a line that may be a key


class Origins(NamedTuple):
    """Where a key comes from: the place that counts, then those that it hides."""

    key: Key
    places: Sequence[str]

    def as_record(self) -> dict[str, object]:
        first = self.places[0] if self.places else None
        return {"name": self.key.name, "from": first, "hides": self.places[1:]}


def list_keys(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> None:
        listed = [origins_of(key, screen.environment, call.options.env_file) for key in KEYS.values()]
        if call.options.json:
            screen.out(dumped([each.as_record() for each in listed]))
            return
        for key, places in listed:
            first, *hidden = places or [f"not set: jarvis keys set {key.name}"]
            lines = [f"{key.name:<8} {first}", *(f"{'':<8} hides {each}" for each in hidden)]
            screen.out(fitted("\n".join(lines), screen))

    return with_settings(call, screen, work)


def set_key(call: Call, screen: Screen) -> int:
    # What tells of keys needs none of it.
    from ..key_prompt import ask_for_key, keep_key

    def work() -> int:
        key, options = _named(call), call.options
        if not screen.stdin.isatty():
            keep_key(key, _piped_key(key, screen), settings_for(options, screen), options, screen)
            return 0
        _check_terminal(key, screen)
        if ask_for_key(key, options, screen):
            return 0
        screen.err("Nothing was kept.")
        return Refused.exit_status

    return guarded(call.options, screen, work)


def remove_key(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> int:
        from ...config import key_store  # threads

        key = _named(call)
        places = key_store.forget(key, settings.folders)
        for place in places:
            screen.out(f"Removed the {key.name} key from {place}.")
        if not places:
            screen.err(f"No {key.name} key is kept here.")
        for place in origins_of(key, screen.environment, call.options.env_file).places:
            screen.err(f"There still is {place}.")
        return int(not places)

    return with_settings(call, screen, work)


def check_keys(call: Call, screen: Screen) -> int:
    """Ask the services whether they take the keys that are set; the exit status is that of what is worst."""
    from ..key_check import check  # requests takes 0.1 s

    def work(settings: Settings) -> int:
        records: list[dict[str, object]] = []
        errors: list[JarvisError] = []
        for key, secret in _secrets(call, settings, screen):
            screen.passing(f"asking {key.service}…")
            checked = check(key, secret.reveal(), settings)
            if checked.is_taken is False:
                errors.append(refused_key(key, secret))
            elif checked.is_taken is None:
                errors.append(ServiceUnreachable(f"{checked.why}.", hint="Try again in a moment."))
            records.append({"name": key.name, "from": secret.origin, **checked._asdict()})
            if checked.is_taken and not call.options.json:
                screen.out(f"{key.name:<8} {key.service} {checked.taken}: {secret.origin}")
        if call.options.json:
            screen.out(dumped(records))
        return _told(errors, call, screen)

    return with_settings(call, screen, work)


def set_up(call: Call, screen: Screen) -> int:
    """Ask for each key that is missing."""
    from ..key_prompt import ask_for_key  # as above

    def work() -> int:
        _check_terminal(GOOGLE, screen)
        for key in KEYS.values():
            places = origins_of(key, screen.environment, call.options.env_file).places
            if places:
                screen.err(f"{key.service} key: {places[0]}.")
            elif not ask_for_key(key, call.options, screen):
                screen.err(f"Not set. To set it later: jarvis keys set {key.name}")
        return 0

    return guarded(call.options, screen, work)


def may_be_key(words: Sequence[str]) -> bool:
    """Return whether *words* name a key, and are no sentence; what follows its name may be a secret."""
    return len(words) < 2 or words[0] in KEYS


def _named(call: Call) -> Key:
    """Return the key that the words name. Raises UsageError, which shows none of them: one may be a key."""
    name, *more = call.words or [GOOGLE.name]
    if more and name in KEYS:
        raise UsageError(
            "A key can't be given on the command line: your shell may keep it in its history.",
            hint=f"Remove it there, then: jarvis keys {call.command.name} {name}",
        )
    if name not in KEYS:
        known = " or ".join(f"jarvis keys {call.command.name} {each}" for each in KEYS)
        raise UsageError("There is no key of that name; a key itself is typed later, hidden.", hint=known)
    return KEYS[name]


def origins_of(key: Key, environment: Mapping[str, str], env_file: str | None) -> Origins:
    folders, _, layers = layers_of(environment, env_file)
    places = [found.told for found in layers.found(*key.variables)]
    is_in_keyring = key.name in names_in_keyring(folders.keyring)
    return Origins(key, [*places, KEYRING] if is_in_keyring else places)


def _secrets(call: Call, settings: Settings, screen: Screen) -> list[tuple[Key, Secret]]:
    """Return the keys that are to be tested. Raises NoKey where there are none."""
    from ...config.system_keyring import with_kept_keys  # threads

    kept = with_kept_keys(settings)
    screen.secrets = kept.secrets()
    wanted = [_named(call)] if call.words else KEYS.values()
    values = {"google": kept.google_key, "serpapi": kept.serpapi_key}
    if found := [(key, values[key.name]) for key in wanted if values[key.name]]:
        return found
    name = (call.words or [GOOGLE.name])[0]
    raise NoKey(f"No {name} key is set.", hint=f"jarvis keys set {name}")


def _told(errors: Sequence[JarvisError], call: Call, screen: Screen) -> int:
    """Tell *errors*, and return the exit status: that of a key that is refused, if one is."""
    for error in errors if not call.options.json else ():
        show_failure(screen, error.message, error.hint)
    return max((error.exit_status for error in errors), default=0)


def _check_terminal(key: Key, screen: Screen) -> None:
    if not screen.is_interactive:
        raise NeedsAnswer(
            "A key is asked for on a terminal; here it can come on stdin.",
            hint=f"jarvis keys set {key.name} < FILE_WITH_THE_KEY",
        )


def _piped_key(key: Key, screen: Screen) -> str:
    """Return the first line of stdin. Raises UsageError where it is empty, or endless."""
    line = screen.stdin.readline(_LONGEST + 1).strip()
    if not 0 < len(line) <= _LONGEST:
        raise UsageError("No key came in on stdin.", hint=f"jarvis keys set {key.name} < FILE_WITH_THE_KEY")
    return line
