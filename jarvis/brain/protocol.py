"""The messages between a client and the brain: one JSON object a line, each of a known kind.

A client asks for a turn, acts for it and may cancel it; the brain tells it what to print and what to do.
No message holds a key: the brain reads its own settings.
"""

# Without `annotations` from __future__: decode() checks what comes in against the types of the fields.

from json import dumps, loads
from typing import TYPE_CHECKING, NamedTuple

from ..core.errors import JarvisError
from ..core.types import Effect, Outcome, Request

if TYPE_CHECKING:
    from ..core.events import Question

LONGEST = 4_000_000  # bytes of one line


class BadMessage(JarvisError):
    """A line that is no message: the connection can't be trusted any more."""

    code = "bad_message"


class Ask(NamedTuple):
    """Do what these words ask. A connection has one turn at a time."""

    turn: int  # the client's number for it, never used before on this connection
    own: str
    piped: str
    thread: str  # that they named; empty: none
    own_thread: str  # of their terminal, where the brain's own settings name none either
    continue_last: bool  # in the thread used last, if there is one
    place: str  # time and place, for the model
    pictures: str  # the folder for pictures
    width: int  # of the terminal, in columns
    out_tty: bool
    err_tty: bool
    out_colour: bool
    err_colour: bool
    quiet: bool
    verbose: int
    json: bool
    ndjson: bool
    csv: bool
    yes: bool
    is_chat: bool
    asks: str  # how the person can be asked: typed (on a terminal) | records (on stdin) | nobody
    model: str  # empty: the one that the brain's own settings name
    answer: str  # ID=OPTION, to the question of a turn that waits; empty: none
    id: str  # of the turn in history, 16 digits; empty: the brain gives it one
    resumes: bool  # whether a brain died at it, so that it goes on from where it stands
    did: list  # type: ignore[type-arg]  # what the hands did for that one; each Performed.as_record()
    told: list  # type: ignore[type-arg]  # what that one told: the names that came as Told


class Did(NamedTuple):
    """The outcome of an Act."""

    turn: int
    n: int
    state: str
    text: str
    value: str
    code: str
    hint: str
    exit_status: int

    @classmethod
    def of(cls, act: "Act", outcome: Outcome) -> "Did":
        return cls(
            turn=act.turn,
            n=act.n,
            state=outcome.state,
            text=outcome.text,
            value=outcome.value,
            code=outcome.code,
            hint=outcome.hint,
            exit_status=outcome.exit_status,
        )

    @property
    def outcome(self) -> Outcome:
        return Outcome(
            state=self.state,
            text=self.text,
            value=self.value,
            code=self.code,
            hint=self.hint,
            exit_status=self.exit_status,
        )


class Answer(NamedTuple):
    """The person's answer to a Query."""

    turn: int
    question: str
    answer: str


class NoAnswer(NamedTuple):
    """Nobody is left to answer a Query."""

    turn: int
    question: str


class Cancel(NamedTuple):
    """End that turn now. It is no mistake if it has ended already."""

    turn: int
    reason: str  # interrupted | terminated


class Confirm(NamedTuple):
    """Say, once all before this is printed, whether it could be. Sent back with the answer."""

    turn: int
    is_shown: bool  # a closed terminal shows nothing


class Alive(NamedTuple):
    """Sent every second while the client waits, so that it can tell a brain that hangs."""


class Ready(NamedTuple):
    """Turns may be asked for."""

    version: str  # of the package: another one's messages may mean something else


class Out(NamedTuple):
    """Print this to stdout. It has its own line ends."""

    text: str


class Piece(NamedTuple):
    """Print the next piece of a reply to a terminal's stdout. Its line ends are the reply's own."""

    text: str
    links: list  # type: ignore[type-arg]  # the addresses that may become hyperlinks, with the first piece


class Err(NamedTuple):
    """Print this line to stderr."""

    text: str


class Passing(NamedTuple):
    """Show this line until something else is printed."""

    text: str


class Clear(NamedTuple):
    """Remove the passing line."""


class Begun(NamedTuple):
    """That turn is in history."""

    turn: int
    thread: str


class Told(NamedTuple):
    """All that was to be printed of this was sent."""

    turn: int
    what: str


class Act(NamedTuple):
    """Perform this in the person's session, once, and answer with a Did."""

    turn: int
    n: int
    action: str
    effect: str
    target: str
    arguments: dict  # type: ignore[type-arg]  # as it is told apart at run time
    title: str
    part: int  # of the intent
    ends: bool  # whether the goal is met by it

    @classmethod
    def of(cls, turn: int, request: Request) -> "Act":
        return cls(
            turn=turn,
            n=request.n,
            action=request.action,
            effect=request.effect.kind,
            target=request.effect.target,
            arguments=dict(request.effect.arguments),
            title=request.effect.title,
            part=request.part,
            ends=request.ends,
        )

    @property
    def request(self) -> Request:
        effect = Effect(self.effect, self.target, self.arguments, title=self.title)
        return Request(n=self.n, action=self.action, effect=effect, part=self.part, ends=self.ends)


class Query(NamedTuple):
    """Get the person's answer to this question, and send it as Answer or NoAnswer."""

    turn: int
    asked: dict  # type: ignore[type-arg]  # as above; Question.as_message()

    @property
    def question(self) -> "Question":
        from ..core.events import question_in  # few turns ask

        return question_in(self.asked)


class Ended(NamedTuple):
    """That turn is over, and everything there is to print of it was sent."""

    turn: int
    exit_status: int


class Failed(NamedTuple):
    """The brain does no more turns, for this reason."""

    code: str
    message: str
    hint: str
    exit_status: int


def fatal(error: JarvisError) -> Failed:
    return Failed(error.code, error.message, error.hint, error.exit_status)


FromClient = Ask | Did | Answer | NoAnswer | Cancel | Confirm
Printed = Out | Piece | Err | Passing | Clear | Told
FromBrain = Confirm | Alive | Ready | Begun | Printed | Act | Query | Ended | Failed
Message = FromClient | FromBrain

_KINDS: dict[str, type[Message]] = {kind.__name__.lower(): kind for kind in Message.__args__}


def encode(message: Message) -> bytes:
    """Return *message* as a line, in ASCII: a path may hold bytes that are no text."""
    return dumps({"is": type(message).__name__.lower(), **message._asdict()}).encode() + b"\n"


def decode(line: bytes) -> Message:
    """Return the message in *line*. Raises BadMessage."""
    try:
        fields = loads(line)
        kind = _KINDS[fields.pop("is")]
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError):
        raise BadMessage("A line came in that is no message.", hint="Start Jarvis again.") from None
    expected = kind.__annotations__
    # `type(…) is`, since True is an int to isinstance.
    if fields.keys() != expected.keys() or any(type(fields[n]) is not t for n, t in expected.items()):
        raise BadMessage(f"A message came in that is no {kind.__name__}.", hint="Start Jarvis again.")
    return kind(**fields)
