"""What a model that reads as it plans would say the words ask for: for scripts that say nothing of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .gemini import GeminiRequest


def asks_for_reading(request: GeminiRequest) -> bool:
    """Whether it is the small call, which asks for nothing else."""
    return set(request.schema.get("properties", {})) == {"wants"}


def asks_with_plan(request: GeminiRequest) -> bool:
    return "wants" in request.schema.get("properties", {}) and not asks_for_reading(request)


def reading_of(plans: Iterable[Any], request: GeminiRequest) -> str:
    """The parts that the *plans* of one turn need, up to where it ends."""
    typed = len(re.findall(r"^u\d+ = ", request.prompt, re.MULTILINE)) or (
        len(re.findall(r"^\[u\d+\]", request.prompt, re.MULTILINE)) if asks_with_plan(request) else 0
    )
    parts: list[str] = []
    for plan in plans:
        said = getattr(plan, "said", plan)
        if isinstance(said, dict):
            parts += _part(said, typed)
            if said.get("finish") is True or said.get("action") == "reply":
                break
        elif callable(said) or isinstance(said, str):
            parts.append("open found 1")
    found = parts.count("open found 1")
    rest = [part for part in dict.fromkeys(parts) if part != "open found 1"]
    return "; ".join([*rest, *([f"open found {found}"] if found else [])]) or "nothing"


def _part(plan: dict[str, Any], typed: int) -> list[str]:
    match plan.get("action"):
        case "open_website":
            address = str(plan.get("address"))
            number = int(address[1:]) if re.fullmatch(r"u\d+", address) else 0
            return [f"open u{min(number, typed)}"] if number and typed else ["open found 1"]
        case "open_app":
            return [f"start {plan['app']}"] if plan.get("app") else []
        case "take_screenshot":
            return ["picture"]
        case "keep" | "unkeep" as kept:
            return [kept]
    return []
