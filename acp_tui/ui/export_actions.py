"""Copying, exporting and opening what is on the screen."""

import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path, PurePath
from typing import Literal
from urllib.parse import unquote, urlsplit

from acp_tui.errors import Fault, UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.user_programs import free_name, has_viewer, open_address, open_file, save_content, write_new_file
from acp_tui.protocol.vocabulary.content import (
    AudioContent,
    BlobResource,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResource,
    for_agent_only,
)
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.entries import Entry, MessageEntry, Part, TextPart, ToolCallEntry
from acp_tui.session.export_formats import EXPORTS, MARKDOWN, ExportFormat, format_of
from acp_tui.session.folds.messages import CompactionEntry
from acp_tui.session.state import Session
from acp_tui.session.tools.input import read_input
from acp_tui.ui.entries.message import told, uri_of
from acp_tui.ui.kit.picker import AskLine, Picker
from acp_tui.ui.kit.session_view import SessionView, announce_fault
from acp_tui.ui.questions.question import address_of
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.terminal.suspension import edit_file
from acp_tui.ui.terminal.terminal_capabilities import copy, write_clipboard
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.views.formatting import byte_size, home_path
from acp_tui.views.row_search import PickerRow
from acp_tui.views.session_facts import own_cli_of

_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)


def message_text(entry: MessageEntry) -> str:
    """A message's text as the agent wrote it; other blocks are left out."""
    return "\n\n".join(part.text for part in entry.parts if isinstance(part, TextPart))


def last_code(entries: list[Entry]) -> str:
    """The last fenced code of the agent's messages, without the fence."""
    return next((blocks[-1] for blocks in map(code_blocks, _answers(entries)) if blocks), "")


def code_blocks(text: str) -> list[str]:
    return [match[2].removesuffix("\n") for match in _FENCE.finditer(text)]


def code_of(entry: Entry) -> list[str]:
    """What is code in an entry: a message's fences, a command, the fences of a tool's output."""
    if isinstance(entry, MessageEntry):
        return code_blocks(message_text(entry))
    if not isinstance(entry, ToolCallEntry):
        return []
    commands = read_input(entry.raw_input, entry.kind).named["command"]
    blocks = (item.content for item in entry.content if isinstance(item, ContentItem))
    texts = (block.text for block in blocks if isinstance(block, TextContent))
    return [*commands, *(code for text in texts for code in code_blocks(text))]


def _answers(entries: list[Entry]) -> Iterator[str]:
    for entry in reversed(entries):
        if isinstance(entry, MessageEntry) and entry.role == "agent":
            yield message_text(entry)


class CopyActions:
    """The user's ways to copy. Every one tells in a toast what is on the clipboard now."""

    def __init__(self, transcript: TranscriptView, session: Session) -> None:
        self._transcript, self._session = transcript, session
        self._code: tuple[Entry | None, int] = None, 0  # whose code was copied last, and which block of it

    def last_answer(self) -> None:
        answers = _answers(self._session.entries)
        self.text(next((text for text in answers if text.strip()), ""), "the last answer")

    def last_code(self) -> None:
        self.text(last_code(self._session.entries), "the last code block")

    def transcript(self) -> None:
        self.text(MARKDOWN.render(self._session), "the transcript")

    def block(self, entry: Entry | None) -> None:
        if entry is not None:
            drawn = self._transcript.text_of_entry
            self.text(message_text(entry) if isinstance(entry, MessageEntry) else drawn(entry), "the block")

    def code(self, entry: Entry | None) -> None:
        """The code of one entry; where it has several blocks, each time the next one."""
        if entry is None:
            return
        blocks = code_of(entry)
        if len(blocks) < 2:
            self.text(blocks[0] if blocks else "", "the code block")
            return
        index = (self._code[1] + 1) % len(blocks) if self._code[0] is entry else 0
        self._code = entry, index
        self.text(blocks[index], f"code block {index + 1} of {len(blocks)}")

    def text(self, text: str, what: str) -> None:
        copy(self._transcript.app, text, what)


