"""How often is the person asked, or refused, what they asked for in ordinary words?"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from asks import FOLLOWING, FRESH, MORE, MORE_FOLLOWING, OTHER_LANGUAGES, answered_before, requests

LISTED = [
    ("MIT", "https://web.mit.edu/", "The Institute."),
    ("MIT - Wikipedia", "https://en.wikipedia.org/wiki/MIT", "An article."),
    ("MIT OpenCourseWare", "https://ocw.mit.edu/", "Courses."),
]
_OPENING = dict.fromkeys(("site", "any", "typed", "line", "the"), "opened")
_KINDS = {**_OPENING, "app": "started", "picture": "captured"}
REPLY = {"action": "reply", "text": "Done.", "finish": True}


class Asked:
    """What became of each request: its verdicts, as far as they are not simply allowed."""

    def __init__(self) -> None:
        from jarvis import build
        from tests.house import House
        from tests.twins.gemini import GeminiTwin
        from tests.twins.serpapi import SerpApiTwin

        self._home = tempfile.TemporaryDirectory()
        self._gemini, self._serpapi = GeminiTwin().__enter__(), SerpApiTwin().__enter__()
        self._gemini.chunks = 1  # the client spends a third of a call on each piece
        self._house = House(Path(self._home.name), self._gemini, self._serpapi)
        self._house.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
        self._runner = asyncio.Runner()
        self._manager = build.session(self._house.settings)
        self._session = self._runner.run(self._manager.__aenter__())
        self._threads = 0

    def close(self) -> None:
        self._runner.run(self._manager.__aexit__(None, None, None))
        self._runner.close()
        self._gemini.__exit__()
        self._serpapi.__exit__()
        self._home.cleanup()

    def of(self, words: str, steps: list[str], *, following: bool) -> str:
        """Why the person was asked, or what was refused; empty: it was simply done."""
        self._threads += 1
        self._serpapi._script.clear()  # noqa: SLF001  what a search that was refused left behind
        if following:
            from tests.twins.serpapi import results

            self._serpapi.default = results(LISTED, website=("MIT", LISTED[0][1]))
            self._turn("what is the mit website?", [searching("MIT"), cite])
        plans = [plan for step in steps for plan in self._plans(step)]
        before = self._done()
        why = self._turn(words, plans)
        return why or _missing(steps, self._done() - before)

    def of_second(self, before: str, reply: str, words: str, query: str) -> str:
        """The same for a search that a second turn needs."""
        self._threads += 1
        self._turn(before, [{**REPLY, "text": reply}])
        return self._turn(words, [{"action": "search", "query": query}])

    def _done(self) -> Counter[str]:
        """How much of each kind the desktop did so far."""
        desktop = self._house.desktop
        done = {"opened": desktop.opened, "started": desktop.launched, "captured": desktop.captured}
        return Counter({kind: len(what) for kind, what in done.items()})

    def _plans(self, step: str) -> Iterable[object]:
        from tests.twins.serpapi import results

        kind, _, rest = step.partition(" ")
        match kind:
            case "site" | "any":
                name, _, host = rest.rpartition(" ")
                url, about = f"https://{host}/", f"About {host}"
                others = [(f"Other {n}", f"https://other{n}.example/", "Another.") for n in range(3)]
                website = (name, url) if kind == "site" else None
                self._serpapi.finds(results([(name or about, url, about), *others], website=website))
                return searching(name), opening_host(host)
            case "typed":
                return [opening(f"u{rest}")]
            case "line":
                return [opening_line(int(rest))]
            case "the":
                return [opening_host(rest)]
            case "app":
                return [{"action": "open_app", "app": rest}]
            case "picture":
                return [{"action": "take_screenshot"}]
            case "look":
                self._serpapi.finds(results([("Something", "https://something.example/", "It says so.")]))
                return [searching("something")]
        return []

    def _turn(self, words: str, plans: list[object]) -> str:
        from jarvis.actions import catalogue
        from jarvis.events import Observed
        from jarvis.frontends.loop import OneShot
        from jarvis.hands import Hands
        from jarvis.session import Words

        questions: list[str] = []
        refused: list[str] = []
        desktop = self._house.desktop

        class Teller:
            streams = False

            def tell(self, event: object) -> None:
                if isinstance(event, Observed) and event.outcome.state in ("refused", "failed"):
                    refused.append(event.outcome.text)

        async def ask(question: object) -> str:
            questions.append(f"asked: {question.reason}")  # type: ignore[attr-defined]
            return "y" if question.kind == "approval" else "1"  # type: ignore[attr-defined]

        self._gemini._script.clear()  # noqa: SLF001
        self._gemini.plans(*plans, REPLY, REPLY)
        front = OneShot([Teller()], Hands(desktop, catalogue()), desktop.pictures(), ask=ask)
        ended = self._runner.run(self._session.turn(Words(words), f"t{self._threads}", front))
        failed = [f"ended: {ended.status}"] if ended.status != "done" and not questions else []
        return "; ".join([*(f"refused: {text}" for text in refused), *questions, *failed])


def asks() -> None:
    """Prints how many of the requests were asked about or refused, and which."""
    asked = Asked()
    try:
        english = [
            (words, asked.of(words, steps, following=text in (FOLLOWING, MORE_FOLLOWING)))
            for text in (FRESH, MORE, FOLLOWING, MORE_FOLLOWING)
            for words, steps, _ in requests(text)
        ]
        report("English", english + [(turns[2], asked.of_second(*turns[:4])) for turns in answered_before()])
        others = requests(OTHER_LANGUAGES)
        report("others ", [(words, asked.of(words, steps, following=False)) for words, steps, _ in others])
    finally:
        asked.close()


def _missing(steps: list[str], done: Counter[str]) -> str:
    """What the steps would have had the desktop do, and it did not: forbidden, it ends as a reply."""
    kinds = Counter(_KINDS.get(step.split()[0], "") for step in steps)
    missing = [kind for kind in ("opened", "started", "captured") if done[kind] < kinds[kind]]
    return f"not {' and not '.join(missing)}" if missing else ""


def report(name: str, found: list[tuple[str, str]]) -> None:
    asked = [why for _, why in found if why.startswith("asked")]
    refused = [why for _, why in found if why and not why.startswith("asked")]
    share = f"{100 * len(asked) / len(found):.1f} %"
    print(
        f"asks    {name}  {len(found):3} requests   asked {len(asked):3} ({share})   refused {len(refused)}"
    )
    for words, why in found:
        if why:
            print(f"        {words}\n            {why}")


def searching(name: str) -> dict[str, object]:
    return {"action": "search", "query": f"{name} website"}


def opening(address: str) -> dict[str, object]:
    return {"action": "open_website", "address": address}


def opening_host(host: str) -> object:
    """Open what was offered on *host*, the best of it."""

    def plan(asked: object) -> dict[str, object]:
        bare = re.escape(host.removeprefix("www."))
        listed = rf"^\[(\w+)\] .*(?:\(|//(?:www\.)?){bare}\b"
        ids = re.findall(listed, asked.prompt, re.MULTILINE)  # type: ignore[attr-defined]
        return opening(ids[-1] if ids else "")

    return plan


def opening_line(number: int) -> object:
    def plan(asked: object) -> dict[str, object]:
        shown = re.search(r"The list that the person saw last: .*", asked.prompt)  # type: ignore[attr-defined]
        found = re.search(rf"\b{number} = \[(\w+)\]", shown[0] if shown else "")
        return opening(found[1] if found else "")

    return plan


def cite(asked: object) -> dict[str, object]:
    """Reply with the list of what was found, in the order of LISTED."""
    found = dict(re.findall(r"^\[(r\d+)\] (.*?) \(", asked.prompt, re.MULTILINE))  # type: ignore[attr-defined]
    ids = {title: id_ for id_, title in found.items()}
    return {**REPLY, "text": " ".join(f"[{ids[title]}]" for title, *_ in LISTED)}
