"""What Google documents of JSON Schema for `responseJsonSchema`, and what lies outside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTED = {
    *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum"),
    *("items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf"),
    *("properties", "additionalProperties", "required", "propertyOrdering"),
}


def undocumented(schema: dict[str, Any], at: str = "schema") -> list[str]:
    """Every feature outside Google's list, each with the place it stands in."""
    found = [f"{key} at {at}" for key in schema if key not in DOCUMENTED]
    if "oneOf" in schema and len(schema) > 1:
        found.append(f"oneOf with siblings at {at}")
    if "$ref" in schema and any(not key.startswith("$") for key in schema):
        found.append(f"$ref with siblings at {at}")
    if any(not isinstance(value, str | int | float) for value in schema.get("enum", ())):
        found.append(f"enum of other things than strings and numbers at {at}")
    for name, inner in _inner(schema):
        found += undocumented(inner, f"{at}.{name}")
    return found


def enum_of(schema: dict[str, Any], field: str) -> tuple[str, ...]:
    """The values a field may take, also where it may be null instead; () where it is free."""
    described = schema.get("properties", {}).get(field, {})
    for one in (described, *described.get("anyOf", ())):
        if "enum" in one:
            return tuple(one["enum"])
    return ()


def _inner(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key in ("properties", "$defs"):
        yield from ((f"{key}.{name}", inner) for name, inner in schema.get(key, {}).items())
    for key in ("anyOf", "oneOf", "prefixItems"):
        yield from ((f"{key}.{n}", inner) for n, inner in enumerate(schema.get(key, ())))
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield key, schema[key]
