"""The guard's table, row by row: what goes, what is asked about with which doubts, what is refused."""

import pytest

from jarvis.actions.base import catalogue
from jarvis.core.intent import Intent, Part
from jarvis.core.types import (
    APP,
    EFFECTS,
    NOT_ASKED,
    SEVERAL,
    ActionRequest,
    Address,
    Effect,
    Facts,
    Meanings,
    Site,
)
from jarvis.policy.guard import REFUSE, authorize, check
from jarvis.policy.rules import ALLOW, ASK, Policy, Rule

CATALOGUE = catalogue()
FORMS = [want.form for action in CATALOGUE.values() for want in action.wants]
NOBODY = Policy()
ALLOW_ALL = Policy(tuple(Rule(n, "allow", effect) for n, effect in enumerate(EFFECTS)))


def typed(url, id_="u1"):
    return Address(id_, url)


def found(url, id_="r1", official="", source="found"):
    return Address(
        id_, url, source=source, official="Google's graph" * bool(official), official_name=official
    )


def app(id_, n=1):
    return Address(f"a{n}", id_, id_.title(), source=APP)


def part(told):
    """The part that *told* says, without the checks of a reading."""
    said = told.rstrip("?")
    form = max((form for form in FORMS if said.startswith(form.rstrip("NAME"))), key=len)
    return Part(form, said[len(form.rstrip("NAME")) :] if form[-1] in "NE" else "", told.endswith("?"))


def facts(wants, *known, **more):
    """What is known where *wants* was read; *known*: the addresses of the thread."""
    intent = Intent(tuple(map(part, wants.split("; ")))) if wants != "nothing" else Intent()
    now = tuple(sorted(address.id for address in known if address.id.startswith("u")))
    record = {"left": tuple(range(1, len(intent.parts) + 1)), "typed": now, **more}
    return Facts({address.id: address for address in known}, intent, **record)


def opening(address, known, policy=NOBODY):
    return check(Effect("opens", address.url, address=address), known, policy)


def name_of(value):
    return getattr(value, "url", None) or str(value)[:50]


def kinds(verdict):
    return tuple(doubt.kind for doubt in verdict.doubts)


MIT = found("https://web.mit.edu/", "r7", "Massachusetts Institute of Technology MIT")
WIKI = found("https://en.wikipedia.org/wiki/MIT", "r2")
EVIL = found("https://evil.example/", "r3")
PAYPAL = Address(
    "s1", "https://www.paypal.com", source="site", official="a known site", official_name="paypal"
)
WHOSE = "nothing vouches"
DOCS = typed("https://docs.example/start?x=1")
NAS = typed("http://nas.local/")

