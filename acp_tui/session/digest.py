"""A session in short, for another agent that goes on with it: what was asked, planned, changed and answered.

The digest is to be read and edited by the user, the transcript goes with it. Both are bounded, in size and in what it
costs to make them, however long the session is; what is cut says so. Of tool calls there is only what they were
about. Secrets are taken out of everything before anything is cut.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from acp_tui.protocol.vocabulary.content import (
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
    for_agent_only,
)
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.entries import Entry, MessageEntry, Part, TextPart, ToolCallEntry
from acp_tui.session.export import SIGNS
from acp_tui.session.state import Session, Terminal
from acp_tui.session.text.escapes import strip_escapes
from acp_tui.session.text.markdown import block_markdown, closed, fence, one_line
from acp_tui.session.text.phrases import counted
from acp_tui.session.text.secret_masking import without_secrets
from acp_tui.session.tools.patches import ChangedFile
from acp_tui.session.tools.subject import short_path, subject_of, terminals_of, told_line
from acp_tui.session.tools.title import ending_of, verb_of

DIGEST, DIGEST_LINES = 9_500, 190  # bytes and lines of a digest at most; a prompt shows no more as plain text
PIECE, PIECE_LINES = 1_400, 28  # of a message, the plan, the files; an answer has twice the bytes
TITLE = 200  # bytes of a title or a name
ROWS = 40  # steps of a plan and files that are named
TRANSCRIPT = 200_000  # bytes of a transcript at most, about 50,000 tokens
ENTRIES = 2_000  # entries at its beginning and its end that a transcript looks at
MESSAGE, OUTPUT = 20_000, 4_000  # bytes of one message, and of what one tool call gave out
PICTURES = 4
LETTERS = 4  # characters to a token, about

_NOTE = 60  # bytes at most of what stands in place of what was cut
_LOOKED_AT = 64_000  # characters at the beginning or the end of a text in which secrets are looked for
_AMID = 16_000  # characters at the beginning of a text's end that are left out: a key begins before what is looked at


def shortened(text: str, most: int, lines: int = 1_000_000_000) -> str:
    """The text, or its beginning and its longer end: at most so many bytes of UTF-8, and about so many lines."""
    kept = text.split("\n")
    if len(kept) > lines:
        first = lines // 3
        left = len(kept) - lines
        text = "\n".join([*kept[:first], f"[… {counted(left, 'line')} cut …]", *kept[len(kept) - lines + first :]])
    data = text.encode("utf-8", "surrogatepass")
    return text if len(data) <= most else _ends(data, data, len(text), most)


def _line(text: str, most: int = TITLE) -> str:
    return shortened(one_line(without_secrets(strip_escapes(text[:_LOOKED_AT]))), most).replace("\n", " ")


def _ends(head: bytes, tail: bytes, length: int, most: int) -> str:
    """What a text of so many characters begins and ends with, in at most so many bytes."""
    room = max(0, most - _NOTE)
    first = head[: room // 3].decode("utf-8", "ignore")
    last = tail[len(tail) - (room - room // 3) :].decode("utf-8", "ignore")
    return f"{first}\n[… {counted(length - len(first) - len(last), 'character')} cut …]\n{last}"


def tokens_in(size: int) -> int:
    """About how many tokens a text of so many characters has."""
    return (size + LETTERS - 1) // LETTERS


def digest(session: Session, files: Sequence[ChangedFile] = ()) -> str:
    """The session in short as Markdown, at most DIGEST bytes; `files` are what was changed, the last one last.

    Empty where nothing was said.
    """
    own, answer = _own_messages(session), _last(session, "agent")
    if not own and answer is None:
        return ""
    agent = _line(session.agent_name) or "another agent"
    title = _line(session.title or (_spoken(own[0], TITLE, 1).partition("\n")[0] if own else ""))
    names = ["First message", "Last message"] if own[1:] else ["Message"]
    sections = [
        *((name, _spoken(entry, PIECE)) for name, entry in zip(names, own, strict=False)),
        ("Plan", shortened("\n".join(_plan(session)), PIECE, PIECE_LINES)),
        ("Changed files", shortened("\n".join(_files(files, session.cwd)), PIECE, PIECE_LINES)),
        ("Last answer", _spoken(answer, 2 * PIECE) if answer is not None else ""),
    ]
    told = (f"## {name}\n\n{closed(text)}" for name, text in sections if text)
    # It begins with a word of ours: what begins with a slash or a `!` would be a command where it is sent.
    head = f"Continue: {title} (from {agent})" if title else f"Continue the work of {agent}"
    about = "Continue this work in the same folder. Read the files first; they may have changed."
    return "\n\n".join([head, about, *told])


def pictures(session: Session) -> list[ImageContent]:
    """Pictures of the messages that a digest has, each once, the first PICTURES of them."""
    parts = chain.from_iterable(entry.parts for entry in _own_messages(session))
    found: list[ImageContent] = []
    for part in parts:
        if isinstance(part, ImageContent) and part not in found and len(found) < PICTURES:
            found.append(part)
    return found


def transcript(session: Session, most: int = TRANSCRIPT, *, outputs: bool = False) -> str:
    """The conversation as Markdown in at most so many bytes: its beginning, and its longer end.

    Thoughts are left out, and so is what tools gave out, but for the `outputs` of which the user wants a part.
    """
    told = session.entries
    room = max(0, most - 2 * _NOTE - 3 * TITLE)
    first, stop = _taken(_told_of(islice(told, ENTRIES // 4), session, outputs=outputs), room // 4)
    after = islice(reversed(told), max(0, min(len(told) - stop, ENTRIES)))
    last, back = _taken(_told_of(after, session, outputs=outputs), room - room // 4)
    missing = len(told) - stop - back
    what = "message or tool call" if missing == 1 else "messages and tool calls"
    cut = [f"[… {missing:,} {what} cut …]"] if missing else []
    agent = _line(session.agent_name) or "another agent"
    return "\n\n".join([f"# Transcript of {agent}", *first, *cut, *reversed(last)]) + "\n"


def _taken(pieces: Iterable[str], room: int) -> tuple[list[str], int]:
    """As many pieces as there is room for, in bytes, without empty ones; and how many were looked at."""
    taken: list[str] = []
    number = 0
    for piece in pieces:
        room -= len(piece.encode("utf-8", "surrogatepass")) + 2
        if room < 0:
            break
        number += 1
        if piece:
            taken.append(piece)
    return taken, number


def _told_of(told: Iterable[Entry], session: Session, *, outputs: bool) -> Iterator[str]:
    for entry in told:
        if isinstance(entry, MessageEntry):
            text = _spoken(entry, MESSAGE, MESSAGE) if entry.role in ("user", "agent") else ""
            yield f"## {entry.role.capitalize()}\n\n{closed(text)}" if text else ""
        elif isinstance(entry, ToolCallEntry):
            yield "\n\n".join(_tool_call(entry, session, outputs=outputs))
        else:
            lead, text = entry.brief()
            yield f"- {lead}{_line(text, PIECE if lead else TITLE)}" if lead or text else ""


def _own_messages(session: Session) -> list[MessageEntry]:
    """The first and the last message of the user that say something; one where they are the same, none if there is."""
    first = next(_messages(session.entries, "user"), None)
    last = _last(session, "user")
    return [entry for entry in (first, last if last is not first else None) if entry is not None]


def _last(session: Session, role: str) -> MessageEntry | None:
    return next(_messages(reversed(session.entries), role), None)


def _messages(told: Iterable[Entry], role: str) -> Iterator[MessageEntry]:
    return (each for each in told if isinstance(each, MessageEntry) and each.role == role and _spoken(each, TITLE))


def _spoken(entry: MessageEntry, most: int, lines: int = PIECE_LINES) -> str:
    texts = (_part(part, most).strip() for part in entry.parts)
    return shortened("\n\n".join(filter(None, texts)), most, lines)


def _part(part: Part, most: int) -> str:
    if not isinstance(part, TextPart):
        return _block(part)
    if part.length <= 2 * _LOOKED_AT:
        return shortened(_plain(part.text), most)
    head, tail = _plain(_from(part.chunks)), _plain(_from(part.chunks, last=True), cut=True)
    return _ends(head.encode("utf-8", "surrogatepass"), tail.encode("utf-8", "surrogatepass"), part.length, most)


def _from(chunks: Sequence[str], *, last: bool = False) -> str:
    """The first (or last) _LOOKED_AT characters of a long text, without joining all of it."""
    taken: list[str] = []
    size = 0
    for chunk in reversed(chunks) if last else chunks:
        taken.append(chunk[-_LOOKED_AT:] if last else chunk[:_LOOKED_AT])
        size += len(taken[-1])
        if size >= _LOOKED_AT:
            break
    return "".join(reversed(taken) if last else taken)


def _plain(text: str, *, cut: bool = False) -> str:
    """Without escapes and secrets. One of which the beginning was `cut` off may begin amid a secret: some more goes."""
    return without_secrets(strip_escapes(text), _AMID if cut else 0)


def _block(block: ContentBlock) -> str:
    """A block that is no text in a few words; of what went with a prompt only its name."""
    if isinstance(block, TextContent):
        return "" if for_agent_only(block) else shortened(_plain(block.text), MESSAGE)
    if isinstance(block, EmbeddedResource):
        return f"({_line(block.resource.uri)})"
    return shortened(without_secrets(block_markdown(block)), TITLE)


def _plan(session: Session) -> Iterator[str]:
    steps = [step for plan in session.plans.values() for step in plan.entries]
    for step in steps[:ROWS]:
        yield f"- [{SIGNS.get(step.status, ' ')}] {_line(step.content)}"
    if len(steps) > ROWS:
        yield f"- {counted(len(steps) - ROWS, 'more step')}"
    if not steps:
        texts = (plan.content for plan in session.plans.values() if plan.content)
        yield from (shortened(_plain(text[:_LOOKED_AT]), PIECE) for text in texts)


def _files(files: Sequence[ChangedFile], cwd: str) -> Iterator[str]:
    """`- src/login.py +12 −3`, the last changed one first."""
    for file in list(reversed(files))[:ROWS]:
        counts = [f"+{file.added:,}"] * bool(file.added) + [f"−{file.removed:,}"] * bool(file.removed)
        told = " ".join([*counts, *([f"({file.note})"] if file.note else [])])
        yield f"- {_line(short_path(file.path, None, cwd))} {told}".rstrip()
    if len(files) > ROWS:
        yield f"- {counted(len(files) - ROWS, 'more file')}"


def _tool_call(entry: ToolCallEntry, session: Session, *, outputs: bool) -> Iterator[str]:
    subject = subject_of(entry, session)
    told = told_line(subject, session.cwd)
    yield f"- {verb_of(subject.kind)}: {_line(told, 2 * TITLE)} ({ending_of(entry) or 'not finished'})"
    if outputs and (output := _output(entry, session)):
        yield fence(output)


def _output(entry: ToolCallEntry, session: Session) -> str:
    """What a call gave out, without secrets; its diffs are in the files."""
    texts = [_text(item) for item in entry.content if isinstance(item, ContentItem)]
    texts += [_printed(terminal) for terminal in terminals_of(entry, session.terminals)]
    if not any(texts) and entry.raw_output is not None:
        texts = [_json(entry.raw_output)]
    text = "\n".join(filter(None, texts))[-_LOOKED_AT:]
    return shortened(_plain(text, cut=len(text) == _LOOKED_AT).strip(), OUTPUT)


def _text(item: ContentItem) -> str:
    block = item.content
    return block.text[-_LOOKED_AT:] if isinstance(block, TextContent) else _block(block)


def _printed(terminal: Terminal) -> str:
    chunks: list[bytes] = []
    for chunk in reversed(terminal.chunks):
        chunks.append(chunk[-_LOOKED_AT:])
        if sum(map(len, chunks)) >= _LOOKED_AT:
            break
    return b"".join(reversed(chunks)).decode(errors="replace")


def _json(value: object) -> str:
    if isinstance(value, str):
        return value[-_LOOKED_AT:]
    taken: list[str] = []
    size = 0
    try:
        for piece in json.JSONEncoder(ensure_ascii=False, indent=1, default=str).iterencode(value):
            taken.append(piece[:_LOOKED_AT])
            size += len(taken[-1])
            if size > _LOOKED_AT:
                break
    except (RecursionError, ValueError):
        return ""
    return "".join(taken)
