"""What an honest planner plans for the steps of a request, what a search finds then, and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bench_desktop import meant_by

from jarvis.core.urls import typed_addresses
from jarvis.search.extract import key_of
from tests.twins.serpapi import results

if TYPE_CHECKING:
    from tests.twins.gemini import GeminiRequest

LISTED = [
    ("MIT", "https://web.mit.edu/", "The Institute."),
    ("MIT - Wikipedia", "https://en.wikipedia.org/wiki/MIT", "An article."),
    ("MIT OpenCourseWare", "https://ocw.mit.edu/", "Courses."),
]
REPLY = {"action": "reply", "text": "Done.", "finish": True}


def plans(steps: list[str]) -> Iterator[object]:
    for step in steps:
        kind, rest = _split(step)
        match kind:
            case "site" | "any":
                name, _, host = rest.rpartition(" ")
                yield from (searching(name), opening_host(host))
            case "typed":
                yield _opening_typed(int(rest))
            case "line":
                yield _opening_line(int(rest))
            case "the":
                yield opening_host(rest)
            case "app":
                yield {"action": "open_app"}
            case "picture":
                yield {"action": "take_screenshot"}
            case "look":
                yield searching("something")


def found(steps: list[str]) -> Iterator[dict[str, Any]]:
    """What each search of *steps* finds."""
    others = [(f"Other {n}", f"https://other{n}.example/", "Another.") for n in range(3)]
    for step in steps:
        kind, rest = _split(step)
        name, _, host = rest.rpartition(" ")
        url, about = f"https://{host}/", f"About {host}"
        if kind in ("site", "any"):
            website = (name, url) if kind == "site" else None
            yield results([(name or about, url, about), *others], website=website)
        if kind == "look":
            yield results([("Something", "https://something.example/", "It says so.")])


class Effects:
    """What a turn did: addresses opened, apps started, pictures taken."""

    def __init__(self, opened: list[str], started: list[str], captured: list[str]) -> None:
        self.opened, self.started, self.captured = opened, started, captured

    def wrong(self, words: str, steps: list[str]) -> str:
        """In what it is not what *words* ask for, as *steps* say; empty: in nothing."""
        wanted = [key for step in steps if (key := _wanted(step, words))]
        apps = [meant_by(step[4:]) for step in steps if step.startswith("app ")]
        pictures = steps.count("picture")
        keys = [key_of(url) for url in self.opened]
        is_right = len(keys) == len(wanted) and all(map(_is_at, keys, wanted))
        faults = [] if is_right else [f"opened {keys}, not {wanted}"]
        faults += [] if self.started == apps else [f"started {self.started}, not {apps}"]
        faults += [] if len(self.captured) == pictures else [f"{len(self.captured)} pictures, not {pictures}"]
        return "; ".join(faults)


def _wanted(step: str, words: str) -> str:
    """The address that *step* opens, or where it begins; empty: none."""
    kind, rest = _split(step)
    match kind:
        case "typed":
            return key_of(typed_addresses(words)[int(rest) - 1])
        case "line":
            return key_of(LISTED[int(rest) - 1][1])
        case "site" | "any" | "the":
            return rest.rpartition(" ")[2].removeprefix("www.")
    return ""


def _is_at(key: str, wanted: str) -> bool:
    return key == wanted or key.startswith((f"{wanted}/", f"{wanted}?"))


def _split(step: str) -> tuple[str, str]:
    kind, _, rest = step.partition(" ")
    return kind, rest


def searching(name: str) -> dict[str, object]:
    return {"action": "search", "query": f"{name} website"}


def opening(address: str) -> dict[str, object]:
    return {"action": "open_website", "address": address}


def opening_host(host: str) -> object:
    """Open what was offered on *host*, the best of it."""

    def plan(asked: GeminiRequest) -> dict[str, object]:
        bare = re.escape(host.removeprefix("www."))
        listed = rf"^\[(\w+)\] .*(?:\(|//(?:www\.)?){bare}\b"
        ids = re.findall(listed, asked.prompt, re.MULTILINE)
        return opening(ids[-1] if ids else "")

    return plan


def _opening_typed(number: int) -> object:
    """Open the address of that number in the words, under whatever id the thread has for it."""

    def plan(asked: GeminiRequest) -> dict[str, object]:
        words = asked.prompt.rpartition("The person now says:\n")[2].partition("\n\n")[0]
        url = re.escape(typed_addresses(words)[number - 1])
        ids = re.findall(rf"^\[(u\d+)\] .*\({url}\)", asked.prompt, re.MULTILINE)
        return opening(ids[-1] if ids else "")

    return plan


def _opening_line(number: int) -> object:
    def plan(asked: GeminiRequest) -> dict[str, object]:
        shown = re.search(r"The list that the person saw last: .*", asked.prompt)
        found = re.search(rf"\b{number} = \[(\w+)\]", shown[0] if shown else "")
        return opening(found[1] if found else "")

    return plan


def cite(asked: GeminiRequest) -> dict[str, object]:
    """Reply with the list of what was found, in the order of LISTED."""
    found = dict(re.findall(r"^\[(r\d+)\] (.*?) \(", asked.prompt, re.MULTILINE))
    ids = {title: id_ for id_, title in found.items()}
    return {**REPLY, "text": " ".join(f"[{ids[title]}]" for title, *_ in LISTED)}
