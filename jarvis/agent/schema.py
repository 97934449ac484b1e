"""The Plan on the wire: the schema for the model, and the rules for accepting its answer.

It is one flat object: some services document only a subset of JSON Schema, without const, default, or
discriminator. Values in fields of other actions are ignored.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pydantic_core

from ..actions.base import OPEN_SITE, OPEN_WEBSITE, Action, Field
from ..core.errors import ModelFailed, Unusable
from ..core.intent import Form
from ..core.text import clean, one_line
from ..core.types import Plan
from .retry import STOP, ModelAnswer

# What weak models must heed stands here: of a long system text they remember less.
_ACTION = "the ONE next action. A question is answered with reply; do what the words ask for, and no more."
_ID = "one of the ids exactly as offered, such as r1, never an address written out"
_FINISH = "true if nothing that was asked for is left to do once this has succeeded; never for a search"
_TEXT = "reply: the answer, in the person's language. Any other action: one short sentence on why this step"
_WANTS = "what the words ask to be done now, in the forms that the text lists"
_LONGEST = 500  # characters of a field
_AROUND_ID = "[] \"'"
_NONE = ("", "null", "none")


def schema(
    actions: Mapping[str, Action], offered: Sequence[str], *, enums: bool = True, wants: bool = False
) -> dict[str, object]:
    """Return the JSON Schema of a Plan of one of *actions*, by their names, with the fields that they fill.

    enums: whether the addresses' ids and the choices of fields are listed in it. wants: whether `wants` is.
    """
    properties: dict[str, object] = {"wants": _string(_WANTS)} if wants else {}
    properties["action"] = {**_string(_ACTION), "enum": list(actions)}
    for field in {field.name: field for action in actions.values() for field in action.fields}.values():
        users = [name for name, each in actions.items() if field.name in [own.name for own in each.fields]]
        properties[field.name] = _field(field, users, offered if enums else (), enums=enums)
    if not all(action.ends_turn for action in actions.values()):
        properties["finish"] = {"type": "boolean", "description": _FINISH}
    properties["text"] = _or_null({"type": "string"}, _TEXT)
    return _object_of(properties)


def wants_schema() -> dict[str, object]:
    """Return the JSON Schema of an answer with `wants` only."""
    return _object_of({"wants": _string(_WANTS)})


def _object_of(properties: Mapping[str, object]) -> dict[str, object]:
    order = list(properties)
    return {"type": "object", "properties": properties, "required": order, "propertyOrdering": order}


def _field(field: Field, users: Iterable[str], offered: Sequence[str], *, enums: bool) -> dict[str, object]:
    listed = offered if field.offered else field.choices if enums else ()
    value = {"type": "string", **({"enum": list(listed)} if listed else {})}
    choices = "" if enums or not field.choices else f"; one of: {', '.join(field.choices)}"
    rule = f"; {_ID}" if field.offered else choices
    unless = f"null unless action is {' or '.join(users)}{', and may be null then' if field.optional else ''}"
    return _or_null(value, f"{field.meaning}{rule}; {unless}")


def _string(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}


def _or_null(value: Mapping[str, object], description: str) -> dict[str, object]:
    return {"anyOf": [value, {"type": "null"}], "description": description}


def read_plan(text: str, actions: Mapping[str, Action], offered: Sequence[str]) -> Plan:
    """Return the one plan of *actions* that *text* holds. Raises Unusable."""
    answer = _one_object(text)
    name = "_".join(str(answer.get("action")).lower().replace("-", " ").split())  # of “Open Website”, too
    stated = answer.get("text")
    words = clean(stated, tabs=True).strip() if isinstance(stated, str) else ""
    if name == OPEN_WEBSITE and name not in actions and OPEN_SITE in actions:
        name = OPEN_SITE  # for a name no page can be chosen
    if name not in actions:
        raise Unusable(f"`{one_line(name, 60)}` is not one of the actions open now: {', '.join(actions)}")
    if actions[name].ends_turn:
        if not words:
            raise Unusable("the reply has no text")
        return Plan(name, {}, True, words)
    filled = {field.name: _value(field, answer.get(field.name), offered) for field in actions[name].fields}
    values = {field: value for field, value in filled.items() if value is not None}
    is_last = str(answer.get("finish")).strip().lower() == "true"
    return Plan(name, values, is_last, "" if words.lower() in _NONE else words)


def _value(field: Field, given: object, offered: Sequence[str]) -> str | None:
    """Return the value of *given* for a *field* of the action, or None if left out. Raises Unusable."""
    if field.optional and (given is None or (isinstance(given, str) and given.strip().lower() in _NONE)):
        return None
    if field.offered:
        if (id_ := given.strip(_AROUND_ID) if isinstance(given, str) else "") in offered:
            return id_
        raise Unusable(f"`{one_line(str(given), 60)}` is not the id of an offered address")
    if not isinstance(given, str):
        raise Unusable(f"`{field.name}` must be one text")
    if not (value := one_line(given, _LONGEST)):
        raise Unusable(f"`{field.name}` is missing")
    return value


def read_wants(text: str) -> str:
    """Return `wants` in the answer *text*, unchanged. Raises Unusable."""
    answer = _one_object(text).get("wants")
    if isinstance(answer, list) and all(isinstance(part, str) for part in answer):
        return "; ".join(answer) or Form.NOTHING
    if not isinstance(answer, str):
        raise Unusable("`wants` is missing")
    return answer


def refuse_broken(answer: ModelAnswer, service: str) -> None:
    """Raise ModelFailed if the *service* refused to answer, Unusable if the answer broke off."""
    reason = answer.finish_reason
    text = f": {answer.service_message}" if answer.service_message else "."
    if answer.blocked or reason in ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"):
        message = f"{service} refused to answer this ({answer.blocked or reason}){text}"
        raise ModelFailed(message, hint="Say it in other words.")
    if reason == STOP or (reason == "MAX_TOKENS" and answer.text.rstrip().endswith("}")):
        return  # white space up to the limit
    message = f"{service} stopped: {reason or 'it gave no answer'}{text}"
    if reason == "MAX_TOKENS":
        message = "The model's answer was cut off at the limit of its length."
    elif answer.text and not reason:
        message = f"{service}'s answer broke off."
    raise Unusable(f"it broke off ({reason or 'no end'})", message)


def partial_reply(text: str) -> str:
    """Return the reply in an incomplete plan, or "" while it isn't clear."""
    try:
        plan = pydantic_core.from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return ""
    words = plan.get("text") if isinstance(plan, dict) and plan.get("action") == "reply" else None
    return clean(words, tabs=True).strip() if isinstance(words, str) else ""


def _one_object(text: str) -> dict[str, Any]:
    """Return the one JSON object in *text*, also inside prose or a fence. Raises Unusable.

    A model's thoughts come first. They are a draft, and may contain objects too.
    """
    stated = text.partition("</think")[2] if text.lstrip().startswith("<think") else text
    try:
        begin = stated.index("{")
        answer, end = json.JSONDecoder(object_pairs_hook=_once).raw_decode(stated, begin)
        pydantic_core.from_json(stated[begin:end])  # json would let half a letter pass
    except (ValueError, RecursionError) as error:
        raise Unusable(f"it is not one JSON object: {one_line(str(error), 200)}") from None
    if "{" in stated[end:]:
        raise Unusable("it is more than one JSON object")
    return cast("dict[str, Any]", answer)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return *pairs* as an object. Raises Unusable if a name has two different values."""
    record: dict[str, Any] = {}
    for name, value in pairs:
        if record.setdefault(name, value) != value:
            raise Unusable(f"`{one_line(name, 60)}` is named twice")
    return record
