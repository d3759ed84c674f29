"""The draft of a prompt, its chips, how both look, and what an extension of the editor may do with them.

Chips are short labels that stand for big pastes and attachments: a TextArea becomes slow with a megabyte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from rich.cells import cell_len
from rich.style import Style
from textual.content import Content

from acp_tui.expressions import expression
from acp_tui.frozen import Frozen
from acp_tui.session.text.mentions import Mention, mentions_in, written
from acp_tui.startup import late
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.line_editor import LabelledText
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.views.formatting import byte_size, lines_in

if TYPE_CHECKING:
    from textual import events

    from acp_tui.protocol.vocabulary.content import ContentBlock
    from acp_tui.protocol.vocabulary.session_updates import PromptSuggestion

LEAVING = ("exit", "quit", ":q", ":q!", ":wq")  # that end other clients, and shells and editors
SIGNS = ("/", "!")  # with which a command begins
BIG_BYTES, BIG_LINES = 10_000, 200
PASTED_CHARACTERS, PASTED_LINES = 1_500, 15

_CONTROLS = expression(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_ATTACHED = expression(r"\[(Image|Audio|Transcript) [^\]\n]*#(\d+)\]")
_TYPES = {"Image": "image", "Audio": "audio", "Transcript": "resource"}  # of the blocks that labels stand for
_NO_LABEL = expression(r"[\[\]#\s]+")


def clean_paste(text: str) -> str:
    """What was pasted, with plain newlines and without controls, escapes, bidi overrides and lone surrogates."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def begins_command(text: str) -> bool:
    """Whether a prompt that begins so may be a command of any side."""
    return text.startswith(SIGNS) or text.rstrip() in LEAVING


def as_text(text: str) -> str:
    """What an agent wrote, or told again, as a prompt: a blank before it keeps it from being a command."""
    return f" {text}" if begins_command(text) else text


def as_sent(text: str) -> str:
    """The same of a prompt that comes back after it was sent, which may be a slash command of the agent's."""
    return text if text.startswith("/") else as_text(text)


def is_as_text(text: str) -> bool:
    """Whether a prompt has that blank, wherever it was meanwhile."""
    return text.startswith(" ") and begins_command(text[1:])


def is_big(text: str) -> bool:
    """Whether the text is better held as a chip."""
    return len(text) > BIG_BYTES or text.count("\n") >= BIG_LINES or len(text.encode()) > BIG_BYTES


def is_long_paste(text: str) -> bool:
    """Whether a paste is better held as a chip, which is easier to see around than what one has written."""
    return len(text) >= PASTED_CHARACTERS or text.rstrip("\n").count("\n") + 1 >= PASTED_LINES


def bare(text: str) -> str:
    """The text without the labels of attachments, which the history does not keep."""
    return _ATTACHED.sub("", text)


def unlabelled(text: str) -> str:
    """The text with what looks like labels as plain words: what was attached elsewhere is not attached here."""
    return _ATTACHED.sub(lambda label: f"({label[0][1:-1]})", text)


def as_attached(text: str, blocks: Sequence[ContentBlock]) -> tuple[str, Sequence[ContentBlock]]:
    """A text and what is attached to it, where that is there for each of its labels; else the bare text alone."""
    whole = len(_ATTACHED.findall(text)) <= len(blocks)
    return (text, blocks) if whole else (bare(text), ())


class EditorExtension:
    """A part of the prompt editor, which asks its extensions in their order; the first that takes something has it.

    By itself an extension takes nothing, knows nothing and does nothing.
    """

    @property
    def mode(self) -> str:
        """The word for the mode in which one edits; empty where there is only one."""
        return ""

    def takes_key(self, _event: events.Key) -> bool:
        """Do what a key means; whether nobody else is to have it."""
        return False

    def takes_paste(self, _text: str) -> bool:
        """Do something else with a paste than to write it; whether that was done."""
        return False

    async def takes_clipboard(self) -> bool:
        """The same with what is on the clipboard and is no text."""
        return False

    def holds_back(self, _draft: Draft) -> bool:
        """Whether a draft is not sent, which the user is told."""
        return False

    def is_mention(self, _path: str) -> bool:
        """Whether a mention of this path is drawn as one."""
        return False

    def piece_before(self, _line: str, _column: int) -> int:
        """How many characters before the cursor are one piece; 0 if they are single ones."""
        return 0

    def emptied(self) -> None:
        """The draft was taken. No message: the next key may be there already, and means what it does in a new one."""

    def close_lists(self) -> None:
        """Close what completes words."""


