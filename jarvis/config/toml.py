"""Reads TOML, and what is plain of it at once: tomllib takes as long as all the rest of a plain command."""

from __future__ import annotations

from ..core.stdlib import Any


def parse_toml(text: str) -> dict[str, Any]:
    """Return what *text* says. Raises ValueError and RecursionError, as tomllib does."""
    values = plain(text)
    if values is not None:
        return values
    import tomllib  # few files need it

    return tomllib.loads(text)


def plain(text: str) -> dict[str, Any] | None:
    """Return what *text* says, where each line is of the simplest kind; None where it takes tomllib."""
    values: dict[str, Any] = {}
    table = values
    for line in (line.strip(" \t") for line in text.split("\n")):
        if not line.isprintable():
            return None
        if not line or line[0] == "#":
            continue
        begun = _table(line.partition("#")[0].rstrip(" "), values) if line[0] == "[" else None
        if begun is not None:
            table = begun
            continue
        name, equals, written = (part.strip(" ") for part in line.partition("="))
        value = _value(written)
        if not equals or value is None or not _is_bare(name) or name in table:
            return None
        table[name] = value
    return values


def _table(header: str, values: dict[str, Any]) -> dict[str, Any] | None:
    """Return the table that begins with *header*: `[name]`, once, or `[[name]]`, one of several."""
    table: dict[str, Any] = {}
    name = header[1:-1]
    if header[-1] == "]" and _is_bare(name) and name not in values:
        values[name] = table
        return table
    name = header[2:-2]
    if header[:2] == "[[" and header[-2:] == "]]" and _is_bare(name):
        listed = values.setdefault(name, [])
        if isinstance(listed, list):
            listed.append(table)
            return table
    return None


def _is_bare(name: str) -> bool:
    """Return whether *name* needs no quotes."""
    return name.isascii() and name.replace("_", "a").isalnum()


def _value(written: str) -> str | int | bool | None:
    """Return a text without escapes, a whole number or a truth, a comment behind it or not; else None."""
    if written[:1] == '"':
        text, quote, rest = written[1:].partition('"')
        is_plain = quote and "\\" not in text and (not rest or rest.lstrip(" ")[:1] == "#")
        return text if is_plain else None
    word = written.partition("#")[0].rstrip(" ")
    if word in ("true", "false"):
        return word == "true"
    is_number = word.isascii() and word.isdigit() and (word[0] != "0" or word == "0") and len(word) < 19
    return int(word) if is_number else None