class ExportActions:
    """Taking out all of one session: to a file, or to the agent's own program."""

    def __init__(self, view: SessionView) -> None:
        self._view = view

    def own_cli(self) -> None:
        view = self._view
        try:
            line = own_cli_of(view.client, view.session)
        except UserFault as fault:
            announce_fault(view.app, fault)
        else:
            write_clipboard(view.app, line)
            view.say(f"Copied: {sanitise_line(line)}", 8)

    def ask(self, suffix: str, session: Session | None = None) -> None:
        """Ask for a name, and export to that file, as its ending says; another session than this one, if given."""
        view, wanted, exported = self._view, EXPORTS[suffix], session or self._view.session
        name = free_name(exported.cwd, exported.title or "", suffix)
        view.open(AskLine(wanted.title, name, lambda name: _write(wanted, view, exported, name)))

    def to_file(self, name: str) -> None:
        """Export to a file; its ending says as what, Markdown if it has none. Without a name ask for one."""
        ending, view = PurePath(name).suffix, self._view
        if not name:
            self.ask(MARKDOWN.suffix)
        elif name.endswith(("/", "\\", "..")) or name == ".":
            view.say(f"{sanitise_line(name, 40)} is a folder. Add the name of a file.", 5)
        elif ending and format_of(name) is None:
            ends = " or ".join(f".{one}" for one in EXPORTS)
            view.say(f"Cannot export as {sanitise_line(ending.lower(), 21)}. Use a name that ends in {ends}.", 5)
        else:
            named = name if ending else f"{name}.{MARKDOWN.suffix}"
            view.run(_write(MARKDOWN, view, view.session, named))


async def _write(wanted: ExportFormat, view: SessionView, session: Session, name: str) -> None:
    made = (format_of(name) or wanted).render(session)
    path = await write_new_file(session.cwd, name, made)
    size = byte_size(len(made.encode(errors="replace")))
    view.say(f"Exported to {sanitise_line(home_path(str(path)))} ({size})", 6)


LONGEST = 800  # characters of an address; the panel has no room for more
Act = Literal["browse", "edit", "view", "save", "copy"]
ADDRESSES_AT_MOST = 50
_URL = re.compile(r"https?://[^\s<>\"'`\\)\]}]*[^\s<>\"'`\\.,;:!?)\]}]")


class OpeningMethod(Frozen):
    """One thing that can be done, with what: an address, a path, a text, or base64 data of a type."""

    act: Act
    label: str
    subject: str
    mime_type: str | None = None


class Opening(Frozen):
    """What is opened: its name, what to read first (an address whole; what is odd begins with `!`), the ways."""

    title: str
    details: tuple[str, ...]
    ways: tuple[OpeningMethod, ...]


def opening_of(block: ContentBlock) -> Opening:
    """The ways to open a block; the first is what Enter does."""
    sign, name, facts = told(block)
    uri = uri_of(block)
    details, ways = opening_of_address(uri) if uri else ((), ())
    found = [*_with_data(block), *ways]
    return Opening(" ".join((sign, name)), (*([" · ".join(facts)] if facts else []), *details), tuple(found))


def opening_of_address(uri: str) -> tuple[tuple[str, ...], tuple[OpeningMethod, ...]]:
    """What to know of an address, and the ways to open it; an odd one is copied before it is opened."""
    copy = OpeningMethod("copy", "Copy the URL", uri)
    path = file_path(uri)
    if path is not None:
        return (path,), (
            OpeningMethod("edit", "Open in your editor", path),
            OpeningMethod("copy", "Copy the path", path),
        )
    address = address_of(uri)
    if len(uri) > LONGEST:
        return (f"{uri[:LONGEST]} …", f"! Will not open: too long to review ({len(uri):,} characters)"), (copy,)
    if address.refusal:
        return (uri, f"! Will not open: {address.refusal}"), (copy,)
    browse = OpeningMethod("browse", "Open in your browser", uri)
    details = (uri, f"Site: {address.host}", *(f"! {warning}" for warning in address.warnings))
    return details, (copy, browse) if address.warnings else (browse, copy)