class Chips(EditorExtension):
    """Pastes and attachments of one prompt by their labels. A label that is edited by hand is plain text again."""

    def __init__(self) -> None:
        self._held: dict[str, str | ContentBlock] = {}
        self._count = 0

    def fold(self, text: str) -> str:
        return self.fold_paste(text) if is_big(text) else text

    def fold_paste(self, text: str) -> str:
        if not is_long_paste(text):
            return text
        lines, size = lines_in(text), len(text.encode())
        return self.hold("Pasted", f"{lines}, {byte_size(size)}" if size > BIG_BYTES else lines, text)

    def hold(self, kind: str, words: str, held: str | ContentBlock) -> str:
        self._count += 1
        label = f"[{kind} {_NO_LABEL.sub(' ', words).strip()} #{self._count}]"
        self._keep(label, held)
        return label

    def _keep(self, label: str, held: str | ContentBlock) -> None:
        number = label[label.rindex("#") + 1 : -1]
        self._count = max(self._count, int(number) if number.isdecimal() else 0)
        self._held[label] = held

    @property
    def labels(self) -> Collection[str]:
        return self._held.keys()

    def adopt(self, text: str, blocks: Iterable[ContentBlock]) -> None:
        """The labels in `text` stand for these blocks again, those of each kind in their order."""
        left = list(blocks)
        for label in _ATTACHED.finditer(text):
            at = next((at for at, block in enumerate(left) if block.type == _TYPES[label[1]]), None)
            if at is not None:
                self._keep(label[0], left.pop(at))

    def stand_for(self, label: str, block: ContentBlock) -> None:
        """A label that a text came back with stands for its block again."""
        self._held.setdefault(label, block)

    def expand(self, text: str) -> str:
        """The text with every label of a text replaced by it; those of blocks stay, so that it can speak of them."""
        texts = {label: held for label, held in self._held.items() if isinstance(held, str)}
        if not texts:
            return text
        return re.sub("|".join(map(re.escape, texts)), lambda match: texts[match[0]], text)

    def attachments(self, text: str) -> tuple[ContentBlock, ...]:
        there = sorted((label for label in self._held if label in text), key=text.index)
        return tuple(held for label in there if not isinstance(held := self._held[label], str))

    def whole(self, text: str, start: int, end: int) -> tuple[int, int]:
        """The part of a text, and all of the labels that begin or end in it."""
        for label in self._held:
            at = text.find(label)
            while at >= 0:
                if at < end and start < at + len(label):
                    start, end = min(start, at), max(end, at + len(label))
                at = text.find(label, at + 1)
        return start, end

    def piece(self, text: str) -> LabelledText:
        """The text with what its labels stand for, which outlives these chips."""
        return LabelledText(text, {label: held for label, held in self._held.items() if label in text})

    def restore(self, piece: LabelledText) -> str:
        """The text of a piece, whose labels stand for the same again; with another number where one is taken."""
        text = piece.text
        for label, held in piece.held.items():
            if self._held.get(label, held) == held:
                self._keep(label, held)
            else:
                kind, _, words = label[1 : label.rindex(" #")].partition(" ")
                text = text.replace(label, self.hold(kind, words, held))
        return text

    def piece_before(self, line: str, column: int) -> int:
        return next((len(label) for label in self._held if line.endswith(label, 0, column)), 0)

    def is_text_before(self, text: str) -> bool:
        """Whether a text ends in a label that can be expanded."""
        return any(text.endswith(label) for label, held in self._held.items() if isinstance(held, str))

    def last_text(self, text: str) -> tuple[str, str] | None:
        """The last label of a text that is there, and that text."""
        there = [(label, held) for label, held in self._held.items() if isinstance(held, str) and label in text]
        return max(there, key=lambda each: text.rindex(each[0]), default=None)

    def clear(self) -> None:
        """Forget all; numbering goes on, so that an old label never means a new paste."""
        self._held.clear()


