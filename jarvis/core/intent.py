"""The user's intent: one reading of their words, frozen from then on.

A reading is one line, `open site MIT; picture`. The model writes it before it sees anything foreign. Python
parses it and checks every later step against it. Each action's file lists the parts that let it act.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .errors import Unusable
from .text import fold_case, one_line
from .urls import address_from_word, host_of, typed_addresses

ROLES = ("browser", "mail", "files", "terminal", "editor", "settings", "calculator")
SHORT_NAME = 3  # words at most of a name that stands alone: what is longer is more often a sentence
MOST_LINES = 6  # that `open lines` opens, and pages that `open found` does

_LONGEST_NAME = 80  # characters of a name
_MOST = 20  # things that one reading asks for
_AROUND = " \t\n.\"'`“”‘’«»"


class Form:
    """The forms of a part.

    A word in capitals at the end is a place for the user's own name for something. uN is the Nth address in
    their words.
    """

    TYPED, LINE, LINES = "open uN", "open line N", "open lines"
    FILE = "open fN"  # the Nth file or folder in their words; of a plain command alone
    SITE, FOUND = "open site NAME", "open found N"
    START, PICTURE, PART = "start NAME", "picture", "picture of window"
    SCREEN, WINDOW, CLIPBOARD = "look at screen", "look at window", "look at clipboard"
    NOTHING = "nothing"


class Part(NamedTuple):
    """One thing that the user wants done."""

    form: str
    value: str = ""  # what stands for the word in capitals: a name in the person's own spelling, a number
    unsure: bool = False

    @property
    def number(self) -> int:
        """The number in it, or 1."""
        return int(self.value) if self.value.isdecimal() else 1

    @property
    def is_name(self) -> bool:
        """Whether it names what may be a site, or an app."""
        return self.form in (Form.SITE, Form.START)

    @property
    def canonical(self) -> str:
        """The part as it is written: `open site MIT`, with a question mark where it is unsure."""
        head, _ = _split(self.form)
        return f"{head}{self.value}{'?' if self.unsure else ''}"

    @property
    def most(self) -> int:
        """How many steps it takes at most."""
        return {Form.LINES: MOST_LINES, Form.FOUND: self.number}.get(self.form, 1)


class Intent(NamedTuple):
    """Everything that the user wants done. Without parts, nothing may be done."""

    parts: tuple[Part, ...] = ()
    is_command: bool = False  # whether the words are nothing but a command for its parts

    @property
    def canonical_parts(self) -> tuple[str, ...]:
        return tuple(part.canonical for part in self.parts)

    def part(self, n: int) -> Part:
        """Return its *n*-th part, counted from 1."""
        return self.parts[n - 1]

    def with_part(self, n: int, part: Part) -> Intent:
        """Return it with *part* as its *n*-th."""
        return self._replace(parts=(*self.parts[: n - 1], part, *self.parts[n:]))

    @property
    def targets(self) -> int:
        """The number of things to do. A whole list counts as one."""
        return sum(part.number if part.form == Form.FOUND else 1 for part in self.parts)

    @property
    def more(self) -> int:
        """How many steps, calls and tries more it takes: two for each thing beyond the first."""
        return 2 * max(0, self.targets - 1)

    @property
    def sites(self) -> tuple[str, ...]:
        """The names whose own sites the user wants opened."""
        return tuple(part.value for part in self.parts if part.form == Form.SITE)


def parsed(wants: str, forms: Iterable[str], words: str, before: Sequence[str] = ()) -> Intent:
    """Return the intent that *wants* says. Raises Unusable.

    forms: those that the actions know. words: the person's own, now. before: those of earlier turns that
    the reading was made from. A name must stand in one of them, or its part is unsure.
    """
    texts = [one_line(part, _LONGEST_NAME + 40).strip(_AROUND) for part in wants.split(";")]
    texts = [part for part in texts if part]
    if not texts:
        raise Unusable("`wants` is empty; where nothing is asked for it says `nothing`")
    if len(texts) == 1 and texts[0].casefold() in (Form.NOTHING, "none", "null"):
        return Intent()
    addresses = typed_addresses(words)
    ordered = sorted(forms, key=len, reverse=True)
    # No more than so many: each is looked up, and lengthens the turn.
    found = [_checked(_part(part, ordered, words), addresses, words, before) for part in texts[: _MOST + 1]]
    once = {(part.form, fold_case(part.value)): part for part in reversed(found)}
    intent = Intent(tuple(reversed(once.values())))
    if len(texts) > _MOST or intent.targets > _MOST:
        raise Unusable(f"`wants` asks for more than {_MOST} things")
    return intent


def by_ids(parts: Iterable[str], typed: Sequence[str]) -> tuple[str, ...]:
    """Return parts as programs read them: an address under its id in the thread, not its number in the words.

    typed: the ids of the addresses in the words, in their order.
    """
    ids = {f"open u{n}{sure}": f"open {id_}{sure}" for n, id_ in enumerate(typed, 1) for sure in ("", "?")}
    return tuple(ids.get(part, part) for part in parts)


def by_numbers(canonical: Iterable[str], typed: Sequence[str]) -> tuple[str, ...]:
    """Return parts as a reading has them, from those that `by_ids` returned."""
    numbers = {f"open {id_}": f"open u{n}" for n, id_ in enumerate(typed, 1)}
    parts = ((part.rstrip("?"), part) for part in canonical)
    return tuple(part.replace(bare, numbers.get(bare, bare)) for bare, part in parts)


def _part(text: str, forms: Sequence[str], words: str) -> Part:
    unsure = text.endswith("?")
    text = text.rstrip("? ")
    lower = text.casefold()
    for form in forms:
        head, slot = _split(form)
        value = text[len(head) :].strip(_AROUND) if slot and lower.startswith(head) else ""
        if not slot and lower == form:
            return Part(form, unsure=unsure)
        if value and (slot != "N" or (value.isascii() and value.isdecimal() and 0 < int(value[:4]) < 1000)):
            return Part(form, str(int(value)) if slot == "N" else value[:_LONGEST_NAME], unsure)
    name = text[len(_OPEN) :].strip(_AROUND) if lower.startswith(_OPEN) and Form.SITE in forms else ""
    if name and _is_bare(name):
        behind, copy, _ = fold_case(words).partition(fold_case(_OPEN + name))
        is_quoted = bool(copy) and behind.rstrip().endswith(_QUOTES)  # he wrote “open MIT”
        return Part(Form.SITE, name[:_LONGEST_NAME], unsure or is_quoted)  # as weak models say it
    raise Unusable(f"`{text}` is no part that `wants` may have")


_OPEN, _QUOTES = "open ", (*"\"'“„‘«:",)
# What begins no bare name: other forms, and words that point, as in “open it”, “open la calculadora”.
_NO_NAME = frozenset(
    "found line lines site u the a an my it them this that these those all both der die das den ein eine es "
    "alle le la les un une el los las una lo eso esto todo todos".split()
)


def _is_bare(name: str) -> bool:
    """Return whether *name* can only be one: no number, address or other form, nothing that points."""
    words = name.casefold().split()
    is_sentence = len(words) > SHORT_NAME or any(sign in name for sign in "?!,:")
    is_other = name.isdecimal() or address_from_word(name) or words[0].rstrip("-0123456789") in _NO_NAME
    return not (is_sentence or is_other)


def _checked(part: Part, addresses: Sequence[str], words: str, before: Sequence[str]) -> Part:
    """Return *part* in its final form. Raises Unusable for an address that the user did not type."""
    if part.form == Form.TYPED and part.number > len(addresses):
        raise Unusable(f"`{part.canonical}` names an address that does not stand in the words")
    if part.form == Form.SITE and (place := _place_of(part.value, addresses)):
        return part._replace(form=Form.TYPED, value=str(place))
    if part.form == Form.FOUND:
        number, words_folded = min(part.number, MOST_LINES), fold_case(words)
        counts = (str(number), *fold_case(_COUNTS.get(number, "")).split())
        is_counted = any(_stands_in(count, words_folded) for count in counts)
        return part._replace(value=str(number if is_counted else 1))
    name, words_folded = (fold_case(text).strip("?!. ") for text in (part.value, words))
    if part.is_name and name == words_folded and len(words.split()) > SHORT_NAME:
        raise Unusable(f"`{part.canonical}` only repeats the words")
    if part.is_name and part.value.casefold() not in ROLES:
        is_said = any(_is_said(part, fold_case(text)) for text in (words, *before))
        return part._replace(unsure=part.unsure or not is_said)
    return part


def _is_said(part: Part, text: str) -> bool:
    """Return whether *text* contains the name in *part*. For a site, one significant word is enough."""
    name = fold_case(part.value)
    words = [word.partition(".")[0] for word in name.split() if len(word) > 2 and word not in _NO_NAME]
    names = words or [name] if part.form == Form.SITE else [name]
    return any(_stands_in(each, text) for each in names)


# How many pages are to be opened, as it may stand in words: digits besides.
_COUNTS = {
    2: "two both zwei beide deux dos ambos due dois duas twee två 二 两",
    3: "three drei trois tres tre três drie 三",
    4: "four vier quatre cuatro quattro quatro fyra 四",
    5: "five fünf cinq cinco cinque vijf fem 五",
    6: "six sechs seis sei zes sex 六",
}


def _stands_in(name: str, text: str) -> bool:
    """Return whether *name* begins where a word of *text* does. Some scripts put nothing between words."""
    if not any(map(str.isalnum, name)):
        return False
    at = text.find(name)
    while at > 0 and f"{text[at - 1]}{name[0]}".isascii() and text[at - 1].isalnum():
        at = text.find(name, at + 1)
    return at >= 0


def _place_of(name: str, addresses: Sequence[str]) -> int:
    """Return the number of the address in *addresses* that *name* is, or whose host it is, or 0."""
    url = address_from_word(name)
    hosts = [host_of(address) for address in addresses]
    if url in addresses:
        return addresses.index(url) + 1
    is_host = url is not None and url.partition("://")[2].rstrip("/").count("/") == 0
    return hosts.index(host_of(url)) + 1 if url and is_host and host_of(url) in hosts else 0


def _split(form: str) -> tuple[str, str]:
    """Return *form* without the capitals at its end, and those, or ""."""
    head = form.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return head, form[len(head) :]
