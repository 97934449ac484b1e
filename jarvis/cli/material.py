"""Reads material for a request, piped or from -f, and finds the files that its words name."""

import os
import re
import select
import shlex
import sys
from collections.abc import Sequence

from ..actions.open_file import ENDINGS
from ..config.sources import folders_of
from ..core.errors import ReadFailed, Refused, UsageError
from ..core.file_kinds import secret_in
from ..core.files import names_near
from ..core.text import LONGEST_PIPED, MARK, one_line, piped_in, pluralize, words_in
from ..core.types import MOST_FILES, Effect, Facts, NamedFile, Options, ParsedWords
from ..core.urls import address_from_word, may_be_file
from ..language.command_grammar import parse_name, parse_words
from ..output.screen import Screen, holds_material
from ..pages.files import beginning, named_file, picture_kind

STDIN = "-"
_MOST = 4 * LONGEST_PIPED + 4  # bytes: a character more than is read, to report a cut
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_DESCRIPTORS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")  # what a shell has opened: -f <(git diff)
_PATIENCE = 1.0  # seconds until Jarvis says that it waits for stdin
_MOST_UNREADABLE = 0.2  # of the characters; text in another encoding that has more can't be read either
_END_KEY = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
_PIPED = "The piped text"
_AS_HEADING = {_PIPED: "What is piped in"}  # as the model reads it
# People often mention these in general, such as a package.json: they count only if one is to be read.
_TEXTS = frozenset("txt md rst json yaml yml xml toml ini cfg conf log html htm tex sql ipynb".split())
_READ = (
    r"(?:from|up|my|file|read|summari[sz]e|translate|review|proofread|analy[sz]e|compare|check|with|and|lies|fasse|"
    r"lis|übersetze|prüfe|résume|traduis|resume|traduce|lee|revisa|(?:what(?:'s|s| is)|stands|steht|says) in)"
)
# Questions on how to do things, and files to be made, name no file that exists.
_HOW = r"\s*(?:how|why|when|where|which|who|wie|warum|comment|pourquoi|cómo|por qué)\b"
_TAKEN = r"(?:save|write|put|convert|export|turn)\b.*\b(?:as|to|in|into)"
_MADE = rf"(?:{_TAKEN}|called|named|create|make|write|an?|any|als)"
_NEAR = 0.85  # how alike a slip is
_BEFORE = r"\W+(?:(?:my|our|the|this|that|file)\s+)*[\"'“]?"


def words_and_material(
    options: Options, words: Sequence[str], screen: Screen
) -> tuple[ParsedWords, str, tuple[str, ...]]:
    """Return the user's own words, and the material that they name: by a `-` at the end, or by -f.

    Without any words, piped text is the request. Last come the -f files that the model reads by id.
    Raises UsageError.
    """
    is_last = words[-1:] == [STDIN]
    answer = " ".join(words[:-1] if is_last else words).strip()
    own = parse_words(words_in(answer) if answer else "")
    must = is_last or STDIN in options.files
    if must and options.ndjson:
        raise UsageError("With --ndjson, stdin is for answers only.", hint="jarvis --ndjson -f FILE …")
    piped = _read_stdin(screen) if must or _may_read(own, options, screen) else ""
    read = {name: _read_file(name, options, screen) for name in options.files if name != STDIN}
    texts = [(one_line(name, 200), text) for name, text in read.items() if text]
    if not answer and len(piped.strip().splitlines()) < 2:
        answer = piped.strip()  # one line is a request, several are material
    elif must or piped.strip():
        texts.append((_PIPED, piped_in(piped)))
    if not own.as_typed and (answer or not texts):
        own = parse_words(words_in(answer))
    return own, _joined(texts, screen), tuple(name for name, text in read.items() if not text)


def read_piped(own: ParsedWords, options: Options, screen: Screen) -> str:
    """Return the piped text for *own*, which isn't plain, or ""."""
    piped = _read_stdin(screen) if _may_read(own, options, screen) else ""
    return _joined([(_PIPED, piped_in(piped))], screen) if piped.strip() else ""


def _may_read(own: ParsedWords, options: Options, screen: Screen) -> bool:
    """Return whether stdin may hold material for *own*: never if the words open something by name.

    Such lines are used in loops: `while read u; do jarvis open "$u"; done`
    """
    is_free = not (options.ndjson or screen.has_read_stdin) and holds_material(screen.stdin)
    return is_free and not parse_name(own)


