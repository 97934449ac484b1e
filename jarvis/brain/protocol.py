"""The messages between a client and the brain: one JSON object a line, in UTF-8, each of a known kind.

A connection is for one turn. The client sends its Ask, so the brain can serve clients in their order. The
brain says Ready and begins. Then the brain sends an Act or a Query as needed, and the client answers with a
Did or an Answer. It may send a Cancel at any time. The client shows each event until the brain says Ended,
and then confirms with Shown. No message holds a key: the brain reads its own.
"""

# Without `annotations` from __future__: decode() checks what comes in against the types of the fields.

from collections.abc import Iterable, Mapping
from functools import partial
from json import dumps, loads
from typing import Any, NamedTuple

from ..core import events, types
from ..core.errors import JarvisError
from ..core.events import Event, Question, StepFinished, TableShown, Words
from ..core.text import without
from ..core.types import ActionRequest, Options, Performed

LONGEST = 4_000_000  # bytes of one line to the brain: room for the longest material, whatever its characters
LONGEST_TOLD = 40_000_000  # bytes of one line from it: room for a table of all that somebody owns


class BadMessage(JarvisError):
    """A line that isn't a valid message. Nothing else on that connection is trusted."""

    code = "bad_message"

    def __init__(self, what: str) -> None:
        super().__init__(f"A message came in that {what}.", hint="Start Jarvis again.")


class Ask(NamedTuple):
    """Do what these words ask."""

    words: Words  # their turn has its id, 16 digits; with `did` it goes on from where it stands
    thread: str  # that they named; empty: none
    own_thread: str  # of their terminal, where the brain's own settings name none either
    options: Options  # what the command line says besides
    place: str  # time and place, for the model
    pictures: str  # the folder for pictures
    streams: bool  # whether a reply is shown while it is being written
    is_asked: bool  # whether the person can be, on the terminal or by records on stdin
    asked_at: float = 0.0  # when, by the monotonic clock, which all processes share


class Did(NamedTuple):
    """The desktop has done an Act, or failed to."""

    performed: Performed


class Answer(NamedTuple):
    """The user's answer to a Query."""

    question: str
    answer: str
    is_given: bool  # nobody may be left to give one


class Cancel(NamedTuple):
    """End the turn now. If it has ended already, this is fine."""

    reason: str  # interrupted | terminated


class Shown(NamedTuple):
    """The terminal or the pipe accepted everything up to Ended."""


class Alive(NamedTuple):
    """Sent every second, so that the client can tell a brain that hangs."""


class Ready(NamedTuple):
    """The brain accepts a request now."""


class Tell(NamedTuple):
    """Show that this happened."""

    event: Event

    @classmethod
    def of(cls, event: Event) -> "Tell":
        """Return it without what nobody shows: there may be much of that."""
        match event:
            case ActionRequest(effect=effect):
                event = event._replace(effect=effect._replace(file=None, rows=()))
            case StepFinished(outcome=outcome):
                event = event._replace(outcome=outcome._replace(found=(), table=None, page=""))
            case TableShown(table):
                event = event._replace(table=table._replace(found=None))
        return cls(event)


class Act(NamedTuple):
    """Perform this in the person's session, once, and answer with a Did."""

    request: ActionRequest  # number 0: only look something up there

    @classmethod
    def of(cls, request: ActionRequest) -> "Act":
        effect = request.effect._replace(address=None, file=None, rows=())  # which the desktop does without
        return cls(request._replace(effect=effect))


class Query(NamedTuple):
    """Get the person's answer to this question, and send it as Answer."""

    question: Question


class Ended(NamedTuple):
    """The turn is over, and every event of it was sent."""

    exit_status: int


class Failed(NamedTuple):
    """The brain does no turn on this connection, for this reason."""

    code: str
    message: str
    hint: str
    exit_status: int


# The client's, then the brain's.
Message = Ask | Did | Answer | Cancel | Shown | Alive | Ready | Tell | Act | Query | Ended | Failed

KINDS: dict[str, type[Message]] = {kind.__name__: kind for kind in Message.__args__}
_json = partial(dumps, ensure_ascii=False)


def encode(message: Message, secrets: Iterable[str] = ()) -> bytes:
    """Return *message* as a line, with *secrets* struck out."""
    line = without(_json(_listed(message)), tuple(_json(secret)[1:-1] for secret in secrets))
    return line.encode("utf-8", "surrogatepass") + b"\n"  # a path may hold bytes that are no text


def decode(line: bytes) -> Message:
    """Return the message in *line*. Raises BadMessage."""
    try:
        message = _value_in(loads(line))
    except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise BadMessage("makes no sense") from None
    kind = KINDS.get(type(message).__name__)
    if kind is None or not all(map(_fits, message, kind.__annotations__.values())):
        raise BadMessage(f"is no {kind.__name__}" if kind else "makes no sense")
    return kind(*message)


def _fits(value: object, kind: Any) -> bool:
    """Return whether *value* is of that *kind*. Excludes True as an int, unlike isinstance."""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


# A value as JSON has it: a list behind its kind; behind nothing the list of a tuple; a mapping as it is.


def _listed(value: Any) -> Any:
    """Return a value of a message so that JSON can hold it."""
    if isinstance(value, Mapping):
        return {key: _listed(each) for key, each in value.items()}
    kind = type(value)
    if kind.__name__ == "Decimal":  # whose module few messages need
        return [kind.__name__, str(value)]
    is_named, is_list = hasattr(value, "_fields"), isinstance(value, tuple | list)
    return [kind.__name__ * is_named, *map(_listed, value)] if is_list else value


def _value_in(listed: Any) -> Any:
    """Return the value that `_listed` wrote down."""
    if isinstance(listed, dict):
        return {key: _value_in(each) for key, each in listed.items()}
    if not isinstance(listed, list):
        return listed
    name, *parts = listed
    made = map(_value_in, parts)
    return _kind(name)(*made) if name else tuple(made)


def _kind(name: str) -> Any:
    """Return the kind of value of that *name*. Raises ValueError."""
    if kind := KINDS.get(name) or _find_kind(name, events, types):
        return kind
    from ..core import money, tables  # few messages have a table

    found = getattr(tables, name) if name == "Decimal" else _find_kind(name, money, tables)
    if found is None:
        raise ValueError(name)
    return found


def _find_kind(name: str, *modules: Any) -> Any:
    """Return the NamedTuple of that *name* in the first of *modules* that has it."""
    found = (getattr(module, name, None) for module in modules)
    return next((each for each in found if hasattr(each, "_fields")), None)
