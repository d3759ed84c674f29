"""Raw input and output without what is on the screen already: agents repeat themselves, also as patches."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, Diff
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.state import Session, Terminal
from acp_tui.session.text.escapes import strip_escapes
from acp_tui.session.text.phrases import data_text
from acp_tui.session.tools.input import decoded
from acp_tui.session.tools.patches import diffs_of
from acp_tui.session.tools.subject import ToolSubject, terminals_of
from acp_tui.ui.entries.tool_output import RAW_KINDS, body_of

_NOTHING = object()
EMPTY: tuple[Any, ...] = (None, "", [], {})
LONGEST_COMPARED = 400_000  # characters; what is longer is compared as a whole only, and terminals not at all
DEEPEST = 8
LEAST_PART = 4  # lines of a text from which on its parts are looked for

_NUMBERED = re.compile(r"\s*\d+(?:\t|→|[:|] ?)")
_HEADER = re.compile(r"(?:@@|---|\+\+\+|diff |index |Index:|={5}|\\ |new file mode|deleted file mode|\*\*\* )")
_SIGNS = frozenset(" +-")
_EXITS = frozenset(("exitcode", "exit", "code", "returncode", "status"))


class ShownCallData:
    """What is shown of one call. `strict` takes for told only what is there as a whole: for what a user agrees to."""

    def __init__(
        self,
        subject: ToolSubject,
        words: Iterable[str],
        texts: Iterable[str],
        diffs: Sequence[Diff],
        exits: Iterable[int | None] = (),
        *,
        strict: bool = False,
    ) -> None:
        self._used = frozenset(used for found in subject.inputs for used in found.used)
        if subject.todos is not None and not strict:  # the list stands above
            self._used |= {subject.todos.member}
        named = (*subject.commands, *subject.patterns, *subject.addresses, subject.description, subject.text)
        self._words = {word.strip() for word in (*words, *named)} - {""}
        self._given, self._diffs, self._exits = list(texts), diffs, frozenset(exits) - {None}
        self._inputs = [found.value for found in subject.inputs]
        self._strict = strict

    @property
    def inputs(self) -> list[Any]:
        rests = (self.rest(value) for value in self._inputs if value is not None)
        return [rest for rest in rests if rest is not None]

    def rest(self, value: Any, *, output: bool = False) -> Any:
        """What is left of raw data, None where all of it is told. Of an `output` empty members say nothing."""
        try:
            rest = self._rest(decoded(value), 0, output=output)
        except RecursionError:  # data that is nested too deeply to be compared
            return value
        return None if rest is _NOTHING or rest in EMPTY else rest

    def tells(self, text: str) -> bool:
        """Whether a text is on the screen: as it is, without a fence or line numbers, or as the lines of a diff."""
        if text.strip() in self._words:
            return True
        if len(text) > LONGEST_COMPARED:
            return any(text.strip() == given.strip() for given in self._given)
        lines = _lines(text)
        if not lines:
            return False
        forms = {_joined(lines), _joined(_unnumbered(lines))}
        if any((form == shown if self._strict else form in shown) for form in forms for shown in self._texts):
            return True
        return self._is_patch(lines)

    @cached_property
    def _texts(self) -> list[str]:
        sides = (side for diff in self._diffs for side in (diff.old_text, diff.new_text) if side)
        patches = (diff.patch.text for diff in self._diffs if diff.patch is not None)
        shown = (text for text in (*self._given, *sides, *patches) if len(text) <= LONGEST_COMPARED)
        forms = [_lines(text) for text in shown]
        return [_joined(form) for lines in forms for form in (lines, _unnumbered(lines)) if lines]

    @cached_property
    def _values(self) -> list[Any]:
        return [value for value in map(decoded, self._given) if not isinstance(value, str)]

    @cached_property
    def _above_output(self) -> list[Any]:
        held = (member for value in self._inputs if isinstance(value, dict) for member in value.values())
        return [*self._values, *self._inputs, *held]

    @cached_property
    def _known_lines(self) -> set[str]:
        return {line.strip() for text in self._texts for line in text.split("\n")} - {""}

    def _is_patch(self, lines: list[str]) -> bool:
        """Whether the lines are a patch of which each changed line is, in this order, in the diffs."""
        body = [line for line in lines if line and not _HEADER.match(line)]
        signs = {line[0] for line in body}
        if (
            not any(line.startswith(("@@", "---", "***")) for line in lines)
            or signs in ({" "}, set())
            or signs - _SIGNS
        ):
            return False
        for sign, side in (("-", "old_text"), ("+", "new_text")):
            among = iter(_lines("\n".join(getattr(diff, side) or "" for diff in self._diffs)))
            changed = (line[1:].rstrip() for line in body if line[0] == sign)
            if not all(any(line == other for other in among) for line in changed):
                return False
        return True

    def _rest(self, value: Any, depth: int, *, output: bool) -> Any:
        if isinstance(value, str):
            return self._rest_of_text(value, depth, output=output)
        if depth > DEEPEST or not isinstance(value, dict | list):
            return value
        if value and value in (self._above_output if output else self._values):
            return _NOTHING
        if isinstance(value, list):
            return self._rest_of_list(value, depth, output=output)
        kept: dict[str, Any] = {}
        for name, member in value.items():
            exits = name.lower().replace("_", "") in _EXITS and type(member) is int and member in self._exits
            if not exits and (id(value), name) not in self._used and not (output and member in EMPTY):
                kept[name] = self._rest(member, depth + 1, output=output)
        kept = {name: rest for name, rest in kept.items() if rest is not _NOTHING}
        idle = set() if self._strict else {"type"}
        return _NOTHING if len(kept) < len(value) and set(kept) <= idle else kept

    def _rest_of_list(self, value: list[Any], depth: int, *, output: bool) -> Any:
        rests = [self._rest(item, depth + 1, output=output) for item in value]
        left = [rest for rest in rests if rest is not _NOTHING]
        if any(not isinstance(item, dict | list) for item in value):
            return value if left or not value else _NOTHING  # what is left of a list of words would be another list
        return left or _NOTHING

    def _rest_of_text(self, text: str, depth: int, *, output: bool) -> Any:
        if self.tells(text):
            return _NOTHING
        if output and not isinstance(inner := decoded(text), str):
            return self._rest(inner, depth + 1, output=True)
        lines = text.replace("\r\n", "\n").split("\n")
        if self._strict or len(lines) < LEAST_PART or len(text) > LONGEST_COMPARED:
            return text
        return "\n".join(self._without_told(lines))

    def _without_told(self, lines: list[str]) -> Iterator[str]:
        for told, group in groupby(lines, self._knows):
            run = list(group)
            yield from [f"… {len(run):,} lines shown above"] if told and len(run) > 1 else run

    def _knows(self, line: str) -> bool:
        return not self._known_lines.isdisjoint((line.strip(), _NUMBERED.sub("", line, count=1).strip()))


def told_by(entry: ToolCallEntry, session: Session, subject: ToolSubject) -> ShownCallData:
    """What the unfolded call shows above its raw input and output."""
    terminals = terminals_of(entry, session.terminals)
    ends = [terminal.exit_status.exit_code for terminal in terminals if terminal.exit_status is not None]
    blocks = [item.content for item in entry.content if isinstance(item, ContentItem)]
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    texts += patch_texts(entry, subject)
    words = (entry.title, session.cwd, subject.folder or "")
    return ShownCallData(subject, words, [*texts, *map(_output, terminals)], diffs_of(entry), ends)


def patch_texts(entry: ToolCallEntry, subject: ToolSubject) -> list[str]:
    """The patches of the input, where they are shown as the diffs of the call."""
    return [patch.text for patch in subject.patches] if diffs_of(entry) is entry.patches else []


def is_input(text: str, entry: ToolCallEntry) -> bool:
    """Whether a text of the content is the call's input again, or what has come of it so far."""
    if not text.lstrip().startswith("{"):
        return False
    if entry.raw_input not in EMPTY:
        try:
            return bool(decoded(text) == decoded(entry.raw_input))
        except RecursionError:  # data that is nested too deeply to be compared
            return False
    return entry.status in ("pending", "in_progress") and len(entry.content) == 1


