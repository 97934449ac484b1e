"""Our NamedTuple does what that of `typing` does."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from jarvis.core import stdlib


class Ours(stdlib.NamedTuple):
    """A place."""

    name: str
    n: int = 0
    tags: tuple[str, ...] = ()

    @property
    def shout(self) -> str:
        return self.name.upper()


class Theirs(typing.NamedTuple):
    """A place."""

    name: str
    n: int = 0
    tags: tuple[str, ...] = ()

    @property
    def shout(self) -> str:
        return self.name.upper()


class Derived(Ours):
    pass


@pytest.mark.parametrize(
    "look",
    [
        lambda kind: kind("a"),
        lambda kind: kind("a", tags=("x",)),
        lambda kind: kind(tags=("x",), n=2, name="a"),
        lambda kind: kind("a", 1, ("x",)),
        lambda kind: kind("a").name + str(kind("a", 7).n),
        lambda kind: kind("a").shout,
        lambda kind: kind("a")._asdict(),
        lambda kind: kind("a")._replace(n=3),
        lambda kind: kind._make(["a", 1, ()]),
        lambda kind: (kind._fields, kind._field_defaults, kind.__match_args__, kind.__doc__),
        lambda kind: (kind("a") == ("a", 0, ()), kind("a") == kind("b"), hash(kind("a")) == hash(kind("a"))),
        lambda kind: (sorted([kind("b"), kind("a")]), len(kind("a")), [*kind("a")]),
        lambda kind: repr(kind("it's", 1)).partition("(")[2],
    ],
)
def test_its_records_look_the_same(look):
    assert look(Ours) == look(Theirs)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda kind: kind(),
        lambda kind: kind(n=1),
        lambda kind: kind("a", 1, (), 4),
        lambda kind: kind("a", name="b"),
        lambda kind: kind("a", colour="red"),
        lambda kind: kind("a", 1, (), colour="red"),
    ],
)
@pytest.mark.parametrize("kind", [Ours, Theirs])
def test_a_field_that_is_missing_unknown_or_given_twice_is_told(kind, wrong):
    with pytest.raises(TypeError):
        wrong(kind)


@pytest.mark.parametrize("kind", [Ours, Theirs])
def test_a_record_can_not_be_changed(kind):
    with pytest.raises(AttributeError):
        kind("a").name = "b"
    with pytest.raises((TypeError, ValueError)):
        kind("a")._replace(colour="red")


def test_a_record_is_copied_pickled_and_matched():
    record = Ours("a", 1, ("x",))

    assert copy.deepcopy(record) == copy.copy(record) == pickle.loads(pickle.dumps(record)) == record
    assert type(pickle.loads(pickle.dumps(record))) is Ours
    match record:
        case Ours(name, n=1):
            assert name == "a"
        case _:
            raise AssertionError("not matched")


def test_a_class_made_of_another_has_its_fields():
    assert Derived("a", 1) == ("a", 1, ())
    assert Derived("a").shout == "A"
