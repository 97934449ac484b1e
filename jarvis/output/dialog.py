"""Reads the user's answer at a terminal, key by key or as a line, with prompt_toolkit.

Imported once a question is on the screen, since that takes 0.1 seconds. Input from before that is not an
answer. It waits for the next prompt of a chat. Without a chat it is dropped.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from getpass import getpass
from textwrap import indent
from typing import TextIO, cast

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.output.plain_text import PlainTextOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from ..core.concurrency import run_until_signal
from ..core.errors import Interrupted, NeedsAnswer
from ..core.events import Question
from ..core.text import cells_in, clean, one_line, side_by_side
from ..policy.questions import ALWAYS, EDIT, EXPLAIN, FOR_GOOD, NEVER, NO, YES, rest_of
from .screen import Screen, as_typed_at, is_tty, wrapped
from .styles import BOLD, FAINT, styled

_SILENCE = 0.3  # seconds without a key before one counts: the user may be in the middle of a line
_CAPITALS = {"Y": YES, "N": NO}  # if they are no options of their own


def typed_line(screen: Screen, label: str, *, is_hidden: bool = False) -> str:
    """Return the line that the user types after *label*, as `read_line` does."""
    return run_until_signal(read_line(screen, label, is_hidden=is_hidden))


def input_of(screen: Screen) -> Input:
    """Return the input that reads keys. Raises NeedsAnswer if the terminal is gone."""
    try:
        return create_input(cast("TextIO", screen.stdin))
    except OSError:  # prompt_toolkit's sign of that
        raise _unanswered() from None


def _unanswered() -> NeedsAnswer:
    return NeedsAnswer("The terminal was closed before you answered.", hint="Ask again.")


async def read_line(
    screen: Screen, label: str, *, is_hidden: bool = False, is_answer: bool = False, at_end: str = ""
) -> str:
    """Return the line that is typed after *label* from now on, or *at_end* for Ctrl-D.

    is_answer: it continues a pressed key, so keys that followed belong to it. Raises Interrupted for Ctrl-C,
    NeedsAnswer if the terminal is gone.
    """
    source = input_of(screen)
    before = [] if is_answer else typed_ahead(source)
    try:
        if is_hidden and screen.is_dumb:  # prompt_toolkit would show it there
            return getpass(label, screen.terminal).strip()
        # Not as arguments of PromptSession, or it wouldn't notice that the terminal is dumb.
        with create_app_session(source, output_of(screen)):
            session = PromptSession[str](enable_suspend=True)
        # Raw before the label is shown: in line mode the terminal itself would take keys such as Ctrl-D.
        with source.raw_mode():
            return (await session.prompt_async(screen.margin + label, is_password=is_hidden)).strip()
    except (EOFError, OSError):
        if not is_tty(screen.stdin):
            raise _unanswered() from None
        return at_end
    except KeyboardInterrupt:
        raise Interrupted("Interrupted.") from None
    finally:
        after = typed_ahead(source)  # after a hidden key it is dropped: more of that key may be in it
        store_typeahead(source, [*before, *([] if is_hidden else after)])
        screen.mark_pastes(wanted=screen.marks_pastes)


def typed_ahead(source: Input) -> list[KeyPress]:
    """Return the unread keys, and remove them from *source*."""
    keys = get_typeahead(source)
    with source.raw_mode():
        while more := source.read_keys():
            keys += more
    return [*keys, *source.flush_keys()]


def without_rests(keys: Sequence[KeyPress]) -> tuple[list[KeyPress], str]:
    """Return *keys* without the rests of answers, since some type “yes” and Enter instead of one key.

    Also returns the rest that may still come, such as “es”, or "".
    """
    left, to_come = [*keys], ""
    for mark in [key for key in left if key.key == Keys.Ignore]:
        at = left.index(mark)
        typed = "".join(key.data for key in left[at + 1 :])
        rest = next((rest for rest in (f"{mark.data}\r", "\r") if typed.startswith(rest)), "")
        to_come = mark.data if not rest and mark.data.startswith(typed) else ""
        del left[at : at + 1 + len(rest)]
    return left, to_come


def output_of(screen: Screen) -> Output:
    if screen.is_dumb:
        return PlainTextOutput(cast("TextIO", screen.terminal))
    output = create_output(screen.terminal)
    if isinstance(output, Vt100_Output):
        # A terminal may take 2 seconds to report its cursor, and do it on the shell's next line.
        output.enable_cpr = False
    return output


class Dialog:
    """The part of a question that changes as keys are pressed: choices, details, and the keys themselves."""

    def __init__(self, screen: Screen, question: Question, show_again: Callable[[], None]) -> None:
        self._screen, self._question, self._show_again = screen, question, show_again
        self._is_resized = False  # whether the terminal was
        self._before: list[KeyPress] = []  # the keys that came before they counted
        self._silence: asyncio.TimerHandle | None = None  # at whose end keys count
        self._marked = question.marked  # the number of a choice; 0: none
        self._is_unfolded = False  # whether details are shown
        self._answer = ""
        self._app: Application[str]  # while it waits for keys

    def answer_now(self) -> str:
        """Return the answer, as `answer` does, if no event loop runs."""
        return run_until_signal(self.answer())

    async def answer(self) -> str:
        """Return the user's answer to the question, which is on the screen.

        Raises Interrupted for Ctrl-C, NeedsAnswer if the terminal is gone.
        """
        source = input_of(self._screen)
        try:
            wait = self._typed if self._screen.is_dumb else self._pressed
            while (answer := await wait()) in (EDIT, EXPLAIN):
                if answer == EXPLAIN:
                    self._show_again()
                if answer == EDIT and (words := await read_line(self._screen, "instead: ", is_answer=True)):
                    return f"{EDIT} {words}"
            return answer
        except (EOFError, OSError):  # the terminal is gone
            raise _unanswered() from None
        finally:  # what was typed before waits for the next prompt
            store_typeahead(source, [*self._before, *get_typeahead(source)])

    async def _typed(self) -> str:
        """Return the line that answers, on a terminal that can't redraw."""
        self._screen.ask("\n".join(self._lines()))
        answer = await read_line(self._screen, "> ", at_end=NO) or str(self._marked or NO)
        self._is_unfolded ^= answer == EXPLAIN
        return answer

    async def _pressed(self) -> str:
        """Return the key that answers. Raises Interrupted, and EOFError if the terminal is gone."""
        self._app = self._application()
        try:
            with self._app.input.raw_mode():  # no more is echoed
                self._app.output.write_raw("\r")  # what was typed before may have been
                self._wait()
                return await self._app.run_async(set_exception_handler=False)
        finally:
            if self._silence:
                self._silence.cancel()
            rest = KeyPress(Keys.Ignore, rest_of(self._answer))
            store_typeahead(self._app.input, [rest, *typed_ahead(self._app.input)])
            self._screen.mark_pastes(wanted=self._screen.marks_pastes)

    def _application(self) -> Application[str]:
        keys = KeyBindings()
        keys.add(Keys.Any, eager=True)(self._press)
        app: Application[str] = Application(
            Layout(Window(FormattedTextControl(self._render_choices, show_cursor=True), wrap_lines=True)),
            key_bindings=keys,
            input=input_of(self._screen),
            output=output_of(self._screen),
        )
        # Its own erases lines above that it hasn't drawn.
        app._on_resize = self._resize  # type: ignore[method-assign]  # noqa: SLF001
        app.ttimeoutlen = 0.1  # seconds; Esc may be the beginning of an arrow
        return app

    def _wait(self) -> None:
        """Have keys count once nobody has typed for a while.

        A timer's turn comes after keys that a busy machine reads late. Each of them puts it off.
        """
        if self._silence:
            self._silence.cancel()
        self._silence = asyncio.get_running_loop().call_later(_SILENCE, self._end_silence)

    def _end_silence(self) -> None:
        self._silence = None
        self._app.invalidate()
        if self._is_resized:
            self._is_resized, self._app.erase_when_done = False, True
            self._app.renderer.reset()  # nothing above the cursor is erased
            self._app.output.write_raw("\r\n")
            self._app.exit(result=EXPLAIN)

    def _resize(self) -> None:
        """Show the question again once the size stays: the terminal may have moved its lines."""
        self._is_resized = True
        self._wait()

    def _press(self, event: KeyPressEvent) -> None:
        """Handle a key, once keys count. Ctrl-C and Ctrl-Z always count."""
        pressed = event.key_sequence[0]
        if pressed.key in (Keys.ControlC, Keys.SIGINT):
            self._app.exit(exception=Interrupted("Interrupted."))
        elif pressed.key == Keys.ControlZ:
            self._app.suspend_to_background()
        elif self._silence:
            self._before.append(pressed)
            self._wait()
        else:
            self._handle_key(pressed.key)

    def _handle_key(self, key: str) -> None:
        """Do what *key* means. Pastes and all other keys do nothing."""
        offered, count = [each.id for each in self._question.options], len(self._question.choices)
        if key in (Keys.ControlM, Keys.ControlJ):
            self._take(str(self._marked or NO))
        elif key in (Keys.Escape, Keys.ControlD):
            self._take(NO)
        elif key in (Keys.Up, Keys.Down):  # beyond the ends nothing is marked
            self._marked = (self._marked + (1 if key == Keys.Down else -1)) % (count + 1)
        elif key in (Keys.Tab, EDIT, "/") and self._question.takes_words:  # in `/yes` no letter is a yes
            self._app.erase_when_done = True  # the words replace the keys
            self._app.exit(result=EDIT)
        elif key == FOR_GOOD and self._marked:
            self._take(f"{self._marked}{FOR_GOOD}")
        elif key.isdecimal():
            self._marked = int(key) if int(key) <= count else 0
        elif key == EXPLAIN:
            self._is_unfolded = not self._is_unfolded
        elif key in offered or _CAPITALS.get(key) in offered:
            self._take(key if key in offered else _CAPITALS[key])

    def _take(self, answer: str) -> None:
        """Take *answer*, and leave it on the screen."""
        self._answer = answer
        self._app.exit(result=answer)

    def _render_choices(self) -> StyleAndTextTuples:
        """Return the lines as they are now, with the cursor after the last one."""
        lines = indent("\n".join(self._lines()), self._screen.margin)
        return [*to_formatted_text(ANSI(lines)), ("[SetCursorPosition]", " ")]

    def _lines(self) -> list[str]:
        """Return the choices, and below them the keys once they count, or the answer."""
        question, screen, marked = self._question, self._screen, str(self._marked or "")
        rows = zip(question.choices, choice_lines(question, screen.width, marked), strict=True)
        lines = [(line, BOLD if each.id == marked else "") for each, line in rows]
        if self._answer or self._silence:
            lines.append((f"> {self._answer}" if self._answer else "", ""))
        else:
            lines += [(line, "") for line in detail_lines(screen, question) if self._is_unfolded]
            lines += [(line, FAINT) for line in key_lines(screen, question)]
        return [styled(line, style, color=screen.err_color) for line, style in lines]


