"""Refuses a few words that are a plain command but for a slip, or only the beginning of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.errors import UsageError
from ..core.types import Options
from ..language.slips import is_unfinished, misspelt_verb, repaired, seeks
from ..launcher.command import is_name, meant_by
from .router import as_words, refuse


def refuse_nearly_plain(
    words: Sequence[str], options: Options, environment: Mapping[str, str], *, has_material: bool
) -> None:
    """Raise UsageError where *words*, up to three, are nearly plain, or only begin to ask for something."""
    for meant in repaired(words):
        if meant_by(" ".join(meant), options, environment):
            refuse(meant, words)
    if verb := misspelt_verb(words[0]):
        meant = (verb, *words[1:])
        if len(words) == 1:
            refuse(meant, words, more=" …")
        if seeks(verb) or is_name(" ".join(meant)):
            refuse(meant, words)
    if is_unfinished(words) and not has_material:
        typed = " ".join(words)
        raise UsageError(f"“{typed}” says too little. Say what: jarvis {typed} …", hint=as_words(words))
