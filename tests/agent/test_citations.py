"""Ids in a reply become the numbers of its sources, also while it is being written."""

from __future__ import annotations

import pytest

from jarvis.agent.citations import Earlier, Writing
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
    ("text", "shown", "cited"),
    [
        ("take [o5] or [o4], not [o9]", "take [2] or [1], not", []),
        ("[o5, o9] or [o10] or [o0]", "[2] or [o10] or [o0]", []),
        ("take [o5], as [r2] says", "take [2], as says", []),
        ("as [r2] says, take [o5]", "as [1] says, take", ["r2"]),
        ("it is [o9], says [r2] of [o5]", "it is, says [1] of", ["r2"]),
    ],
)
def test_an_offer_of_before_is_its_line_there_unless_the_reply_has_sources(text, shown, cited):
    writing = Writing(KNOWN, earlier=Earlier({"o4": 1, "o5": 2}, given=9))

    assert [writing.rewritten(text) for _ in range(2)] == [shown] * 2
    assert [address.id for address in writing.cited] == cited


def test_beside_sources_an_offer_of_before_that_has_a_page_is_one_of_them():
    writing = Writing([*KNOWN, Address("o5", "https://shop.example/5")], earlier=Earlier({"o5": 7}, 9))

    assert writing.rewritten("as [r2] says, take [o5] or [o6]") == "as [1] says, take [2] or"


def test_what_is_shown_while_it_is_written_never_has_to_be_taken_back():
    text = "First [r3], then [not one] and [r1]; [r9] or [r2, r4] end [r1,\n r2] " + f"[{'r1, ' * 30}r2] [r1"
    text += " [o5], [r1, o9]"
    earlier = Earlier({"o5": 2}, given=9)
    whole = Writing(KNOWN, earlier=earlier).rewritten(text)
    writing, shown = Writing(KNOWN, earlier=earlier), ""
    for end in range(len(text) + 1):
        so_far = writing.rewritten(text[:end], is_whole=False)
        assert so_far.startswith(shown)
        assert whole.startswith(so_far)
        shown = so_far
