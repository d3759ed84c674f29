"""Content blocks: what prompts, messages and tool results are made of."""

from typing import Annotated, Any, Literal

from pydantic import Tag

from acp_tui.protocol.base import UNKNOWN, Integer, Lenient, LenientItems, Model, Number, UnknownMember, by

CONTENT_TYPES = ("text", "image", "audio", "resource_link", "resource")


class Annotations(Model):
    """Hints for showing a block: who it is for (`user`, `assistant`), how important it is (0 to 1)."""

    audience: LenientItems[list[str] | None] = None
    last_modified: Lenient[str | None] = None
    priority: Lenient[Number | None] = None


class Block(Model):
    """One block of content."""

    @property
    def texts(self) -> tuple[str, ...]:
        """What of it a user reads as text."""
        return ()


class TextContent(Block):
    """Markdown text."""

    type: Literal["text"] = "text"
    text: str
    annotations: Lenient[Annotations | None] = None

    @property
    def texts(self) -> tuple[str, ...]:
        return ("" if for_agent_only(self) else self.text,)


class ImageContent(Block):
    """An image; `data` is base64."""

    type: Literal["image"] = "image"
    data: str
    mime_type: str
    uri: Lenient[str | None] = None
    annotations: Lenient[Annotations | None] = None


class AudioContent(Block):
    """A sound; `data` is base64."""

    type: Literal["audio"] = "audio"
    data: str
    mime_type: str
    annotations: Lenient[Annotations | None] = None


class Icon(Model):
    """A picture for a resource; `theme` is light, dark or newer."""

    src: str
    mime_type: Lenient[str | None] = None
    sizes: LenientItems[list[str] | None] = None
    theme: Lenient[str | None] = None


class ResourceLink(Block):
    """A reference to something that either side can fetch; `size` is in bytes."""

    type: Literal["resource_link"] = "resource_link"
    uri: str
    name: str
    title: Lenient[str | None] = None
    description: Lenient[str | None] = None
    icons: LenientItems[list[Icon] | None] = None
    mime_type: Lenient[str | None] = None
    size: Lenient[Integer | None] = None
    annotations: Lenient[Annotations | None] = None

    @property
    def texts(self) -> tuple[str, ...]:
        return self.title or self.name, self.uri


class TextResource(Model):
    """The text of an embedded resource."""

    uri: str
    text: str
    mime_type: Lenient[str | None] = None


class BlobResource(Model):
    """The bytes of an embedded resource; `blob` is base64."""

    uri: str
    blob: str
    mime_type: Lenient[str | None] = None


class EmbeddedResource(Block):
    """A resource together with its contents."""

    type: Literal["resource"] = "resource"
    resource: TextResource | BlobResource
    annotations: Lenient[Annotations | None] = None

    @property
    def texts(self) -> tuple[str, ...]:
        resource = self.resource
        return (resource.uri, resource.text) if isinstance(resource, TextResource) else (resource.uri,)


class UnknownContent(UnknownMember, Block):
    """A block of a type that this program does not know."""


ContentBlock = Annotated[
    Annotated[TextContent, Tag("text")]
    | Annotated[ImageContent, Tag("image")]
    | Annotated[AudioContent, Tag("audio")]
    | Annotated[ResourceLink, Tag("resource_link")]
    | Annotated[EmbeddedResource, Tag("resource")]
    | Annotated[UnknownContent, Tag(UNKNOWN)],
    by("type", *CONTENT_TYPES),
]


def for_agent_only(block: ContentBlock) -> bool:
    """Whether a block names whom it is for, and the user is not among them."""
    annotations = None if isinstance(block, UnknownContent) else block.annotations
    return annotations is not None and bool(annotations.audience) and "user" not in (annotations.audience or ())


def for_agent(block: TextContent) -> TextContent:
    """The same for the agent only."""
    return block.model_copy(update={"annotations": Annotations(audience=["assistant"])})


def content_data(block: ContentBlock) -> dict[str, Any]:
    """A block as JSON data, for sending; members that are `None` are left out."""
    data: dict[str, Any] = block.model_dump(mode="json", by_alias=True, exclude_none=True)
    return data
