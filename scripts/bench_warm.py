"""Requests that are done by the brain that stays, each beside a bare start of the same moment."""

from __future__ import annotations

import sys

from bench_times import IS_TRIAL, JARVIS, RUNS, medians, ms, whole
from bench_twins import SMALL_TALK, WORDS, Resident

_BARE = [sys.executable, "-c", "pass"]


def warm() -> None:
    """Memory is what each had at most, and what the brain has now."""
    with Resident() as resident:
        cold = resident.until(b"", WORDS)
        for _ in range(1 if IS_TRIAL else 13):  # until the window is full
            resident.request()
        before = resident.brain_cpu()
        pairs = [(resident.request(), whole(_BARE, {})) for _ in range(RUNS)]
        brain_cpu = (resident.brain_cpu() - before) / RUNS
        talk = [whole([*JARVIS, SMALL_TALK], resident.environment) for _ in range(RUNS)]
        soon = [(resident.until(b"", SMALL_TALK), resident.until(b"Hello", SMALL_TALK)) for _ in range(RUNS)]
        brain = resident.brain_megabytes()
    (cpu, wall, memory), (bare_cpu, bare, bare_memory) = (medians(side) for side in zip(*pairs, strict=True))
    first_word, first_piece = medians(soon)
    rows = (
        ("find + open, the client's CPU", cpu, bare_cpu),
        ("the brain's CPU", brain_cpu, bare_cpu),
        ("the whole, on the wall", wall, bare),
        ("small talk, on the wall", medians(talk)[1], bare),
        ("the first word on a terminal", first_word, bare),
        ("the same, of a cold start", cold, bare),
        ("the first piece of a reply", first_piece, bare),
    )
    for n, (name, seconds, of) in enumerate(rows):
        print(f"{'' if n else 'warm':<7} {name:<32} {ms(seconds)}  {seconds / of:5.2f}x")
    print(f"        memory: client {memory:.1f} MiB, brain {brain:.1f} MiB, bare {bare_memory:.1f} MiB")
