"""What of the model's answer is accepted, and what is never carried out; and how large its schema gets."""

import json
from itertools import combinations

import pytest

from jarvis.actions.base import catalogue, plannable
from jarvis.agent.schema import partial_reply, read_plan, read_wants, schema, wants_schema
from jarvis.core.errors import Unusable
from jarvis.core.types import Found, Plan
from jarvis.packs.pack import MOST, actions_of, all_packs, use_of
from tests.lying import plan
from tests.steps import keep_found
from tests.twins.gemini import CutStream, Finish, invalid_argument, too_many_choices, undocumented

ALLOWED = ("reply", "search", "open_website", "open_app")
GOOD = {"action": "open_website", "address": "r1", "finish": True}
OPENS = '"action": "open_website", "address": "r1"'
REFUSED = {
    "an unknown action": {"action": "delete_files"},
    "a made-up address": {"action": "open_website", "address": "r9"},
    "an address written out": {"action": "open_website", "address": "https://evil.example/"},
    "two actions at once": {"action": ["search", "open_website"]},
    "no action": {"address": "r1"},
    "the same plan twice in a list": f"[{{{OPENS}}},{{{OPENS}}}]",
    "two addresses": {"action": "open_website", "address": ["r1", "u1"]},
    "an address named twice": '{"action": "open_website", "address": "r1", "address": "r2"}',
    "an address named and taken back": '{"action": "open_website", "address": "r1", "address": null}',
    "an address with more behind it": {"action": "open_website", "address": "r1 https://evil.example/"},
    "an address that is null in words": {"action": "open_website", "address": "null"},
    "half a letter": '{"action": "search", "query": "\\ud800"}',
    "two objects": '{"action":"open_website","address":"r1"}{"action":"open_website","address":"r1"}',
    "an action named twice": '{"action": "reply", "text": "No.", "action": "open_website", "address": "r1"}',
    "cut JSON": '{"action": "open_website", "address": "r1", "fin',
    "prose": "Sure! I will open it for you.",
    "a brace in prose": 'For {x}: {"action": "open_website", "address": "r1"}',
    "a thought without an end": '<think>Not {"action": "open_website", "address": "r1"}',
    "quotes of another kind": "{'action': 'open_website', 'address': 'r1'}",
    "nothing": "",
    "an opening without an address": {"action": "open_website", "finish": True},
    "a search without words": {"action": "search", "query": ""},
    "a reply without text": {"action": "reply", "finish": True},
    "a number for a text": {"action": "search", "query": 7},
    "another name": {"action": "open_site", "address": "r1"},
}


ACCEPTED = {
    "a whole plan": {"action": "open_website", "address": "r1", "finish": True},
    "finish in words": {"action": "open_website", "address": "r1", "finish": "True"},
    "other fields that say nothing in words": {**GOOD, "query": "null", "app": "None", "text": "null"},
    "other fields that are empty": {**GOOD, "query": "", "app": ""},
    "other fields of another kind": {**GOOD, "query": 7, "app": ["x"], "text": {}},
    "a field of another action": {**GOOD, "app": "xterm", "query": "x"},
    "a field nobody knows": {**GOOD, "url": "https://evil.example/", "thought": {"a": [1]}},
    "brackets around the id": {**GOOD, "address": "[r1]"},
    "brackets and quotes around the id": {**GOOD, "address": '"[r1]"'},
    "a space behind the id": {**GOOD, "address": "r1 "},
    "another case": {**GOOD, "action": "Open-Website"},
    "prose around it": f"Here it is: {json.dumps(GOOD)} Ask for more.",
    "a fence": f"```json\n{json.dumps(GOOD, indent=2)}\n```",
    "a thought with another": f'<think>Or {{"action": "reply"}}?</think>\n{json.dumps(GOOD)}',
    "a list of one": f"[{json.dumps(GOOD)}]",
    "the same said twice": f'{{{OPENS}, "finish": true, "action": "open_website"}}',
}


def read(answer):
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return read_plan(text, {name: catalogue()[name] for name in ALLOWED}, ["r1"])


def wanted(text):
    try:
        return read_wants(text)
    except Unusable:
        return None


