"""What a query may be in another form: words encoded so that they can be carried away unseen."""

from __future__ import annotations

import binascii
import re

_NUMBERS = {
    word: str(n)
    for n, words in enumerate(
        "zero oh null|one|two|three|four|five|six|seven|eight|nine".split("|"),
    )
    for word in words.split()
}
_ESCAPED = re.compile(r"%([0-9a-fA-F]{2})")
_WORD = re.compile(r"[\w+/=-]{8,}")


def disguises(query: str) -> list[str]:
    """*query* as it reads backwards, and with what is encoded in it decoded."""
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), query)
    spelled = re.sub(r"[A-Za-z]+", lambda match: _NUMBERS.get(match[0].casefold(), match[0]), query)
    decoded = [text for word in _WORD.findall(plain) for text in _decoded(word)]
    joined = re.sub(r"(?i)\b(?:at|dot)\b", "", query)
    return [query[::-1], plain, spelled, joined, _rotated(query), *decoded]


def _decoded(word: str) -> list[str]:
    """*word* as text, where it is hexadecimal, base32 or base64; most words are none of these."""
    found = []
    for decode in (binascii.unhexlify, _base64, _base32):
        try:
            text = decode(word).decode("ascii")
        except (ValueError, binascii.Error):
            continue
        if len(text) > 4 and text.isprintable():
            found.append(text)
    return found


def _base64(word: str) -> bytes:
    bare = word.replace("-", "+").replace("_", "/").rstrip("=")
    return binascii.a2b_base64(bare + "=" * (-len(bare) % 4))


def _base32(word: str) -> bytes:
    import base64

    bare = word.upper().rstrip("=")
    return base64.b32decode(bare + "=" * (-len(bare) % 8))


def _rotated(text: str) -> str:
    """*text* with every letter thirteen further on."""
    import codecs

    return codecs.encode(text, "rot13")
