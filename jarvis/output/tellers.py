"""Shows a turn: to a person, a pipe, a program, and in the log."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..core import events
from ..core.events import Changes, Event, Tell, always
from ..core.text import cells_in, clean, one_line, pluralize, truncate
from ..core.types import LOOKUPS, TERMINALS, ActionRequest, Options, Outcome
from ..core.urls import host_of, without_scheme
from ..store.log import Log
from ..store.shown_notes import should_show
from .records import object_teller, record_teller
from .screen import Screen, as_typed_at, cut_words, fitted, show_failure, show_hint
from .styles import BOLD, FAINT, RED, linked, styled

_COUNTS = ("seconds", "model_calls", "searches", "input_tokens", "output_tokens", "credits")
_LONGEST_TITLE = 80  # characters of a source's, on a pipe


class AnswerTeller:
    """Shows the answer of a turn as it arrives, on a terminal or a pipe.

    On a pipe, an opening that worked is its address only. Failures go to stderr, once stdout has something
    better. With CSV, all words go there.
    """

    def __init__(
        self, screen: Screen, state_folder: str = "", *, as_csv: bool = False, is_quiet: bool = False
    ) -> None:
        """state_folder: remembers which notes a thread has shown. Empty: nothing does."""
        self._screen = screen
        self._state_folder = state_folder
        self._as_csv, self._is_quiet = as_csv, is_quiet
        self._is_watched = screen.out_tty and not as_csv
        self._say = screen.err if as_csv else screen.out
        self._changes: Changes = always
        self._streamed = ""  # of the reply
        self._has_acted = self._has_table = self._has_replied = False

    def tell(self, event: Event) -> None:
        match event:
            case events.TurnStarted(thread):
                if self._screen.err_tty and self._state_folder:  # a pipe gets all of it each time
                    self._changes = partial(should_show, self._state_folder, thread)
            case events.Unreported():
                self._screen.err(as_typed_at(self._screen, clean(event.text)))
            case ActionRequest() as request:  # a browser may take seconds to start
                self._screen.passing(f"{request.effect.formatted} …")
            case events.StepFinished(effect=effect, outcome=outcome, is_implied=False):
                self._has_acted |= outcome.is_good and effect not in LOOKUPS
                self._tell_outcome(outcome, effect)
            case events.TableShown():
                self._tell_table(event)
            case events.ReplyDelta(text) if self._is_watched:
                self._streamed += text
                self._write(text)
            case events.Replied():
                self._tell_reply(event)
            case events.TurnFailed(_, message, hint):
                if self._streamed and not self._has_replied:  # the rest never arrived
                    self._screen.reply(" (cut off)")
                    self._screen.reply("")
                show_failure(self._screen, message, hint)

    def _tell_outcome(self, outcome: Outcome, effect: str) -> None:
        screen, text = self._screen, clean(outcome.text)
        if self._is_watched:
            style, shown = "" if outcome.is_good else RED, cut_words(text)
            if screen.takes_links and outcome.value:
                shown = shown.replace(outcome.value, linked(outcome.value, outcome.value))
            screen.out(styled(fitted(shown, screen), style, color=screen.out_color))
        elif effect != "shows" and (outcome.is_good or not (effect in LOOKUPS or self._has_acted)):
            # What failed is there too: the reply may claim that it was done.
            self._say((outcome.state == "done" and clean(outcome.value)) or text)
        else:
            screen.err(text)
        show_hint(screen, outcome.hint)

    def _tell_table(self, tabled: events.TableShown) -> None:
        from .tables import show_table  # few turns have tables

        if self._as_csv and self._has_table:
            self._screen.out("")
        self._has_table |= tabled.first > 0
        show_table(self._screen, tabled, self._changes, as_csv=self._as_csv, is_quiet=self._is_quiet)

    def _write(self, text: str) -> None:
        if cleaned := clean(text, piece=True, tabs=True):
            self._screen.reply(cleaned)

    def _tell_reply(self, replied: events.Replied) -> None:
        screen, self._has_replied = self._screen, True
        self._tell_text(replied.text)
        if replied.sources:
            self._say("")
        for number, source in enumerate(replied.sources, replied.first):
            self._say(self._source_line(number, source))
        if replied.note:
            screen.err(as_typed_at(screen, clean(replied.note)))
        if unverified := self._unverified(replied):
            screen.err(unverified)
        if how := self._how_to_open(replied):
            screen.err(_dim(how, screen))

    def _tell_text(self, text: str) -> None:
        """Show the words of a reply that aren't on the terminal yet."""
        if self._is_watched:
            is_begun = text.startswith(self._streamed)
            self._write(text[len(self._streamed) :] if is_begun else f"\n{text}")
            self._screen.reply("")
        elif text:
            self._say(clean(text, tabs=True))

    def _source_line(self, number: int, source: events.Source) -> str:
        """Return a source on one line. Its title may be cut. Its address is whole, or a link."""
        screen, address = self._screen, clean(source.url)
        if screen.takes_links and host_of(address):
            address = without_scheme(address)
            host = address.partition("/")[0]  # whole: its end says whose it is
            address = truncate(address, max(cells_in(host) + 1, screen.width // 2))
        room = max(12, screen.width - len(address) - 8) if screen.out_tty else _LONGEST_TITLE
        title = one_line(source.title, room) or "(untitled)"
        head = styled(f"[{number}]", BOLD, color=screen.out_color)
        shown = linked(address, source.url) if screen.takes_links else address
        return f"{head} {title}  {shown}{'  (read)' if source.read else ''}"

    def _unverified(self, replied: events.Replied) -> str:
        """Return a line about the unverified hosts in a reply that are new, or an empty one."""
        hosts = [clean(host) for host in dict.fromkeys(map(host_of, replied.unverified))]
        new = ", ".join(host for host in hosts if self._changes(f"host {host}", "told"))
        return f"Unverified: {new} (not in your words or search results)" if new else ""

    def _how_to_open(self, replied: events.Replied) -> str:
        """Return how to open what was found, unless something was opened or a table says how."""
        is_page = any(host_of(source.url) for source in replied.sources[:1])  # and no file
        is_listed = is_page and replied.first == 1 and not self._has_acted
        how = as_typed_at(self._screen, "Open the first: jarvis open 1")
        return how if self._is_watched and is_listed and self._changes("open", "how") else ""


class Progress:
    """Shows progress and notices on stderr. Shows more with -v.

    Notices about history and permissions always appear, the rest only if someone watches.
    """

    def __init__(self, screen: Screen, *, is_watched: bool = True, is_verbose: bool = False) -> None:
        self._screen = screen
        self._is_watched, self._is_verbose = is_watched, is_verbose

    def tell(self, event: Event) -> None:
        if isinstance(event, events.Notice) and event.is_warning:
            self._screen.warn([event.text])
        elif isinstance(event, events.Notice) and (event.must_know or self._is_watched):
            text = as_typed_at(self._screen, clean(event.text))
            self._screen.err(text if event.must_know else _dim(text, self._screen))
        elif self._is_watched:
            self._tell_of_work(event)

    def _tell_of_work(self, event: Event) -> None:
        match event:
            case events.TurnStarted():
                self._screen.passing("thinking…")
            case events.Planned():
                self._planned(event)
            case events.StepFinished(n, outcome=outcome, is_implied=is_implied):
                if self._is_verbose and is_implied:  # the answer shows the rest, and failures
                    text = one_line(outcome.text, 400).rstrip(".")
                    self._screen.err(f"{_dim(str(n), self._screen)} {text}")
                self._screen.passing("thinking…")
            case events.Waiting(text, done, total):
                self._screen.show_progress(text or "thinking…", done, total)
            case events.TurnEnded(_, _, summary):
                self._screen.clear()
                if self._is_verbose and summary["usage"]["model_calls"]:  # type: ignore[index]
                    self._screen.err(_dim(clean(footer(summary)), self._screen))

    def _planned(self, planned: events.Planned) -> None:
        name = planned.plan.action.replace("_", " ")
        if self._is_verbose:
            screen, origin = self._screen, clean(planned.origin)
            head = styled(clean(name), BOLD, color=screen.err_color)
            line = f"{_dim(str(planned.n), screen)} {head} {one_line(planned.target, 200)}"
            screen.err(f"{line}  {_dim(origin, screen)}" if origin else line)
            if reason := one_line(planned.plan.text, 300):
                screen.err(_dim(f"  {reason}", screen))
        if planned.effect in ("searches", "reads"):  # these take a while
            self._screen.passing(f"{'searching' if name == 'search' else name}: {planned.target} …")


def log_teller(log: Log | None) -> Tell:
    """Return a listener that writes a turn to the log."""
    turn: dict[str, str] = {}

    def tell(event: Event) -> None:
        nonlocal turn
        if isinstance(event, events.TurnStarted):
            turn = {"thread": event.thread, "turn": event.turn}
        elif log and (fields := _logged(event)):
            log.write(**turn, **fields)

    return tell


def _logged(event: Event) -> dict[str, Any]:
    """Return the log fields of *event*. Most events have none."""
    match event:
        case events.StepFinished(n, action, effect, outcome):
            step = {"n": n, "action": action, "effect": effect, "state": outcome.state}
            return {"event": "step", **step, "code": outcome.code}
        case events.TurnFailed(code):
            return {"event": "error", "code": code}
        case events.TurnEnded(status, exit_status, summary):
            used: Any = summary["usage"]
            counts = {name: used[name] for name in _COUNTS}
            return {"event": "turn", "status": status, "exit_status": exit_status, **counts}
    return {}


def tell_all(*tells: Tell) -> Tell:
    """Return a listener that passes each event to each of *tells*."""

    def tell(event: Event) -> None:
        for each in tells:
            each(event)

    return tell


def teller_for(options: Options, screen: Screen, state_folder: str = "") -> Tell:
    """Return the listener that shows a turn on this screen.

    state_folder: remembers which notes a thread has shown. Empty: nothing does.
    """
    is_for_person = not (options.json or options.ndjson)
    is_watched = is_for_person and (options.verbose > 0 or (screen.err_tty and not options.quiet))
    shown: list[Tell] = []
    if is_watched or not options.quiet:
        shown.append(Progress(screen, is_watched=is_watched, is_verbose=options.verbose > 0).tell)
    return tell_all(*shown, answer_teller(options, screen, state_folder))


def is_streamed(options: Options, screen: Screen) -> bool:
    """Return whether a reply is shown while it is being written."""
    return options.ndjson or (screen.out_tty and not (options.json or options.csv))


def answer_teller(options: Options, screen: Screen, state_folder: str = "") -> Tell:
    """Return the listener that shows the answer, as JSON or as text."""
    if options.ndjson:
        return record_teller(screen)
    if options.json:
        return object_teller(screen)
    return AnswerTeller(screen, state_folder, as_csv=options.csv, is_quiet=options.quiet).tell


def footer(summary: Mapping[str, Any]) -> str:
    """Return the cost of a turn, with its thread unless that is a terminal's own.

    summary: the object that --json prints.
    """
    usage, steps, thread = summary["usage"], len(summary["steps"]), summary["thread"]
    parts = [] if thread.startswith(TERMINALS) else [thread]
    parts += [pluralize(steps, "steps")] if steps else []
    parts += [f"{usage['seconds']:.1f} s", pluralize(usage["model_calls"], "model calls")]
    if usage["credits"]:
        left = "" if usage["searches_left"] is None else f" ({usage['searches_left']:,} left today)"
        parts.append(pluralize(usage["credits"], "searches") + left)
    return " · ".join(parts)


def _dim(text: str, screen: Screen) -> str:
    return styled(text, FAINT, color=screen.err_color)
