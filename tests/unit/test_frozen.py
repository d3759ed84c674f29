"""Immutable records behave as frozen dataclasses do."""

from dataclasses import asdict, field, fields, replace
from typing import Any

import pytest

from acp_tui.frozen import Frozen, made


class Moved(Frozen):
    key: int
    place: str = "end"


class Gone(Frozen):
    key: int


class Account(Frozen):
    name: str = field(repr=False)
    at: float = field(default=0.0, compare=False)


def test_fields_are_given_by_place_or_name() -> None:
    assert Moved(1) == Moved(key=1, place="end") != Moved(1, "start")
    assert (Moved(1).key, Moved(1).place) == (1, "end")
    assert repr(Moved(1)) == "Moved(key=1, place='end')"


def test_a_field_may_be_hidden_or_not_compared() -> None:
    assert repr(Account("me", 1.0)) == "Account(at=1.0)"
    assert Account("me", 1.0) == Account("me", 2.0) != Account("you", 1.0)
    assert hash(Account("me", 1.0)) == hash(Account("me", 2.0))


def test_another_class_is_never_equal() -> None:
    other: object = Moved(1)
    assert Gone(1) != other
    assert len({Gone(1), Gone(1), Moved(1)}) == 2


def test_nothing_can_be_changed() -> None:
    with pytest.raises(AttributeError):
        Moved(1).__setattr__("key", 2)
    with pytest.raises(AttributeError):
        Moved(1).__delattr__("key")


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, "a", 3), {}), ((1,), {"key": 2}), ((1,), {"other": 2})])
def test_wrong_fields_are_refused(values: tuple[object, ...], named: dict[str, object]) -> None:
    make: Any = Moved
    with pytest.raises(TypeError):
        make(*values, **named)


def test_it_is_matched_by_place() -> None:
    match Moved(1, "start"):
        case Moved(key, place):
            assert (key, place) == (1, "start")


class Longer(Moved):
    more: tuple[str, ...] = field(default_factory=tuple)


def test_a_class_below_another_one_has_its_fields_too() -> None:
    assert Longer(1, more=("a",)) == replace(Longer(1), more=("a",))
    assert asdict(Longer(1)) == {"key": 1, "place": "end", "more": ()}
    match Longer(2, "start"):
        case Longer(key, place, more):
            assert (key, place, more) == (2, "start", ())


def test_its_fields_are_known_before_there_is_an_object() -> None:
    class Coming(Moved):
        when: float = 0.0

    assert [each.name for each in fields(made(Coming))] == ["key", "place", "when"]
