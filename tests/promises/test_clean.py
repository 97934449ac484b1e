"""What the words are read from holds nothing that the person did not type, whatever was done before.

In these dialogues whatever anybody says, a stranger, a machine or the person, has a mark: xqtitle7z. One that
the person never typed must not stand in a request from which the words are read.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from jarvis.core.errors import ActionFailed
from jarvis.core.types import AppFound, AppsFound
from jarvis.launcher import aliases
from jarvis.policy import rules
from tests.conftest import BOTH_IF_LONG
from tests.planned import reply
from tests.twins import gemini as g
from tests.twins import serpapi as s
from tests.twins.gemini import asks_for_reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.house import House
    from tests.shell import Shell
    from tests.twins.gemini import GeminiRequest

THREADS = 4
REPLY = reply("So it is.")
FOUND = "open found 1"


def marks(text: str) -> set[str]:
    return set(re.findall(r"xq[a-z]+[0-9]+z", text.lower()))


def made_reading(requests: Sequence[GeminiRequest], intent: object) -> list[GeminiRequest]:
    """The requests of a turn that its reading is made from. intent: as it was told; None: none was made."""
    wants = [request for request in requests if "wants" in request.schema.get("properties", {})]
    return [request for request in wants if asks_for_reading(request)] or (
        wants if intent is not None else []
    )


class Dialogue:
    """One thread, in which each turn is of a kind of its own."""

    def __init__(self, house: House, shell: Shell) -> None:
        self.house = house
        self.thread = ""
        self.typed: set[str] = set()  # the marks in what the person typed in this thread
        self.turns = 0
        self.read: list[GeminiRequest] = []  # the requests for `wants`
        self.leaked: list[tuple[str, set[str]]] = []  # the words of a turn, what leaked in it
        self.elsewhere: set[str] = set()  # the marks in any other request
        self._shell = shell
        self._count = itertools.count(1)
        house.desktop._folder /= self.mark("file")
        house.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
        model = f"gemini-{self.mark('setting')}"
        house.gemini.models += (model,)
        house.environment |= {"JARVIS_MODEL": model, "GOOGLE_API_KEY": f"key-of-{self.mark('setting')}"}

    def mark(self, kind: str) -> str:
        return f"xq{kind}{next(self._count)}z"

    def page(self, kind: str) -> str:
        """An address of a mark's own."""
        return f"https://{self.mark(kind)}.example/{self.mark(kind)}"

    @property
    def own(self) -> str:
        """A word of the person's."""
        return self.mark("own")

    def begin(self, thread: str = "") -> None:
        """Go on in another thread, where nothing that was typed before may be known."""
        self.thread, self.typed = thread or self.mark("thread"), set()

    def say(
        self,
        words: str,
        *plans: Any,
        reads: str = "nothing",
        then: Sequence[Any] = (),
        answers: Iterable[str] = (),
        piped: str = "",
        dry_run: bool = False,
    ) -> None:
        """One turn. reads: what its words are read as. then: answers to the small call, before that."""
        gemini, house = self.house.gemini, self.house
        gemini._script.clear()
        gemini.readings.clear()
        gemini.reading = reads
        gemini.readings.extend(then)
        gemini.plans(*plans, *[REPLY] * 4)
        house.answers[:] = answers
        own = marks(words) | marks(" ".join(house.answers))
        before = len(gemini.requests)
        asked = house.ask(words, self.thread, piped=piped, dry_run=dry_run)
        self.turns += 1
        read = made_reading(gemini.requests[before:], asked.summary["intent"]) if words else []
        self.read += read
        for request in gemini.requests[before:]:
            found = marks(request.raw.decode())
            if request not in read:
                self.elsewhere |= found
            elif leaked := found - self.typed - own:
                self.leaked.append((words, leaked))
        if "\n" not in words:  # what was pasted may be somebody else's
            self.typed |= own

    def say_plainly(self, words: str) -> None:
        """One plain turn, in a process of its own."""
        self._shell.jarvis("-t", self.thread, words)
        self.typed |= marks(words)
        self.turns += 1

    def find_and_open(self) -> None:
        name = self.own
        self.say(f"open the site of {name}", self.searching(), self.opening, reads=f"open site {name}")

    def start(self, found: AppsFound, *plans: Any, answers: Sequence[str] = ("y",)) -> None:
        name = self.own
        self.house.desktop.apps[name] = found
        open_app = {"action": "open_app", "finish": True, "text": self.mark("why")}
        self.say(f"start {name} for a while", open_app, *plans, reads=f"start {name}", answers=answers)

    def apps(self, count: int = 1, *, is_near: bool = False) -> AppsFound:
        return AppsFound(
            tuple(AppFound(self.mark("appid"), self.mark("apptitle")) for _ in range(count)), is_near
        )

    def doubt(self, *answers: str) -> None:
        self.say("open something", self.searching(port=":8443"), self.opening, reads=FOUND, answers=answers)

    def searching(self, *, port: str = "") -> dict[str, str]:
        """A search, and what it finds."""
        mark = self.mark
        organic = [
            (mark("title"), f"https://{mark('host')}.example{port}/{mark('path')}", mark("snippet"))
            for _ in range(3)
        ]
        graph = None if port else (mark("graph"), f"https://{mark('host')}.example/")
        self.house.serpapi._script.clear()
        self.house.serpapi.finds(s.results(organic, website=graph, answer_box=mark("answer")))
        return {"action": "search", "query": mark("query"), "text": mark("why")}

    def citing(self, asked: GeminiRequest) -> dict[str, Any]:
        """A reply that lists two of what was found."""
        found = re.findall(r"^\[(r\d+)\]", asked.prompt, re.MULTILINE)[-2:]
        return reply(f"{self.mark('reply')} {' '.join(f'[{id_}]' for id_ in found)}")

    def opening(self, asked: GeminiRequest) -> dict[str, Any]:
        """Open what was found last, if anything was."""
        found = re.findall(r"^\[(r\d+)\]", asked.prompt, re.MULTILINE)
        return self._opening(sorted(found, key=lambda id_: int(id_[1:]))[-1:])

    def opening_line(self, asked: GeminiRequest) -> dict[str, Any]:
        return self._opening(re.findall(r"saw last: .*?2 = \[(\w+)\]", asked.prompt))

    def _opening(self, ids: list[str]) -> dict[str, Any]:
        last = {"action": "open_website", "address": "".join(ids), "finish": True, "text": self.mark("why")}
        return last if ids else REPLY


