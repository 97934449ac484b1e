"""Sessions of a person who shops: what the services have for them. Invented things at invented prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tests.planned import finding, plan, reply
from tests.twins.serpapi import Status
from tests.twins.shop_pages import (
    TOKEN,
    ebay,
    index,
    item,
    listed,
    on_mercari,
    product,
    review,
    reviewed,
    shopping,
    store,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.twins.ghostfolio import GhostfolioTwin


def used(number: int, title: str, price: str, **more: object) -> dict[str, Any]:
    return listed(number, title, price, **{"second_hand_condition": "used", **more})


def rated(
    number: int, title: str, price: str, shop: str, rating: float, reviews: int, **more: object
) -> dict[str, Any]:
    return listed(number, title, price, source=shop, rating=rating, reviews=reviews, **more)


SHOPS = shopping(
    used(1, "Nintendo Switch 32GB neon, V2", "$129.00", source="GameStop", rating=4.7, reviews=812),
    used(2, "Nintendo Switch grey", "$139.99", source="Back Market", second_hand_condition="refurbished"),
    used(3, "ニンテンドースイッチ 本体 ネオンブルー", "$119.00", source="Suruga-ya", delivery=None),
    *(used(n, f"Switch OLED {n}", f"${n * 10}.00") for n in range(16, 25)),
    *(listed(n, f"New Switch {n}", f"${100 + n}.00") for n in range(31, 39)),
    used(40, "Nintendo Switch, price on request", ""),
)
WORN = ebay(
    item(1, "Nintendo Switch V1, console only"),
    *(item(n, f"Switch, worn {n}", f"${60 + n}.50", shipping=None) for n in range(2, 10)),
    *(item(n, bids=3) for n in range(20, 23)),
)
DESK = {
    "monitor": shopping(
        rated(1, '24" IPS monitor', "$159.00", "Best Buy", 4.6, 2_210),
        rated(2, '32" curved monitor', "$289.00", "Walmart", 4.4, 310),
    ),
    "keyboard": shopping(
        rated(3, "Mechanical keyboard, hot-swappable, white", "$69.99", "Walmart", 4.7, 980),
        rated(4, "Membrane keyboard", "$14.99", "Staples", 3.6, 40),
    ),
    "mouse": shopping(
        rated(5, "Wireless mouse", "$24.99", "Amazon", 4.5, 5_001, delivery=None),
        rated(6, "Mouse", "$9.99", "Target", 3.1, 12),
    ),
}
FIND = finding("nintendo switch", state="used", most="150 USD")
NEON, GREY = "Switch 32GB neon", "Switch grey"
SWITCHES = shopping(
    rated(1, NEON, "$129.00", "GameStop", 4.7, 812, delivery="$5.99 delivery"),
    rated(2, "Switch, no name", "$99.00", "Bazaar", 5, 1),
    rated(3, GREY, "$139.99", "Back Market", 4.6, 960, delivery=None),
    rated(4, "Switch, cracked", "$69.00", "Bazaar", 2.1, 44),
    rated(5, "Switch OLED white", "$149.00", "Walmart", 4.5, 2_310),
)
FORUM = {"title": "A refurbished Switch?", "link": "https://forum.example.org/switch", "source": "A forum"}
STORES = {
    "1": product(
        store("GameStop", "$129.00", "$5.99", title=NEON, details_and_offers=["30-day returns"]),
        store("Walmart", "$137.00", title=NEON, details_and_offers=["In stock online"]),
        title=NEON,
    ),
    "3": reviewed(
        product(
            store("Back Market", "$139.99", "", title=GREY, details_and_offers=[], shipping_extracted=None),
            title=GREY,
        ),
        review("Came quickly, and its battery lasts.", "Back Market"),
        review("One stick drifts after a month.", "Back Market", 3),
        discussions_and_forums=[FORUM],
    ),
}
CHEAPER = [product(store("GameStop", price, "$5.99", title=NEON)) for price in ("$119.00", "$109.00")]
LIVE = (
    "https://jp.mercari.com/search?keyword=%E3%82%B7%E3%83%A3%E3%83%BC%E3%83%97%E3%83%8D%E3%83%AB+CD"
    "&price_max=4000&status=on_sale"
)
FIND_ANY = finding("switch")
PRAISE = "Buyers praise battery and delivery [r1]; one in six mentions stick drift [r1][r2]."


def stores_of(request: Any) -> Any:
    return STORES.get(request.params["page_token"].removeprefix(TOKEN), Status(500))


class Session(NamedTuple):
    """What the services have for the commands of a session."""

    plans: tuple[Mapping[str, Any], ...]
    sells: Mapping[str, Any]
    opened: tuple[str, ...] = ()
    readings: Mapping[str, str] = {}  # of words for the model; any other asks for nothing
    # By the last word of a command: once that is seen, these are typed.
    keys: Mapping[str, str] = {}
    # What stands on their own server, and at home.
    server: Callable[[GhostfolioTwin, Path], None] | None = None
    apps: tuple[str, ...] = ()  # that are installed


SESSIONS = {
    "a used one, and what is asked of the list": Session(
        (FIND,),
        {"google_shopping": SHOPS, "ebay": WORN},
        opened=("https://www.ebay.com/itm/110000000002",),
        readings={"open the cheapest": "open line 1"},
    ),
    "several things and a budget": Session(
        (
            {**finding("monitor; keyboard; mouse"), "finish": False},
            plan("receipt", rule="best rated", budget="300 USD"),
        ),
        {"google_shopping": lambda request: DESK[request.query]},
    ),
    "compared, and what buyers say": Session(
        (
            FIND_ANY,
            plan("compare_offers", offers="top 3 by rating"),
            {**plan("read_reviews", offers="3"), "finish": False},
            reply(PRAISE),
        ),
        {"google_shopping": SWITCHES, "google_immersive_product": stores_of},
    ),
    "kept, and asked for again": Session(
        (FIND_ANY,),
        {"google_shopping": SWITCHES, "google_immersive_product": CHEAPER},
    ),
    "in Japan": Session(
        (finding("シャープネル CD", market="mercari", most="4000 JPY"),),
        {
            "google": index(
                on_mercari(1, "SHARPNEL シャープネル SUMMER"),
                on_mercari(2, "SHARPNELSOUND 10周年 2枚組 ベスト盤 ステッカー付き 新品未開封", "¥3,980"),
                on_mercari(3, "DJ SHARPNEL 初回限定", "¥12,000"),
            )
        },
        opened=(LIVE,),
    ),
}
