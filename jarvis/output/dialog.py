"""Reads what the person answers at a terminal, key by key or as a line, by prompt_toolkit.

Imported once a question stands on the screen: it takes a tenth of a second. What was typed until then, or
goes on being typed, is no answer: it waits for the next prompt of a chat, and is dropped where there is none.
"""

import asyncio
from collections.abc import Callable, Sequence
from getpass import getpass
from typing import TextIO, cast

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.formatted_text import StyleAndTextTuples
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
from ..core.text import one_line
from ..policy.questions import EDIT, EXPLAIN, FOR_GOOD, NO, YES, rest_of
from .screen import Screen, is_tty, wrapped

_SILENCE = 0.3  # seconds without a key before one counts: they may be in the middle of a line
_CAPITALS = {"Y": YES, "N": NO}  # where they are no options of their own


def typed_line(screen: Screen, label: str, *, is_hidden: bool = False) -> str:
    """Return the line that the person types behind *label*, as `read_line` does."""
    return run_until_signal(read_line(screen, label, is_hidden=is_hidden))


def input_of(screen: Screen) -> Input:
    """Return what reads keys. Raises NeedsAnswer where the terminal is gone."""
    try:
        return create_input(cast("TextIO", screen.stdin))
    except OSError:  # as prompt_toolkit says so
        raise _left_open() from None


def _left_open() -> NeedsAnswer:
    return NeedsAnswer("The terminal was closed before you answered.", hint="Ask again.")


async def read_line(
    screen: Screen, label: str, *, is_hidden: bool = False, is_answer: bool = False, at_end: str = ""
) -> str:
    """Return the line that is typed behind *label* from now on; *at_end* for Ctrl-D.

    is_answer: it goes on from a key that was pressed, so that what follows that key belongs to it.
    Raises Interrupted for Ctrl-C, NeedsAnswer where the terminal is gone.
    """
    source = input_of(screen)
    before = [] if is_answer else typed_ahead(source)
    try:
        if is_hidden and screen.is_dumb:  # where prompt_toolkit would show it
            return getpass(label, screen.terminal).strip()
        # Not as arguments of PromptSession, or it would not notice that the terminal is dumb.
        with create_app_session(source, output_of(screen)):
            session = PromptSession[str](enable_suspend=True)
        # From before the label stands there: what a key of lines means, as Ctrl-D, is lost to one of keys.
        with source.raw_mode():
            return (await session.prompt_async(label, is_password=is_hidden)).strip()
    except (EOFError, OSError):
        if not is_tty(screen.stdin):
            raise _left_open() from None
        return at_end
    except KeyboardInterrupt:
        raise Interrupted("Interrupted.") from None
    finally:
        after = typed_ahead(source)  # what else was pasted with a key is thrown away: it may hold more of it
        store_typeahead(source, [*before, *([] if is_hidden else after)])
        screen.mark_pastes(wanted=screen.marks_pastes)


def typed_ahead(source: Input) -> list[KeyPress]:
    """Return the keys that were typed and nobody has read, and take them away."""
    keys = get_typeahead(source)
    with source.raw_mode():
        while more := source.read_keys():
            keys += more
    return [*keys, *source.flush_keys()]