# The lines of a question that change, or may be folded.


def choice_lines(question: Question, width: int, marked: str = "") -> list[str]:
    """Return the choices with their whole addresses, which are aligned. marked: a number."""
    rows = [[*dict.fromkeys(map(one_line, (each.title, each.whole)))] for each in question.choices]
    widest = max((cells_in(title) for title, *address in rows if address), default=0)
    lines = []
    for each, (title, *address) in zip(question.choices, rows, strict=True):
        gap = " " * (widest - cells_in(title) + 2)
        line = wrapped(f"  {each.id}  {gap.join([title, *address])}", width)
        lines.append(f"›{line[1:]}" if each.id == marked else line)
    return lines


def key_lines(screen: Screen, question: Question) -> list[str]:
    """Return the keys that answer *question*, in as few lines as the screen has room for."""
    keys = (clean(key) for key, _, _ in _keys(question, is_typed=screen.is_dumb))
    return [f"  {line}" for line in side_by_side(keys, screen.width - 2)]


def detail_lines(screen: Screen, question: Question) -> list[str]:
    """Explain each key: its effect, what it saves, and how to undo it."""
    lines, margin = list[str](), " " * 10
    for _, name, means in _keys(question, is_typed=screen.is_dumb):
        text = wrapped(clean(as_typed_at(screen, means)), screen.width - len(margin))
        lines.append(f"  {name:<8}" + text.replace("\n", f"\n{margin}"))
    return lines


