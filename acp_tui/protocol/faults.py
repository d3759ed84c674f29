"""The protocol's error codes, an error response in words, and what is raised where data cannot be read."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from acp_tui.errors import AgentFault
from acp_tui.startup import late
from acp_tui.wire.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST

PARSE_ERROR = -32700
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
AUTH_REQUIRED = -32000
RESOURCE_NOT_FOUND = -32002
REQUEST_CANCELLED = -32800
UNSUPPORTED_PROTOCOL_VERSION = -32022

ERROR_MEANINGS = {
    PARSE_ERROR: "a message could not be parsed",
    INVALID_REQUEST: "not a valid request",
    METHOD_NOT_FOUND: "no such method",
    INVALID_PARAMS: "invalid parameters",
    INTERNAL_ERROR: "internal error",
    AUTH_REQUIRED: "login required",
    RESOURCE_NOT_FOUND: "not found",
    REQUEST_CANCELLED: "cancelled",
    UNSUPPORTED_PROTOCOL_VERSION: "unsupported protocol version",
}
LONGEST_READ = 64 * 1024  # characters of a message in which JSON is looked for
PAGE_READ = 8 * 1024  # characters of a page in HTML that are read
MOST_LINES = 40  # of one error
MOST_READ = 200  # values of one piece of JSON that are looked at
DEEPEST = 6  # levels of JSON that are read; what is nested deeper is printed as it is
_MESSAGES = ("message", "error_description", "detail", "reason", "error")  # where a message stands, by its last name
_PAGE = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TITLES = (re.compile(r"(?is)<title\b[^>]*>(.*?)</title"), re.compile(r"(?is)<h1\b[^>]*>(.*?)</h1"))
_UNREAD = re.compile(r"(?is)<(script|style|title)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>")
_DECODER = json.JSONDecoder()


def error_words(code: object, message: str, data: Any = None) -> str:
    """An error response as lines: what it says (else what its code means) and the code, then the rest of it.

    Agents pass on what a model's service answered, often as JSON inside the message: its own message comes first,
    its other members follow as `name: value`. Of a page in HTML the title comes first, then its text.
    """
    said, rest = _message_in(message)
    said = said or (ERROR_MEANINGS.get(code) if isinstance(code, int) else None) or "no reason given"
    if code is not None:
        said += f" (code {code})"
    return "\n".join(dict.fromkeys([said, *rest, *_members(data)][:MOST_LINES]))


def _message_in(text: str) -> tuple[str, list[str]]:
    """The message that a text with a JSON object or a page in it is about, and lines for the rest; else the text."""
    return _json_message(text) or _page_message(text) or (text, [])


def _json_message(text: str) -> tuple[str, list[str]] | None:
    start = text.find("{")
    if start < 0 or len(text) > LONGEST_READ:
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    members = dict(islice(_flat(value, "", 0), MOST_READ))
    name = next((name for name in members if name.rpartition(".")[2] in _MESSAGES and members[name].strip()), None)
    if name is None:
        return None
    said, rest = _message_in(members.pop(name))
    around = [part for part in (text[:start].strip(" :\n"), text[end:].strip(" .\n")) if part]
    return said, [*rest, *around, *(f"{name}: {value}" for name, value in members.items() if value)]


def _page_message(text: str) -> tuple[str, list[str]] | None:
    """The title of a page in HTML, with what stands before the page, and the lines of its text."""
    found = _PAGE.search(text, 0, LONGEST_READ)
    if found is None:
        return None
    before, page = text[: found.start()].strip(" :\n"), text[found.start() : found.start() + PAGE_READ]
    title = next((head[1] for each in _TITLES if (head := each.search(page)) and head[1].strip()), "an HTML page")
    unescape: Callable[[str], str] = late("html").unescape
    said = " ".join(unescape(_UNREAD.sub(" ", title)).split())
    lines = (" ".join(line.split()) for line in unescape(_UNREAD.sub("\n", page)).split("\n"))
    return ": ".join(filter(None, (before, said))), [line for line in lines if line and line != said]


def _members(data: Any) -> list[str]:
    if data is None or data == []:
        return []
    lines: list[str] = []
    for name, value in islice(_flat(data, "", 0), MOST_READ):
        said, rest = _message_in(value)
        lines += [f"{name}: {said}" if name else said, *rest]
    return lines


def _flat(value: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """The leaves of JSON data in their order, each with its path: `error.code`."""
    if depth < DEEPEST and isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(each, f"{name}.{key}" if name else str(key), depth + 1)
    elif depth < DEEPEST and isinstance(value, list):
        for each in value:
            yield from _flat(each, name, depth + 1)
    elif value is not None:
        yield name, value if isinstance(value, str) else str(value)


class ProtocolFault(AgentFault):
    """The agent said something that the protocol does not allow; `path` says where."""

    def __init__(self, title: str, path: str = "", reason: str = "", hint: str = "") -> None:
        self.path, self.reason = path, reason
        super().__init__(title, f"{path}: {reason}" if path else reason, hint)
