"""A trade that the person tells of, and what the server was asked to change by it."""

import json

from tests.planned import plan

DAY = "2025-11-21"  # a Friday
WORDS = f"bought 5 VWCE at 112.30 on {DAY}, fee 1.50, in Broker A"
FIND = plan("find_symbol", query="VWCE") | {"finish": False}
TRADE = {"symbol": "o1", "kind": "BUY", "quantity": "5", "price": "112.30", "fee": "1.50", "day": DAY}
TRADE |= {"account": "Broker A"}
REPLY = plan("reply", text="So be it.")


def adding(**fields):
    """The plan of an activity: that of WORDS, but for these *fields*."""
    return plan("add_activity", **TRADE | fields)


def told(home, *plans, reading="record VWCE"):
    """Have the model plan what WORDS ask for, or *plans*; and reply, where it comes to that."""
    home.gemini.reading = reading
    home.gemini._script.clear()
    home.gemini.plans(*(plans or (FIND, adding())), *[REPLY] * 3)


def writes(ghost):
    """What changes something on the server, as it was asked."""
    is_login = "/auth/"
    return [each for each in ghost.requests if each.method != "GET" and is_login not in each.path]


def sent(ghost):
    """The activities that were sent, in the order of the requests."""
    return [each for request in writes(ghost) for each in json.loads(request.raw)["activities"]]


def kept(ghost):
    """What is stored of it: of each its kind, how many, and at which price."""
    rows = [row for row in ghost.activities if "jarvis:" in (row["comment"] or "")]
    return [(row["type"], float(row["quantity"]), float(row["unitPrice"])) for row in rows]