def spoken(text: str, kind: str) -> str:
    """A text of a tool's content in words; what was read or printed stays as it is: there JSON is what was wanted."""
    if kind == "read" or len(text) > LONGEST_COMPARED:
        return text
    result = decoded(text)
    if isinstance(result, str):
        return text
    blocks = result.get("content") if isinstance(result, dict) and set(result) == {"content"} else None
    if isinstance(blocks, list) and all(
        isinstance(block, dict) and isinstance(block.get("text"), str) for block in blocks
    ):
        return "\n".join(block["text"] for block in blocks)
    return text if kind in RAW_KINDS else data_text(result)


def _output(terminal: Terminal) -> str:
    if terminal.size > LONGEST_COMPARED:
        return ""
    return strip_escapes(b"".join(terminal.chunks).decode(errors="replace"))


def _lines(text: str) -> list[str]:
    body, _ = body_of(strip_escapes(text) if "\x1b" in text else text.replace("\r\n", "\n"))
    return [line.rstrip() for line in body.strip("\n").split("\n")] if body.strip() else []


def _joined(lines: list[str]) -> str:
    """Lines between newlines, so that only whole lines are found in others."""
    return "\n".join(["", *lines, ""])


def _unnumbered(lines: list[str]) -> list[str]:
    numbered = all(_NUMBERED.match(line) for line in lines if line)
    return [_NUMBERED.sub("", line, count=1) for line in lines] if numbered else lines
