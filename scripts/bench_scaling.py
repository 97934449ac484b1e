"""Does what reads foreign text take twice as long for twice the text, whatever stands in it?"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from itertools import pairwise

SIZES = [10_000 * 2**n for n in range(5)]  # characters
MOST = 2.5  # times a doubling
_ROUNDS = 3  # of which the best counts; more where that is too slow, as it may be the machine's fault
_MOST_ROUNDS = 20
_LEAST = 0.004  # seconds that a text is to take, if need be over and over: less says little
_MOST_TIMES = 100

# What stands over and over in a text, and what ends it.
SHAPES = {
    "closing brackets": (")", ""),
    "nested brackets": ("([{", ""),
    "quotes": ("'\"`", ""),
    "www.": ("www.", ""),
    "http://": ("http://", ""),
    "marks": ("[r1", ""),
    "lists of ids": ("[r1, r2, ", "]"),
    "links": ("[a](https://a.example/b) ", ""),
    "colours": ("\x1b[", ""),
    "strings without end": ("\x1b]", ""),
    "strings within strings": ("\x9d", "\x1bX"),
    "a long word": ("a", ""),
    "many words": ("word ", ""),
    "other scripts": ("日本語", ""),
    "joiners": ("م\u200c", ""),
    "dots": (".", ""),
    "labels": ("a.b.c.", ""),
    "hosts": ("a.example b.com ", ""),
    "stars": ("*", ""),
    "open stars": ("*a **b ", ""),
    "backticks": ("`", ""),
    "open code": ("`a ``b ", ""),
    "bars": ("|", ""),
    "rows": ("| a | `b` |\n", ""),
    "items": ("- ", ""),
    "open links": ("[a](b", ""),
}

# A reply with something of each kind.
_REPLY = """## Title

