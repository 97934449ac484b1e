"""Ids in a reply become the numbers of its sources, also while it is being written."""

from __future__ import annotations

import pytest

from jarvis.agent.citations import Writing
from jarvis.core.types import Address

KNOWN = [Address(f"r{n}", f"https://{n}.example/", source="found") for n in range(1, 5)]


@pytest.mark.parametrize(
    ("text", "shown", "cited"),
    [
        ("So it is [r3].", "So it is [1].", ["r3"]),
        ("a [r2] b [r1] c [r2]", "a [1] b [2] c [1]", ["r2", "r1"]),
        ("both [r1, r2]", "both [1][2]", ["r1", "r2"]),
        ("`ldr r0, [r9]` and arr[u8]", "`ldr r0, [r9]` and arr[u8]", []),
        ("mixed [r9; r4]", "mixed [r9; r4]", []),
        ("no [citation] here [1] and a[0]", "no [citation] here [1] and a[0]", []),
    ],
)
def test_ids_become_numbers_in_the_order_in_which_they_are_named(text, shown, cited):
    writing = Writing(KNOWN)

    assert writing.rewritten(text) == shown
    assert [address.id for address in writing.cited] == cited


def test_behind_tables_sources_are_numbered_on_and_an_offer_is_its_line():
    writing = Writing([*KNOWN, Address("o9", "https://shop.example/9")], ["o3", "o1", "o3"])

    assert writing.rewritten("a [r2] b [o1] c [o3, r2] d [o9] e [o8]") == "a [4] b [2] c [1][4] d [5] e [o8]"
    assert [address.id for address in writing.cited] == ["r2", "o9"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("take [o5] or [o4], not [o9]", "take [2] or [1], not"),
        ("[o5, o9] or [o10] or [o0]", "[2] or [o10] or [o0]"),
        ("as [r2] says, take [o5]", "as says, take [2]"),
    ],
)
def test_in_a_list_that_stands_an_offer_is_its_line_and_nothing_is_a_source(text, shown):
    writing = Writing(KNOWN, ["o4", "o5"], stands=True, offers=9)

    assert [writing.rewritten(text) for _ in range(2)] == [shown] * 2
    assert writing.cited == []


def test_what_is_shown_while_it_is_written_never_has_to_be_taken_back():
    text = "First [r3], then [not one] and [r1]; [r9] or [r2, r4] end [r1,\n r2] " + f"[{'r1, ' * 30}r2] [r1"
    text += " [o5], [r1, o9]"
    whole = Writing(KNOWN, ["o4", "o5"], offers=9).rewritten(text)
    writing, shown = Writing(KNOWN, ["o4", "o5"], offers=9), ""
    for end in range(len(text) + 1):
        so_far = writing.rewritten(text[:end], is_whole=False)
        assert so_far.startswith(shown)
        assert whole.startswith(so_far)
        shown = so_far
