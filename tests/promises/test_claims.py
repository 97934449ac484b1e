"""No claim stands that no step bears out: what was asked for and not done is said, whatever was replied."""

import json

import pytest

from tests.person import Person
from tests.planned import reply

# What a model says that did nothing, in six languages, and the words before it.
CLAIMS = {
    "could you open github.com and save a screenshot": "I have opened it and saved a screenshot.",
    "please bring github.com up and take a picture": "Done! Both are ready.",
    "get me github.com and a shot of this screen": "Sure - github.com is open, the picture saved.",
    "öffne mir github.com und mach ein Bildschirmfoto": "Ich habe beides erledigt.",
    "mach github.com auf und ein Foto vom Schirm, bitte": "Erledigt.",
    "tu peux ouvrir github.com et faire une capture ?": "C'est fait : github.com est ouvert.",
    "ouvre-moi github.com et prends une photo d'écran": "Voilà, tout est prêt !",
    "ábreme github.com y haz una captura": "Ya abrí github.com y guardé la captura.",
    "abre github.com e tira uma captura de tela": "Pronto, abri o github.com para você.",
    "você pode abrir github.com e capturar a tela?": "Não posso fazer isso, sinto muito.",
    "github.com を開いて、画面も撮って": "github.com を開きました。",
    "github.com を開いてくれる? 画面も": "どちらを開きましょうか?",
}
ASKED = "open u1; picture"
TOLD = "Not opened: github.com. Not taken: a picture of the screen."


@pytest.mark.parametrize("is_later", [False, True], ids=["first turn", "later turn"])
def test_what_was_claimed_and_not_done_makes_the_turn_fail(house, is_later):
    with house.staying():
        for n, (words, claim) in enumerate(CLAIMS.items()):
            if is_later:
                house.gemini.reading = "nothing"
                house.model_plans(reply("Hello."))
                house.ask("hello there", f"t{n}")
            house.gemini.reading = ASKED
            house.model_plans(reply(claim))
            calls = len(house.gemini.requests)

            asked = house.ask(words, f"t{n}")

            assert asked.status == ("failed", 1), words
            assert asked.summary["error"] == {"code": "not_done", "message": TOLD, "hint": ""}
            assert asked.summary["unmet"] == ["open u1", "picture"]
            assert asked.reply == claim
            assert len(house.gemini.requests) == calls + 1  # and no further call


def test_a_reply_to_words_that_ask_for_nothing_is_left_alone(house):
    house.configure('[daily]\nmodel_calls = "unlimited"\n')
    house.gemini.reading = "nothing"
    with house.staying():
        for n in range(40):
            house.model_plans(reply(f"I have opened {n} tins, started the {n}th and taken pictures."))
            asked = house.ask(f"what did you do on day {n}?", f"t{n % 20}")
            assert (asked.status, asked.summary["unmet"]) == (("done", 0), []), n


def test_it_is_said_to_whoever_reads_it(shell):
    words, claim = next(iter(CLAIMS.items()))
    shell.gemini.reading = ASKED
    shell.gemini.plans(*[reply(claim)] * 3)

    alone, record = shell.jarvis("-t", "one", words), shell.jarvis("-t", "one", "--json", words)
    with Person(shell.program()) as person:
        person.at_prompt()
        person.ask(words)
        person.see(TOLD)

    assert (alone.status, alone.stdout.strip()) == (1, claim)
    assert TOLD in alone.stderr
    assert (record.status, json.loads(record.stdout)["unmet"]) == (1, ["open u2", "picture"])
    assert shell.opened == []


def test_a_site_that_is_named_twice_and_opened_once_is_not_said_to_be_missing(house):
    house.gemini.reading = "open site github; open u1"
    house.model_plans({"action": "open_website", "address": "u1"}, reply("It is open."))

    asked = house.ask("could you open github for me, that is https://github.com/")

    assert house.desktop.opened == ["https://github.com/"]
    assert (asked.status, asked.summary["unmet"]) == (("done", 0), [])


def test_what_was_done_in_part_is_not_all(house):
    house.gemini.reading = "open u1; start gimp"
    house.model_plans({"action": "open_website", "address": "u1"}, reply("Both are open."))

    asked = house.ask("open https://a.example and gimp for me, will you")

    assert house.desktop.opened == ["https://a.example"]
    assert (asked.status, asked.summary["unmet"]) == (("failed", 1), ["start gimp"])
    assert asked.summary["error"]["message"] == "Not started: gimp."
