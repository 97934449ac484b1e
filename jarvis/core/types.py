"""The parts of a turn, as small immutable values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .intent import Intent, Part

if TYPE_CHECKING:
    from .tables import Row, Table

# What only looks: nothing leaves this machine; it goes to the search service; to a page, a file, a service.
LOOKUPS = ("arranges", "searches", "reads")
# What an action does to the world, from harmless to grave; policy speaks of these.
EFFECTS = (*LOOKUPS, "opens", "launches", "captures", "shows", "keeps", "writes", "spends")
READS_FILE = "reads_file"  # how rules call the reading of a file: other rules speak of what is looked up

# By what it was asked for: a kind of name,
ALIAS, SITE, APP = "alias", "site", "app"
ADDRESS = "typed"  # by itself
FILE = "file"  # by its path on this machine

SEVERAL = "several of that name"  # the rule by which it is asked which one is meant

REPEATED = "repeated"  # the code of a step that was refused since it had been done
DECLINED = "declined"  # the code of an outcome that the person said no to, and nothing else
INSTEAD = "said_instead"  # the code of an outcome that the person did not say yes to, but what to do instead
MISPLANNED = (
    "misplanned"  # the code of a step that was refused since its plan makes no sense: for the model alone
)
ASIDE = "aside"  # the code of a failure that the turn does without
NOT_ASKED = "not_asked"  # the code of a step that was refused since nobody asked for it
TERMINALS = "tty-"  # how the names of threads begin that are a terminal's own
DEFAULT_THREAD = "default"  # of a person without a terminal: of pipes, cron and editors
OFFER = "o"  # how the ids of offers begin, which are rows of tables

WHICH = "which"  # the code of an outcome that asks which of its lines is meant
NO_SUM = "no_sum"  # the code of an outcome whose figures, which are a service's, do not add up
# The codes of failures that another plan would only meet again: errors.py.
_FINAL = ("no_display", "no_handler", "launch_failed", "capture_failed", WHICH, NO_SUM)
DRY_RUN = "dry_run"  # the code of an outcome that only says what would be done


class Found(NamedTuple):
    """An address that Python took out of search results."""

    url: str
    title: str = ""
    snippet: str = ""
    section: str = ""  # the part of the results it stood in: organic, knowledge_graph, …
    official: str = ""  # why it is the official address of a name; empty: it isn't
    official_name: str = ""  # the name that it holds for: both, or neither
    host: str = ""  # of the address, without www.
    has_sitelinks: bool = False  # whether the search shows pages of its own below it


class Address(NamedTuple):
    """An address of this thread with the id that Python gave it. May also be an app or a file."""

    # u… typed, or piped in · r… found by a search · s… a known site, or an alias · f… a file · o… an offer
    id: str
    url: str  # of a file its absolute path, of an app what starts it; empty: an offer without a page
    title: str = ""
    snippet: str = ""
    source: str = "typed"  # typed | piped | found | site | alias, where they said its name | app | file
    official: str = ""
    official_name: str = ""


MOST_FILES = 5  # that the words of a turn name


class NamedFile(NamedTuple):
    """A file or folder that the words of this very turn name: no row holds one."""

    path: str  # absolute and without links, as it was when the words were said
    name: str  # as they named it: where a link leads may be others' words, so the model sees this
    shared: str = ""  # the folder on the way to it that others can write to
    id: str = ""  # f1, f2, … once the turn has begun
    is_recalled: bool = False  # whether the checkpoint of a late answer alone says that the words named it
    holds: str = ""  # the secret that seems to stand in it, once it was read
    digest: str = ""  # of what was read in it

    @property
    def offered(self) -> Address:
        """The choice that the model gets. It never sees the path."""
        return Address(self.id, self.path, self.name, source=FILE)


class Turn(NamedTuple):
    """A turn that has begun."""

    id: str
    thread: str
    n: int  # its number in the thread, from 1
    typed: tuple[Address, ...]  # the addresses in its own words
    offers: int = 0  # how many ids of offers its thread had given before it


class Plan(NamedTuple):
    """The model's choice of exactly one next action."""

    action: str
    arguments: Mapping[str, object]
    finish: bool = False  # the goal is met once this action has succeeded
    text: str = ""


class ParsedWords(NamedTuple):
    """Words of a person, with the parts that language/command_grammar.py finds in them."""

    as_typed: str  # all of them, as typed
    verb: str  # of what kind it is, as there; empty: they begin with no verb of plain commands
    words: tuple[str, ...]  # as typed; what follows the verb, or all of it, without polite words at its end
    text: str  # the same in lower case, without the signs at the ends of each
    doubts: bool  # whether they end with a question mark without being a polite question
    after: tuple[str, ...]  # those polite words, which may be a part of the name: “apocalypse now”
    wished: bool  # “I want to …” says more than an order does
    articles: tuple[str, ...]  # those of its language
    loose: tuple[str, ...]  # those after which it may be no name: “launch a rocket”