def _joined(texts: Sequence[tuple[str, str]], screen: Screen) -> str:
    """Join the named *texts* as material. Cuts text that is too long, and reports it."""
    message, whole = texts[0] if texts else ("", "")
    if texts[1:]:
        headed = (f"{_AS_HEADING.get(name, name)}:\n{text}" for name, text in texts)
        message, whole = "All of it together", "\n\n".join(headed)
    if len(whole) > LONGEST_PIPED:
        screen.err(f"{message} is too long. Jarvis reads only its first {LONGEST_PIPED:,} characters.")
    return whole[:LONGEST_PIPED]


def _read_stdin(screen: Screen) -> str:
    """Return the text on stdin. From then on, stdin holds no answers. Raises UsageError."""
    screen.has_read_stdin = True
    if screen.stdin.isatty():
        screen.err(f"Type or paste your text, then press {_END_KEY} on a new line.")
    elif sys.platform != "win32" and not select.select([screen.stdin], [], [], _PATIENCE)[0]:
        # Somebody may hold a pipe open and never write to it, as cron and ssh do.
        screen.err("Waiting for piped input to end (Ctrl-C stops). Nothing to pipe? jarvis … </dev/null")
    return _text_in(_bytes_in(screen.stdin.fileno(), _PIPED), _PIPED, screen)


def _read_file(path: str, options: Options, screen: Screen) -> str:
    """Return the text in the file at *path*, or the address. Empty for files that the model reads by id.

    Raises UsageError, for an empty file too.
    """
    if "://" in path and (url := address_from_word(path)):
        return url
    if _is_no_text(os.path.expanduser(path)):
        return ""
    name = one_line(path, 200)
    file = path if path.startswith(_DESCRIPTORS) else named_file(path)
    text = _text_in(_bytes_in(file, name), name, screen)
    if not text.strip():
        raise UsageError(f"{name} is empty.", hint="Leave out -f, or name a file with text in it.")
    return "" if isinstance(file, NamedFile) and _needs_yes(file, text, options) else piped_in(text)


def _is_no_text(path: str) -> bool:
    """Return whether a folder, a PDF or a picture lies at *path*."""
    is_other = path.lower().endswith(".pdf") or picture_kind(path)
    return path.isprintable() and (os.path.isdir(path) or bool(is_other and os.path.isfile(path)))


def _needs_yes(file: NamedFile, text: str, options: Options) -> bool:
    """Return whether the guard asks about *file*: then the model reads it by its id too. Raises Refused.

    So nothing of it stays in history, and a search after it needs a yes: material has neither.
    """
    from ..policy import guard, rules  # only for -f

    policy = rules.load_rules(folders_of(os.environ, options.env_file).policy)
    file = file._replace(holds=secret_in(text))
    verdict = guard.check(Effect("reads", file.path, file=file), Facts({}, files={"": file}), policy)
    if verdict.verdict == guard.REFUSE:
        raise Refused(f"{file.path} was not read: {verdict.reason}")
    return verdict.verdict == rules.ASK


def _bytes_in(file: NamedFile | str | int, name: str) -> bytes:
    """Return the beginning of *file*: what a shell has opened, or a handle that stays so, is read as it is.

    Raises UsageError.
    """
    try:
        if isinstance(file, NamedFile):
            return beginning(file.path, _MOST)
        with open(file, "rb", closefd=isinstance(file, str)) as opened:
            return opened.read(_MOST)
    except (OSError, ReadFailed) as error:
        why = error.strerror if isinstance(error, OSError) else error.message.rstrip(".")
        raise UsageError(f"Can't read {name}: {why}.", hint="Check what follows -f.") from None