def without_rests(keys: Sequence[KeyPress]) -> tuple[list[KeyPress], str]:
    """Return *keys* but for the rests of answers: some type “yes” and Enter where one key is enough.

    With it what may still come of such a rest, as “es”; empty where nothing may.
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
        # Asked where its cursor is, a terminal may take 2 s, and answer on the line of the shell.
        output.enable_cpr = False
    return output


def choice_lines(question: Question, marked: str = "") -> list[str]:
    """Return a line of each choice, with its whole address; *marked* is the number of the marked one."""
    rows = ((each, dict.fromkeys(map(one_line, (each.title, each.whole)))) for each in question.choices)
    return [f"{'›' if each.id == marked else ' '} {each.id}  {'  '.join(told)}" for each, told in rows]


class Dialog:
    """A question on the screen: the keys that answer it, and the lines below it that show what they do."""

    def __init__(self, screen: Screen, question: Question, show_again: Callable[[str], None]) -> None:
        """show_again: shows it once more, after the key that wants that."""
        self._screen, self._question, self._show_again = screen, question, show_again
        self._before: list[KeyPress] = []  # the keys that came before they counted
        self._silence: asyncio.TimerHandle | None = None  # at whose end keys count
        self._marked = 0  # the number of a choice
        self._said = ""
        self._app: Application[str]  # while keys are waited for

    def answer_now(self) -> str:
        """Return the answer, as `answer` does, where no event loop runs."""
        return run_until_signal(self.answer())

    async def answer(self) -> str:
        """Return the answer to the question, which is shown.

        Raises Interrupted for Ctrl-C, NeedsAnswer where the terminal is gone.
        """
        source = input_of(self._screen)
        try:
            wait = self._typed if self._screen.is_dumb else self._pressed
            while (said := await wait()) in (EDIT, EXPLAIN):
                if said == EDIT and (words := await read_line(self._screen, "instead: ", is_answer=True)):
                    return f"{EDIT} {words}"
                self._show_again(said)
            return said
        except (EOFError, OSError):  # the terminal is gone: nothing can be read from it, or drawn on it
            raise _left_open() from None
        finally:  # what was typed before waits for the next prompt
            store_typeahead(source, [*self._before, *get_typeahead(source)])

    async def _typed(self) -> str:
        """Return the answer that is typed as a line, on a terminal that has nothing else."""
        marked = str(self._question.marked or NO)
        for line in choice_lines(self._question, marked):
            self._screen.ask(wrapped(line, self._screen.width))
        return await read_line(self._screen, "> ", at_end=NO) or marked

    async def _pressed(self) -> str:
        """Return the key that answers. Raises Interrupted, and EOFError where the terminal is gone."""
        self._marked, self._app = self._question.marked, self._application()
        try:
            with self._app.input.raw_mode():  # no more is echoed
                self._app.output.write_raw("\r")  # what was typed before may have been
                self._wait()
                return await self._app.run_async(set_exception_handler=False)
        finally:
            rest = KeyPress(Keys.Ignore, rest_of(self._said))
            store_typeahead(self._app.input, [rest, *typed_ahead(self._app.input)])
            self._screen.mark_pastes(wanted=self._screen.marks_pastes)

    def _application(self) -> Application[str]:
        keys = KeyBindings()
        keys.add(Keys.Any, eager=True)(self._press)
        app: Application[str] = Application(
            Layout(Window(FormattedTextControl(self._shown, show_cursor=True), wrap_lines=True)),
            key_bindings=keys,
            input=input_of(self._screen),
            output=output_of(self._screen),
        )
        app.ttimeoutlen = 0.1  # seconds; Esc may be the beginning of an arrow
        return app

    def _wait(self) -> None:
        """Have keys count once nobody has typed for a while.

        By a timer: its turn comes after the keys that a busy machine reads late, each of which puts it off.
        """
        if self._silence:
            self._silence.cancel()
        self._silence = asyncio.get_running_loop().call_later(_SILENCE, self._end_silence)

    def _end_silence(self) -> None:
        self._silence = None
        self._app.invalidate()

    def _press(self, event: KeyPressEvent) -> None:
        """Do what the key does, once keys count; Ctrl-C and Ctrl-Z always do."""
        pressed = event.key_sequence[0]
        if pressed.key in (Keys.ControlC, Keys.SIGINT):
            self._app.exit(exception=Interrupted("Interrupted."))
        elif pressed.key == Keys.ControlZ:
            self._app.suspend_to_background()
        elif self._silence:
            self._before.append(pressed)
            self._wait()
        else:
            self._heed(pressed.key)

    def _heed(self, key: str) -> None:
        """Do what *key* does. One that means nothing here, or a paste, does nothing."""
        offered, count = [each.id for each in self._question.options], len(self._question.choices)
        if key in (Keys.ControlM, Keys.ControlJ):
            self._take(str(self._marked or NO))
        elif key in (Keys.Escape, Keys.ControlD):
            self._take(NO)
        elif key in (Keys.Up, Keys.Down):  # at the ends nothing is marked
            self._marked = (self._marked + (1 if key == Keys.Down else -1)) % (count + 1)
        elif key in (Keys.Tab, EDIT, "/") and self._question.takes_words:  # of `/yes` no letter is a yes
            self._app.erase_when_done = True  # the words stand where the prompt stood
            self._app.exit(result=EDIT)
        elif key == FOR_GOOD and self._marked:
            self._take(f"{self._marked}{FOR_GOOD}")
        elif key.isdecimal():
            self._marked = int(key) if int(key) <= count else 0
        elif key == EXPLAIN:
            self._app.exit(result=EXPLAIN)
        elif key in offered or _CAPITALS.get(key) in offered:
            self._take(key if key in offered else _CAPITALS[key])

    def _take(self, answer: str) -> None:
        """Take *answer*, and leave on the screen what it was."""
        self._said = answer
        self._app.exit(result=answer)

    def _shown(self) -> StyleAndTextTuples:
        """Return the choices, and below them the prompt, once keys count."""
        lines = choice_lines(self._question, str(self._marked or ""))
        prompt = "" if self._silence else f"> {self._said or self._marked or ''}"
        shown = [("bold" if line.startswith("›") else "", f"{line}\n") for line in lines]
        return [*shown, ("", prompt), ("[SetCursorPosition]", " ")]
