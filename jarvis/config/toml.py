"""Reads TOML, and what is plain of it at once: tomllib takes as long as all the rest of a plain command."""

from __future__ import annotations

from typing import Any


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
        if isinstance(value, list) and table is values:  # [[name]] might follow, and is an error then
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


def _value(written: str) -> str | int | bool | list[str] | None:
    """Return a text without escapes, texts in brackets, a whole number or a truth; else None.

    A comment may stand behind it.
    """
    if written[:1] == "[":
        return _texts(written[1:])
    if written[:1] == '"':
        text, quote, rest = written[1:].partition('"')
        is_plain = quote and "\\" not in text and (not rest or rest.lstrip(" ")[:1] == "#")
        return text if is_plain else None
    word = written.partition("#")[0].rstrip(" ")
    if word in ("true", "false"):
        return word == "true"
    is_number = word.isascii() and word.isdigit() and (word[0] != "0" or word == "0") and len(word) < 19
    return int(word) if is_number else None


def _texts(written: str) -> list[str] | None:
    """Return the texts of a list on one line, whose bracket was opened; None for anything less simple."""
    listed, closed, rest = written.partition("]")
    *texts, last = (text.strip(" ") for text in listed.split(","))
    texts += [last] if last else []  # a comma may stand at the end
    is_plain = closed and rest.lstrip(" ")[:1] in ("", "#") and "\\" not in listed
    if is_plain and all(len(text) > 1 and text[0] + text[-1] == '""' for text in texts):
        bare = [text[1:-1] for text in texts]
        return None if any('"' in text for text in bare) else bare
    return None
