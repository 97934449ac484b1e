"""Stands in for parts of the standard library that are slow to import, for plain commands.

For type checkers these are the library's own. `typing` takes 3 ms to import, and each class of its NamedTuple
0.2 ms, since it compiles the types of the fields and a constructor; a plain command's modules have fifty of
them. JSON is read and written by the C functions that `json` is made of; signals are plain numbers; `re` is
imported when an expression is first needed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    import signal
    from json import dumps, loads
    from typing import IO, Any, ClassVar, NamedTuple, NoReturn, Protocol, TypeVar
else:
    from _collections import _tuplegetter

    IO = Any = ClassVar = NoReturn = None
    Protocol, TypeVar = object, str

    class NamedTuple(tuple):
        """An immutable record. Its fields are the annotations of its class, in their order."""

        _fields = ()

        def __init_subclass__(cls):
            if NamedTuple in cls.__bases__:
                cls._fields = cls.__match_args__ = tuple(cls.__annotations__)
                cls._field_defaults = {n: vars(cls)[n] for n in cls._fields if n in vars(cls)}
                for place, name in enumerate(cls._fields):
                    setattr(cls, name, _tuplegetter(place, name))

        def __new__(cls, *values, **named):
            """Raise TypeError for a field that is missing, unknown or given twice."""
            if left := cls._fields[len(values) :]:
                given = {**cls._field_defaults, **named}
                if missing := [name for name in left if name not in given]:
                    raise TypeError(f"{cls.__name__} needs {', '.join(missing)}")
                values += tuple([given[name] for name in left])
            if len(values) > len(cls._fields) or not named.keys() <= set(left):
                raise TypeError(f"{cls.__name__} takes {', '.join(cls._fields)}, each once")
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **named):
            return type(self)(**{**self._asdict(), **named})

        def __repr__(self):
            fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self):
            return tuple(self)

    try:
        import _signal as signal
    except ImportError:  # another Python than CPython
        import signal

    class _Late:
        """Imports a module when something of it is first asked for."""

        def __init__(self, name):
            self._name = name

        def __getattr__(self, name):
            return getattr(__import__(self._name), name)

    re = _Late("re")

    class _Reading:
        """The settings that json's own reader uses."""

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
                from json import loads as tell  # few texts are broken

                return tell(text)
            return value


__all__ = [
    "IO",
    "TYPE_CHECKING",
    "Any",
    "ClassVar",
    "NamedTuple",
    "NoReturn",
    "Protocol",
    "TypeVar",
    "dumps",
    "loads",
    "re",
    "signal",
]