Some **words** and `code`, [a](https://a.example/b), and more [r1]. 日本語 and emoji 🎉.

- one
  - two

| a | b |
|---|---|
| 1 | 2 |

```make
all:
\tgcc -o x x.c
```

"""


def scaling() -> int:
    """Prints the worst ratio of each reader; 1 where one grows faster than its text."""
    readers = _readers()
    gc.freeze()  # the imports: to look through them takes longer than what is measured
    kept = _memory()
    worst = {name: _worst(read) for name, read in readers.items()}
    for name, (ratio, shape, seconds) in worst.items():
        print(f"scaling {name:<18} {ratio:5.2f}x a doubling at worst ({shape}), {seconds * 1000:6.1f} ms")
    streamed = _cpu(lambda: _stream(200_000), 1) / _cpu(lambda: _stream(100_000), 1)
    print(f"scaling streaming          {streamed:5.2f}x for a reply of 200 kB, against one of 100 kB")
    slow = [name for name, (ratio, *_) in worst.items() if ratio > MOST]
    slow += ["streaming"] if streamed > MOST else []
    del kept
    print(f"        {'too slow: ' + ', '.join(slow) if slow else f'all within {MOST}x'}")
    return 1 if slow else 0


def _memory() -> list[bytes]:
    """Something in each block of a lot of memory, so that none goes back: to get it anew takes its time."""
    return [bytes(40) for _ in range(400_000)][::1000]


def _readers() -> dict[str, Callable[[str], Callable[[], object]]]:
    """For each, what readies a text for it and gives back the work that is measured."""
    from jarvis.agent.citations import Citations
    from jarvis.agent.plan_schema import partial_reply
    from jarvis.agent.unverified import unverified
    from jarvis.core import text, urls
    from jarvis.core.types import Address
    from jarvis.output.markdown import Markdown
    from jarvis.search.extract import extract

    known = [Address(f"r{n}", f"https://{n}.example/", source="found") for n in range(1, 40)]

    def citations(words: str) -> object:
        return [Citations(known).rewritten(words, whole=whole) for whole in (True, False)]

    def markdown(words: str) -> str:
        shown = Markdown(colour=True)
        return shown.feed(words, 80) + shown.end(80)

    def reply(words: str) -> Callable[[], object]:
        plan = json.dumps({"action": "reply", "text": words}, ensure_ascii=False)[:-2]
        return lambda: partial_reply(plan)

    def results(words: str) -> Callable[[], object]:
        answer = json.dumps(_results(words))
        return lambda: extract(json.loads(answer), [words])

    return {
        "cleaning": lambda words: lambda: (text.clean(words), text.printable(words)),
        "cutting": lambda words: lambda: text.one_line(words, 160),
        "unwrapping": lambda words: lambda: urls.unwrapped(words),
        "typed addresses": lambda words: lambda: urls.typed_addresses(words),
        "citations": lambda words: lambda: citations(words),
        "partial replies": reply,
        "markdown": lambda words: lambda: markdown(words),
        "naming of hosts": lambda words: lambda: unverified(words, [item.url for item in known]),
        "parsing of results": results,
    }


def _stream(size: int) -> None:
    """Show a reply of *size* characters as it comes from the model, in pieces, on a terminal."""
    from jarvis.agent.citations import Writing
    from jarvis.core.text import clean, printable
    from jarvis.output.markdown import Markdown

    text = (_REPLY * (size // len(_REPLY) + 1))[:size].strip()
    plan, shown = json.dumps({"action": "reply", "text": text}, ensure_ascii=False), Markdown(colour=True)
    writing = Writing((), lambda new: printable(shown.feed(clean(new, piece=True, tabs=True), 80)))
    for end in range(60, len(plan) + 60, 60):
        writing.go_on(plan[:end])
    writing.show(writing.rewritten(text))
    shown.end(80)
    assert writing.shown == text


def _results(words: str) -> dict[str, object]:
    """An answer as long as *words*, which stand in all its parts, whole and in pieces."""
    pieces = [words[at : at + 200] for at in range(0, len(words), 200)]
    return {
        "knowledge_graph": {"title": words, "website": f"https://{words}/"},
        "answer_box": {"title": words, "answer": words, "link": words},
        "organic_results": [
            {"title": piece, "snippet": piece, "link": f"https://n{n}.example/{piece[:50]}"}
            for n, piece in enumerate(pieces)
        ],
    }


def _worst(ready: Callable[[str], Callable[[], object]]) -> tuple[float, str, float]:
    """The largest ratio of a doubling, in which shape, and the seconds of its longest text."""
    of_shapes = [(name, *_of_shape(ready, *shape)) for name, shape in SHAPES.items()]
    name, ratio, seconds = max(of_shapes, key=lambda each: each[1])
    return ratio, name, seconds


def _of_shape(ready: Callable[[str], Callable[[], object]], unit: str, tail: str) -> tuple[float, float]:
    work = [ready((unit * (size // len(unit) + 1))[:size] + tail) for size in SIZES]
    gc.collect()
    # Each size is done so often that it takes as long as the others: of two that share the machine with
    # somebody, the shorter is the luckier.
    longest = min(_MOST_TIMES, 1 + int(_LEAST / max(1e-6, _cpu(work[-1], 1))))
    times = [longest * SIZES[-1] // size for size in SIZES]
    best = [float("inf")] * len(SIZES)
    for tried in range(1, _MOST_ROUNDS + 1):
        # Turn about, so that all sizes see the same machine.
        best = [min(*each) for each in zip(best, map(_cpu, work, times), strict=True)]
        ratio = max(later / earlier for earlier, later in pairwise(best))
        if tried >= _ROUNDS and ratio <= MOST:
            break
    return ratio, best[-1]


def _cpu(work: Callable[[], object], times: int) -> float:
    """Seconds that *work* takes, of so many times."""
    gc.disable()
    before = time.process_time()
    for _ in range(times):
        work()
    seconds = time.process_time() - before
    gc.enable()
    return seconds / times
