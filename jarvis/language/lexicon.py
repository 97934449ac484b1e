"""List the English words of plain commands: verbs, polite phrases and small words, each list once.

Only plain commands are read by these lists: the model reads all else, and needs none.
Slashes separate phrases, spaces separate single words.
"""

from __future__ import annotations

# Kinds of verbs.
OPENS, STARTS, GOES, RETURNS, SHOWS = "opens", "starts", "goes", "returns", "shows"

VERBS = {
    OPENS: "open/open up/reopen/re-open/bring up/pull up/load/load up",
    STARTS: "launch/start/start up/run/fire up/boot up/spin up",
    GOES: (
        "visit/go to/goto/browse/browse to/navigate to/surf to/jump to/hop over to/go over to/head to/"
        "head over to/take me to/take me over to/bring me to/get me to/get me over to"
    ),
    RETURNS: (
        "go back to/head back to/navigate back to/jump back to/take me back to/bring me back to/"
        "get me back to/switch to/switch over to/switch back to"
    ),
    SHOWS: "show/show me/let me see/let me look at/display/view",  # an address; all else is to be told
}
# The name may come before the “up”: “bring gmail up”.
PARTED = frozenset("bring pull load fire boot spin".split())
# “I want to start …”, “I want to run …” are about more than a command: a family, a marathon.
NOT_WISHED = frozenset(("start", "start up", "run"))

COURTESIES = (
    "please/pls/plz/kindly/ok/okay/alright/all right/hey/hey there/hi/hi there/hello/hello there/yo/um/uh/"
    "well/oh/yes/yeah/yep/sure/jarvis/now/so/just/quickly/real quick/go ahead and/"
    "do me a favor and/do me a favour and/be so kind as to/"
    "i want you to/i need you to/i'd like you to/i would like you to"
)
ASKING = "can you/could you/would you/will you/can u/could u/would u/will u"
WISHING = (
    "i want to/i just want to/i wanna/i need to/i just need to/i'd like to/i would like to/let's/lets/let us"
)
CLOSING = (
    "please/pls/plz/thanks/thanks a lot/thx/ty/thank you/thank you very much/cheers/if you please/"
    "if you can/if you could/if you would/if you don't mind/if possible/"
    "now/right now/right away/asap/quickly/real quick/for me/again/once more/jarvis"
)
ASKING_LAST = "will you/would you/could you/can you/ok/okay"
# Cut even from the query of an alias.
PLEASE = frozenset("please pls plz".split())

ARTICLES = ("the", "my", "a", "an")
POINTING = ("the", "my")  # at one known thing; “a starbucks” is any shop
ORDINALS = {
    word: n
    for n, words in enumerate(
        "first 1st one|second 2nd two|third 3rd three|fourth 4th four|fifth 5th five|sixth 6th six|"
        "seventh 7th seven|eighth 8th eight|ninth 9th nine|tenth 10th ten".split("|"),
        1,
    )
    for word in words.split()
}
# What has a number in our list. “Go to line 3” may mean the line of a file.
NUMBERED = {
    OPENS: frozenset("number no nr result link line item entry site website".split()),
    GOES: frozenset("result link site website".split()),
}
# What “the first …” may be in our list; “the first story” or “song” is not in it.
ENTRIES = frozenset(
    "one/result/search result/link/site/website/web site/entry/of them/of those/of these/in the list/"
    "one in the list/one on the list/result in the list".split("/")
)
# What is asked of the list last shown has one of these words, and most else has none: see follow_ups.py.
OF_LISTS = frozenset(
    "sort sorted rank ranked order ordered by cheapest lowest least dearest most priciest highest best "
    "top newest latest only under below cheaper less up over above more all next everything undo "
    "back free first show details".split()
)
SITES = "web site/website/site/home page/homepage"
APPS = "app/application/program"
# These may come before an address.
ADDRESSES = frozenset("website site page url link address".split())

# After an alias that takes a query, these may begin something else than a query.
GOES_ON = frozenset("and then in with using not but via on or if unless don't later tomorrow".split())

# Verbs that begin something to do, besides VERBS.
DOES_MORE = frozenset(
    "capture close compare find give list look play read search send show summarize take tell write".split()
)

# Pictures of the screen. “Get the screenshot” means one that exists.
TAKES_THE = frozenset("take grab capture make do snap shoot".split())
TAKES = TAKES_THE | frozenset("save get create".split())
TAKES_SCREEN = frozenset("screenshot capture grab snap photograph".split())
SHOTS = frozenset("shot grab cap capture".split())  # after “screen”
PICTURES = frozenset("picture photo image snapshot shot capture".split())
ONE = frozenset("a an another one".split())
QUALITIES = frozenset("new quick full fullscreen".split())
SCREENS = frozenset("screen desktop display monitor".split())
THIS = frozenset("my the this".split())
WHOLE = frozenset("whole entire full current".split())
