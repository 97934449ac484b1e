"""What a plain command needs of `json`, `re` and `signal`, without importing them: that costs two thirds of
a bare start, most of it for enums and for regular expressions which are compiled at import.

To type checkers these are the library's own. At run time JSON is done by the C functions that `json` is made
of; signals have plain numbers; and `re` is imported by whoever first needs an expression.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    import signal
    from json import dumps, loads
else:
    try:
        import _signal as signal
    except ImportError:  # another Python than CPython
        import signal

    class _Late:
        """A module that is imported when something of it is first asked for."""

        def __init__(self, name):
            self._name = name

        def __getattr__(self, name):
            return getattr(__import__(self._name), name)

    re = _Late("re")

    class _Reading:
        """The settings of json's own reader."""

        strict = True
        object_hook = object_pairs_hook = None
        parse_float = parse_constant = float
        parse_int = int

    def _refuse(value):
        raise TypeError(f"{type(value).__name__} is nothing that JSON has.")

    try:
        from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner

        _read = make_scanner(_Reading)
        _ascii, _as_it_is = (
            # On one line, NaN allowed, and without a look for circles.
            make_encoder(None, _refuse, quoted, None, ": ", ", ", False, False, True)
            for quoted in (encode_basestring_ascii, encode_basestring)
        )
    except (ImportError, AttributeError, TypeError):  # a Python that makes its json of other parts
        from json import dumps, loads
    else:

        def dumps(value, *, ensure_ascii=True):
            """As json's."""
            return "".join((_ascii if ensure_ascii else _as_it_is)(value, 0))

        def loads(text):
            """As json's, which is left to tell what is wrong with a broken text."""
            text = text.decode("utf-8", "surrogatepass") if isinstance(text, bytes | bytearray) else text
            bare = text.strip(" \t\n\r")
            try:
                value, end = _read(bare, 0)
            except (StopIteration, SystemError):  # the latter where json's own error was never imported
                end = -1
            if end != len(bare):
                from json import loads as tell

                return tell(text)
            return value


__all__ = ["dumps", "loads", "re", "signal"]
