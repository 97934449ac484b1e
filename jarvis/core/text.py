"""Makes foreign text safe: to print on a terminal, to store, to show to the model."""

import re
import unicodedata
from _blake2 import blake2b  # hashlib would load OpenSSL, which costs twice as much as all else here
from collections.abc import Iterable, Sequence
from itertools import accumulate

from .errors import UsageError
from .urls import refuse_longer

LONGEST_TITLE = 80  # characters of a thread's
# They greet, and give a conversation no title where it says no more.
_GREETINGS = frozenset(
    "hi hello hey howdy yo hiya greetings there jarvis good morning afternoon evening day thanks thank you "
    "how are ok okay test ping hallo moin servus guten tag morgen abend hola buenos dias bonjour salut ciao "
    "buongiorno olá namaste".split()
)
LONGEST_WORDS = 20_000  # characters of one request
_MAY_BE_LONGER = 2_000  # and so many may be an address too long to open, as it is kept
LONGEST_PIPED = 500_000  # characters of what is piped in beside it: what a model takes, and a line
MARK = "\ufffd"  # stands for what could not be read
HINT = "  hint: "  # what a line with a hint begins with
_SHORTEST_KEY = 12  # shorter ones may be words of the answer
_BEGINNING = "AIza"  # of some keys, which are known by it whether they are set or not

# These are compiled when they are first needed, which `re` remembers: a plain command needs none.
# Whole escape sequences go, so that no "[31m" litter stays: CSI, OSC and other strings, two-byte.
# One that is never ended takes no other line away, nor what comes after the next escape. So a string matches
# wherever it begins: to look through each in vain would take the square of their number.
_SEQUENCE = (
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)
_OURS = r"(\x1b\[[0-9;]*m|\x1b\]8;;(?:https?://[!-~]+)?\x1b\\)"  # colors, and links as `linked` makes them
_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Joiners are spelling in Persian and other scripts of its kind and in those of India, and hold families of
# emoji together. Anywhere else they would only hide in a word.
_JOINERS = "\u200c\u200d"
_JOINED = "[\u0620-\u065f\u066e-\u06ef\u06fa-\u07ff\u0840-\u0dff\u1780-\u17d3\u1820-\u18af]"
# These are written without spaces, and some keyboards put U+200B between words.
_UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
_TURNING = "\u202d\u202e"  # what follows is shown backwards, or not
_PICTURE = "[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]"
_KEY_IN_URL = r"(?i)(?<![a-z])((?:api_)?key=)[^&\s'\"]+"


def clean(text: str, *, piece: bool = False, tabs: bool = False) -> str:
    """Return *text* without escape sequences, control, bidi and unassigned characters.

    New lines stay, tabs become spaces, joiners stay where they are spelling. piece: *text* is a piece of a
    text that was cleaned as a whole, so joiners stay: what they join may be in another piece.
    tabs: they stay as well, as code needs them.
    """
    if text.replace("\n", "").isprintable():  # nothing that goes is, in any script
        return text
    text = re.sub(_SEQUENCE, "", _spaced(text, tabs=tabs))
    kept = (_JOINERS if piece else "") + ("\t" if tabs else "")
    return "".join(c for at, c in enumerate(text) if _stays(text, at) or c in kept)


def printable(text: str) -> str:
    """Return *text* for a terminal: keeps colors and tabs, drops all other control sequences.

    This is the last line of defense. By then, foreign text is clean and has no colors.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    pieces = re.split(_OURS, text)
    pieces[::2] = [clean(foreign, piece=True, tabs=True) for foreign in pieces[::2]]
    return "".join(pieces)


def _spaced(text: str, *, tabs: bool = False) -> str:
    text = re.sub("\r\n|[\v\f\x85\u2028\u2029]", "\n", text)  # these end lines as well
    return text if tabs else text.replace("\t", " ")


def _stays(text: str, at: int) -> bool:
    """Return whether clean() keeps the character at *at*, no matter what it is a piece of."""
    character = text[at]
    if character.isascii():
        return character == "\n" or character.isprintable()
    if unicodedata.category(character) not in _UNSAFE:
        return True
    return character in _JOINERS and _joins(text, at)


def _joins(text: str, at: int) -> bool:
    """Return whether the joiner at *at* is between two letters or two emoji that need it."""
    before, joiner, after = text[at - 1 : at], text[at], text[at + 1 : at + 2]
    letters = re.match(_JOINED, before) and re.match(_JOINED, after)
    pictures = joiner == "\u200d" and re.match(_PICTURE, before) and re.match(_PICTURE, after)
    return bool(letters or pictures)


def one_line(text: str, limit: int = 0) -> str:
    """Return *text* cleaned, on one line, cut to *limit* characters (0: not cut)."""
    # So many words are longer than the limit already.
    words = clean(text).split(None, limit + 1)[: limit + 1] if limit else clean(text).split()
    line = " ".join(words)
    if limit and len(line) > limit:
        return line[: limit - 1].rstrip() + "…"
    return line


def fold_case(text: str) -> str:
    """Return *text* without case and accents, on one line."""
    if text.isascii():
        return " ".join(text.lower().split())
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


def words_of(text: str) -> list[str]:
    """Return the words in *text*, without case and accents."""
    return re.findall(r"\w+", fold_case(text))


def has_word(text: str, word: str) -> bool:
    """Return whether *text* contains *word* as a whole word. Scripts without spaces may contain it
    anywhere.
    """
    if word not in text or not word.isascii():
        return word in text
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def truncate(text: str, columns: int) -> str:
    """Cut *text* (one line) to *columns* of a terminal. `…` marks the cut."""
    if cells_in(text) <= columns:
        return text
    widths = accumulate(map(cells, text))
    kept = sum(width < columns for width in widths)  # one column is the sign's
    return text[:kept].rstrip(f" {_JOINERS}") + "…" if columns > 0 else ""


def cells_in(text: str) -> int:
    """Return the number of terminal columns of *text* (one line without colors)."""
    return len(text) if text.isascii() else sum(map(cells, text))


def cells(character: str) -> int:
    """Return how many columns of a terminal *character* takes."""
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def side_by_side(pieces: Iterable[str], room: int, between: str = " · ") -> list[str]:
    """Put *pieces* next to each other in as few lines as *room* allows."""
    lines: list[str] = []
    for piece in pieces:
        longer = f"{lines[-1]}{between}{piece}" if lines else ""
        if longer and cells_in(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(piece)
    return lines


def pluralize(count: int, plural: str) -> str:
    """Return *count* and the word for what is counted: 1 turn, 2 turns."""
    one = plural.removesuffix("es") if plural.endswith(("sses", "ches")) else plural.removesuffix("s")
    one = f"{plural[:-3]}y" if plural.endswith("ies") else one
    return f"{count} {one if count == 1 else plural}"


def redact(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return *text* about a foreign failure without *secrets* and without any key in a URL."""
    text = without(text, secrets)
    return re.sub(_KEY_IN_URL, r"\1[key]", text) if "=" in text else text


