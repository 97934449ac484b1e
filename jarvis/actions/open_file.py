"""Open a file or folder that the person typed, with the app that they have for such files."""

import os
from collections.abc import Callable, Mapping
from shlex import join

from ..core.errors import ActionFailed, Refused
from ..core.file_kinds import why_not_shown
from ..core.files import names_near
from ..core.intent import Form
from ..core.types import FILE, Effect, Facts, Outcome, ParsedWords
from ..desktop.desktop import Platform, sent
from ..language.command_grammar import OPENS, objects
from .base import DesktopAction, Field, Want

_NOT_THERE = "not_there"  # the code of a failure: no such file
# The endings of files that are no domain's, and no part of a product's name as in node.js.
ENDINGS = frozenset(
    "pdf doc docx odt rtf txt tex epub xls xlsx ods csv tsv ppt pptx odp png jpg jpeg gif webp svg bmp tiff "
    "heic mp3 wav ogg flac m4a mp4 mkv avi mov webm json xml yaml yml toml log html htm gz tar 7z".split()
)


class OpenFile(DesktopAction):
    name = "open_file"
    verb = "open"
    description = "open a file or folder whose path the person typed; `file` is its id."
    fields = (Field("file", "the id of the file to open"),)
    wants = (Want(Form.FILE, "open the N-th file or folder whose path stands in these words"),)
    effect = "opens"
    verbs = (OPENS,)
    is_planned = False  # a path says nothing to the brain, which may stand in another folder

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        """Return the opening of a file as it is now. Raises ActionFailed or Refused."""
        file = facts.addresses.get(str(arguments.get("file")))
        if file is None or file.source != FILE:
            raise Refused("that is not a file that you named.")
        path = file.url
        try:
            reason = why_not_shown(path)
        except (FileNotFoundError, NotADirectoryError):
            here = os.path.join(os.getcwd(), "")
            near = [f"jarvis {join(('open', each.removeprefix(here)))}" for each in names_near(path)]
            hint = f"Did you mean: {'   or: '.join(near)}" if near else ""
            raise ActionFailed(f"There is no file {path}.", code=_NOT_THERE, hint=hint) from None
        except OSError as error:
            raise ActionFailed(f"Can't read {path}: {error.strerror}.", code=_NOT_THERE) from None
        if os.path.realpath(path) != path:
            raise Refused(f"{path} leads somewhere else by now.", hint="Ask again.")
        # Where a site goes by its name too, they are asked first, and it is looked at again.
        meanings = [each.addresses for each in facts.meanings.values()]
        is_chosen = not any(file in those and len(those) > 1 for those in meanings)
        if reason and is_chosen:
            hint = f"To open its folder: jarvis {join(('open', os.path.dirname(path)))}"
            raise Refused(f"{path} {reason}.", hint=hint, code="would_run")
        return Effect("opens", path, address=file)

    def plain(self, words: ParsedWords) -> Mapping[str, str] | None:
        """Read `open ~/notes.txt`, `open .`, `open report.pdf` where it lies here."""
        path = path_in(words, path_of)
        return {"file": path} if path else None

    def perform(self, effect: Effect, platform: Platform) -> Outcome:
        return sent(effect.target, "its app", platform.open_file(effect.target))


def path_in(words: ParsedWords, find: Callable[[str], str]) -> str:
    """Return the path that *words* plainly request to open, or "".

    find: path_of, or path_here for a word that means nothing else.
    """
    if words.verb != OPENS or words.doubts:
        return ""
    return next(filter(None, map(find, objects(words))), "")


def path_of(text: str) -> str:
    """Return *text* as an absolute path without links, or "" if it isn't a path.

    If *text* can be nothing else, the file may be missing. A name without a dot or slash is a word.
    """
    if _is_path(text):
        path = os.path.realpath(os.path.expanduser(text))
        return path if not text.split()[1:] or os.path.lexists(path) else ""
    is_name = ("." in text or "/" in text or os.sep in text) and "://" not in text
    return path_here(text) if is_name else ""


def path_here(name: str) -> str:
    """Return the path of the file *name* in this folder, as path_of() does, or ""."""
    return os.path.realpath(name) if name and os.path.lexists(name) else ""


def _is_path(text: str) -> bool:
    """Return whether *text* can be nothing but the path of a file or folder."""
    signs = ("./", "../", "~/") if os.sep == "/" else ("./", "../", "~/", ".\\", "..\\", "~\\")
    stem, _, ending = text.rpartition(".")
    is_file = bool(stem) and ending.lower() in ENDINGS and "/" not in stem
    return is_file or text in (".", "..", "~") or text.startswith(signs) or os.path.isabs(text)


ACTION = OpenFile()
