"""`jarvis policy …` as a person uses it: what is said, what is kept, and that testing does nothing."""

from __future__ import annotations

import json

import pytest

ASK = {"action": "search", "query": "x"}


@pytest.fixture
def policy(shell):
    """Runs `jarvis policy ARGV…`."""
    return lambda *argv, **how: shell.jarvis("policy", *argv, **how)


def test_what_is_saved_is_told_with_its_exact_scope_and_its_undo(policy, shell):
    done = policy("allow", "open", "www.example.com")

    assert (done.status, done.stderr) == (0, "")
    assert done.stdout == (
        "Saved rule 1: allow open host=www.example.com (policy.txt)   undo: jarvis policy rm 1\n"
    )
    kept = (shell.home / "jarvis" / "config" / "policy.txt").read_text()
    assert "1 allow open www.example.com  # added " in kept
    assert shell.cost == (0, 0)


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["deny", "launch", "firefox"], "deny launch app=firefox"),
        (["deny", "start", "Visual", "Studio", "Code"], "deny launch app=Visual Studio Code"),
        (["ask", "app"], "ask launch any app"),
        (["deny", "screenshot"], "deny screenshot"),
        (["deny", "captures"], "deny screenshot"),
        (["ask", "search"], "ask search"),
        (["allow", "opens"], "allow open any host"),
        (["deny", "open", "*.Example.com"], "deny open host=*.example.com"),
        (["allow", "Open", "bücher.example"], "allow open host=xn--bcher-kva.example"),
    ],
    ids=" ".join,
)
def test_an_effect_goes_by_its_everyday_name_too(policy, argv, told):
    done = policy(*argv)

    assert done.stdout == f"Saved rule 1: {told} (policy.txt)   undo: jarvis policy rm 1\n"
    doubt = ", for: any doubt" if argv[0] == "allow" else ""
    assert policy("list").stdout.startswith(
        f"   1  {argv[0]:<5}  {told.removeprefix(argv[0]).strip()}{doubt}, added 20"
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["allow", "open", "*"],
        ["allow", "open", "a b"],
        ["allow", "open", "https://www.example.com/a?b=c"],
        ["allow", "open", "https://me@www.example.com/"],
        ["allow", "open", "ftp://www.example.com/"],
        ["allow", "opn", "www.example.com"],
        ["allow", "--for", "oddness", "open", "www.example.com"],
        ["allow", "--for", "a rule asks", "open"],
        ["deny", "launch", "*"],
        ["rm", "7"],
    ],
    ids=" ".join,
)
def test_what_can_not_be_a_rule_is_a_usage_error_and_costs_nothing(policy, shell, argv):
    done = policy(*argv)

    assert (done.status, done.stdout) == (2, "")
    assert "hint: " in done.stderr
    assert shell.cost == (0, 0)
    assert policy("list").stderr == "No rules yet.\n"


def test_a_rule_is_removed_by_its_number_and_comes_back_by_what_is_shown(policy):
    policy("allow", "open", "*.example.com")
    removed = policy("rm", "1")

    assert removed.stdout == (
        "Removed rule 1: allow open host=*.example.com (policy.txt)"
        "   undo: jarvis policy allow open '*.example.com'\n"
    )
    assert policy("list").stdout == ""
    assert "Saved rule 2" in policy("allow", "open", "*.example.com").stdout


def test_a_rule_may_be_for_one_doubt_and_comes_back_as_it_was(policy):
    saved = policy("allow", "--for", "unusual port", "open", "www.example.com")
    policy("allow", "open", "www.example.com")
    listed = policy("list").stdout.splitlines()
    removed = policy("rm", "1")

    assert "Saved rule 1: allow open host=www.example.com, for: unusual port (policy.txt)" in saved.stdout
    assert listed[0].startswith("   1  allow  open host=www.example.com, for: unusual port, added 20")
    assert listed[1].startswith("   2  allow  open host=www.example.com, for: any doubt, added 20")
    assert removed.stdout.endswith("undo: jarvis policy allow --for 'unusual port' open www.example.com\n")


