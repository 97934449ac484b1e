"""What a model plans: one action each."""

from __future__ import annotations

from typing import Any


def plan(action: str, **fields: object) -> dict[str, Any]:
    return {"action": action, "finish": True, "text": "As they asked.", **fields}


def reply(text: str = "Hello.") -> dict[str, Any]:
    return {"action": "reply", "text": text, "finish": True}


def opening(address: str, **more: object) -> dict[str, Any]:
    return {"action": "open_website", "address": address, "finish": True, **more}


def finding(queries: str = "lantern", **fields: object) -> dict[str, Any]:
    return plan("find_products", queries=queries, **fields)
