"""Do two names mean the same?"""

from __future__ import annotations

import pytest

from jarvis.search.name_match import names_match


@pytest.mark.parametrize(
    ("asked", "official"),
    [
        ("MIT", "mit"),
        ("acme", "Acme, Inc."),
        ("Acme Inc.", "acme"),
        ("City of Zürich", "zurich"),
        ("Stack Overflow", "stackoverflow"),
        ("StackOverflow", "stack-overflow"),
        ("T-Quokka", "tquokka"),
        ("McDonald's", "mcdonalds"),
        ("O'Hara’s", "OHaras"),
        ("otters river", "Blue River Otters"),
        ("日本放送協会", "日本放送協会"),
    ],
)
def test_names_of_the_same_words_match_both_ways(asked, official):
    assert names_match(asked, official)
    assert names_match(official, asked)


@pytest.mark.parametrize(
    ("asked", "official"),
    [
        ("Acme", "Acmeville"),
        ("Acme Easton", "Acme Weston"),
        ("PayPal", "pаypal"),  # the second letter is Cyrillic
        ("MIT", "Massachusetts Institute of Technology"),
        ("!!!", "???"),
        ("Acme", ""),
        ("", "Acme"),
    ],
)
def test_other_names_do_not(asked, official):
    assert not names_match(asked, official)
    assert not names_match(official, asked)
