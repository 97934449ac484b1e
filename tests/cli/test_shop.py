"""`jarvis shop`: what is on the person's own lists, asked for again without a model."""

import csv
import io
import json

import pytest

from jarvis.packs.shop.keep import Item, Seen, lists_in
from tests.conftest import BOTH
from tests.tabled import dollars
from tests.twins.serpapi import Status
from tests.twins.shop_pages import ebay_product, product, store

GLOW = "Glow & Sons"
ITEM = "https://www.ebay.com/itm/110000000002"


def thing(number, price="129.00", *, title="", url="", where=GLOW, **found_by):
    private = found_by or {"page_token": f"token-of-{number}", "product_id": str(number), "query": "lantern"}
    cells = {"store": where, "state": "new", "found_by": private}
    seen = Seen(0.0, dollars(price)) if price else None
    return Item(title or f"Lantern {number}", cells, url, seen)


def keep(shell, *things, list_="wishlist"):
    async def work(opened):
        return await lists_in(opened.database).add_all(list_, things)

    shell.kept(work)


def prices(shell):
    async def work(opened):
        items = await lists_in(opened.database).items()
        return [[seen.money.formatted for seen in (each.then, each.now) if seen] for each in items]

    return shell.kept(work)


def sells(shell, **by_token):
    """What each product's shops ask, by its token: a page, a fault."""
    shell.serpapi.sells(google_immersive_product=lambda request: by_token[request.params["page_token"][9:]])


def at(price, name=GLOW):
    return product(store(name, price))


@BOTH
def test_what_is_kept_is_listed_with_its_prices_and_taken_off_again(shell):
    keep(shell, thing(1), thing(2, "99.50", url="https://a.example/2"))
    sells(shell, _1=None)

    listed = shell.jarvis("shop", "list")
    told = json.loads(shell.jarvis("shop", "list", "--json").stdout)
    removed = shell.jarvis("shop", "rm", "lantern", "2")
    left = shell.jarvis("shop", "list")

    assert (listed.status, listed.stderr) == (0, "")
    assert [line.split("\t")[:6] for line in listed.stdout.splitlines()] == [
        ["1", "Lantern 1", GLOW, "129.00 USD", "129.00 USD", "0.0"],
        ["2", "Lantern 2", GLOW, "99.50 USD", "99.50 USD", "0.0"],
    ]
    assert [(each["line"], each["title"], each["then"]) for each in told] == [
        (1, "Lantern 1", {"amount": "129.00", "currency": "USD"}),
        (2, "Lantern 2", {"amount": "99.50", "currency": "USD"}),
    ]
    assert removed.stdout == (f"Removed from wishlist: Lantern 2, $99.50 at {GLOW}.   https://a.example/2\n")
    assert [line.split("\t")[1] for line in left.stdout.splitlines()] == ["Lantern 1"]
    assert "token-of" not in listed.stdout + str(told)


@BOTH
def test_prices_are_asked_for_again_and_written_down(shell):
    keep(shell, thing(1), thing(2), thing(3), thing(4))
    keep(shell, thing(5, where="eBay", url=ITEM, product_id="110000000002"), list_="gifts")
    sells(shell, **{"1": at("$119.00"), "2": at("$139.00"), "3": at("$129.00"), "4": at("$1.00", "Other")})
    shell.serpapi.sells(ebay_product=ebay_product(2, 64.5, condition="New"))

    checked = json.loads(shell.jarvis("shop", "check", "--json").stdout)
    history = prices(shell)
    used = shell.json("usage")["total"]

    assert [(each["state"], each["change"], each["now"] and each["now"]["amount"]) for each in checked] == [
        ("cheaper", "-7.8", "119.00"),
        ("dearer", "7.8", "139.00"),
        ("same", "0.0", "129.00"),
        ("gone", None, None),
        ("cheaper", "-50.0", "64.50"),
    ]
    assert history == [
        ["$129.00", "$119.00"],
        ["$129.00", "$139.00"],
        ["$129.00", "$129.00"],
        ["$129.00", "$129.00"],
        ["$129.00", "$64.50"],
    ]
    assert (used["searches"], used["model_calls"], len(shell.gemini.requests)) == (5, 0, 0)


