"""The person's side of a turn: what they ask, and the front end that tells, asks and acts for them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple, Protocol

from .errors import JarvisError
from .events import Event, Notice, Question, Waiting
from .types import AppsFound, Outcome, Performed, Request


class Words(NamedTuple):
    """What a person asks for."""

    own: str  # empty: several lines were piped in, and nothing was said beside them
    piped: str = ""  # material that they piped in besides
    model: str = ""  # that is to be asked; empty: the one of the settings
    turn: str = ""  # the id of their turn; empty: they get one
    answer: str = ""  # QUESTION=OPTION, to one that nobody could answer when it was asked
    did: tuple[Performed, ...] | None = None  # by the hands, where a brain died at that turn; None: it is new


class Front(Protocol):
    """The front end: it shows what happens, asks the person, and its hands act."""

    @property
    def place(self) -> str:
        """The person's time and place, on one line, for the model."""

    @property
    def pictures(self) -> str:
        """The folder for the person's pictures."""

    @property
    def streams(self) -> bool:
        """Whether a reply is shown while it is being written."""

    @property
    def interruption(self) -> JarvisError:
        """Why a turn is being cancelled: Interrupted or Terminated."""

    @property
    def has_shown(self) -> bool:
        """Whether all that it was told so far was shown: a closed terminal shows nothing."""

    def tell(self, event: Event) -> None: ...

    async def ask(self, question: Question) -> str:
        """Return the id of the option that the person chooses, or a sentence that they type instead.

        Raises NeedsAnswer where there is nobody to ask.
        """

    async def act(self, request: Request) -> Outcome:
        """Perform *request* in the person's session. A failure is an outcome too."""

    async def find_apps(self, name: str) -> AppsFound:
        """Return the installed apps that *name* may mean, in the person's session."""


# Who is told what holds the turn up. A turn's own: many may be under way in one process.
listener: ContextVar[Callable[[Event], None]] = ContextVar("listener", default=lambda event: None)


def notice(text: str) -> None:
    """Tell *text* to the person whose turn is under way, if somebody listens."""
    listener.get()(Notice(text))


def waiting(text: str) -> None:
    """Show what is waited for, if somebody listens."""
    listener.get()(Waiting(text))