def test_a_rule_in_spite_of_one_that_asks_takes_effect_and_is_told_to(policy):
    policy("ask", "open")
    done = policy("allow", "--for", "a rule asks", "open", "www.example.com")

    assert done.stderr == ""
    assert "allow (rule 2: " in policy("test", "open www.example.com").stdout
    assert "ask (rule 1: " in policy("test", "open example.com").stdout


def test_a_rule_that_another_comes_before_is_told_so(policy):
    policy("deny", "open")

    done = policy("allow", "open", "www.example.com")

    assert done.status == 0
    assert done.stderr == "Rule 1 comes before it: deny open any host.\n"


def test_programs_get_json(policy):
    saved = json.loads(policy("deny", "launch", "firefox", "--json").stdout)["saved"]
    listed = json.loads(policy("list", "--json").stdout)
    tested = json.loads(policy("test", "--json", "open", "a.example").stdout)
    planned = json.loads(policy("test", "--json", "find a page").stdout)
    removed = json.loads(policy("rm", "1", "--json").stdout)["removed"]

    assert listed == [saved]
    assert [saved] == [removed] == planned["rules"]
    assert saved["doubt"] == ""
    assert (saved["number"], saved["verdict"], saved["effect"], saved["name"]) == (
        1,
        "deny",
        "launches",
        "firefox",
    )
    assert tested["plain"] == {
        "effect": "opens", "target": "https://a.example", "name": "a.example", "rules": []
    }  # fmt: skip
    assert planned["plain"] is None


def test_a_plain_command_is_tested_and_nothing_is_done(policy, shell):
    policy("allow", "open", "www.example.com")

    assert policy("test", "open www.example.com/page").stdout.startswith(
        "open host=www.example.com: allow (rule 1: open host=www.example.com, for: any doubt, added 20"
    )
    assert policy("test", "open", "example.com").stdout == "open host=example.com: no rule\n"
    assert shell.opened == []
    assert shell.cost == (0, 0)
    assert shell.json("threads", "list") == []


def test_what_the_model_would_have_to_tell_is_said_so_with_the_rules_on_it(policy, shell):
    policy("deny", "launch", "firefox")
    policy("ask", "open", "a.example")
    policy("allow", "open", "b.example")

    said = policy("test", "find", "the", "MIT", "website").stdout.splitlines()

    assert said[:2] == [
        "This is no plain command: the model decides what it asks for. Nothing was done.",
        "Rules that would deny or ask:",
    ]
    assert said[2].startswith("  deny (rule 1: launch app=firefox, added 20")
    assert said[3].startswith("  ask (rule 2: open host=a.example, added 20")
    assert len(said) == 4
    policy("rm", "1")
    policy("rm", "2")
    assert policy("test", "find the MIT website").stdout.endswith("No rule would deny or ask.\n")
    assert shell.cost == (0, 0)


def test_a_line_of_the_list_last_shown_is_what_stands_there(policy, shell):
    shell.search_finds("https://a.example/", "https://b.example/")
    shell.gemini.plans(ASK, {"action": "reply", "text": "See [r1] and [r2].", "finish": True})
    shell.jarvis("-t", "work", "what about x?")
    policy("deny", "open", "b.example")

    known = policy("test", "-t", "work", "open", "2")
    unknown = policy("test", "open", "2")

    assert known.stdout.startswith("open host=b.example: deny (rule 1: open host=b.example")
    assert (unknown.status, unknown.stdout) == (2, "")
    assert "Nothing was listed in " in unknown.stderr


def test_a_file_that_makes_no_sense_is_told_with_its_line_by_every_command(policy, shell):
    shell.configure("")
    path = shell.home / "jarvis" / "config" / "policy.txt"
    path.write_text("1 perhaps open\n")

    for argv in (["list"], ["test", "open a.example"], ["allow", "open", "a.example"], ["rm", "1"]):
        done = policy(*argv)
        assert (done.status, done.stdout) == (78, "")
        assert "policy.txt: 1 perhaps open: There is no verdict perhaps." in done.stderr
        assert "hint: There are: allow, ask, deny." in done.stderr