def test_what_became_cheaper_is_told_quietly_and_what_could_not_be_asked_for_is_named(shell):
    keep(shell, thing(1), thing(2), thing(3, title="Old lamp", url="https://a.example/3", note="none"))
    sells(shell, **{"1": Status(503), "2": at("$119.00")})

    quiet = shell.jarvis("shop", "check", "-q")
    checked = shell.jarvis("shop", "check")

    assert (quiet.status, checked.status) == (69, 69)
    assert quiet.stdout == f"Lantern 2: $119.00, $129.00 before (-7.8 %) at {GLOW}\n"
    assert "1 Lantern 1 has no price now: SerpAPI has a fault" in quiet.stderr
    assert "Old lamp" not in quiet.stderr
    assert checked.stdout.splitlines()[1].startswith("2\tLantern 2")
    assert "3 Old lamp has no price now: no service tells more of it." in checked.stderr
    assert prices(shell)[:2] == [["$129.00", "$129.00"], ["$129.00", "$119.00"]]


def test_the_days_limit_holds_and_without_a_key_nothing_is_asked(shell):
    keep(shell, thing(1), thing(2))
    sells(shell, **{"1": at("$119.00"), "2": at("$119.00")})
    shell.configure("[daily]\nsearches = 1\n")

    some, none = (shell.jarvis("shop", "check", "--json") for _ in range(2))
    keyless = shell.jarvis("shop", "check", environment={"SERPAPI_API_KEY": ""})

    assert [each["state"] for each in json.loads(some.stdout)] == ["cheaper", "failed"]
    assert (some.status, none.status) == (124, 124)
    assert len(shell.serpapi.requests) == 1
    assert (keyless.status, keyless.stdout) == (78, "")
    assert "jarvis keys set serpapi" in keyless.stderr


def test_empty_lists_are_told(shell):
    listed, checked = (shell.jarvis("shop", command) for command in ("list", "check"))

    assert [(done.status, done.stdout) for done in (listed, checked)] == [(0, ""), (0, "")]
    assert listed.stderr.startswith("No saved items yet.")
    assert json.loads(shell.jarvis("shop", "check", "--json").stdout) == []


def test_what_names_not_one_thing_removes_nothing(shell):
    keep(shell, thing(1), thing(2))
    told = {
        "3": "There is no line 3 on your lists.",
        "desk": "Nothing on your lists is called “desk”.",
        "lantern": "Several things on your lists are called “lantern”.",
    }

    for named, said in told.items():
        removed = shell.jarvis("shop", "rm", named)
        assert (removed.status, removed.stdout) == (2, "")
        assert said in removed.stderr
    assert len(prices(shell)) == 2


def test_all_of_it_is_exported_as_csv_and_no_spreadsheet_runs_it(shell):
    keep(shell, thing(1, title='=HYPERLINK("x")', url="https://a.example/1"), thing(2, None))

    exported = shell.jarvis("shop", "export", "--csv")
    rows = list(csv.DictReader(io.StringIO(exported.stdout)))

    assert [row["kept"] for row in rows] == ['\'=HYPERLINK("x")', "Lantern 2"]
    assert [(row["then"], row["then_currency"], row["url"], row["list"]) for row in rows] == [
        ("129.00", "USD", "https://a.example/1", "wishlist"),
        ("", "", "", "wishlist"),
    ]
    assert "token-of" not in exported.stdout


def test_any_other_words_behind_it_are_a_request_with_the_shop_open(shell):
    shell.gemini.plans({"action": "reply", "text": "Which one?", "finish": True})

    asked = shell.jarvis(*"shop for desks".split())

    assert (asked.status, asked.stdout) == (0, "Which one?\n")
    assert '"find_products"' in str(shell.gemini.requests[0].schema).replace("'", '"')


@pytest.mark.parametrize(("verdict", "status"), [("ask", 3), ("deny", 4)])
@pytest.mark.parametrize("command", ["shop check", "portfolio batches"])
def test_a_rule_on_searches_holds_for_commands_too(shell, command, verdict, status):
    shell.environment |= {"GHOSTFOLIO_URL": shell.serpapi.url, "GHOSTFOLIO_TOKEN": "t" * 20}
    keep(shell, thing(1))
    shell.jarvis("policy", verdict, "search")

    done = shell.jarvis(*command.split())

    assert (done.status, shell.serpapi.requests) == (status, [])
    assert "policy rule 1" in done.stderr
