"""Finds the files that a person's words name: those that are there, and those that are not."""

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress

from ..actions.open_file import ENDINGS
from ..core.errors import UsageError
from ..core.files import names_near
from ..core.types import MOST_FILES, NamedFile, Options
from ..core.urls import may_be_file, typed
from ..pages.files import named_file

# Of these many a one is spoken of in general, as of a package.json: they count where it is to be read.
_TEXTS = frozenset("txt md rst json yaml yml xml toml ini cfg conf log html htm tex sql ipynb".split())
_READ = (
    r"(?:from|up|my|file|read|summari[sz]e|translate|review|proofread|analy[sz]e|compare|check|with|and|lies|fasse|"
    r"lis|übersetze|prüfe|résume|traduis|resume|traduce|lee|revisa|(?:what(?:'s|s| is)|stands|steht|says) in)"
)
# How things are done in general, and what is to be made, is no file that is there.
_HOW = r"\s*(?:how|why|when|where|which|who|wie|warum|comment|pourquoi|cómo|por qué)\b"
_TAKEN = r"(?:save|write|put|convert|export|turn)\b.*\b(?:as|to|in|into)"
_MADE = rf"(?:{_TAKEN}|called|named|create|make|write|an?|any|als)"
_NEAR = 0.85  # how alike a slip is
_BEFORE = r"\W+(?:(?:my|our|the|this|that|file)\s+)*[\"'“]?"


def files_for(own: str, words: Sequence[str], options: Options) -> tuple[NamedFile, ...]:
    """Return what the model may read: what is named in *own* and there, here or below a -f.

    Of pasted lines none; and of -f what is no material. words: as a shell gave them.
    What a link leads to, or the folder here is called, may be others' words: so the model sees the name.
    """
    given = [os.path.expanduser(name) for name in options.files]
    if len(given) > MOST_FILES:
        told = f"-f takes at most {MOST_FILES} pictures, PDFs, folders, and files that need a yes."
        raise UsageError(told, hint="Leave out some -f.")
    # A word is one by its sign, or by its capital: README.
    line = "" if "\n" in own else own
    names = [_bare(each) for each in (*words, *line.split(), *_words_in(line))]
    named = [each for each in names if each[1:] and ("." in each or os.sep in each or each[:1].isupper())]
    paths = [os.path.join(folder, each) for folder in ("", *given) for each in map(os.path.expanduser, named)]
    there = [each for each in paths if os.path.isfile(each) or (os.sep in each and os.path.isdir(each))]
    found: dict[str, NamedFile] = {}
    for file in map(named_file, [*given, *there]):
        found.setdefault(file.path, file)
    return tuple([each for each in found.values() if f"{each.path}{each.name}".isprintable()][:MOST_FILES])


def missing_in(own: str, files: Sequence[NamedFile]) -> tuple[str, ...]:
    """Return the names of files in *own* that lie nowhere; of things, such as node.js, none.

    files: those that were found.
    """
    if "\n" in own or re.match(_HOW, own, re.IGNORECASE):
        return ()
    there = [file.name for file in files]  # of `My notes 1.txt` the last word is no name
    gone = [
        each
        for each in dict.fromkeys(map(_bare, _words_in(own)))
        if _is_file(each, own)
        and not os.path.lexists(os.path.expanduser(each))
        and not any(name.endswith(each) for name in there)
    ]
    return tuple(gone[:MOST_FILES])


def told_missing(name: str) -> str:
    """Return that no file of that *name* is there, and which ones they may mean."""
    near, where = names_near(os.path.expanduser(name)), "there" if os.sep in name else "in this folder"
    return f"{name} isn't {where}." + (f" Did you mean {' or '.join(near)}?" if near else "")


def told_links(files: Sequence[NamedFile]) -> list[str]:
    """Return where those of *files* are that were named by a link."""
    said = [(file, os.path.normpath(file.name.lstrip("~./"))) for file in files]
    return [f"{file.name} leads to {file.path}." for file, name in said if not file.path.endswith(name)]


def _words_in(line: str) -> list[str]:
    """Return the words in *line*; a name with blanks is one, where it is quoted, or was dragged here so."""
    try:
        return shlex.split(line)
    except ValueError:  # an apostrophe
        return line.split()


def _bare(word: str) -> str:
    return word.strip("\"'“”,:;?!").rstrip(".") or word


def _is_file(name: str, own: str) -> bool:
    """Return whether *name* is that of a file of theirs: by its kind, or as *own* speaks of it."""
    stem, _, ending = name.rpartition(".")
    is_page = "://" in name or (os.sep in name and typed(name.partition(os.sep)[0]))
    if not stem or "@" in name or is_page or not name.isprintable():
        return False
    if re.search(rf"\b{_MADE}{_BEFORE}{re.escape(name)}", own, re.IGNORECASE):
        return False
    if ending.lower() in ENDINGS - _TEXTS or name.startswith(("./", "../", "~/")):
        return True
    is_read = rf"\b{_READ}{_BEFORE}{re.escape(name)}|{re.escape(name)}\W+says?\b"
    return bool(ending.lower() in _TEXTS and re.search(is_read, own, re.IGNORECASE)) or _is_slip(name)


def _is_slip(name: str) -> bool:
    """Return whether *name*, which is no address, is nearly one that lies there."""
    from difflib import get_close_matches  # few words have an ending

    with suppress(OSError):
        there = os.listdir(os.path.dirname(os.path.expanduser(name)) or ".")
        is_page = typed(name) and not may_be_file(name)
        return not is_page and bool(get_close_matches(os.path.basename(name), there, 1, _NEAR))
    return False