class Draft(Frozen):
    """A text with all pastes in it, what its own words mention, what is attached.

    `place` is the one that it had in the queue, if it was taken from there. `goes` takes its blocks where they are not
    for the session in which it was written. `sent_at` is a time of the session's clock. `blocks` are what the agent
    gets of it, as far as they are known. What is `verbatim` is no command of the client's.
    """

    text: str
    mentions: tuple[Mention, ...] = ()
    attachments: tuple[ContentBlock, ...] = ()
    place: int | None = None
    goes: Callable[[Sequence[ContentBlock]], object] | None = None
    sent_at: float = 0.0
    blocks: tuple[ContentBlock, ...] = ()
    verbatim: bool = False

    @property
    def recalled(self) -> str:
        """The text as it comes back to the editor or the history: what was no command is none there, either."""
        return as_sent(self.text) if self.verbatim else self.text


def verbatim_draft(text: str) -> Draft:
    """A prompt from outside the editor: what it mentions counts, but no command of the client's."""
    text = clean_paste(text)
    return Draft(text, tuple(mentions_in(text)), verbatim=True)


class Stop(Enum):
    """Where a draft ends on its way: what it asks for is done, or it is not sent and comes back to the editor."""

    DONE = "done"
    BACK = "back"


INVITATIONS = ("Ask anything, / for commands, @ for files, ! for shell", "Ask anything, / for commands", "Ask anything")
LONGEST = 500  # characters; who would take more than can be seen?

_CHIP = expression(r"\[(?:Pasted|Image|Audio|Output|Transcript) [^\]\n]* #\d+\]")
_FENCE = "```"
_COMMAND = expression(r"/\S+|!")
_MARKDOWN = expression(r"(?P<code>(`+)[^`\n]+\2)|(?P<heading>^#{1,6} .*)|(?P<strong>\*\*[^*\n]+\*\*)")


def parts_of(lines: Sequence[str], mentioned: Callable[[str], bool]) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each part of the last of these lines, which are a prompt from its beginning."""
    line = lines[-1]
    if len(lines) == 1 and (command := _COMMAND.match(line)):
        yield command.start(), command.end(), "command"
    if _fenced(lines):
        yield 0, len(line), "code"
    else:
        for found in _MARKDOWN.finditer(line):
            yield found.start(), found.end(), found.lastgroup or ""
    if "@" in line:
        for mention in mentions_in(line):
            if mentioned(mention.path):
                yield mention.start, mention.end, "mention"
    for chip in _CHIP.finditer(line):
        yield chip.start(), chip.end(), "chip"


def _fenced(lines: Sequence[str]) -> bool:
    fences = [line.lstrip().startswith(_FENCE) for line in lines]
    return fences[-1] or sum(fences) % 2 == 1


def style_of(part: str, palette: Palette) -> Style:
    if part == "chip":
        return palette.accent + Style(reverse=False, italic=True)
    if part == "code":
        return palette.code
    bold = Style(bold=True)
    return palette.accent + bold if part in ("mention", "command") else bold


def invitation(width: int, suggestion: str = "") -> Content:
    if suggestion:
        hint = f"  {first_way('take_suggestion')} accept"
        words = cut(suggestion, max(8, width - len(hint)))
        return Content(words + " " * (width - cell_len(words) - len(hint)) + hint)
    return Content(next((words for words in INVITATIONS if len(words) <= width), INVITATIONS[-1]))


def likeliest(suggestions: Sequence[PromptSuggestion]) -> str:
    """The first suggestion that can be offered, as one line that can be sent as it stands; empty if there is none."""
    return next(filter(None, (_line(suggestion.prompt) for suggestion in suggestions)), "")


def _line(blocks: Sequence[ContentBlock]) -> str:
    """A prompt in one line; empty if it is too long for that, or has more than texts and links.

    A link that cannot be read is none.
    """
    parts = [_words(block) for block in blocks]
    if None in parts or sum(len(part or "") for part in parts) > LONGEST:
        return ""
    return sanitise_line(" ".join(" ".join(filter(None, parts)).split()), LONGEST)


def _words(block: ContentBlock) -> str | None:
    content = late("acp_tui.protocol.vocabulary.content")
    if isinstance(block, content.TextContent):
        text: str = block.text
        return text
    if isinstance(block, content.ResourceLink):
        try:
            address = urlsplit(block.uri)
        except ValueError:  # `http://[`
            return None
        return written(unquote(address.path)) if address.scheme == "file" else block.uri
    return None
