"""The tellers of a turn: of a person, a pipe or a plain command, of a program, and of the log."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..core import events
from ..core.events import Changes, Event, Tell, always
from ..core.text import clean, one_line, pluralize, truncate
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
    """Tells the answer of a turn as it comes: a person at a terminal, or a pipe.

    On a pipe an opening that worked is told as its address alone; what did not work on stderr, once stdout
    has something better. Beside CSV all words stand there.
    """

    def __init__(
        self, screen: Screen, state_folder: str = "", *, as_csv: bool = False, is_quiet: bool = False
    ) -> None:
        """state_folder: where it is remembered what a thread was told; empty: nowhere."""
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
                if self._screen.err_tty and self._state_folder:  # a pipe is told all of it each time
                    self._changes = partial(should_show, self._state_folder, thread)
            case events.Unreported():
                self._screen.err(as_typed_at(self._screen, clean(event.text)))
            case ActionRequest() as request:  # a browser may take seconds to say that it starts
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
                if self._streamed and not self._has_replied:  # what was shown never came whole
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
            # What was not done stands there too: a reply by itself may claim that it was.
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
        for line in filter(None, (self._unverified(replied), self._how_to_open(replied))):
            screen.err(_dim(line, screen))

    def _tell_text(self, text: str) -> None:
        """Tell the words of a reply, of which some may stand on the terminal already."""
        if self._is_watched:
            is_begun = text.startswith(self._streamed)
            self._write(text[len(self._streamed) :] if is_begun else f"\n{text}")
            self._screen.reply("")
        elif text:
            self._say(clean(text, tabs=True))

    def _source_line(self, number: int, source: events.Source) -> str:
        """Return a source on one line: its title is cut for its address, which is whole or a link."""
        screen, address = self._screen, clean(source.url)
        if screen.takes_links and host_of(address):
            address = truncate(without_scheme(address), screen.width // 2)
        room = max(12, screen.width - len(address) - 8) if screen.out_tty else _LONGEST_TITLE
        title = one_line(source.title, room) or "(no title)"
        head = styled(f"[{number}]", BOLD, color=screen.out_color)
        shown = linked(address, source.url) if screen.takes_links else address
        return f"{head} {title}  {shown}{'  (read)' if source.read else ''}"

    def _unverified(self, replied: events.Replied) -> str:
        """Return a line on the new hosts in a reply that nothing vouches for; empty where none is."""
        hosts = [clean(host) for host in dict.fromkeys(map(host_of, replied.unverified))]
        told = ", ".join(host for host in hosts if self._changes(f"host {host}", "told"))
        return f"Not from your words nor from a search: {told}" if told else ""

    def _how_to_open(self, replied: events.Replied) -> str:
        """Return how to open what was found, where nothing was opened and no table says so already."""
        is_page = any(host_of(source.url) for source in replied.sources[:1])  # and no file
        is_listed = is_page and replied.first == 1 and not self._has_acted
        told = as_typed_at(self._screen, "jarvis open 1 opens the first")
        return told if self._is_watched and is_listed and self._changes("open", "how") else ""


class Progress:
    """Tells on stderr what goes on meanwhile, and what else is to be known; more of it with -v.

    Of history and permissions each person is told, of all else who watches.
    """

    def __init__(self, screen: Screen, *, is_watched: bool = True, is_verbose: bool = False) -> None:
        self._screen = screen
        self._is_watched, self._is_verbose = is_watched, is_verbose

    def tell(self, event: Event) -> None:
        if isinstance(event, events.Notice) and event.is_warning:
            self._screen.warn([event.text])
        elif isinstance(event, events.Notice) and (event.must_know or self._is_watched):
            told = as_typed_at(self._screen, clean(event.text))
            self._screen.err(told if event.must_know else _dim(told, self._screen))
        elif self._is_watched:
            self._tell_of_work(event)

    def _tell_of_work(self, event: Event) -> None:
        match event:
            case events.TurnStarted():
                self._screen.passing("thinking…")
            case events.Planned():
                self._planned(event)
            case events.StepFinished(n, outcome=outcome, is_implied=is_implied):
                if self._is_verbose and is_implied:  # of all else, and of what failed, the answer tells
                    told = one_line(outcome.text, 400).rstrip(".")
                    self._screen.err(f"{_dim(str(n), self._screen)} {told}")
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
            screen, known = self._screen, clean(planned.origin)
            head = styled(clean(name), BOLD, color=screen.err_color)
            told = f"{_dim(str(planned.n), screen)} {head} {one_line(planned.target, 200)}"
            screen.err(f"{told}  {_dim(known, screen)}" if known else told)
            if reason := one_line(planned.plan.text, 300):
                screen.err(_dim(f"  {reason}", screen))
        if planned.effect in ("searches", "reads"):  # which take their time
            self._screen.passing(f"{'searching' if name == 'search' else name}: {planned.target} …")


def log_teller(log: Log | None) -> Tell:
    """Return what writes a turn to the log."""
    turn: dict[str, str] = {}

    def tell(event: Event) -> None:
        nonlocal turn
        if isinstance(event, events.TurnStarted):
            turn = {"thread": event.thread, "turn": event.turn}
        elif log and (fields := _logged(event)):
            log.write(**turn, **fields)

    return tell


def _logged(event: Event) -> dict[str, Any]:
    """Return what the log keeps of *event*; nothing of most."""
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
    """Return what has each of *tells* tell of an event, one after the other."""

    def tell(event: Event) -> None:
        for each in tells:
            each(event)

    return tell


def teller_for(options: Options, screen: Screen, state_folder: str = "") -> Tell:
    """Return what shows a turn on this screen.

    state_folder: where it is remembered what a thread was told; empty: nowhere.
    """
    is_for_person = not (options.json or options.ndjson)
    is_watched = is_for_person and (options.verbose > 0 or (screen.err_tty and not options.quiet))
    told = []
    if is_watched or not options.quiet:
        told.append(Progress(screen, is_watched=is_watched, is_verbose=options.verbose > 0).tell)
    return tell_all(*told, answer_teller(options, screen, state_folder))


def is_streamed(options: Options, screen: Screen) -> bool:
    """Return whether a reply is told while it is being written."""
    return options.ndjson or (screen.out_tty and not (options.json or options.csv))


def answer_teller(options: Options, screen: Screen, state_folder: str = "") -> Tell:
    """Return what tells the answer: programs that asked for JSON, else people, and who reads lines."""
    if options.ndjson:
        return record_teller(screen)
    if options.json:
        return object_teller(screen)
    return AnswerTeller(screen, state_folder, as_csv=options.csv, is_quiet=options.quiet).tell


def footer(summary: Mapping[str, Any]) -> str:
    """Return what the turn cost, with its thread, unless that is a terminal's own.

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