class AppFound(NamedTuple):
    """One app that a name may mean."""

    id: str  # what starts exactly this one; no name is written so
    title: str  # what to call it


class AppsFound(NamedTuple):
    """The apps that match a name. Empty: nothing is similar."""

    apps: tuple[AppFound, ...] = ()  # best first, nine at most
    is_near: bool = False  # they only come near the name: ask before one is started


class NameMatch(NamedTuple):
    """One thing that a name means."""

    kind: str  # ALIAS | SITE | APP | FILE | ADDRESS
    name: str  # as it was said, in lower case without signs
    target: str  # its address; the name or key by which to start the app; the file's path
    title: str = ""  # what the app is called in its menu


class Site(NamedTuple):
    """Whose page a name asks for, as Python found it."""

    url: str = ""  # of it, which is opened at once; empty: they choose
    near: str = ""  # the address of a known site whose name it only comes near
    choices: tuple[Address, ...] = ()  # what it may be, the likeliest first, where no url is known
    was_searched: bool = False  # whether this turn has searched for that name
    last: str = ""  # what they chose for it last: the address of a site, the id of an app


class Meanings(NamedTuple):
    """The meanings of the name in a part."""

    addresses: tuple[Address, ...] = ()  # apps, and a site or a file of the same name
    is_near: bool = False  # whether the apps only come near the name
    site: Site = Site()


class Facts(NamedTuple):
    """Python's own facts, used to turn a plan into an effect and to compare it with the intent."""

    addresses: Mapping[str, Address]
    intent: Intent | None = None  # None: the words were not read yet
    left: tuple[int, ...] = ()  # which of its parts, counted from 1, are not used up
    typed: tuple[str, ...] = ()  # the ids of the addresses in this turn's own words, in their order
    shown: tuple[str, ...] = ()  # the ids in the list that the person saw last, in its order
    found: frozenset[str] = frozenset()  # the ids of what the searches of this turn found
    meanings: Mapping[int, Meanings] = {}  # what the names in its parts mean
    pictures: str = ""  # the folder that screenshots go to
    settled: frozenset[str] = frozenset()  # the doubts about the words themselves that they said yes to
    is_pasted: bool = False  # whether the words have several lines
    holds_key: Callable[[str], bool] = lambda text: False  # whether a text has one of the person's keys
    country: str = ""  # where they buy, as hosts end there: it says what $ means
    currency: str = ""  # the code of the one that prices are asked in; empty: that of their country
    tables: tuple[Table, ...] = ()  # those at hand, the oldest first
    is_private: bool = False  # whether the prompt shows something private, of this turn or an earlier one
    settings: Mapping[str, Mapping[str, str]] = {}  # of the packs, by name; empty: unset
    files: Mapping[str, NamedFile] = {}  # that this turn's own words name, by id
    receiver: str = ""  # who gets what the model is shown

    @property
    def parts_left(self) -> list[tuple[int, Part]]:
        """The parts that no step has used up, each with its number."""
        return [(n, self.intent.part(n)) for n in self.left] if self.intent else []

    def part_naming(self, name: str) -> int:
        """Return the number of the open part that has *name*, or 0."""
        return next((n for n, part in self.parts_left if part.is_name and part.value == name), 0)

    def meaning_of(self, part: int) -> Meanings:
        """Return the meanings of the name in that part."""
        return self.meanings.get(part, Meanings())

    @property
    def table(self) -> Table | None:
        """The table that was listed or found last."""
        return self.tables[-1] if self.tables else None


class Effect(NamedTuple):
    """An effect in the world. The value is Python's own, never the model's string."""

    kind: str  # one of EFFECTS
    target: str  # the URL, the app's id, the file's or picture's path, the query
    arguments: Mapping[str, Any] = {}  # what its action needs besides, by the names of its fields
    address: Address | None = None  # where the URL or the file is known from
    file: NamedFile | None = None  # that is read
    title: str = ""  # what an app is called in its menu
    known_as: str = ""  # what they called it
    rows: tuple[Row, ...] = ()  # of tables, that it is about; told by their ids in its arguments alone
    credits: int = 0  # searches that it may be billed for
    host: str = ""  # where it is sent, if it changes something there: with its port
    table: Table | None = None  # what it would change there, row by row, for the user who is asked
    lines: tuple[str, ...] = ()  # what else they should know
    question: str = ""  # which one is asked; empty: whether to send this
    # What an argument of its plan, which is each one's source, may be, where the person has to choose first.
    choices: tuple[Address, ...] = ()

    @property
    def formatted(self) -> str:
        """Its target, as shown to the user."""
        return self.title or self.target


