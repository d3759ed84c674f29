"""Models that stay, made smaller: they share what most of them have alike, which therefore refuses to change."""

from typing import Any, NoReturn

from acp_tui.protocol.base import M, Model


def _refuse(_self: object, *_args: object, **_named: object) -> NoReturn:
    raise TypeError("slim models share this: change a model_copy, which has its own")


class _Names(set[str]):
    """Names that were given. No frozenset, for pydantic reads from a set; copies and pickles are plain sets."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[set[str]], tuple[list[str]]]:
        return set, (list(self),)


class _NoMembers(dict[str, Any]):
    """Unknown members, of which there are none; copies and pickles are plain dictionaries."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[()]]:
        return dict, ()


_UPDATES = ("update", "intersection_update", "difference_update", "symmetric_difference_update")
for _change in ("add", "clear", "discard", "pop", "remove", "__iand__", "__ior__", "__isub__", "__ixor__", *_UPDATES):
    setattr(_Names, _change, _refuse)
for _change in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(_NoMembers, _change, _refuse)

_GIVEN: dict[frozenset[str], _Names] = {}
_NO_EXTRA = _NoMembers()


def slim(model: M) -> M:
    """The same object, made smaller, since it stays; to set a member of it is a `TypeError` from now on.

    Each model has a set of the names that were given and a dictionary of unknown members: 280 of 440 bytes of a text
    block. Models that were given the same share them; `model_copy` makes its own. Those with unknown members keep
    theirs, so that an agent cannot make the table of shared ones grow.
    """
    for value in vars(model).values():
        if isinstance(value, Model):
            slim(value)
    if not model.model_extra:
        given = frozenset(model.model_fields_set)
        names = _GIVEN.get(given)
        if names is None:
            names = _GIVEN[given] = _Names(given)
        object.__setattr__(model, "__pydantic_fields_set__", names)
        object.__setattr__(model, "__pydantic_extra__", _NO_EXTRA)
    return model