# wants, the address that is to be opened, what else is known of the thread → its doubts; none: it goes
OPENS = [
    ("open u1", DOCS, (), ()),
    ("open u1", NAS, (), ()),
    ("open u1", typed("http://192.168.1.1:8080/"), (), ()),
    ("open u1", typed("https://me@corp.example/"), (), ()),
    ("open u1", typed("https://xn--mnchen-3ya.example/"), (), ()),  # münchen: nothing imitates
    ("open u1", typed("https://xn--80ak6aa92e.com/"), (), ("odd letters",)),  # apple, in Cyrillic letters
    ("open u1", typed("https://xn--ithub-qmc.com/"), (), ("odd letters",)),  # github, with another g
    ("open u1", typed("https://xn--paypa-9tb.com/"), (), ("odd letters",)),  # paypal, with a bar for its l
    ("open u1", typed("https://github.com@evil.example/"), (), ("another host",)),
    *(
        ("open u1", typed(f"https://{user}@evil.example/"), (), ("another host",))
        for user in ("github.com%2Flogin", "github.com.", "github%2Ecom", "me:github.com", "github.com&x=1")
    ),
    ("open u1", typed("https://joe.doe:pw@a.example/"), (), ()),
    ("open u1", typed("https://paypal.com:x@xn--80ak6aa92e.com/"), (), ("odd letters", "another host")),
    ("open u2", typed("https://b.example/", "u2"), (DOCS,), ()),
    ("open u1", typed("https://readme.md"), (), ("unsure",)),  # the words may mean a file, which is not there
    ("open site Tesla", EVIL, (MIT,), (WHOSE,)),
    ("open site MIT", MIT, (WIKI,), (WHOSE,)),  # what another turn was told of it counts for nothing
    ("open site paypal", PAYPAL, (EVIL,), (WHOSE,)),
    ("open found 1", EVIL, (MIT, PAYPAL), ()),
    ("open found 1", PAYPAL, (), ()),
    ("open found 1", Address("s2", "http://nas.local:8080/", source="alias"), (), ()),  # theirs by name
    ("open found 2", WIKI, (), ()),
    ("open found 1", found("https://xn--bcher-kva.example/"), (), ("odd letters",)),
    ("open found 1", found("https://web.mit.edu:x@evil.example/"), (), ("another host",)),
    ("open found 1", found("https://bit.ly/3abc?u=https://evil.example/"), (), ()),  # its host is shown
    ("open found 1", found("https://evil.example:8443/"), (), ()),
    ("open found 1", found("http://evil.example:443/"), (), ()),
    *(
        ("open found 1", found(f"https://{host}/"), (), ("private",))
        for host in (
            *("intranet", "nas.local", "nas.lan", "router.home", "db.internal", "fritz.ip", "a.home.arpa"),
            *("wpad.example", "wpad.corp.example", "a.nosuchending", "127.0.0.1", "8.8.8.8", "[::1]"),
            *("localhost", "a.test", "a.invalid", "a.corp", "x.onion"),
        )
    ),
    ("open found 1", found("https://a.example/", source="piped"), (), ("piped in",)),
    ("open site MIT", found("https://xn--mt-mia.org/"), (MIT,), ("odd letters", WHOSE)),
    ("open found 1", found("https://a@nas.local:81/"), (), ("another host", "private")),
    # Typed earlier is as found.
    ("open found 1", typed("https://old.example/", "u7"), (), ()),
    ("open found 1", NAS._replace(id="u7"), (), ("private",)),
    ("open site MIT", NAS._replace(id="u7"), (MIT,), ("private", WHOSE)),
    # Not sure that it is asked for, which comes first.
    ("open u1?", DOCS, (), ("unsure",)),
    ("open site MIT?", EVIL, (MIT,), ("unsure", WHOSE)),
    # No app of that name is installed.
    ("start spotify", EVIL, (), (WHOSE,)),
    # Of two parts, the one that it raises fewer doubts as.
    ("open site MIT; open found 1", WIKI, (MIT,), ()),  # a page that may be that site, too
    ("picture; open found 1", EVIL, (), ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("wants", "address", "others", "doubts"),
    OPENS,
    ids=name_of,
)
def test_what_is_opened_goes_but_for_its_doubts(wants, address, others, doubts):
    now = ("u1",) if wants.startswith("open u1") else ("u1", "u2")
    is_name = wants.startswith(("open site", "start"))
    meanings = {1: Meanings(site=Site(choices=(address,)))} if is_name else {}
    known = facts(wants, address, *others, typed=now if wants.startswith("open u") else (), meanings=meanings)
    verdict = opening(address, known)

    assert kinds(verdict) == doubts
    assert verdict.verdict == (ASK if doubts else ALLOW)
    assert verdict.reason.count("; ") == max(0, len(doubts) - 1)  # one question


def test_what_was_found_to_be_the_site_of_a_name_is_all_that_it_opens():
    deeper, other = found("https://web.mit.edu/1", "r9"), found("https://mit.su/", "r4")
    known = facts(
        "open site MIT", MIT, deeper, other, meanings={1: Meanings(site=Site("https://web.mit.edu/"))}
    )

    assert opening(MIT, known).verdict == ALLOW
    for policy in (NOBODY, ALLOW_ALL):
        for each in (other, deeper):
            refused = opening(each, known, policy)
            assert (refused.verdict, refused.code) == (REFUSE, NOT_ASKED)
            assert refused.reason == "the site of MIT is web.mit.edu."


@pytest.mark.parametrize(
    ("last", "choices"), [("", (MIT, WIKI)), (WIKI.url, (WIKI, MIT)), ("https://b.example/", (MIT, WIKI))]
)
def test_where_no_site_is_known_they_choose_what_they_chose_last_first_and_no_rule_does(last, choices):
    pick = found("https://mit.su/", "r4")
    site = Site(choices=(MIT, WIKI), last=last)
    known = facts("open site MIT", pick, MIT, WIKI, meanings={1: Meanings(site=site)})

    for policy in (NOBODY, ALLOW_ALL):
        verdict = opening(MIT, known, policy)
        assert (verdict.choices, verdict.is_marked) == (choices, True)
        assert opening(pick, known, policy).verdict == REFUSE


# wants, the address, what else is known, the list last shown
REFUSED = [
    ("nothing", MIT, (), ()),
    ("nothing", DOCS, (), ()),
    ("picture", DOCS, (), ()),
    ("start firefox", EVIL, (), ()),  # it is installed
    ("open u1", typed("https://b.example/", "u2"), (DOCS,), ()),
    ("open u2", DOCS, (), ()),
    ("open u1", MIT, (DOCS,), ()),
    ("open found 1", DOCS, (), ()),  # typed now takes a part of its own
    ("open site MIT", DOCS, (MIT,), ()),
    ("open line 1", WIKI, (MIT,), (MIT, WIKI)),
    ("open line 3", WIKI, (MIT,), (MIT, WIKI)),
    ("open line 999", MIT, (), ()),
    ("open lines", EVIL, (MIT, WIKI), (MIT, WIKI)),
    ("open lines", EVIL, (), (*(found(f"https://{n}.example/", f"r1{n}") for n in range(6)), EVIL)),
    ("open found 1", found("ftp://evil.example/"), (), ()),
    ("open found 1", found("javascript:alert(1)"), (), ()),
    ("open found 1", found("data:text/html,x"), (), ()),
    ("open found 1", found("file:///etc/passwd"), (), ()),
    ("open found 1", found("evil.example"), (), ()),
    ("open found 1", found("HTTPS://EVIL.example/"), (), ()),  # not as it is kept
    ("open found 1", found("https://evil.example/\u202egpj.exe"), (), ()),
    ("open u1", typed("https://a.example\u202e/gpj.exe"), (), ()),
]


@pytest.mark.parametrize(
    ("wants", "address", "others", "shown"), REFUSED, ids=name_of
)  # fmt: skip
def test_nothing_makes_good_what_was_not_asked_for(wants, address, others, shown):
    meanings = {1: Meanings((app("firefox"),))} if wants.startswith("start") else {}
    listed = tuple(each.id for each in shown)
    known = facts(wants, address, *others, shown=listed, meanings=meanings, settled=frozenset({"pasted"}))
    always = Rule(1, "allow", "opens", "evil.example", doubt="private")

    for policy in (Policy(), Policy((always,)), ALLOW_ALL):
        assert opening(address, known, policy).verdict == REFUSE


@pytest.mark.parametrize("wants", ["open u1", "open site MIT", "open found 1", "open line 1", "open lines"])
def test_an_address_that_the_thread_does_not_have_so_is_refused(wants):
    known = facts(wants, MIT._replace(id="u1"), shown=("u1",))
    others = [
        EVIL,
        MIT._replace(id="u1", title="x"),
        MIT._replace(id="r9"),
        MIT._replace(url="https://b.example/"),
    ]

    assert [opening(each, known).verdict for each in others] == [REFUSE] * 4
    # Nor one whose address is not what would be opened.
    effect = Effect("opens", "https://evil.example/", address=MIT._replace(id="u1"))
    assert check(effect, known, ALLOW_ALL).verdict == REFUSE
    assert check(effect._replace(address=None), known, ALLOW_ALL).verdict == REFUSE


def test_what_was_typed_and_found_too_may_be_opened_as_what_is_found():
    both = facts("open found 1", DOCS, found=frozenset({"u1"}))

    assert opening(DOCS, both).verdict == ALLOW
    assert kinds(opening(NAS, facts("open found 1", NAS, found=frozenset({"u1"})))) == ("private",)


# wants, what the name means here, whether that is near → the doubts of starting the first
STARTS = [
    ("start firefox", ("firefox",), False, ()),
    ("start firefx", ("firefox",), True, ("near name",)),
    ("start mail", ("mail", "thunderbird"), False, (SEVERAL,)),
    ("start mial", ("mail", "thunderbird"), True, (SEVERAL,)),
    ("start firefox?", ("firefox",), False, ("unsure",)),
    ("start firefx?", ("firefox",), True, ("unsure", "near name")),
]


@pytest.mark.parametrize(("wants", "meant", "is_near", "doubts"), STARTS)
def test_an_app_is_the_one_that_was_found_for_the_name(wants, meant, is_near, doubts):
    apps = tuple(app(id_, n) for n, id_ in enumerate(meant, 1))
    known = facts(wants, meanings={1: Meanings(apps, is_near)})
    said = authorize(1, CATALOGUE["open_app"], {"app": "xterm"}, known, Policy())

    assert isinstance(said, ActionRequest)
    assert (said.effect.target, said.doubts) == (meant[0], doubts)
    assert bool(said.ask) == bool(doubts)
    assert said.choices == (apps if SEVERAL in doubts else ())
    assert check(Effect("launches", "xterm"), known, ALLOW_ALL).verdict == REFUSE


KEY = "google-key-of-the-tests"


@pytest.mark.parametrize(
    ("query", "verdict"),
    [
        ("who runs Tesla?", ALLOW),
        ("4929 1234 5678 1234", ALLOW),
        ("q" * 200, ALLOW),
        ("q" * 201, REFUSE),
        ("a\nb", REFUSE),
        ("a\x1b[2Jb", REFUSE),
        (KEY, REFUSE),
        (f"who owns {KEY}?", REFUSE),
        (f"x{KEY}x", REFUSE),
    ],
)
def test_a_search_needs_no_part_but_never_carries_a_key(query, verdict):
    known = facts("nothing", holds_key=lambda text: KEY in text)

    assert check(Effect("searches", query), known, ALLOW_ALL).verdict == verdict
