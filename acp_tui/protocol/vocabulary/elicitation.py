"""Elicitation: what an agent asks the user by a form or a web address."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Tag, model_validator

from acp_tui.protocol.base import (
    UNKNOWN,
    Boolean,
    Count,
    Integer,
    Lenient,
    LenientItems,
    Model,
    Number,
    UnknownMember,
    by,
    read,
)
from acp_tui.protocol.faults import ProtocolFault

PROPERTY_TYPES = ("string", "number", "integer", "boolean", "array")


class EnumOption(Model):
    """A value with a title."""

    const: str
    title: str
    description: Lenient[str | None] = None


class Property(Model):
    """What every field of a form has; `hint` is of drafts of input options."""

    title: Lenient[str | None] = None
    description: Lenient[str | None] = None
    hint: Lenient[str | None] = None


class StringProperty(Property):
    """Text, or one choice of `enum` or `one_of`; `pattern` is ECMA-262 and not to be trusted, `format` is open."""

    type: Literal["string"] = "string"
    min_length: Count | None = None
    max_length: Count | None = None
    pattern: str | None = None
    format: str | None = None
    default: Lenient[str | None] = None
    enum: list[str] | None = None
    one_of: list[EnumOption] | None = None


class ScalarChoice(StringProperty):
    """One choice of values that are no texts, as drafts of input options have them: `scalars` by their texts.

    It is never read from the wire as such.
    """

    scalars: dict[str, int | float | bool] = {}


class NumberProperty(Property):
    """A number; the limits belong to the range."""

    type: Literal["number"] = "number"
    minimum: Number | None = None
    maximum: Number | None = None
    default: Lenient[Number | None] = None


class IntegerProperty(Property):
    """A whole number; the limits belong to the range."""

    type: Literal["integer"] = "integer"
    minimum: Integer | None = None
    maximum: Integer | None = None
    default: Lenient[Integer | None] = None


class BooleanProperty(Property):
    """Yes or no."""

    type: Literal["boolean"] = "boolean"
    default: Lenient[Boolean | None] = None


class StringItems(Model):
    """Choices that are their own titles."""

    type: Literal["string"] = "string"
    enum: list[str]


class TitledItems(Model):
    """Choices with titles; they have no `type`."""

    any_of: list[EnumOption]


class UnknownItems(UnknownMember):
    """Choices of a kind that this program does not know."""


def _items_tag(value: Any) -> str:
    given = value if isinstance(value, dict) else getattr(value, "__dict__", {})
    kind = given.get("type")
    if isinstance(kind, str) and kind != "string":
        return UNKNOWN
    return "string" if kind == "string" and "enum" in given else "titled"


Items = Annotated[
    Annotated[StringItems, Tag("string")]
    | Annotated[TitledItems, Tag("titled")]
    | Annotated[UnknownItems, Tag(UNKNOWN)],
    Discriminator(_items_tag),
]


class MultiSelectProperty(Property):
    """Any number of choices."""

    type: Literal["array"] = "array"
    items: Items
    min_items: Count | None = None
    max_items: Count | None = None
    default: LenientItems[list[str] | None] = None


class UnknownProperty(UnknownMember):
    """A field that this program does not know; a form that requires it cannot be accepted."""


PropertySchema = Annotated[
    Annotated[StringProperty, Tag("string")]
    | Annotated[NumberProperty, Tag("number")]
    | Annotated[IntegerProperty, Tag("integer")]
    | Annotated[BooleanProperty, Tag("boolean")]
    | Annotated[MultiSelectProperty, Tag("array")]
    | Annotated[UnknownProperty, Tag(UNKNOWN)],
    by("type", *PROPERTY_TYPES),
]


class ElicitationSchema(Model):
    """A form: its fields in the agent's order, and the names of those that must be filled."""

    type: Lenient[Literal["object"]] = "object"
    title: Lenient[str | None] = None
    description: Lenient[str | None] = None
    properties: dict[str, PropertySchema] = {}
    required: list[str] | None = None


class Elicitation(Model):
    """What every request has: its text, and the session or the request that it belongs to."""

    message: str
    mode: str
    session_id: str | None = None
    tool_call_id: Lenient[str | None] = None
    request_id: Integer | str | None = None

    @model_validator(mode="after")
    def _belongs_somewhere(self) -> Self:
        if self.session_id is None and not self.has("request_id"):
            raise ValueError("sessionId or requestId is required")
        return self

    def belongs_to(self, request_id: int) -> bool:
        """Whether it was asked for that request of ours alone; some agents send our ids back as texts."""
        return self.session_id is None and str(self.request_id) == str(request_id)


class FormElicitation(Elicitation):
    """Fill in a form."""

    mode: Literal["form"]
    requested_schema: ElicitationSchema


class UrlElicitation(Elicitation):
    """Visit an address; `elicitation/complete` names the id when that is done."""

    mode: Literal["url"]
    elicitation_id: str
    url: str


class ElicitationComplete(Model):
    """`elicitation/complete`: what was asked by an address is done."""

    elicitation_id: str


MODES: dict[str, type[Elicitation]] = {"form": FormElicitation, "url": UrlElicitation}


def elicitation_answer(action: str, content: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The result that answers `elicitation/create`: accept (a form with `content`), decline or cancel."""
    return {"action": action} if content is None else {"action": action, "content": dict(content)}


def read_elicitation(params: Any) -> Elicitation:
    """Read `elicitation/create`; a plain Elicitation is of an unknown mode, to be refused with -32602."""
    mode = params.get("mode") if isinstance(params, dict) else None
    if not isinstance(mode, str):
        raise ProtocolFault("The agent sent an invalid elicitation", "mode", "a string is required")
    return read(MODES.get(mode, Elicitation), params)
