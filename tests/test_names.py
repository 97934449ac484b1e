"""Opening by name: what a name means here, and that nothing else is taken for one."""

from __future__ import annotations

import json

import pytest

from jarvis import sites, urls
from jarvis.names import Names
from jarvis.plain import understood

SITES = [
    ("open youtube", "https://www.youtube.com"),
    ("Open YouTube!", "https://www.youtube.com"),
    ("open you tube", "https://www.youtube.com"),
    ("hey jarvis, please open up GitHub for me", "https://github.com"),
    ("go to hacker news", "https://news.ycombinator.com"),
    ("take me to the washington post website", "https://www.washingtonpost.com"),
    ("could you open google maps?", "https://www.google.com/maps"),
    ("launch netflix", "https://www.netflix.com"),
    ("open my gmail", "https://mail.google.com"),
    ("open starbucks", "https://www.starbucks.com"),
    ("go to the starbucks website", "https://www.starbucks.com"),
    ("open the guardian", "https://www.theguardian.com"),
]
NOT_SITES = [
    *(
        "youtube",
        "open youtube and github",
        "open youtube in chrome",
        "don't open youtube",
        "is youtube open",
    ),
    *("open youtube, not github", "open youtube videos", "open youtube?", "open the youtube app", "open"),
    *("is youtube open", "go to starbucks", "take me to walmart", "never open github", "search github"),
    *(
        "open the door",
        "go to sleep",
        "open |",
        "open github|",
        "open www.github.com|github",
        "open guardian",
    ),
    *("open anything but github", "open github instead of gitlab", "open nothing", "run the github website"),
    *("open github in a new tab", "open github tomorrow", "open it", "open the website", "start a website"),
]


@pytest.mark.parametrize(("words", "address"), SITES)
def test_a_site_opens_by_its_name(quick, words, address):
    ended = quick.run(words)

    assert quick.desktop.opened == [address]
    assert (ended.status, ended.exit_status) == ("done", 0)
    assert quick.rows("SELECT id, url, source FROM addresses") == [("s1", address, "site")]
    assert quick.rows("SELECT rule FROM steps") == [("the site of that name",)]


@pytest.mark.parametrize("words", NOT_SITES)
def test_a_name_with_anything_else_is_not_plain(words):
    assert understood(words, Names()) is None


def test_every_site_has_one_address_in_the_form_in_which_it_is_kept():
    names = [name for name, _ in sites.names()]

    assert len(set(names)) == len(names) > 200
    for name, address in sites.names():
        assert urls.found(address) == address
        assert sites.site(name) == address
        assert name == name.lower()


def test_no_id_is_given_twice(quick):
    quick.run("open github")
    quick.run("open a.example")
    quick.run("open gitlab")

    assert [row[0] for row in quick.rows("SELECT id FROM addresses ORDER BY turn")] == ["s1", "u2", "s3"]


def test_a_site_that_a_rule_denies_is_not_opened(shell):
    shell.jarvis("policy", "deny", "open", "github.com")

    done = shell.jarvis("open", "github")

    assert (done.status, shell.opened) == (4, [])
    assert "policy rule 1 denies it" in done.stderr + done.stdout


def test_what_the_rules_say_of_a_site_is_told_by_its_name(shell):
    shell.jarvis("policy", "deny", "open", "github.com")

    assert shell.jarvis("policy", "test", "open", "github").stdout.startswith(
        "open host=github.com: deny (rule 1"
    )


def test_a_site_is_told_and_listed_as_any_other(shell):
    done = shell.jarvis("--json", "open", "github")

    step = json.loads(done.stdout)["steps"][0]
    assert step["arguments"] == {"address": "s1"}
    assert "a site that I know by that name, in turn 1: “open github”" in shell.jarvis("why").stdout
