"""Immutable records whose classes cost nothing to define.

`@dataclass(frozen=True)` compiles seven methods for each class (0.34 ms), which a start feels where there are many.
`class Moved(Frozen)` is such a data class, and for the type checker too, but is made one with its first object, and
shares the methods that are the same for all.
"""

from dataclasses import Field, dataclass, field, fields
from threading import RLock
from typing import Any, dataclass_transform

_making = RLock()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """The fields are the annotations of a subclass, as in a data class."""

    def __init_subclass__(cls) -> None:
        type.__setattr__(cls, "__init__", Frozen.__init__)  # and not that of a base which is made already

    def __init__(self, *values: Any, **named: Any) -> None:
        made(type(self)).__init__(self, *values, **named)

    def __eq__(self, other: object) -> bool:
        return _values(self) == _values(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(_values(self))

    def __repr__(self) -> str:
        made_fields: tuple[Field[Any], ...] = fields(self)  # type: ignore[arg-type]  # there is an object: it is one
        shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in made_fields if each.repr)
        return f"{type(self).__qualname__}({shown})"


def _values(record: Any) -> tuple[Any, ...]:
    return tuple(getattr(record, each.name) for each in fields(record) if each.compare)


def made(kind: type[Any]) -> type[Any]:
    """The data class that `kind` is, for who looks at its fields before there is an object."""
    with _making:
        for cls in reversed(kind.__mro__):
            if vars(cls).get("__init__") is Frozen.__init__ and cls is not Frozen:
                type.__delattr__(cls, "__init__")
                dataclass(frozen=True, eq=False, repr=False)(cls)
    return kind
