"""What a client does for the brain: it prints, and has the hands act. The same for every client."""

from __future__ import annotations

from .. import __version__
from ..actions.hands import Hands
from ..core.errors import BrainFailed
from ..core.types import Outcome, Request, unknown
from ..output.screen import Screen
from .protocol import Act, Alive, BadMessage, Clear, Did, Err, Failed, Message, Out, Passing, Piece, decode

ANEW = "What was done so far is kept. Ask again: it is started anew."


def show(message: Message, screen: Screen) -> None:
    """Print it. Raises BrainFailed for what no brain would send now."""
    match message:
        case Out(text):
            screen.out(text, end="")
        case Piece(text):
            screen.reply(text)
        case Err(text):
            screen.err(text)
        case Passing(text):
            screen.passing(text)
        case Clear():
            screen.clear()
        case Alive():
            pass
        case _:
            raise garbled()


def did(hands: Hands, act: Act) -> Did:
    """What came of it, even where that is a fault of ours: the brain waits for an answer."""
    outcome = _performed(hands, act.request)
    return Did(
        turn=act.turn,
        n=act.n,
        state=outcome.state,
        text=outcome.text,
        value=outcome.value,
        code=outcome.code,
        hint=outcome.hint,
        exit_status=outcome.exit_status,
    )


def _performed(hands: Hands, request: Request) -> Outcome:
    try:
        return hands.perform(request)
    except Exception as fault:  # noqa: BLE001 (whatever it is)
        outcome = unknown(request.action, request.effect.target)
        return outcome._replace(text=f"{outcome.text} ({type(fault).__name__}: {fault})")


def heard(line: bytes) -> Message:
    """What the brain says in a whole line. Raises BrainFailed where that is its end, or makes no sense."""
    try:
        message = decode(line)
    except BadMessage:
        raise garbled() from None
    if isinstance(message, Failed):
        raise _translated(message)
    return message


def other_version(version: str) -> BrainFailed:
    """The brain is of what was installed while this program ran."""
    return BrainFailed(
        f"This is Jarvis {__version__}, and the process that plans is {version}.",
        hint="Start Jarvis again; a chat is left with Ctrl-D.",
    )


def garbled() -> BrainFailed:
    return BrainFailed("The process that plans and searches speaks in riddles.", hint=ANEW)


def _translated(failed: Failed) -> BrainFailed:
    """What ended it, as it told it."""
    error = BrainFailed(failed.message, hint=failed.hint)
    error.code, error.exit_status = failed.code, failed.exit_status
    return error
