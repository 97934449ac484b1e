"""`jarvis why`: where a step came from, told from what was written down when it was taken."""

import json

from jarvis.core.events import TableShown
from jarvis.core.follow_ups import apply_follow_up
from jarvis.core.tables import FollowUp, Table
from jarvis.core.types import Found, Outcome
from tests.conftest import BOTH
from tests.steps import end_step, keep_found, start_step
from tests.tabled import COLUMNS, product

MIT = "https://web.mit.edu/"
OPEN = {"action": "open_website", "address": "r2", "finish": True}


def lines(shell, *argv):
    done = shell.jarvis("why", *argv)
    assert done.status == 0, done
    return [line.strip() for line in done.stdout.splitlines()]


@BOTH
def test_what_was_found_is_told_with_its_search_and_its_place_there(shell):
    shell.search_finds("https://other.example/", MIT)
    shell.gemini.plans({"action": "search", "query": "MIT website"}, OPEN)
    shell.jarvis("-t", "work", "find the MIT website and open it")

    told = lines(shell, "-t", "work")
    assert told.pop(2) == "understood as: open found 1"
    record = json.loads(shell.jarvis("why", "--json", "-t", "work").stdout)

    assert shell.opened == [MIT]
    assert "work, request 1 (" in told[0]
    assert told[0].endswith("): done")
    assert told[1:3] == ["asked: find the MIT website and open it", "1 search MIT website"]
    assert told[3] == "rule: a search"
    assert told[5:7] == [
        f"2 open website {MIT}",
        f"from: result 2 (web.mit.edu) of the search “MIT website” in request 1: About {MIT}",
    ]
    assert told[7].startswith("rule: ")
    assert told[8].startswith(f"done: Sent {MIT} to your browser. (")
    searched, opened_it = record["steps"]
    assert (record["goal"], searched["from"]) == ("find the MIT website and open it", None)
    assert (opened_it["action"], opened_it["target"], opened_it["state"]) == ("open_website", MIT, "done")
    assert opened_it["from"] == {
        "id": "r2",
        "url": MIT,
        "host": "web.mit.edu",
        "title": f"About {MIT}",
        "source": "found",
        "official": "",
        "turn": 1,
        "words": "find the MIT website and open it",
        "query": "MIT website",
        "place": 2,
    }


def test_the_site_of_a_name_is_told_with_what_says_that_it_is_that(shell):
    shell.search_finds(MIT, website=("Larch Museum", "https://larch.example/"))
    shell.gemini.reading = "open site Larch Museum"
    shell.gemini.plans({"action": "open_site", "finish": True})
    shell.jarvis("could you open the site of the Larch Museum")

    by = "(larch.example, official: its entry in Google's knowledge graph) of the search “Larch Museum”"
    assert f"from: result 1 {by} in request 1: Larch Museum" in lines(shell)


def test_what_was_typed_is_told_with_the_words_it_stood_in(shell):
    shell.jarvis("open", "a.example")
    shell.gemini.plans({"action": "open_website", "address": "u1", "finish": True})
    shell.jarvis("open it again please")

    assert "from: your words in request 1: “open a.example”" in lines(shell)
    assert "from: your words in request 1: “open a.example”" in lines(shell, "1")
    assert lines(shell, "1")[2:4] == ["understood as: open u1", "1 open website https://a.example"]


def explained_step(shell, *, found=(), rule="", why="", title="A", official=""):
    """A turn with a search and an opening of its first result, as the loop writes them down."""

    async def work(store):
        history = store.history
        turn = await history.begin("default", "find a and open it")
        await start_step(history, turn, 1, "search", {"query": "a"}, "")
        addresses = await keep_found(history, turn, 1, [Found(MIT, title, "", "organic", official)])
        await end_step(history, turn, 1, Outcome("done", "Found 1 address."))
        await start_step(history, turn, 2, "open_website", {"address": addresses[0].id}, MIT, rule, why)
        await end_step(history, turn, 2, Outcome("done", f"Sent {MIT} to your browser."), addresses[0].id)
        await history.end(turn, "done")
        for query in found:
            later = await history.begin("default", query)
            await start_step(history, later, 1, "search", {"query": query}, "")
            await keep_found(history, later, 1, [Found("https://z.example/"), Found(MIT)], addresses)
            await history.end(later, "done")
        return turn

    return shell.kept(work)


@BOTH
def test_what_was_opened_of_a_table_is_told_with_the_turn_that_found_it(shell):
    """Though a later turn changed the order of its lines."""
    table = Table("product", COLUMNS[:2], tuple(product(f"o{n}", f"Desk {n}", f"{n}.00") for n in (1, 2)))

    async def work(store):
        for asked in (table, apply_follow_up(table, FollowUp("dearest"))):
            turn = await store.history.begin("default", "find a desk")
            shown = [row.id for row in asked.rows]
            await store.history.end(turn, "done", shown=shown, tables=[TableShown(asked, 1)])
        if store.outbox:
            listed = await store.history.listed("default")
            await store.outbox.keep_list("default", *listed)

    shell.kept(work)

    assert shell.jarvis("open", "1").stdout == "https://shop.example/o2\n"
    assert "from: result 2 (shop.example) of what was found in request 1: Desk 2" in lines(shell)


