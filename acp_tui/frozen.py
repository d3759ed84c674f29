"""Immutable records whose classes cost nothing to define.

`@dataclass(frozen=True, slots=True)` compiles about a millisecond of code for each class, which a start feels where
there are many. `class Moved(Frozen)` reads and is checked by the type checker in the same way.
"""

from typing import Any, ClassVar, Never, dataclass_transform


@dataclass_transform(frozen_default=True)
class Frozen:
    """Fields are the annotations of a subclass, their defaults are immutable; equal are those of one class."""

    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        type.__setattr__(cls, "__match_args__", tuple(cls.__annotations__))

    def __init__(self, *values: Any, **named: Any) -> None:
        names = self.__match_args__
        if len(values) == len(names) and not named:  # as most are made, one for each chunk of a terminal
            self.__dict__.update(zip(names, values, strict=True))
            return
        given = dict(zip(names, values, strict=False)) | named
        missing = [name for name in names if name not in given and not hasattr(type(self), name)]
        if missing or len(given) != len(values) + len(named) or not given.keys() <= set(names):
            raise TypeError(f"{type(self).__name__} takes {', '.join(names) or 'nothing'}, not {values} and {named}")
        self.__dict__.update(given)

    def __setattr__(self, name: str, value: Any) -> Never:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> Never:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frozen) and type(self) is type(other) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), *self._values()))

    def __repr__(self) -> str:
        fields = zip(self.__match_args__, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in fields)})"

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)