def _text_in(raw: bytes, name: str, screen: Screen) -> str:
    """Decode *raw* as UTF-8, or as UTF-16 from Windows. Reports unreadable characters.

    Raises UsageError if it isn't text.
    """
    text = raw.decode("utf-16" if raw.startswith(_UTF_16) else "utf-8-sig", "replace")
    if raw.startswith(_UTF_16):
        return text
    unreadable = text.count(MARK) - raw.count(MARK.encode())
    hint = "-f takes PDF, PNG, JPEG, WebP, HEIC. From another encoding: iconv -f LATIN1 -t UTF-8 FILE"
    if "\0" in text or unreadable > len(text) * _MOST_UNREADABLE:
        raise UsageError(f"{name} isn't UTF-8 text.", hint=hint)
    if unreadable and len(raw) < _MOST:  # what is longer is cut, perhaps within a character
        screen.err(f"{name} is not all UTF-8: {pluralize(unreadable, 'characters')} are unreadable. {hint}")
    return text


# The files that words name: those that are there, and those that are not.


def files_for(own: str, words: Sequence[str], options: Options) -> tuple[NamedFile, ...]:
    """Return the files that the model may read: those in *own* that exist, in this folder or under a -f.

    Pasted lines don't count, nor does material from -f. words: from the shell. The target of a link and the
    name of this folder may be others' words, so the model sees only the name.
    """
    given = [os.path.expanduser(name) for name in options.files]
    if len(given) > MOST_FILES:
        message = f"-f takes at most {MOST_FILES} pictures, PDFs, folders, and files that need a yes."
        raise UsageError(message, hint="Leave out some -f.")
    # A word is one by its sign, or by its capital: README.
    line = "" if "\n" in own else own
    names = [_bare(each) for each in (*words, *line.split(), *_words_in(line))]
    label = [each for each in names if each[1:] and ("." in each or os.sep in each or each[:1].isupper())]
    paths = [os.path.join(folder, each) for folder in ("", *given) for each in map(os.path.expanduser, label)]
    there = [each for each in paths if os.path.isfile(each) or (os.sep in each and os.path.isdir(each))]
    found: dict[str, NamedFile] = {}
    for file in map(named_file, [*given, *there]):
        found.setdefault(file.path, file)
    return tuple([each for each in found.values() if f"{each.path}{each.name}".isprintable()][:MOST_FILES])


def missing_in(own: str, files: Sequence[NamedFile]) -> tuple[str, ...]:
    """Return the names of missing files in *own*, but not names of things such as node.js.

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


def missing_notice(name: str) -> str:
    """Return a notice that no file is called *name*, with similar ones."""
    near, where = names_near(os.path.expanduser(name)), "there" if os.sep in name else "in this folder"
    return f"{name} isn't {where}." + (f" Did you mean {' or '.join(near)}?" if near else "")


def link_notices(files: Sequence[NamedFile]) -> list[str]:
    """Return notices with the targets of *files* that are links."""
    linked = [(file, os.path.normpath(file.name.lstrip("~./"))) for file in files]
    return [f"{file.name} leads to {file.path}." for file, name in linked if not file.path.endswith(name)]


def _words_in(line: str) -> list[str]:
    """Return the words in *line*. A name with spaces is one word if it is quoted or was dragged in."""
    try:
        return shlex.split(line)
    except ValueError:  # an apostrophe
        return line.split()


def _bare(word: str) -> str:
    return word.strip("\"'“”,:;?!").rstrip(".") or word


def _is_file(name: str, own: str) -> bool:
    """Return whether *name* is that of the user's file: by its kind, or by the words of *own*."""
    stem, _, ending = name.rpartition(".")
    is_page = "://" in name or (os.sep in name and address_from_word(name.partition(os.sep)[0]))
    if not stem or "@" in name or is_page or not name.isprintable():
        return False
    if re.search(rf"\b{_MADE}{_BEFORE}{re.escape(name)}", own, re.IGNORECASE):
        return False
    if ending.lower() in ENDINGS - _TEXTS or name.startswith(("./", "../", "~/")):
        return True
    is_read = rf"\b{_READ}{_BEFORE}{re.escape(name)}|{re.escape(name)}\W+says?\b"
    return bool(ending.lower() in _TEXTS and re.search(is_read, own, re.IGNORECASE)) or _is_slip(name)


def _is_slip(name: str) -> bool:
    """Return whether *name*, which isn't an address, is similar to an existing file."""
    from difflib import SequenceMatcher  # few words have an ending

    near = names_near(os.path.expanduser(name)) if not address_from_word(name) or may_be_file(name) else []
    return any(SequenceMatcher(None, each, os.path.expanduser(name)).ratio() >= _NEAR for each in near)