class ActionRequest(NamedTuple):
    """One action, ready to be performed once the person has said yes to its doubts."""

    n: int  # the step's number in its turn, from 1
    action: str
    effect: Effect
    ask: str = ""  # why the person is asked first; empty: they need not be
    rule: str = ""  # which rule says so, or lets it pass
    choices: tuple[Address, ...] = ()  # what they may mean, where they have to choose
    is_marked: bool = False  # whether Enter takes the first of them
    doubts: tuple[str, ...] = ()  # the kinds of doubt that are asked about
    part: int = 0  # the number, from 1, of the part of the intent that it is for; 0: of none

    @property
    def opened(self) -> str:
        """The id of the address that it opens, or ""."""
        return self.effect.address.id if self.effect.address else ""

    def as_record(self) -> dict[str, object]:
        """Return it as a flat record, for programs and to be kept with a question."""
        effect = self.effect
        return {
            "n": self.n,
            "action": self.action,
            "effect": effect.kind,
            "target": effect.target,
            # A lookup is neither done later nor by the desktop, and needs values that no record can hold.
            "arguments": {} if effect.kind in LOOKUPS else dict(effect.arguments),
            "address": self.opened,
            "ask": self.ask,
            "rule": self.rule,
            "choices": [each.id for each in self.choices],
            "doubts": self.doubts,
            "part": self.part,
            "title": effect.title,
        }


class Outcome(NamedTuple):
    """The outcome of one action."""

    state: str  # approved (it may be done, and is not yet) | done | failed | declined | refused | unknown
    text: str  # one line for the person
    value: str = ""  # the bare result a script wants: the address, the path
    code: str = ""  # what kind of failure, as in errors.py
    hint: str = ""
    exit_status: int = 0
    found: tuple[Found, ...] = ()  # what a search found
    rule: str = ""  # which rule of the guard let it pass, or refused it
    part: int = 0  # the number, from 1, of the part of the intent that it was for; 0: of none
    closes: bool = False  # whether nothing more may be tried for that part; of a no, for all that was asked
    table: Table | None = None  # what was found, or made of it
    credits: int = 0  # searches that it was billed for
    page: str = ""  # the text of what was read, which lives as long as its turn
    picture: str = ""  # the path of a picture that the model is shown

    @property
    def is_final(self) -> bool:
        """Whether another plan would fail the same way: no screen, no browser, denied by a rule."""
        return (self.state == "refused" and self.closes) or (self.state == "failed" and self.code in _FINAL)

    @property
    def is_good(self) -> bool:
        """Whether it succeeded: done, or described in a dry run."""
        return self.state == "done" or self.code == DRY_RUN

    def as_record(self) -> dict[str, Any]:
        """Return it without what was found, which is kept by itself."""
        return self._replace(found=(), table=None)._asdict()


class Step(NamedTuple):
    """One action of a turn and what came of it."""

    n: int  # from 1
    plan: Plan
    outcome: Outcome

    @property
    def is_good(self) -> bool:
        return self.outcome.is_good

    def as_record(self) -> dict[str, object]:
        """Return it as a record for a checkpoint, without what was read, which is kept there by itself."""
        outcome = self.outcome._replace(page="", picture="").as_record()
        return {"n": self.n, "plan": self.plan._asdict(), "outcome": outcome}


def step_in(record: Mapping[str, Any]) -> Step:
    """Return the step that `as_record` wrote down."""
    return Step(record["n"], Plan(**record["plan"]), Outcome(**record["outcome"]))


class Performed(NamedTuple):
    """A step that the desktop performed, as who has the desktop knows it."""

    n: int
    action: str
    target: str
    outcome: Outcome


def unknown(action: str, target: str) -> Outcome:
    """Return the outcome of a step that was interrupted while the desktop was at it."""
    what = f"{action.replace('_', ' ')} {target}".strip()
    text = f"It is not known whether this happened: {what}."
    return Outcome("unknown", text, code="unknown", exit_status=1)


class Options(NamedTuple):
    """The options of a request on the command line."""

    thread: str | None = None
    continue_last: bool = False
    resume: bool = False  # in a thread that they pick
    dry_run: bool = False
    quiet: bool = False
    verbose: int = 0  # 1: steps; 2: prompts, raw answers and the log too
    json: bool = False
    ndjson: bool = False
    csv: bool = False  # tables as CSV
    timeout: float | None = None  # seconds
    env_file: str | None = None
    log_file: str | None = None
    yes: bool = False
    answer: str | None = None  # ID=OPTION, to a question that nobody could answer
    model: str | None = None
    files: tuple[str, ...] = ()  # that hold material
