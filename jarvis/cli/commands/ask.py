"""`jarvis WORDS…`, `jarvis ask WORDS…`: a request; without words, on a terminal, a chat."""

from __future__ import annotations

from ...core.errors import SettingsError
from ...core.stdlib import TYPE_CHECKING
from ..options import REQUEST
from ..registry import MANY, Argument, Call, Command

if TYPE_CHECKING:
    from ...launcher.command import Meant
    from ...output.screen import Screen

# Each way imports its own: what is plain must cost no more than it needs.


def _run(call: Call, screen: Screen) -> int:
    options, words = call.options, call.words
    if options.answer is not None:
        from ..answer import answer_question  # a way of its own

        return answer_question(options, words, screen)
    if _begins_chat(call, screen):
        from ..chat.chat import run_chat  # a way of its own

        return run_chat(options, screen)
    meant, tried = _plainly_meant(call, screen)
    if meant:
        from ..one_shot import plainly  # a way of its own

        return plainly(options, words, screen, meant)
    from ..request import ask  # a way of its own

    return ask(options, words, screen, tried=tried)


def _begins_chat(call: Call, screen: Screen) -> bool:
    """Not where `--` stands alone, behind which a script may have had nothing to say."""
    is_for_program = call.options.json or call.options.ndjson
    return not (call.words or call.only_words or is_for_program) and screen.is_interactive


def _plainly_meant(call: Call, screen: Screen) -> tuple[Meant | None, str]:
    """Return what the words plainly mean, and those of which that is known."""
    if list(call.words[-1:]) == ["-"]:  # what is piped in belongs to what they say
        return None, ""
    from ...launcher.command import meant_by  # help reads this file too

    text = " ".join(call.words)
    try:
        return meant_by(text, call.options, screen.environment), text
    except SettingsError:  # told where the request is done
        return None, ""


COMMAND = Command(
    "ask",
    "the same as WORDS…, for scripts",
    _run,
    (Argument("words", least=0, most=MANY, kind="words"),),
    options=REQUEST,
    near=0,
)
