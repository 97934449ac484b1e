"""Dialogues in which whatever anybody says, a stranger, a machine or the person, has a mark: xqtitle7z.

A mark that the person never typed must not stand in a request from which the words are read.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from jarvis.core.errors import ActionFailed
from jarvis.core.types import AppFound, AppsFound
from jarvis.launcher import aliases
from jarvis.policy import rules

from .twins import gemini as g
from .twins import serpapi as s
from .twins.gemini import asks_for_reading

if TYPE_CHECKING:
    from .house import House
    from .shell import Shell
    from .twins.gemini import GeminiRequest

_MARK = re.compile(r"xq[a-z]+[0-9]+z")
REPLY = {"action": "reply", "text": "So it is.", "finish": True}


def marks(text: str) -> set[str]:
    return set(_MARK.findall(text.lower()))


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
        self._judge(words, gemini.requests[before:], read, self.typed | own)
        if "\n" not in words:  # what was pasted may be somebody else's
            self.typed |= own

    def _judge(
        self,
        words: str,
        requests: Sequence[GeminiRequest],
        read: Sequence[GeminiRequest],
        typed: set[str],
    ) -> None:
        """Note the marks in *requests* of a turn, and which leaked into those that *read* its words."""
        self.read += read
        for request in requests:
            found = marks(request.raw.decode())
            if request not in read:
                self.elsewhere |= found
            elif leaked := found - typed:
                self.leaked.append((words, leaked))

    def plainly(self, words: str) -> None:
        """One plain turn, in a process of its own."""
        self._shell.jarvis("-t", self.thread, words)
        self.typed |= marks(words)
        self.turns += 1

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
        return {**REPLY, "text": f"{self.mark('reply')} {' '.join(f'[{id_}]' for id_ in found)}"}

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
FOUND = "open found 1"


def last_offered(asked: GeminiRequest) -> dict[str, Any]:
    return {"action": "open_website", "address": asked.enum("address")[-1]}


def find_and_open(d: Dialogue) -> None:
    name = d.mark("own")
    d.say(f"open the site of {name}", d.searching(), d.opening, reads=f"open site {name}")


def open_typed(d: Dialogue) -> None:
    words = f"open https://{d.mark('own')}.example/{d.mark('own')} and take a screenshot of it"
    d.say(words, last_offered, PICTURE, reads="open u1; picture")


def picture(d: Dialogue) -> None:
    d.say(f"picture of {d.mark('own')} now", PICTURE, reads="picture")


def start(d: Dialogue, count: int = 1, *, is_near: bool = False) -> None:
    name = d.mark("own")
    found = tuple(AppFound(d.mark("appid"), d.mark("apptitle")) for _ in range(count))
    d.house.desktop.apps[name] = AppsFound(found, is_near)
    open_app = {"action": "open_app", "finish": True, "text": d.mark("why")}
    d.say(f"start {name} for a while", open_app, reads=f"start {name}", answers=["1" if count > 1 else "y"])


def start_what_is_not_there(d: Dialogue) -> None:
    name = d.mark("own")
    d.house.desktop.apps[name] = AppsFound()
    d.say(f"start {name}", {"action": "open_app"}, d.searching(), d.opening, reads=f"start {name}")


def talk(d: Dialogue) -> None:
    d.say(f"hello from {d.mark('own')}", {**REPLY, "text": d.mark("reply")})


def piped(d: Dialogue) -> None:
    text = f"{d.mark('piped')}\nhttps://{d.mark('piped')}.example/\n"
    d.say(f"what of {d.mark('own')}?", {**REPLY, "text": d.mark("reply")}, piped=text)


def piped_and_opened(d: Dialogue) -> None:
    text = f"{d.mark('piped')}\nhttps://{d.mark('piped')}.example/{d.mark('piped')}\n"
    d.say("open the page in this", last_offered, reads=FOUND, piped=text, answers=["y"])


def piped_alone(d: Dialogue) -> None:
    d.say("", {**REPLY, "text": d.mark("reply")}, piped=f"{d.mark('piped')}\nopen {d.mark('piped')}\n")


def pasted(d: Dialogue) -> None:
    name = d.mark("pasted")
    words = f"{d.mark('pasted')}\nopen the site of {name}\n"
    d.say(words, d.searching(), d.opening, reads=f"open site {name}", answers=["y", "y"])


def known_site(d: Dialogue) -> None:
    words = f"open gmail, {d.mark('own')}, and a screenshot"
    d.say(words, last_offered, PICTURE, reads="open site gmail; picture")


def alias(d: Dialogue) -> None:
    name, url = d.mark("own"), f"https://{d.mark('alias')}.example/{d.mark('alias')}"
    aliases.add(d.house.settings.folders.aliases, name, url)
    words = f"open {name}, then take a screenshot"
    d.say(words, last_offered, PICTURE, reads=f"open site {name}; picture")


def search_fails(d: Dialogue) -> None:
    plan = d.searching()
    d.house.serpapi._script.clear()
    d.house.serpapi.finds(s.Status(429, d.mark("error")))
    d.say(f"who is {d.mark('own')}?", plan)


def desktop_fails(d: Dialogue) -> None:
    d.house.desktop.fails["*"] = ActionFailed(d.mark("error"), hint=d.mark("error"))
    picture(d)
    d.house.desktop.fails.clear()


def doubtful(d: Dialogue, *answers: str) -> None:
    d.say("open something", d.searching(port=":8443"), d.opening, reads=FOUND, answers=answers)


def denied(d: Dialogue) -> None:
    host = f"{d.mark('rule')}.example"
    rules.remember(d.house.settings.folders.policy, "deny", "opens", host)
    find_and_open(d)


def file(d: Dialogue) -> None:
    """Read a link by its name: where it leads to, and the folder it is in, have names of somebody else's."""
    folder, name = d.house.home / d.mark("folder"), f"{d.mark('own')}.txt"
    folder.mkdir()
    (folder / d.mark("folder")).write_text("alpha")
    (folder / name).symlink_to(next(folder.iterdir()))
    d.house.files = [str(folder / name)]
    d.say(f"what is in {name}", lambda asked: {"action": "read", "address": asked.enum("address")[0]})
    d.house.files = []