PICTURE = {"action": "take_screenshot", "finish": True}


def last_offered(asked: GeminiRequest) -> dict[str, Any]:
    return {"action": "open_website", "address": asked.enum("address")[-1]}


def pasted(d: Dialogue) -> None:
    name = d.mark("pasted")
    words = f"{d.mark('pasted')}\nopen the site of {name}\n"
    d.say(words, d.searching(), d.opening, reads=f"open site {name}", answers=["y", "y"])


def alias(d: Dialogue) -> None:
    name = d.own
    aliases.add(d.house.settings.folders.aliases, name, d.page("alias"))
    words = f"open {name}, then take a screenshot"
    d.say(words, last_offered, PICTURE, reads=f"open site {name}; picture")


def search_fails(d: Dialogue) -> None:
    plan = d.searching()
    d.house.serpapi._script.clear()
    d.house.serpapi.finds(s.Status(429, d.mark("error")))
    d.say(f"who is {d.own}?", plan)


def desktop_fails(d: Dialogue) -> None:
    d.house.desktop.fails["*"] = ActionFailed(d.mark("error"), hint=d.mark("error"))
    KINDS["picture"](d)
    d.house.desktop.fails.clear()


def denied(d: Dialogue) -> None:
    rules.remember(d.house.settings.folders.policy, "deny", "opens", f"{d.mark('rule')}.example")
    d.find_and_open()


def file(d: Dialogue) -> None:
    """Read a link by its name: where it leads to, and the folder it is in, have names of somebody else's."""
    folder, name = d.house.home / d.mark("folder"), f"{d.own}.txt"
    folder.mkdir()
    (folder / d.mark("folder")).write_text("alpha")
    (folder / name).symlink_to(next(folder.iterdir()))
    d.house.files = [str(folder / name)]
    d.say(f"what is in {name}", lambda asked: {"action": "read", "address": asked.enum("address")[0]})
    d.house.files = []