def _keys(question: Question, *, is_typed: bool) -> Iterator[tuple[str, str, str]]:
    """Yield each key: how the line of keys shows it, its name, and what it does. is_typed: with Enter."""
    count, may_open = len(question.choices), any(each.whole for each in question.choices)
    numbers, verb = "1" if count == 1 else f"1-{count}", "open" if may_open else "choose"
    if count > 1 or count > question.marked:
        yield f"{numbers if is_typed else '↑↓'} choose", numbers, "chooses a row, as the arrows do"
    if question.marked or (count and not is_typed):
        yield f"Enter {verb}", "Enter", f"{verb}s the marked row, this once"
    if may_open:
        means = "opens it, and the name always means it from then on. Undo: jarvis alias rm NAME"
        yield f"{'1' * is_typed}{FOR_GOOD} always", FOR_GOOD, means
    for each in () if count else sorted(question.options, key=lambda each: each.id in (ALWAYS, NEVER)):
        yield f"{each.id} {each.title}", each.id, each.whole
    if question.takes_words:
        key = EDIT if is_typed else "Tab"
        yield f"{key} something else", key, f"or {EDIT}: say what to do instead, in your own words"
    if count:
        yield f"{NO if is_typed else 'Esc'} cancel", NO, question.options[-1].whole
    yield f"{EXPLAIN} details", "Ctrl-C", "stops this request"