def file_path(uri: str) -> str | None:
    """The path on this machine that a `file:` address names; None for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    here = parts.scheme == "file" and parts.netloc in ("", "localhost")
    return unquote(parts.path) if here and parts.path.startswith("/") else None


def _with_data(block: ContentBlock) -> Iterator[OpeningMethod]:
    match block:
        case TextContent(text=text):
            yield OpeningMethod("copy", "Copy the text", text)
        case ImageContent(data=data, mime_type=mime_type) | AudioContent(data=data, mime_type=mime_type) if data:
            yield from _file(data, mime_type)
        case EmbeddedResource(resource=BlobResource(blob=data, mime_type=kind)) if data:
            yield from _file(data, kind)
        case EmbeddedResource(resource=TextResource(text=text)):
            yield OpeningMethod("copy", "Copy the text", text)
        case _:
            pass


def _file(data: str, mime_type: str | None) -> Iterator[OpeningMethod]:
    if has_viewer(mime_type):
        yield OpeningMethod("view", "Save and open in the default viewer", data, mime_type)
    yield OpeningMethod("save", "Save and copy the path", data, mime_type)


def blocks_of(entry: Entry) -> list[ContentBlock]:
    """The blocks of an entry, but for text that the user reads in the transcript."""
    blocks = (part for part in _parts(entry) if not isinstance(part, TextPart))
    return [block for block in blocks if not isinstance(block, TextContent) or for_agent_only(block)]


def addresses_of(entry: Entry) -> list[str]:
    """The web addresses in an entry's text, each once, in order."""
    shown = (part for part in _parts(entry) if not (isinstance(part, TextContent) and for_agent_only(part)))
    texts = (part.text for part in shown if isinstance(part, TextPart | TextContent))
    found = dict.fromkeys(match[0] for text in texts for match in _URL.finditer(text))
    return list(found)[:ADDRESSES_AT_MOST]


def _parts(entry: Entry) -> Iterator[Part]:
    match entry:
        case MessageEntry(parts=parts) | CompactionEntry(summary=parts):
            yield from parts
        case ToolCallEntry():
            yield from (item.content for item in entry.content if isinstance(item, ContentItem))
        case _:
            pass


class OpenActions:
    """What can be opened on one screen. `open_address` and `open_file` say whether they could."""

    def __init__(self, view: SessionView, copies: CopyActions) -> None:
        self._view, self._copies = view, copies
        self.open_address: Callable[[str], Awaitable[bool]] = open_address
        self.open_file: Callable[[Path], Awaitable[bool]] = open_file

    def open_entry(self, entry: Entry | None) -> None:
        blocks = blocks_of(entry) if entry is not None else []
        addresses = addresses_of(entry) if entry is not None else []
        rows: list[PickerRow[ContentBlock | str]] = []
        for block in blocks:
            sign, name, facts = told(block)
            rows.append(PickerRow(block, f"{sign} {name}", " · ".join(facts)))
        rows += [PickerRow(address, sanitise_line(address, 200)) for address in addresses]
        if not rows:
            self._view.say("Nothing to open here", 5)
        elif len(rows) == 1:
            self.open(rows[0].value)
        else:
            self._view.open(Picker("Open", rows), self.open)

    def open(self, subject: ContentBlock | str | None) -> None:
        if subject is None:
            return
        opening = Opening("Link", *opening_of_address(subject)) if isinstance(subject, str) else opening_of(subject)
        if not opening.ways:
            self._view.say("Cannot open this", 5)
            return
        rows = [PickerRow(way, way.label) for way in opening.ways]
        self._view.open(Picker(opening.title, rows, opening.details), self._chosen)

    def _chosen(self, way: OpeningMethod | None) -> None:
        if way is not None:
            self._view.app.run_worker(self._go(way), group="opening")

    async def _go(self, way: OpeningMethod) -> None:
        view = self._view
        match way.act:
            case "copy":
                self._copies.text(way.subject, way.label.removeprefix("Copy "))
            case "edit":
                edit_file(view.app, way.subject, None, view.client.roots(view.session))
            case "browse":
                if not await self.open_address(way.subject):
                    self._view.say("No browser could be started. Copy the URL instead.", 5)
            case "view" | "save":
                await self._save(way)

    async def _save(self, way: OpeningMethod) -> None:
        try:
            path = await save_content(way.subject, way.mime_type)
        except Fault as fault:
            announce_fault(self._view.app, fault)
            return
        if way.act == "save":
            self._copies.text(str(path), "the path")
        elif not await self.open_file(path):
            self._view.say("No viewer found for this file", 5)
        self._view.say(f"Saved to {sanitise_line(home_path(str(path)), 200)}", 5)