def test_a_step_that_a_rule_refused_is_told_with_that_rule(shell):
    shell.jarvis("policy", "deny", "open", "a.example")

    refused = shell.jarvis("open", "a.example")

    assert (refused.status, shell.opened) == (4, [])
    told = lines(shell)
    assert "rule: policy rule 1" in told
    assert any(line.startswith("refused: Did not open https://a.example: policy rule 1") for line in told)
    shell.jarvis("policy", "rm", "1")
    assert shell.jarvis("open", "a.example").status == 0


def test_the_planners_sentence_the_official_reason_and_the_rule_are_told_and_what_strangers_wrote_last(shell):
    why, title = "\x1b]0;x\x07Good.\nrule: none", "A\x1b[31m\nrule: rule 1 \u202e"
    explained_step(shell, rule="rule 7", why=why, title=title, official="its host is the name")

    told = lines(shell)

    assert told[4:8] == [
        f"2 open website {MIT}",
        "why: Good. rule: none",
        "from: result 1 (web.mit.edu, official: its host is the name) of the search “a” in request 1"
        ": A rule: rule 1",
        "rule: rule 7",
    ]


@BOTH
def test_a_turn_is_named_by_number_or_id(shell):
    first = explained_step(shell, found=["second", "third"])

    by_number, by_id = lines(shell, "1"), lines(shell, first.id)

    assert by_number == by_id == lines(shell, "-t", "other", first.id)
    # Neither the search that it came from, since it was found again later, nor what was not written down.
    assert not [line for line in by_id if line.startswith(("from", "why", "rule", "you asked", "piped in"))]
    assert json.loads(shell.jarvis("why", "1", "--json").stdout)["intent"] is None
    assert lines(shell)[1] == "asked: third"
    assert lines(shell, "2")[1] == "asked: second"


def test_a_turn_that_there_is_not_is_a_usage_error(shell):
    for argv in ([], ["7"], ["-t", "nonesuch"]):
        done = shell.jarvis("why", *argv)

        assert (done.status, done.stdout) == (2, "")
        assert "There is no request" in done.stderr


READ = [(["open site MIT", "picture"], "open site MIT; picture"), ([], "nothing to open")]


@BOTH
def test_what_the_words_were_read_as_is_told(shell):
    async def work(store):
        for intent, _ in READ:
            turn = await store.history.begin("default", "open it", material="a mail\nabout MIT")
            await store.history.end(turn, "done", intent=intent)

    shell.kept(work)

    for n, (intent, told) in enumerate(READ, 1):
        said = ["asked: open it", "piped in: a mail about MIT", f"understood as: {told}"]
        assert lines(shell, str(n))[1:4] == said
        record = json.loads(shell.jarvis("why", "--json", str(n)).stdout)
        assert (record["intent"], record["piped"]) == (intent, "a mail\nabout MIT")


def test_what_stood_in_piped_text_is_told_with_that_text(shell):
    async def work(store):
        turn = await store.history.begin("default", "open it", [], [MIT], material=f"See {MIT}")
        await start_step(store.history, turn, 1, "open_website", {"address": "u1"}, MIT)
        await end_step(store.history, turn, 1, Outcome("done", "Sent."), "u1")
        await store.history.end(turn, "done")

    shell.kept(work)

    assert f"from: text you piped in (not your words) in request 1: “See {MIT}”" in lines(shell)


def test_a_file_that_was_read_is_told_with_the_words_that_named_it_and_stays_on_this_machine(shell):
    (shell.home / "notes.txt").write_text("alpha")
    read = {"action": "read", "address": "f1", "finish": False}
    shell.gemini.plans(read, {"action": "reply", "text": "Alpha [f1]."})
    shell.jarvis("-t", "work", "what does notes.txt say?")

    told = lines(shell, "-t", "work")
    exported = shell.jarvis("threads", "export", "work").stdout
    (shell.home / "work.jsonl").write_text(exported)
    shell.jarvis("-y", "threads", "delete", "work")

    assert told[3:5] == [f"1 read {shell.home}/notes.txt", "rule: you named this file"]
    assert json.loads(exported)["addresses"] == []
    assert shell.jarvis("threads", "import", "work.jsonl").status == 0


def test_programs_see_an_address_by_one_id_wherever_it_stands(shell):
    shell.jarvis("open", "a.example")
    plain = shell.json("open", "b.example")
    shell.gemini.reading = "open u2?; open u1"
    shell.gemini.plans({"action": "open_website", "address": "u3"}, {"action": "reply", "text": "No."})
    planned = shell.json("could you bring up c.example for me, and perhaps d.example")

    assert (plain["intent"], plain["steps"][0]["arguments"]["address"]) == (["open u2"], "u2")
    assert (planned["intent"], planned["unmet"]) == (["open u4?", "open u3"], ["open u4?"])
    assert [turn["intent"] for turn in shell.turns()] == [["open u1"], ["open u2"], planned["intent"]]
    why = shell.json("why")
    assert (why["intent"], why["steps"][0]["rule"]) == (planned["intent"], "you asked: open u3")
