"""The Plan on the wire: the schema that the model is given, and what of its answer is accepted.

One flat object: Gemini documents only a subset of JSON Schema, without const, default or discriminator.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pydantic
import pydantic_core

from ..actions.base import Action, Field
from ..text import clean, one_line
from ..turn import Plan

_TEXT = "reply: the answer itself. Any other action: one short sentence on why this step."
_LONGEST = 500  # characters of a field
# An escape sequence at the end may go on: so much of it is waited for.
_UNFINISHED = re.compile(r"[\x1b\x90\x98\x9b\x9d-\x9f][^\n]*\Z")
_LONGEST_SEQUENCE = 101  # characters
_FINISH = "true if the person's goal is met once this action has succeeded"


class Unusable(Exception):
    """The model's answer is no plan that may be carried out. Says why, for the model to mend it."""


def fields_of(actions: Mapping[str, Action]) -> dict[str, Field]:
    """Every field that an action fills, in the order of the actions."""
    return {field.name: field for action in actions.values() for field in action.fields}


def schema(
    actions: Mapping[str, Action], allowed: Sequence[str], offered: Sequence[str], *, enums: bool = True
) -> dict[str, object]:
    """The JSON Schema of a Plan. enums: whether the addresses' ids are listed in it."""
    properties: dict[str, object] = {"action": {"type": "string", "enum": list(allowed)}}
    for field in fields_of(actions).values():
        users = [name for name in allowed if field in actions[name].fields]
        properties[field.name] = _field(field, users, offered if enums else ())
    properties["finish"] = {"type": "boolean", "description": _FINISH}
    properties["text"] = {"anyOf": [{"type": "string"}, {"type": "null"}], "description": _TEXT}
    order = list(properties)
    return {"type": "object", "properties": properties, "required": order, "propertyOrdering": order}


def _field(field: Field, users: Sequence[str], offered: Sequence[str]) -> dict[str, object]:
    if not users:
        return {"type": "null"}
    value: dict[str, object] = {"type": "string"}
    if field.offered and offered:
        value["enum"] = list(offered)
    meaning = f"{field.meaning}; null unless action is {' or '.join(users)}"
    return {"anyOf": [value, {"type": "null"}], "description": meaning}


class Reader:
    """Accepts plans, strictly. Built once: pydantic compiles the shape."""

    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = actions
        self._fields = fields_of(actions)
        shape: dict[str, Any] = dict.fromkeys((*self._fields, "text"), (str | None, None))
        self._shape = pydantic.create_model(
            "Plan",
            __config__=pydantic.ConfigDict(strict=True, extra="forbid"),
            action=(str, ...),
            finish=(bool, False),
            **shape,
        )

    def read(self, text: str, allowed: Sequence[str], offered: Sequence[str]) -> Plan:
        """The one plan that *text* holds. Raises Unusable."""
        _refuse_twice_named(text)
        try:
            answer = self._shape.model_validate_json(text)
        except pydantic.ValidationError as error:
            raise Unusable(f"it is not one JSON object of the shape asked for: {_first(error)}") from None
        given = answer.model_dump()
        name, finish, words = given["action"], given["finish"], clean(given["text"] or "").strip()
        filled = {field: one_line(given[field] or "", _LONGEST) for field in self._fields}
        values = {field: value for field, value in filled.items() if value}
        if name not in allowed:
            raise Unusable(f"`{one_line(name, 60)}` is not one of the actions open now: {', '.join(allowed)}")
        action = self._actions[name]
        if action.ends_turn:
            if not words:
                raise Unusable("the reply has no text")
            return Plan(name, {}, True, words)
        self._check(action, values, offered)
        return Plan(name, values, finish, words)

    def _check(self, action: Action, values: Mapping[str, object], offered: Sequence[str]) -> None:
        own = {field.name: field for field in action.fields}
        if others := sorted(set(values) - set(own)):
            raise Unusable(f"it names more than one action: `{'`, `'.join(others)}` must be null here")
        for name, field in own.items():
            if name not in values:
                raise Unusable(f"`{name}` is missing")
            if field.offered and values[name] not in offered:
                raise Unusable(f"`{one_line(str(values[name]), 60)}` is not the id of an offered address")


def partial_reply(text: str) -> str:
    """The reply in a plan that is still being written; empty while it can't be told."""
    try:
        so_far = pydantic_core.from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return ""
    if not isinstance(so_far, dict) or so_far.get("action") != "reply":
        return ""
    words = so_far.get("text")
    if not isinstance(words, str):
        return ""
    last = words[-_LONGEST_SEQUENCE:]
    return clean(words.removesuffix(last) + _UNFINISHED.sub("", last)).strip()


def _refuse_twice_named(text: str) -> None:
    """Raises Unusable for a field that is there twice: pydantic would take the last, a person the first."""

    def check(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) < len(pairs):
            raise Unusable("a field is named twice")
        return dict(pairs)

    with contextlib.suppress(ValueError, RecursionError):  # what is no JSON is told by pydantic
        json.loads(text, object_pairs_hook=check)


def _first(error: pydantic.ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = one_line(".".join(str(part) for part in first["loc"]), 60)
    return f"{where}: {one_line(first['msg'], 200)}" if where else one_line(first["msg"], 200)
