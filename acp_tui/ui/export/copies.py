"""Taking a conversation out: answers, code, blocks and all of it to the clipboard; all of it to a new file."""

import re
from collections.abc import Iterator
from pathlib import PurePath

from acp_tui.errors import UserFault
from acp_tui.host.desktop.opener import free_name, write_new_file
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.entries import Entry, MessageEntry, TextPart, ToolCallEntry
from acp_tui.session.export_formats import EXPORTS, MARKDOWN, ExportFormat, format_of
from acp_tui.session.state import Session
from acp_tui.session.tools.input import read_input
from acp_tui.ui.kit.announcements import announce_fault
from acp_tui.ui.kit.overlay import AskLine
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.terminal.clipboard import copy, write_clipboard
from acp_tui.ui.transcript.view import TranscriptView
from acp_tui.views.formatting import byte_size, home_path
from acp_tui.views.session_facts import own_cli_of

_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)


def message_text(entry: MessageEntry) -> str:
    """A message's text as the agent wrote it; other blocks are left out."""
    return "\n\n".join(part.text for part in entry.parts if isinstance(part, TextPart))


def last_code(entries: list[Entry]) -> str:
    """The last fenced code of the agent's messages, without the fence."""
    return next((blocks[-1] for blocks in map(code_blocks, _answers(entries)) if blocks), "")


def code_blocks(text: str) -> list[str]:
    """The fenced code in a text, without the fences."""
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
