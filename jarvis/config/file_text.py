"""Edits the text of config.toml, and leaves the person's comments as they are."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from ..core.errors import SettingsError
from ..core.files import alone, check_private, private_folder, replace_file
from .toml import parse_toml

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def write_packs(path: str, names: Sequence[str]) -> None:
    """Have the file at *path* say that the packs of these *names* are on, and no others.

    Raises SettingsError for a file that can't be read, or is written in a way that can't be changed here;
    StoreFailed where it can't be written. Nothing is changed then.
    """
    with alone(os.path.join(private_folder(os.path.dirname(path)), ".config.lock")):
        text = _read(path)
        new = with_list(text, "packs", "on", names)
        if not _says(new, text, names):
            raise SettingsError(
                f"{path} is written in a way that can't be changed here.",
                hint=f"Change it in an editor, below [packs]: on = {_listed(names)}",
            )
        replace_file(path, new)


def with_list(text: str, table: str, name: str, values: Sequence[str]) -> str:
    """Return *text* with `name = values` below its [table], in place of what stands there.

    It knows the common way to write that only: whoever uses it looks whether it came out as it was to.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    header = re.search(rf"^[ \t]*\[[ \t]*{table}[ \t]*\].*$", text, re.MULTILINE)
    if not header:
        before = f"{text.rstrip()}{end}{end}" if text.strip() else ""
        return f"{before}[{table}]{end}{name} = {_listed(values)}{end}"
    behind = header.end()
    following = _HEADER.search(text, behind)
    last = following.start() if following else len(text)
    there = re.compile(rf"^([ \t]*{name}[ \t]*=[ \t]*)\[[^\]]*\]", re.MULTILINE).search(text, behind, last)
    if there:
        return f"{text[: there.start()]}{there[1]}{_listed(values)}{text[there.end() :]}"
    behind -= text[:behind].endswith("\r")
    return f"{text[:behind]}{end}{name} = {_listed(values)}{text[behind:]}"


def _listed(values: Sequence[str]) -> str:
    return f"[{', '.join(_quoted(value) for value in values)}]"


def _quoted(value: str) -> str:
    """Return *value* as TOML writes a text, whatever is in it: a name that the person wrote stays."""
    from json import dumps  # a setting is seldom written; of texts JSON's form is TOML's

    return dumps(value, ensure_ascii=False)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            check_private(os.fstat(file.fileno()), path)
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} can't be read: {error}.", hint="Check its owner and mode.") from None


def _says(new: str, old: str, names: Sequence[str]) -> bool:
    """Return whether *new* says what *old* does, but for which packs are on."""
    try:
        said, wanted = parse_toml(new), parse_toml(old)
        wanted["packs"] = {**wanted.get("packs", {}), "on": list(names)}
    except (ValueError, TypeError, RecursionError):
        return False
    return said == wanted