@pytest.mark.parametrize("answer", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_where_the_choice_is_plain_it_is_taken(answer):
    assert read(answer) == Plan("open_website", {"address": "r1"}, True, "")


@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED.keys())
def test_an_answer_that_is_no_plan_is_none(answer):
    with pytest.raises(Unusable):
        read(answer)


def test_an_answer_that_is_nested_without_end_is_no_plan():
    for deep in ("[" * 100_000, '{"a":' * 100_000, "[" * 5000 + "]" * 5000):
        with pytest.raises(Unusable, match="not one JSON object"):
            read(deep)
        assert wanted(deep) is None
        assert partial_reply(deep) == ""


def test_what_was_meant_for_other_fields_is_no_part_of_a_plan():
    answer = '{"action": "search", "query": "x", "address": "r1", "app": "xterm", "text": "None"}'

    assert read(answer) == Plan("search", {"query": "x"}, False, "")


def test_a_plan_is_the_last_only_if_it_says_so():
    for finish in ("", ', "finish": null', ', "finish": "false"', ', "finish": 1', ', "finish": "soon"'):
        assert not read(f"{{{OPENS}{finish}}}").finish


NO_PLANS = [REFUSED[name] for name in ("a made-up address", "two actions at once", "prose")]
NO_PLANS += [Finish(GOOD, reason) for reason in ("OTHER", "")]  # whole, and its end is not STOP


@pytest.mark.parametrize("answer", NO_PLANS)
def test_an_answer_that_is_no_plan_is_never_carried_out(house, answer):
    house.search_finds("https://a.example/")
    house.model_plans({"action": "search", "query": "x"}, answer, answer)

    asked = house.ask("find x and open it")

    assert (house.desktop.opened, house.desktop.launched) == ([], [])
    assert (asked.status, asked.summary["error"]["code"]) == (("failed", 1), "model_failed")
    assert len(house.gemini.requests) == 3


def test_one_repair_is_asked_for_and_told_what_was_wrong(house):
    house.search_finds("https://a.example/")
    house.model_plans({"action": "search", "query": "x"}, {"action": "open_website", "address": "r9"}, GOOD)

    asked = house.ask("find x and open it")

    assert house.desktop.opened == ["https://a.example/"]
    assert asked.status == ("done", 0)
    assert "`r9` is not the id of an offered address" in house.prompts[-1]


def test_a_reply_that_breaks_off_is_marked_and_not_asked_for_again(house):
    house.model_plans(CutStream('{"action": "reply", "finish": true, "text": "It is a long story, and it'))

    asked = house.ask("tell me a story")

    assert asked.status == ("failed", 1)
    assert asked.reply.endswith("(cut off)")
    assert asked.reply.startswith("It is a long story")
    assert len(house.gemini.requests) == 1
    assert house.turns()[0]["reply"].endswith("(cut off)")


@pytest.mark.parametrize("refusal", [too_many_choices, invalid_argument])
def test_a_refused_enum_is_replaced_by_a_plain_string_that_python_checks(house, refusal):
    house.search_finds("https://a.example/")
    house.model_plans({"action": "search", "query": "x"}, refusal(), GOOD)

    assert house.ask("find x and open it").status == ("done", 0)
    assert house.gemini.requests[1].enum("address") == ("r1",)
    assert house.gemini.requests[2].enum("address") == ()


def test_the_fields_stand_in_the_order_of_the_contract():
    whole = schema(plannable(), ["r1"])

    assert order_of(whole) == ["action", "change", "query", "address", "finish", "text"]


def test_nothing_is_sent_that_google_does_not_document():
    assert undocumented(schema(catalogue(), ["r1"], wants=True)) == []
    assert undocumented(wants_schema()) == []