def without(text: str, secrets: tuple[str, ...]) -> str:
    """Return *text* with every one of *secrets* struck out, but those too short to be a key."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_KEY:
            text = text.replace(secret, "[key]")
    return text


def refuse_keys(text: str, keys: Iterable[str] = ()) -> None:
    """Raise UsageError if *text* contains one of *keys*, or a typical key. The error shows none."""
    has_key = _BEGINNING in text and re.search(rf"(?<![\w-]){_BEGINNING}[\w-]{{35}}(?![\w-])", text, re.ASCII)
    if has_key or any(len(key) >= _SHORTEST_KEY and key in text for key in keys):
        raise UsageError(
            "Your request contains an API key. Jarvis neither sent nor saved it.",
            hint="Remove this line from your shell's history. To store a key: jarvis keys set",
        )


def words_in(words: str) -> str:
    """Return the user's *words*, cleaned.

    Raises UsageError for none or too many, BadTarget for an address that is too long.
    """
    words = clean(as_typed(_readable(words))).strip()
    refuse_keys(words)
    if not words:
        hint = 'jarvis "find the MIT website and open it", or for a chat: jarvis chat'
        raise UsageError("There are no words to act on.", hint=hint)
    if len(words) > LONGEST_WORDS:
        raise UsageError(
            f"Your request has {len(words):,} characters. The limit is {LONGEST_WORDS:,}.",
            hint="Use fewer words, and pipe in the text: … | jarvis 'sum this up:'",
        )
    if len(words) > _MAY_BE_LONGER:
        refuse_longer(words)
    return words


def piped_in(text: str) -> str:
    """Return piped text, cleaned. Raises UsageError for none. The caller cuts it."""
    text = clean(_readable(text), tabs=True).strip()
    refuse_keys(text)
    if not text:
        raise UsageError("Nothing was piped in.", hint="Pipe in a text: … | jarvis … -")
    return text


def _readable(words: str) -> str:
    """Return *words* with each line on one of its own, and a mark for bytes that come in as surrogates.

    clean() would drop these, and other signs that end a line: what is left of a host may be another one.
    """
    if not words.isascii():
        lone = "".join(MARK if "\ud800" <= c < "\udc80" or "\udcff" < c <= "\udfff" else c for c in words)
        words = lone.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "\n".join(words.splitlines())


def as_typed(words: str) -> str:
    """Return *words* with a mark for what clean() would drop out of a word, or would make read backwards.

    Without the mark it would be another word.
    """
    if words.isascii() and words.isprintable():
        return words
    text = re.sub(f"(?<={_UNSPACED})\u200b(?={_UNSPACED})", "", re.sub(_SEQUENCE, "\x1b", _spaced(words)))
    left = "".join(c if _stays(text, at) else MARK if c in _TURNING else "\0" for at, c in enumerate(text))
    return re.sub(r"(?<=[^\s\0])\0+(?=[^\s\0])", MARK, left).replace("\0", "")


def first_title(words: str) -> str:
    """Return the title of a thread that begins with *words*, the person's own.

    They have none where they greet and say no more, as “hi there, Jarvis!” does.
    """
    is_greeting = all(word.strip(",.!?") in _GREETINGS for word in words.casefold().split())
    return "" if is_greeting else one_line(words, LONGEST_TITLE)


def distinct_title(title: str, key: str, titles: Sequence[str]) -> str:
    """Return the *title* of an app, with its *key* if others of *titles* are the same."""
    return title if titles.count(title) == 1 else f"{title} ({key})"


def digest(text: str) -> str:
    """Return 64 bits that tell *text* from any other."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
