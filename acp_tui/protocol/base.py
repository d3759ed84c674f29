"""What every model of the vocabulary shares: names on the wire, unknown members, `_meta`, open unions, tolerance."""

from collections.abc import Callable, Collection
from enum import Enum
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel

T = TypeVar("T")
M = TypeVar("M", bound="Model")

UNKNOWN = "unknown"


class Mark(Enum):
    """How a member's bad values are tolerated: one `x-deserialize-*` annotation of the schema, by its name there.

    Marks stand beside the members and cost nothing while a message is good: `reading` looks at them only after
    validation has failed.
    """

    DEFAULT_ON_ERROR = "x-deserialize-default-on-error"
    SKIP_INVALID_ITEMS = "x-deserialize-skip-invalid-items"
    DEFAULT_ON_NULL = "x-deserialize-default-on-null"


Lenient = Annotated[T, Mark.DEFAULT_ON_ERROR]
"""A bad value reads as if the member had been omitted."""

LenientItems = Annotated[T, Mark.DEFAULT_ON_ERROR, Mark.SKIP_INVALID_ITEMS]
"""Bad items of the array are left out; what is no array at all reads as omitted (or empty, if required)."""

SkipInvalid = Annotated[T, Mark.SKIP_INVALID_ITEMS]
"""Bad items of the array are left out; what is no array at all is an error."""

NullAsEmpty = Annotated[T, Mark.DEFAULT_ON_NULL]
"""`null` reads as empty."""


class Model(BaseModel):
    """A JSON object of the protocol.

    Members are camelCase on the wire and snake_case here. Unknown members are kept. A member that was
    omitted, one that was `null` and one with a value are distinguished by `model_fields_set`.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", defer_build=True, allow_inf_nan=False
    )

    meta: Lenient[dict[str, Any] | None] = Field(default=None, alias="_meta")

    def has(self, name: str) -> bool:
        """Whether the member `name` (snake_case) was given at all, be it `null`."""
        return name in self.model_fields_set


class Open(Model):
    """A member of an open union that is read alike whatever its type is, which `open_by` names.

    Of a type that is none of `known` a member may be anything: one that does not fit is kept as it came and reads
    as omitted.
    """

    open_by: ClassVar[str] = "type"
    known: ClassVar[Collection[str]] = ()

    @model_validator(mode="wrap")
    @classmethod
    def _newer_ones_have_no_rules(cls, data: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return read(data)
        except ValidationError as error:
            kind = data.get(cls.open_by) if isinstance(data, dict) else None
            if not isinstance(kind, str) or kind in cls.known:
                raise
            odd = {each["loc"][0] for each in error.errors(include_url=False, include_context=False) if each["loc"]}
        newer = read({name: value for name, value in data.items() if name not in odd})
        newer.__pydantic_extra__ = {**(newer.model_extra or {}), **{name: data[name] for name in odd & data.keys()}}
        return newer


class Unknown(Model):
    """A member of an open union whose type this program does not know; `raw` is all of it, as it came."""

    type: str
    raw: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _keep_all(cls, data: Any) -> Any:
        if not isinstance(data, dict) or (data.keys() == {"type", "raw"} and isinstance(data["raw"], dict)):
            return data
        return {"type": data.get("type"), "raw": data}

    @model_serializer
    def _as_it_came(self) -> dict[str, Any]:
        return self.raw


def by(member: str, *known: str) -> Discriminator:
    """Tell an open union's members apart by `member` (camelCase); what is not `known` has the tag UNKNOWN."""
    names = frozenset(known)

    def tag(value: Any) -> str:
        name = value.get(member) if isinstance(value, dict) else getattr(value, member, None)
        return name if isinstance(name, str) and name in names else UNKNOWN

    return Discriminator(tag)


def _typed(*types: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if isinstance(value, bool) and bool not in types:
            raise ValueError("a boolean is not a number")
        if isinstance(value, float) and float not in types and value.is_integer():
            return int(value)
        if not isinstance(value, types):
            raise ValueError(f"must be {' or '.join(each.__name__ for each in types)}")
        return value

    return check


# JSON's types taken at their word: "5" is no number and 1 is no boolean, but 5.0 is an integer.
Integer = Annotated[int, BeforeValidator(_typed(int))]
Number = Annotated[float, BeforeValidator(_typed(int, float))]
Boolean = Annotated[bool, BeforeValidator(_typed(bool))]
Count = Annotated[Integer, Field(ge=0)]
