"""Reads JSON data as models of the protocol, salvaging what the schema says may be bad.

A good message costs one validation. A bad one is pruned along the marks of its members (see `base.Mark`)
and validated again; what is still bad then is the sender's fault.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from acp_tui.protocol.base import Mark, Model
from acp_tui.protocol.faults import ProtocolFault

M = TypeVar("M", bound=Model)


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
    if Mark.SKIP_INVALID_ITEMS in field.metadata and isinstance(pruned[key], list):
        item = _item(field.annotation)
        candidates = [_pruned(item, each) for each in pruned[key]]
        pruned[key] = [each for each in candidates if _accepts(_adapter(item), each)]
    else:
        pruned[key] = _pruned(field.annotation, pruned[key])
    missing = pruned[key] is None and Mark.DEFAULT_ON_NULL in field.metadata
    bad = Mark.DEFAULT_ON_ERROR in field.metadata and not _accepts(_member_adapter(model, name), pruned[key])
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
