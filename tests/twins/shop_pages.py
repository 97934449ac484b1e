"""Pages of shops for the SerpAPI twin, by engine: invented things at invented prices, in SerpAPI's shapes."""

from __future__ import annotations

from typing import Any

TOKEN = "token-of-"  # and the number of the product: what the twin wants back for its shops
SHOP, PRODUCT, EBAY, EBAY_PRODUCT = "google_shopping", "google_immersive_product", "ebay", "ebay_product"


def listed(number: int, title: str = "", price: str = "$129.00", **more: object) -> dict[str, Any]:
    """One entry of `google_shopping`, as it is since 2025: without an address of the shop."""
    return {
        "position": number,
        "title": title or f"Lantern {number}",
        "product_link": f"https://www.google.com/shopping/product/{number}?gl=us",
        "product_id": str(number),
        "immersive_product_page_token": f"{TOKEN}{number}",
        "source": "Glow & Sons",
        "price": price,
        "extracted_price": _number(price),
        "rating": 4.5,
        "reviews": 96,
        "delivery": "Free delivery",
        "thumbnail": "https://encrypted-tbn0.gstatic.com/shopping?q=tbn:lantern",
        **more,
    }


def shopping(*entries: dict[str, Any], **more: object) -> dict[str, Any]:
    """One page of `google_shopping`."""
    return {
        "search_metadata": {"id": "twin", "status": "Success"},
        "search_parameters": {"engine": SHOP, "gl": "us", "hl": "en"},
        "search_information": {"shopping_results_state": "Results for exact spelling", **more},
        "shopping_results": list(entries),
    }


def store(name: str, price: str = "$129.00", shipping: str = "Free", **more: object) -> dict[str, Any]:
    """One shop of `google_immersive_product`."""
    return {
        "name": name,
        "link": f"https://{name.lower().replace(' ', '-')}.example.com/lantern",
        "title": "Lantern, brass",
        "price": price,
        "extracted_price": _number(price),
        "shipping": shipping,
        "shipping_extracted": _number(shipping) if any(map(str.isdigit, shipping)) else 0,
        "details_and_offers": ["In stock online", "30-day returns"],
        "rating": 4.7,
        "reviews": 812,
        **more,
    }


def product(*stores: dict[str, Any], title: str = "Lantern, brass") -> dict[str, Any]:
    """One page of `google_immersive_product`."""
    return {
        "search_metadata": {"id": "twin", "status": "Success"},
        "product_results": {"title": title, "brand": "Glow", "rating": 4.6, "stores": list(stores)},
    }


def review(text: str, source: str = "Glow Works", stars: int = 5, title: str = "") -> dict[str, Any]:
    """What a buyer wrote, as `google_immersive_product` has it: without an address."""
    return {
        "title": title,
        "text": text,
        "user_name": "A buyer",
        "source": source,
        "rating": stars,
        "date": "2 months ago",
    }


def reviewed(page: dict[str, Any], *reviews: dict[str, Any], **more: object) -> dict[str, Any]:
    """One page of `google_immersive_product` with what buyers wrote. more: discussions_and_forums, …"""
    told = {"reviews": 812, "user_reviews": list(reviews), **more}
    return {**page, "product_results": {**page["product_results"], **told}}


def item(number: int, title: str = "", price: str = "$98.50", **more: object) -> dict[str, Any]:
    """One entry of `ebay`. more: bids, a price that is a range, sponsored, …"""
    return {
        "title": title or f"Lantern, worn {number}",
        "link": f"https://www.ebay.com/itm/{number + 110000000000}?_skw=lantern&hash=item{number}",
        "condition": "Pre-Owned",
        "price": {"raw": price, "extracted": _number(price)},
        "shipping": {"raw": "+$5.99 delivery", "extracted": 5.99},
        "returns": "Free returns",
        **more,
    }


def ebay(*items: dict[str, Any]) -> dict[str, Any]:
    """One page of `ebay`."""
    return {
        "search_metadata": {"id": "twin", "status": "Success"},
        "search_information": {"organic_results_state": "Results for exact spelling"},
        "organic_results": list(items),
    }


def on_mercari(number: int, title: str = "", price: str = "¥3,500", **more: object) -> dict[str, Any]:
    """One entry of `google`: a page of Mercari's, as the index shows it."""
    return {
        "position": number,
        "title": f"{title or f'ランタン {number}'} - メルカリ",
        "link": f"https://jp.mercari.com/item/m{number + 11111111111}",
        "snippet": "メルカリで販売中の商品です。",
        "rich_snippet": {"bottom": {"extensions": [price, "在庫あり"] if price else []}},
        **more,
    }


def index(*entries: dict[str, Any]) -> dict[str, Any]:
    """One page of `google`."""
    return {
        "search_metadata": {"id": "twin", "status": "Success"},
        "search_information": {"organic_results_state": "Results for exact spelling"},
        "organic_results": list(entries),
    }


def ebay_product(number: int = 1, amount: float = 98.5, **more: object) -> dict[str, Any]:
    """One page of `ebay_product`."""
    found = {
        "product_id": str(number + 110000000000),
        "title": f"Lantern, worn {number}",
        "product_link": f"https://www.ebay.com/itm/{number + 110000000000}",
        "condition": "Used",
        "buy": {
            "options": ["buy_it_now"],
            "buy_it_now": {"price": {"amount": amount, "currency": "USD"}},
        },
        "shipping": {"options": [{"via": "Post", "price": {"amount": 5.99, "currency": "USD"}}]},
        **more,
    }
    return {"search_metadata": {"id": "twin", "status": "Success"}, "product_results": found}


def _number(price: str) -> float | None:
    digits = "".join(sign for sign in price if sign.isdigit() or sign == ".")
    return float(digits) if digits else None