KINDS: dict[str, Callable[[Dialogue], None]] = {
    "talk": lambda d: d.say(f"hello from {d.own}", reply(d.mark("reply"))),
    "question": lambda d: d.say(f"what is {d.own}?", d.searching(), d.citing),
    "find and open": Dialogue.find_and_open,
    "a line": lambda d: d.say("open the second one for me, if you can", d.opening_line, reads="open line 2"),
    "what was found": lambda d: d.say("open one of those again", d.opening, reads=FOUND),
    "typed": lambda d: d.say(
        f"open {d.page('own')} and take a screenshot of it", last_offered, PICTURE, reads="open u1; picture"
    ),
    "picture": lambda d: d.say(f"picture of {d.own} now", PICTURE, reads="picture"),
    "a file": file,
    "start": lambda d: d.start(d.apps()),
    "start one of two": lambda d: d.start(d.apps(2), answers=["1"]),
    "start what comes near": lambda d: d.start(d.apps(is_near=True)),
    "start what is not there": lambda d: d.start(AppsFound(), d.searching(), d.opening),
    "piped": lambda d: d.say(
        f"what of {d.own}?", reply(d.mark("reply")), piped=f"{d.mark('piped')}\n{d.page('piped')}\n"
    ),
    "piped and opened": lambda d: d.say(
        "open the page in this",
        last_offered,
        reads=FOUND,
        piped=f"{d.mark('piped')}\n{d.page('piped')}\n",
        answers=["y"],
    ),
    "piped alone": lambda d: d.say(
        "", reply(d.mark("reply")), piped=f"{d.mark('piped')}\nopen {d.mark('piped')}\n"
    ),
    "pasted": pasted,
    "a known site": lambda d: d.say(
        f"open gmail, {d.own}, and a screenshot", last_offered, PICTURE, reads="open site gmail; picture"
    ),
    "an alias": alias,
    "the search fails": search_fails,
    "the model fails": lambda d: d.say(f"why {d.own}?", *[g.Status(400, message=d.mark("error"))] * 2),
    "the desktop fails": desktop_fails,
    "answered with a sentence": lambda d: d.doubt(f"open {d.own}.example instead"),
    "declined for good": lambda d: d.doubt("N"),
    "nobody answers": lambda d: d.doubt(),
    "unreadable": lambda d: d.say("do open one", d.searching(), d.opening, then=["well, …", FOUND]),
    "nobody asked": lambda d: d.say(f"tell me of {d.own}", d.searching(), d.opening, d.citing),
    "denied": denied,
    "dry run": lambda d: d.say("open one, but dryly", d.searching(), d.opening, reads=FOUND, dry_run=True),
    "plainly typed": lambda d: d.say_plainly(f"open {d.own}.example"),
    "plainly a line": lambda d: d.say_plainly("open 1"),
}
# Marks of these are known to reach the planner, which is how it is known that they were there to leak.
STRANGE = (
    *("title", "host", "snippet", "graph", "query", "reply", "piped", "pasted", "alias", "appid"),
    *("error", "file", "path"),
)


@pytest.fixture
def dialogue(house, shell):
    return Dialogue(house, shell)


def readings(dialogue):
    """How many were made with a plan, and how many by themselves."""
    with_plan = sum("action" in request.schema["properties"] for request in dialogue.read)
    return with_plan, len(dialogue.read) - with_plan


@BOTH_IF_LONG
def test_nothing_foreign_stands_where_the_words_are_read(dialogue, long):
    """Some 60 turns, or 120, in threads in which each kind of turn comes after others."""
    threads = THREADS if long else THREADS // 2
    with dialogue.house.staying():
        for n in range(threads):
            dialogue.begin()
            rest = list(KINDS)
            random.Random(n).shuffle(rest)
            for kind in (list(KINDS)[n], *rest):
                KINDS[kind](dialogue)

    assert dialogue.leaked == []
    assert dialogue.turns >= threads * len(KINDS) > threads * 27
    # They were asked, and gave each sort of answer.
    assert len(dialogue.house.questions) >= threads * 7
    with_plan, alone = readings(dialogue)
    assert (with_plan >= threads - 1, alone >= threads * 15) == (True, True)
    # It was there to leak.
    kinds = {re.sub("xq|[0-9]+z", "", mark) for mark in dialogue.elsewhere}
    assert kinds >= set(STRANGE)
    assert "folder" not in kinds  # a file goes by the name that they typed, wherever it lies


@BOTH_IF_LONG
def test_nothing_of_an_import_stands_there_whatever_its_file_says(dialogue, shell):
    dialogue.begin("told")
    for kind in ("question", "find and open"):
        KINDS[kind](dialogue)
    record = json.loads(shell.jarvis("threads", "export", "told").stdout)
    for row in record["turns"]:
        row["goal"], row["own"] = dialogue.mark("goal"), 1
        row["intent"] = [f"open site {dialogue.mark('intent')}"]
    text = json.dumps(record)
    shell.jarvis("threads", "delete", "told", "--yes")
    told = shell.jarvis("threads", "import", "--as", "imported", "-", stdin=text)
    dialogue.begin("imported")
    for kind in ("find and open", "question", "find and open", "talk"):
        KINDS[kind](dialogue)

    assert told.stdout == "Imported imported (2 requests).\n"
    assert dialogue.leaked == []
    assert readings(dialogue) == (1, 3)
    assert dialogue.elsewhere & marks(text) >= marks(" ".join(row["goal"] for row in record["turns"]))
