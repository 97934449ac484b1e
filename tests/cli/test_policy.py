"""`jarvis policy …` as a person uses it: what is said, what is kept, and that testing does nothing."""

import json
import shlex

import pytest


@pytest.fixture
def policy(shell):
    """Runs `jarvis policy LINE`."""
    return lambda line, **how: shell.jarvis("policy", *shlex.split(line), **how)


def test_what_is_saved_is_told_with_its_exact_scope_and_its_undo(policy, shell):
    done = policy("allow open www.example.com")

    assert (done.status, done.stderr) == (0, "")
    saved = "Saved rule 1: allow open host=www.example.com (policy.txt)   undo: jarvis policy rm 1\n"
    assert done.stdout == saved
    assert policy("allow open www.example.com").stdout == saved  # it is one rule
    kept = (shell.home / "jarvis" / "config" / "policy.txt").read_text()
    assert "1 allow open www.example.com  # added " in kept
    assert shell.cost == (0, 0)


def test_an_effect_goes_by_its_everyday_name_too_and_all_rules_are_listed(policy):
    said = {
        "deny launch firefox": "launch app=firefox",
        "deny start Visual Studio Code": "launch app=Visual Studio Code",
        "ask app": "launch any app",
        "deny captures": "screenshot",
        "ask search": "search",
        "allow opens": "open any host",
        "deny open *.Example.com": "open host=*.example.com",
        "allow Open bücher.example": "open host=xn--bcher-kva.example",
    }
    saved = [policy(line).stdout for line in said]
    listed = policy("list").stdout.splitlines()

    for n, (line, about) in enumerate(said.items(), 1):
        verdict = line.split()[0]
        undo = f"undo: jarvis policy rm {n}\n"
        assert saved[n - 1] == f"Saved rule {n}: {verdict} {about} (policy.txt)   {undo}"
        doubt = ", for: any doubt" if verdict == "allow" else ""
        assert listed[n - 1].startswith(f"{n:>4}  {verdict:<5}  {about}{doubt}, added 20")


NO_RULES = (
    *("allow open *", "allow open 'a b'", "allow open https://www.example.com/a?b=c", "deny launch *"),
    *("allow open https://me@www.example.com/", "allow open ftp://www.example.com/", "rm 7"),
    *(
        "deny open GitHub",
        "allow opn www.example.com",
        "allow --for oddness open a.example",
        "allow --for 'a rule asks' open",
    ),
)


def test_what_can_not_be_a_rule_is_a_usage_error_and_costs_nothing(policy, shell):
    for line in NO_RULES:
        done = policy(line)

        assert (done.status, done.stdout, "hint: " in done.stderr) == (2, "", True), line
    assert shell.cost == (0, 0)
    assert policy("list").stderr == "No rules yet.\n"


def test_the_name_of_a_site_is_no_host_and_its_host_is_told(policy):
    done = policy("deny open reddit")

    assert done.stderr == (
        "jarvis: reddit is the name of a site. Rules use its host.\n"
        "  hint: jarvis policy deny open reddit.com\n"
    )


def test_a_rule_is_removed_by_its_number_and_comes_back_by_what_is_shown(policy):
    policy("allow open *.example.com")
    saved = policy("allow --for 'odd letters' open www.example.com")
    policy("allow open www.example.com")
    listed = policy("list").stdout.splitlines()
    wide, one = policy("rm 1"), policy("rm 2")

    assert "Saved rule 2: allow open host=www.example.com, for: odd letters (policy.txt)" in saved.stdout
    assert "  open host=www.example.com, for: odd letters, added 20" in listed[1]
    assert "  open host=www.example.com, for: any doubt, added 20" in listed[2]
    assert wide.stdout == (
        "Removed rule 1: allow open host=*.example.com (policy.txt)"
        "   undo: jarvis policy allow open '*.example.com'\n"
    )
    assert one.stdout.endswith("undo: jarvis policy allow --for 'odd letters' open www.example.com\n")
    assert "Saved rule 4" in policy("allow open *.example.com").stdout


def test_a_rule_that_another_comes_before_is_told_so_unless_it_is_in_spite_of_that(policy):
    policy("ask open")
    in_spite = policy("allow --for 'a rule asks' open www.example.com")
    policy("deny launch")
    in_vain = policy("allow launch firefox")

    assert in_spite.stderr == ""
    assert "allow (rule 2: " in policy("test 'open www.example.com'").stdout
    assert "ask (rule 1: " in policy("test 'open example.com'").stdout
    assert (in_vain.status, in_vain.stderr) == (0, "Rule 3 overrides it: deny launch any app.\n")


def test_programs_get_json_and_what_is_tested_is_not_done(policy, shell):
    lines = ("deny launch firefox", "list", "test open a.example", "test 'find a page'", "rm 1")
    saved, listed, tested, planned, removed = (json.loads(policy(f"{line} --json").stdout) for line in lines)

    (rule,) = listed
    assert rule == saved["saved"] == removed["removed"]
    assert planned == {"plain": None, "rules": [rule]}
    assert rule.pop("added").startswith("20")
    deny = {"number": 1, "verdict": "deny", "effect": "launches", "name": "firefox", "doubt": ""}
    assert rule == deny
    plain = {"effect": "opens", "target": "https://a.example", "name": "a.example", "rules": []}
    assert tested == {"plain": plain, "rules": []}
    assert policy("test open example.com").stdout == "open host=example.com: no rule\n"
    assert (shell.opened, shell.cost, shell.json("threads", "list")) == ([], (0, 0), [])


def test_what_the_model_would_have_to_tell_is_said_so_with_the_rules_on_it(policy, shell):
    for line in ("deny launch firefox", "ask open a.example", "allow open b.example"):
        policy(line)

    first, head, *rules = policy("test find the MIT website").stdout.splitlines()

    told = "This is not a plain command, so the model would read it. Nothing was done."
    assert (first, head) == (told, "Rules that would deny or ask:")
    assert [rule.partition(", added 20")[0] for rule in rules] == [
        "  deny (rule 1: launch app=firefox",
        "  ask (rule 2: open host=a.example",
    ]
    policy("rm 1")
    policy("rm 2")
    assert policy("test 'find the MIT website'").stdout.endswith("No rule would deny or ask.\n")
    assert shell.cost == (0, 0)


def test_a_line_of_a_list_is_tested_by_its_address(policy):
    tested = policy("test open 2")

    assert (tested.status, tested.stdout) == (2, "")
    assert "Test its address." in tested.stderr


def test_a_rule_on_a_host_and_a_port_counts_for_that_port_alone(shell):
    shell.jarvis("policy", "deny", "open", "a.example:8080")
    shell.jarvis("policy", "deny", "open", "b.example:443")

    statuses = {
        typed: shell.jarvis("open", typed).status
        for typed in (
            "http://a.example:8080/x",
            "a.example:8080",
            "a.example",
            "b.example",
            "http://b.example",
        )
    }
    tested = shell.jarvis("policy", "test", "open", "http://a.example:8080/x").stdout

    assert [*statuses.values()] == [4, 4, 0, 4, 0], statuses
    assert "deny (rule 1: open host=a.example:8080" in tested
