"""The messages between a client and the brain: one JSON object a line, in UTF-8, each of a known kind.

A connection is for one turn. The client sends its Ask, by which the brain knows who asked first; it says
Ready and begins. Then come, each as the brain wants it: a Did for an Act, an Answer for a Query; and a Cancel
at any time. The client prints until the brain says Ended. No message holds a key: the brain reads its own.
"""

# Without `annotations` from __future__: decode() checks what comes in against the types of the fields.

from collections.abc import Iterable
from functools import partial
from json import dumps, loads
from typing import NamedTuple

from ..core.errors import JarvisError
from ..core.text import without
from ..core.types import Effect, Options, Request

LONGEST = 4_000_000  # bytes of one line: room for the longest material, whatever its characters
WAYS_TO_PRINT = ("out", "reply", "err", "passing", "clear", "warn")


class BadMessage(JarvisError):
    """A line that is no message: the connection can't be trusted any more."""

    code = "bad_message"

    def __init__(self, what: str) -> None:
        super().__init__(f"A message came in that {what}.", hint="Start Jarvis again.")


class Ask(NamedTuple):
    """Do what these words ask."""

    id: str  # of the turn in history, 16 digits; empty: the brain gives it one
    own: str
    piped: str
    files: list  # type: ignore[type-arg]  # that the words name: of each NamedFile what is known by then
    missing: list  # type: ignore[type-arg]  # the names of those that are not there
    notices: list  # type: ignore[type-arg]  # what the person must know of either
    thread: str  # that they named; empty: none
    own_thread: str  # of their terminal, where the brain's own settings name none either
    options: dict  # type: ignore[type-arg]  # what the command line says besides: Options._asdict()
    place: str  # time and place, for the model
    pictures: str  # the folder for pictures
    width: int  # of the terminal, in columns
    out_tty: bool
    err_tty: bool
    out_colour: bool
    err_colour: bool
    is_chat: bool
    is_asked: bool  # whether the person can be, on the terminal or by records on stdin
    resumes: bool  # whether a brain died at it, so that it goes on from where it stands
    did: list  # type: ignore[type-arg]  # by the desktop for that one; each Performed.as_record()
    asked: float = 0.0  # when, by the monotonic clock, which all processes share

    @property
    def said(self) -> Options:
        return Options(**self.options)


class Did(NamedTuple):
    """The desktop has done an Act, or failed to."""

    performed: dict  # type: ignore[type-arg]  # Performed.as_record()


class Answer(NamedTuple):
    """What the person says to a Query."""

    question: str
    answer: str
    is_given: bool  # nobody may be left to give one


class Cancel(NamedTuple):
    """End the turn now. It is no mistake if it has ended already."""

    reason: str  # interrupted | terminated


class Alive(NamedTuple):
    """Sent every second, so that the client can tell a brain that hangs."""


class Ready(NamedTuple):
    """A turn may be asked for."""


class Print(NamedTuple):
    """Print this, by the method of a Surface that is called so."""

    how: str  # one of WAYS_TO_PRINT
    what: list  # type: ignore[type-arg]  # its arguments


class Act(NamedTuple):
    """Perform this in the person's session, once, and answer with a Did."""

    wanted: dict  # type: ignore[type-arg]  # a Request; number 0: only look something up there

    @classmethod
    def of(cls, request: Request) -> "Act":
        effect = request.effect._replace(address=None, file=None, rows=())  # which the desktop does without
        return cls({**request._asdict(), "effect": effect._asdict()})

    @property
    def request(self) -> Request:
        return Request(**{**self.wanted, "effect": Effect(**self.wanted["effect"])})


class Query(NamedTuple):
    """Get the person's answer to this question, and send it as Answer."""

    asked: dict  # type: ignore[type-arg]  # as above; Question.as_record(whole=True)


class Ended(NamedTuple):
    """The turn is over, and everything there is to print of it was sent."""

    exit_status: int


class Failed(NamedTuple):
    """The brain does no turn on this connection, for this reason."""

    code: str
    message: str
    hint: str
    exit_status: int


# The client's, then the brain's.
Message = Ask | Did | Answer | Cancel | Alive | Ready | Print | Act | Query | Ended | Failed

KINDS: dict[str, type[Message]] = {kind.__name__.lower(): kind for kind in Message.__args__}
_json = partial(dumps, ensure_ascii=False)


def encode(message: Message, secrets: Iterable[str] = ()) -> bytes:
    """Return *message* as a line, with *secrets* struck out."""
    line = _json({"is": type(message).__name__.lower(), **message._asdict()})
    line = without(line, tuple(_json(secret)[1:-1] for secret in secrets))
    return line.encode("utf-8", "surrogatepass") + b"\n"  # a path may hold bytes that are no text


def decode(line: bytes) -> Message:
    """Return the message in *line*. Raises BadMessage."""
    try:
        fields = loads(line)
        kind = KINDS[fields.pop("is")]
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError):
        raise BadMessage("makes no sense") from None
    expected = kind.__annotations__
    # `type(…) is`, since True is an int to isinstance.
    if fields.keys() != expected.keys() or any(type(fields[n]) is not t for n, t in expected.items()):
        raise BadMessage(f"is no {kind.__name__}")
    return kind(**fields)
