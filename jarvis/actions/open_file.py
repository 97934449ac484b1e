"""Open a file or folder that the person typed, with the app that they have for such files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from ..core.errors import NotThere, Refused, WouldRun
from ..core.intent import OWN_FILE
from ..core.types import FILE, Effect, Facts, Outcome
from .base import Desktop, Field, HandsAction, Want, sent

_MOST_LOOKED_AT = 5000  # names in a folder, in which to look for those that come near
_MOST_NEAR = 3
_HARDLY_ANOTHER = 0.85  # “nots.txt” is “notes.txt”; “node.js” is no “index.js”


class OpenFile(HandsAction):
    name = "open_file"
    verb = "open"
    description = "open a file or folder whose path the person typed; `file` is its id."
    fields = (Field("file", "the id of the file to open"),)
    wants = (Want(OWN_FILE, "open the N-th file or folder whose path stands in these words"),)
    effect = "opens"
    is_planned = False  # a path says nothing to the brain, which may stand in another folder

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        """Return the opening of a file as it is now. Raises NotThere, WouldRun, Refused."""
        file = facts.addresses.get(str(arguments.get("file")))
        if file is None or file.source != FILE:
            raise Refused("that is not a file that you named.")
        from ..core.files import why_not_shown  # few open files

        path = file.url
        try:
            reason = why_not_shown(path)
        except OSError as error:
            raise _not_there(path, error) from None
        if os.path.realpath(path) != path:
            raise Refused(f"{path} leads somewhere else by now.", hint="Say it again.")
        if reason:
            folder = os.path.dirname(path)
            raise WouldRun(f"{path} {reason}.", hint=f"To open its folder: {_typed('open', folder)}")
        return Effect("opens", path, address=file)

    def plain(self, words: str) -> Mapping[str, str] | None:
        """Read `open ~/notes.txt`, `open .`, `open report.pdf` where it lies here."""
        path = path_in(words, path_of)
        return {"file": path} if path else None

    def perform(self, effect: Effect, desktop: Desktop) -> Outcome:
        return sent(effect.target, "its app", desktop.open_file(effect.target))


def path_in(words: str, find: Callable[[str], str]) -> str:
    """Return the path of what *words* plainly ask to be opened; empty: of nothing.

    find: path_of, or path_here for a word that means nothing else.
    """
    from ..language.command_grammar import (
        objects,
        said,  # the loop has no use for these
    )
    from ..language.lexicon import OPENS

    meant = said(words)
    if meant.verb != OPENS or meant.doubts:
        return ""
    return next(filter(None, map(find, objects(words, meant))), "")


def path_of(text: str) -> str:
    """Return the path that *text* is, absolute and without links; empty where it is none.

    Where it begins as only a path does, it need not be there. A name without a dot or slash is a word.
    """
    if _is_path(text):
        return os.path.realpath(os.path.expanduser(text)) if not text.split()[1:] or _lies(text) else ""
    is_name = "." in text or "/" in text or os.sep in text
    return os.path.realpath(text) if is_name and "://" not in text and _lies(text) else ""


def path_here(name: str) -> str:
    """Return the path of what lies in this folder under that *name*, as path_of() does; empty: nothing."""
    return os.path.realpath(name) if name and _lies(name) else ""


def _is_path(text: str) -> bool:
    signs = ("./", "../", "~/") if os.sep == "/" else ("./", "../", "~/", ".\\", "..\\", "~\\")
    return text in (".", "..", "~") or text.startswith(signs) or os.path.isabs(text)


def _lies(text: str) -> bool:
    return os.path.lexists(os.path.expanduser(text))


def misspelt(word: str) -> NotThere | None:
    """Return what to tell of *word* where a file lies here that has nearly that name; None elsewhere."""
    if "." not in word.strip(".") or "/" in word or not _near(os.path.abspath(word), _HARDLY_ANOTHER):
        return None
    return _not_there(os.path.abspath(word), FileNotFoundError())


def _not_there(path: str, error: OSError) -> NotThere:
    if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return NotThere(f"{path} can't be read: {error.strerror}.")
    near = _near(path)
    told = f" What comes near: {', '.join(near)}." if near else ""
    hint = _typed("open", os.path.join(os.path.dirname(path), near[0])) if near else ""
    return NotThere(f"There is no file {path}.{told}", hint=hint)


def _near(path: str, cutoff: float = 0.6) -> list[str]:
    """Return the names in its folder that come near that of *path*, the nearest first."""
    import difflib  # few names are misspelt
    from itertools import islice

    folder, name = os.path.split(path)
    try:
        with os.scandir(folder) as entries:
            listed = {entry.name.casefold(): entry.name for entry in islice(entries, _MOST_LOOKED_AT)}
    except OSError:
        return []
    return [listed[found] for found in difflib.get_close_matches(name.casefold(), listed, _MOST_NEAR, cutoff)]


def _typed(*words: str) -> str:
    """Return a command of ours as a person would type it."""
    from shlex import join  # only after a failure

    return f"jarvis {join(words)}"


ACTION = OpenFile()