@pytest.mark.parametrize(
    ("answer", "wants"),
    [
        ('{"wants": "open site MIT; picture"}', "open site MIT; picture"),
        ('{"wants": " nothing\\n", "action": "reply", "text": "Hi"}', " nothing\n"),
        ('{"wants": "picture", "wants": "picture", "why": 1}', "picture"),
        ('{"wants": ""}', ""),
        ('{"wants": "nothing", "wants": "picture"}', None),
        ('Sure! ```json\n{"wants": "picture"}\n```', "picture"),
        ('<think>{"wants": "picture"}?</think>{"wants": "nothing"}', "nothing"),
        ('[{"wants": "picture"}, {"wants": "picture"}]', None),
        ('{"wants": "picture"}{"wants": "picture"}', None),
        ('{"wants": ["open u1", "picture"]}', "open u1; picture"),
        ('{"wants": []}', "nothing"),
        ('{"wants": ["picture", 1]}', None),
        ('{"wants": {"a": "picture"}}', None),
        ('{"wants": null}', None),
        ('{"wants": "pict', None),
        ('{"action": "reply"}', None),
        ("picture", None),
        ("", None),
    ],
)
def test_what_they_want_is_read_as_it_stands_or_not_at_all(answer, wants):
    assert wanted(answer) == wants


def test_an_action_that_is_not_open_now_is_refused():
    with pytest.raises(Unusable, match="not one of the actions open now"):
        read('{"action": "take_screenshot"}')


@pytest.mark.parametrize(
    ("so_far", "words"),
    [
        ("", ""),
        ('{"action": "rep', ""),
        ('{"action": "reply", "text": "Hel', "Hel"),
        ('{"action": "reply", "text": null', ""),
        ('{"action": "search", "text": "because', ""),
        ('["reply"', ""),
        ('{"wants": "nothi', ""),
        ('{"wants": "nothing", "action": "reply", "text": "Hel', "Hel"),
        ('{"wants": "nothing", "action": "open_website", "text": "Hel', ""),
        ('{"action": "reply", "text": "a\\u001b[31mb', "ab"),
    ],
)
def test_only_a_reply_is_read_while_it_is_being_written(so_far, words):
    assert partial_reply(so_far) == words


def order_of(whole):
    assert whole["required"] == whole["propertyOrdering"] == list(whole["properties"])
    return whole["required"]


# Where all is open: nobody documents how much Gemini has room for.

MOST_ENUMS, MOST_BYTES = 90, 6_100
ADDRESSES, OFFERS = 30, 12


def enums(described):
    """Every value that a schema lists, as often as it does."""
    inner = [*described.get("properties", {}).values(), *described.get("anyOf", ())]
    return [*described.get("enum", ()), *(value for each in inner for value in enums(each))]


def size(whole):
    return len(json.dumps(whole).encode())


@pytest.mark.parametrize("with_enums", [True, False])
@pytest.mark.parametrize("packs", [*combinations(all_packs(), MOST)], ids="-".join)
def test_with_as_many_packs_open_as_can_be_it_stays_small_and_is_all_documented(with_enums, packs):
    actions = plannable() | {"more_actions": use_of([*all_packs().values()])}
    for pack in packs:
        actions |= actions_of(all_packs()[pack])
    ids = [*(f"r{n + 100}" for n in range(ADDRESSES)), *(f"o{n + 100}" for n in range(OFFERS))]

    whole = schema(actions, ids, enums=with_enums, wants=True)

    print(f"\n{len(actions)} actions: {size(whole)} bytes, {len(enums(whole))} values")
    assert {"arrange", "search", *all_packs()[packs[0]].actions} <= {*actions}
    assert len(enums(whole)) <= MOST_ENUMS
    assert size(whole) <= MOST_BYTES
    assert undocumented(whole) == []


async def found_much(store):
    for _ in range(3):
        turn = await store.history.begin("default", "what is a lantern?")
        pages = [Found(f"https://a{n}.example/", f"About {n}", "A page.") for n in range(40)]
        found = await keep_found(store.history, turn, 1, pages)
        await store.history.end(turn, "done", shown=[each.id for each in found])


def test_of_all_that_was_found_so_many_are_offered_each_once(house):
    house.kept(found_much)
    house.gemini.reading = "open found 3"
    house.model_plans(plan("reply"))

    house.ask("would you open three pages on lanterns")

    offered = house.gemini.planning[0].enum("address")
    assert len(offered) == len(set(offered)) == ADDRESSES
