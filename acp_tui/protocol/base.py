"""Models of the protocol: names on the wire, unknown members, `_meta`, open unions, and reading JSON data as one.

A good message costs one validation. A bad one is pruned along the marks of its members (`ToleranceMark`) and validated
again; what is still bad then is the sender's fault. Models that stay share what most of them have alike, which
therefore refuses to change.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, NoReturn, Self, TypeVar, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from acp_tui.protocol.faults import ProtocolFault

T = TypeVar("T")
M = TypeVar("M", bound="Model")

UNKNOWN = "unknown"


class ToleranceMark(Enum):
    """A tolerance for bad values of a member: one `x-deserialize-*` annotation of the schema, by its name there.

    Marks stand beside the members and cost nothing while a message is good: `read` looks at them only after
    validation has failed.
    """

    DEFAULT_ON_ERROR = "x-deserialize-default-on-error"
    SKIP_INVALID_ITEMS = "x-deserialize-skip-invalid-items"
    DEFAULT_ON_NULL = "x-deserialize-default-on-null"


Lenient = Annotated[T, ToleranceMark.DEFAULT_ON_ERROR]
"""A bad value reads as if the member had been omitted."""

LenientItems = Annotated[T, ToleranceMark.DEFAULT_ON_ERROR, ToleranceMark.SKIP_INVALID_ITEMS]
"""Bad items of the array are left out; what is no array at all reads as omitted (or empty, if required)."""

SkipInvalid = Annotated[T, ToleranceMark.SKIP_INVALID_ITEMS]
"""Bad items of the array are left out; what is no array at all is an error."""

NullAsEmpty = Annotated[T, ToleranceMark.DEFAULT_ON_NULL]
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


class OpenMember(Model):
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


class UnknownMember(Model):
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


def read(model: type[M], data: Any) -> M:
    """Read `data` (plain JSON data, not changed) as `model`; a ProtocolFault says where and why it is bad."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        bad = error
    try:
        salvaged = model.model_validate(_pruned_model(model, data))
    except ValidationError as error:
        raise ProtocolFault(f"The agent sent an invalid {model.__name__}", *_where_and_why(error, data)) from None
    if _salvages is not None:
        _salvages.append(": ".join(_where_and_why(bad, data)))
    return salvaged


def read_if_told(model: type[M], result: Any) -> M:
    """An answer that may say nothing, which is `null`."""
    return read(model, {} if result is None else result)


def renamed(data: Any, name: str, *sources: str) -> Any:
    """An object whose member `name` has the value of the first of `sources` that is there; the others are left out."""
    source = next((each for each in sources if isinstance(data, dict) and each in data), name)
    if source == name:
        return data
    return {name: data[source], **{key: value for key, value in data.items() if key not in (name, *sources)}}


_salvages: list[str] | None = None


@contextmanager
def noting_salvages() -> Iterator[list[str]]:
    """Gather where and why `read` had to leave something out, for who looks at messages one by one."""
    global _salvages  # noqa: PLW0603 - `read` is called from everywhere, and costs nothing more while nobody looks
    found: list[str] = []
    before, _salvages = _salvages, found
    try:
        yield found
    finally:
        _salvages = before


def _where_and_why(error: ValidationError, data: Any) -> tuple[str, str]:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return spelled(first["loc"], data), first["msg"].removeprefix("Value error, ")


def spelled(location: Iterable[int | str], data: Any) -> str:
    """A validator's location as a path into `data`, like `content[2].text`, without the names of union members."""
    parts, path, tag_passed = list(location), "", False
    for number, part in enumerate(parts):
        if isinstance(part, int):
            path += f"[{part}]"
            data = data[part] if isinstance(data, list) and part < len(data) else None
        elif isinstance(data, dict) and data.get("type") == part and not tag_passed:
            tag_passed = True
            continue
        elif not isinstance(data, dict) or (part not in data and number < len(parts) - 1):
            continue
        else:
            path += f".{part}" if path else part
            data = data.get(part)
        tag_passed = False
    return path


def _pruned(annotation: Any, data: Any) -> Any:
    """`data` without what may be left out, if it is (or holds) a model's object; else `data` itself."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _pruned(arguments[0], data)
    if origin in (Union, UnionType):
        return _pruned_union(arguments, data)
    if origin is list and isinstance(data, list):
        return [_pruned(arguments[0], item) for item in data]
    if origin is dict and isinstance(data, dict):
        return {key: _pruned(arguments[1], value) for key, value in data.items()}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _pruned_model(annotation, data)
    return data


def _pruned_union(members: tuple[Any, ...], data: Any) -> Any:
    for member in members:
        candidate = _pruned(member, data)
        if _accepts(_adapter(member), candidate):
            return candidate
    return data


def _pruned_model(model: type[BaseModel], data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    pruned = dict(data)
    for name, field in model.model_fields.items():
        for key in {field.alias or name, name} & pruned.keys():
            _prune_member(pruned, key, model, name, field)
    return pruned


def _prune_member(pruned: dict[str, Any], key: str, model: type[BaseModel], name: str, field: FieldInfo) -> None:
    if ToleranceMark.SKIP_INVALID_ITEMS in field.metadata and isinstance(pruned[key], list):
        item = _item(field.annotation)
        candidates = [_pruned(item, each) for each in pruned[key]]
        pruned[key] = [each for each in candidates if _accepts(_adapter(item), each)]
    else:
        pruned[key] = _pruned(field.annotation, pruned[key])
    missing = pruned[key] is None and ToleranceMark.DEFAULT_ON_NULL in field.metadata
    bad = ToleranceMark.DEFAULT_ON_ERROR in field.metadata and not _accepts(_member_adapter(model, name), pruned[key])
    if (missing or bad) and field.is_required():
        pruned[key] = []  # the only required members with a default are arrays
    elif missing or bad:
        del pruned[key]


def _item(annotation: Any) -> Any:
    """The type of an array's items, be the array optional or not."""
    arrays = [annotation, *get_args(annotation)]
    return next(get_args(each)[0] for each in arrays if get_origin(each) is list)


def _accepts(adapter: TypeAdapter[Any], data: Any) -> bool:
    try:
        adapter.validate_python(data)
    except ValidationError:
        return False
    return True


@cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


@cache
def _member_adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    field = model.model_fields[name]
    annotation: Any = Annotated[(field.annotation, *field.metadata)]
    return TypeAdapter(annotation)


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
