"""Sessions of a person who opens things and asks: what the services have for them."""

from tests.person import ENTER, TAB
from tests.planned import reply
from tests.twins.serpapi import results

from .shopping_sessions import Session

MIT = ("MIT - Massachusetts Institute of Technology", "https://web.mit.edu/", "The Institute.")
WAYLAND = [
    ("BoboTiG/python-mss#155", "https://github.com/BoboTiG/python-mss/issues/155", "Wayland is open."),
    ("Screenshot portal", "https://flatpak.github.io/xdg-desktop-portal/", "Asks once."),
]
IMITATING = ("Tickets", "https://münchen-ticket.example/", "Tickets.")
MUNICH = ("Official", "https://www.muenchenticket.example/", "The official one.")
SEARCH = {"action": "search", "query": "MIT official website", "text": "I need its address."}
OPEN = {"action": "open_website", "address": "r1", "finish": True, "text": "It was found."}
INSTEAD = f"{TAB}the official one, munich's own{ENTER}"
FIND, DOUBTFUL = "find the MIT website and open it", "find the münchen ticket shop and open it"

EVERYDAY = {
    "plain commands": Session(
        (),
        {},
        opened=("https://github.com", "https://www.mit.edu"),
        keys={"spotify": "2!"},
        apps=("Spotify", "Gimpy"),
    ),
    "find and open": Session(
        (SEARCH, OPEN),
        {"google": results([MIT], website=("MIT", MIT[1]))},
        opened=(MIT[1],),
        readings={FIND: "open found 1"},
    ),
    "a doubt, and what to do instead": Session(
        ({**SEARCH, "query": "münchen ticket shop"}, OPEN, {**OPEN, "address": "r2"}),
        {"google": results([IMITATING, MUNICH])},
        opened=(MUNICH[1],),
        readings={DOUBTFUL: "open found 1"},
        keys={DOUBTFUL: INSTEAD},
    ),
    "a question": Session(
        (
            {**SEARCH, "query": "python-mss Wayland"},
            reply("Not **directly**: it reads the X11 display [1].\n\n- The portal `Screenshot` does [2]."),
        ),
        {"google": results(WAYLAND)},
    ),
}