KINDS: dict[str, Callable[[Dialogue], None]] = {
    "talk": talk,
    "question": lambda d: d.say(f"what is {d.mark('own')}?", d.searching(), d.citing),
    "find and open": find_and_open,
    "a line": lambda d: d.say("open the second one for me, if you can", d.opening_line, reads="open line 2"),
    "what was found": lambda d: d.say("open one of those again", d.opening, reads=FOUND),
    "typed": open_typed,
    "picture": picture,
    "a file": file,
    "start": start,
    "start one of two": lambda d: start(d, 2),
    "start what comes near": lambda d: start(d, is_near=True),
    "start what is not there": start_what_is_not_there,
    "piped": piped,
    "piped and opened": piped_and_opened,
    "piped alone": piped_alone,
    "pasted": pasted,
    "a known site": known_site,
    "an alias": alias,
    "the search fails": search_fails,
    "the model fails": lambda d: d.say(
        f"why {d.mark('own')}?", *[g.Status(400, message=d.mark("error"))] * 2
    ),
    "the desktop fails": desktop_fails,
    "answered with a sentence": lambda d: doubtful(d, f"open {d.mark('own')}.example instead"),
    "declined for good": lambda d: doubtful(d, "N"),
    "nobody answers": doubtful,
    "unreadable": lambda d: d.say("do open one", d.searching(), d.opening, then=["well, …", FOUND]),
    "nobody asked": lambda d: d.say(f"tell me of {d.mark('own')}", d.searching(), d.opening, d.citing),
    "denied": denied,
    "dry run": lambda d: d.say("open one, but dryly", d.searching(), d.opening, reads=FOUND, dry_run=True),
    "plainly typed": lambda d: d.plainly(f"open {d.mark('own')}.example"),
    "plainly a line": lambda d: d.plainly("open 1"),
}
# Marks of these are known to reach the planner, which is how it is known that they were there to leak.
STRANGE = (
    *("title", "host", "snippet", "graph", "query", "reply", "piped", "pasted", "alias", "appid"),
    *("error", "file", "path"),
)
