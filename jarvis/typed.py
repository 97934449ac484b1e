"""What annotations are written in, without the 3 ms that importing `typing` costs a plain command.

To type checkers these are those of `typing`. At run time they are as good as nothing, but for NamedTuple:
by the one of `typing`, each class costs 0.2 ms, as it compiles the types of the fields and a constructor,
and the modules of a plain command have fifty of them, as much as half a bare start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, ClassVar, NamedTuple, NoReturn, Protocol, TypeVar
else:
    from _collections import _tuplegetter

    IO = Any = ClassVar = NoReturn = None
    Protocol, TypeVar = object, str

    class NamedTuple(tuple):
        """An immutable record, whose fields are the annotations of its class, in their order."""

        _fields = ()

        def __init_subclass__(cls):
            if NamedTuple in cls.__bases__:
                cls._fields = cls.__match_args__ = tuple(cls.__annotations__)
                cls._field_defaults = {n: vars(cls)[n] for n in cls._fields if n in vars(cls)}
                for place, name in enumerate(cls._fields):
                    setattr(cls, name, _tuplegetter(place, name))

        def __new__(cls, *values, **named):
            """Raises TypeError for a field that is missing, unknown or given twice."""
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


__all__ = ["IO", "TYPE_CHECKING", "Any", "ClassVar", "NamedTuple", "NoReturn", "Protocol", "TypeVar"]
