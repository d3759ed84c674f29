"""How bad values are borne, member by member, as the schema marks it.

The schema's `x-deserialize-*` annotations stand beside the members as marks. They cost nothing while a
message is good: `reading` looks at them only after validation has failed.
"""

from enum import Enum
from typing import Annotated, TypeVar

T = TypeVar("T")


class Mark(Enum):
    """One `x-deserialize-*` annotation; the value is its name in the schema."""

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
