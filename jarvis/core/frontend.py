"""The person's side of a turn: what they ask, and who is told, asks and acts for them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from .errors import JarvisError
from .events import Event, Question
from .stdlib import NamedTuple, Protocol
from .types import AppsFound, Outcome, Request


class Words(NamedTuple):
    """What a person asks for."""

    own: str  # empty: several lines were piped in, and nothing was said beside them
    piped: str = ""  # material that they piped in besides


class Front(Protocol):
    """The person's side: it is told what happens, and its hands act."""

    @property
    def place(self) -> str:
        """Time and place, one line, for the model."""

    @property
    def pictures(self) -> str:
        """The folder for pictures."""

    @property
    def streams(self) -> bool:
        """Whether a reply is shown while it is being written."""

    @property
    def interruption(self) -> JarvisError:
        """Why a turn is being cancelled: Interrupted or Terminated."""

    def tell(self, event: Event) -> None: ...

    async def ask(self, question: Question) -> str:
        """The id of the option they choose, or a sentence of theirs instead.

        Raises NeedsAnswer where there is nobody to ask.
        """

    async def act(self, request: Request) -> Outcome:
        """Perform it in the person's session. Failures are outcomes too."""

    async def find_apps(self, name: str) -> AppsFound:
        """The installed apps that *name* may mean, in the person's session."""


# These two are a turn's own: many may be under way in one process.
# Set by a turn that was told to end: what is still to be written has one short try.
hurried: ContextVar[bool] = ContextVar("hurried", default=False)
# Who is told what may hold the turn up.
listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def notice(text: str) -> None:
    """Tell the person of the turn under way *text*, if anybody listens."""
    if (tell := listener.get()) is not None:
        tell(text)
