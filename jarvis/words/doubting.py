"""Do the words ask what to make of a text? Then the orders in that text are somebody else's."""

from __future__ import annotations

import re

_SCAM = (
    r"(?:scams?|scammers?|scammy|spam|phish\w*|legit\w*|fake|fraud\w*|hoax|malware|suspicious|trustworthy|"
    r"(?:should|can|do|would) (?:i|we|you) trust|real or (?:fake|not)|"
    r"(?:it's|it is|is (?:it|that)) (?:real|safe))"
)
_MESSAGE = r"(?:text|message|mail|e-?mail|sms|letter|pop-?up|dm|voicemail)"
_DOUBTS = re.compile(
    rf"(?i)\b{_SCAM}\b"
    rf"|\b(?:this|that) {_MESSAGE}\b|\b(?:an?|this|the|another) {_MESSAGE}(?: \w+)?\W*\Z"
    r"|\A(?:is|does|did|can|should|what does|what is|what's|explain|check) this\b"
    r"|\A(?:who sent|why did i get)\b"
)
# To look for such a thing is to doubt nothing: “find the article on scams”.
_SEEKS = re.compile(r"(?i)(?:find|search|look|google|get|locate)\b")
# To have one to write or read says what for: “open thunderbird, i need to send an email”.
_WRITES = re.compile(r"(?i)(?:write|send|type|read)(?: \w+)? (?:an?|another) [\w-]+\W*\Z")


def is_doubted(thing: str) -> bool:
    """Whether *thing*, which is no order to open, asks what to make of a text."""
    return bool(_DOUBTS.search(thing)) and not _SEEKS.match(thing) and not _WRITES.match(thing)
