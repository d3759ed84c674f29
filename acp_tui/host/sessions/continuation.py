"""Continuations of a conversation in another session: from an earlier message, or as the first prompt of a new one.

From an earlier message: it is replaced, what was said before it is kept, its own turn and all after that is left out.
Nothing here asks the agent: which way it goes is known before anything is sent. In a prompt: Markdown for an agent that
knows nothing of it, with what was said and done, not what was thought nor what this program noticed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from acp_tui.errors import AgentFault
from acp_tui.frozen import Frozen
from acp_tui.protocol.base_dialect import system_prompt_of
from acp_tui.protocol.capabilities import AgentCapabilities, SystemPrompt, is_agents
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.vocabulary.content import (
    Annotations,
    ContentBlock,
    EmbeddedResource,
    TextContent,
    TextResource,
    for_agent_only,
)
from acp_tui.session.entries import Entry, MessageEntry, TextPart, ToolCallEntry
from acp_tui.session.facts import Branched, CarryingChosen, Noticed, SystemPromptSent
from acp_tui.session.folds.messages import is_carried, own_parts, text_of
from acp_tui.session.state import Carrying, Session
from acp_tui.session.text.phrases import CARRIED, CARRIED_URI, has_note, without_note
from acp_tui.startup import late

BranchWay = Literal["at_message", "whole", "retold", "new"]
WORDS = 120
"""Characters of the message that is replaced by which it is known again."""
UNSEEN = "Hidden messages are not included"
FILES_STAY = "Files stay as they are"
SAID: dict[BranchWay, tuple[str, ...]] = {
    "at_message": ("Fork at this message", "The agent remembers everything before it", FILES_STAY),
    "whole": ("Fork of the whole conversation", "The agent remembers all of it", FILES_STAY),
    "retold": ("New session with the conversation before this message", FILES_STAY),
    "new": ("New session: this is the first message", FILES_STAY),
}


class BranchPlan(Frozen):
    """Which way a branch goes: `at_message` and `whole` are forks, `retold` and `new` are new sessions.

    `at_message`: the agent forks after the answer `after`, an id of its own. `whole`: it forks all that it knows, which
    is what is kept. `retold`: the first prompt of a new session carries what was said. `new`: there is nothing to
    carry. `said` is what the user must know before anything is sent, one idea a line: which way it is, what the agent
    will know, that files stay as they are.
    """

    way: BranchWay
    said: tuple[str, ...]
    after: str = ""


@dataclass(slots=True, eq=False)
class Branch:
    """A branch on its way to the agent: before the prompt number `prompts`, from 0 (`None`: from the end).

    `unseen`: the agent remembers messages of its parent that are not known here. `problem` says why it could not fork.
    """

    plan: BranchPlan
    fact: Branched
    prompts: int | None
    unseen: bool = False
    problem: str = ""


class Forks(Frozen):
    """What the agent can fork: a session, and that at a message. `unseen`: it remembers more than is shown."""

    session: bool
    at_message: bool
    unseen: bool = False


def plan_branch(session: Session, message: MessageEntry | None, can: Forks) -> BranchPlan:
    """How the conversation can go on from before `message`, one of the user's; from its end without one."""
    place = _place(session, message)
    before = session.entries[:place]
    after = _answer_before(before) if can.at_message and place is not None else ""
    if not any(_is_of(entry, "user") for entry in before) and not (can.unseen and place is None):
        way: BranchWay = "new"
    elif not can.session or not session.id or session.index.forgotten:
        way = "retold"
    elif after:
        way = "at_message"
    else:
        way = "whole" if place is None or _is_removed(session, place) else "retold"
    said = SAID[way]
    if can.unseen and way in ("new", "retold"):
        said = (*said[:-1], UNSEEN, FILES_STAY)
    return BranchPlan(way, said, after if way == "at_message" else "")


def branched_fact(session: Session, message: MessageEntry | None) -> Branched:
    place = _place(session, message)
    prompts = sum(_is_of(entry, "user") for entry in session.entries[:place])
    words = " ".join(without_note(text_of(message.parts)).split()) if message is not None else ""
    cut = words if len(words) <= WORDS else words[: WORDS - 1] + "…"
    return Branched(session.id, message.id if message is not None else "", prompts, cut)


def _place(session: Session, message: MessageEntry | None) -> int | None:
    """Where the message stands; None for the end, where one that is not in the transcript would stand, too."""
    return next((at for at, entry in enumerate(session.entries) if entry is message), None)


def _answer_before(entries: Sequence[Entry]) -> str:
    """The id of the answer after which the branch goes on; empty where the agent gave the last one none.

    An answer that is not the last would cut off what was said after it.
    """
    for entry in reversed(entries):
        if _is_of(entry, "user"):
            return ""
        if isinstance(entry, MessageEntry) and entry.role == "agent" and is_agents(entry.id) and _says(entry):
            return entry.id
    return ""


def _is_removed(session: Session, place: int) -> bool:
    """Whether the agent has taken the last prompt, which stands there, and all after it out of its context."""
    last = not any(_is_of(entry, "user") for entry in session.entries[place + 1 :])
    return last and not session.turn.active and session.turn.stop_reason == "refusal"


def _is_of(entry: Entry, role: str) -> bool:
    return isinstance(entry, MessageEntry) and entry.role == role


def _says(message: MessageEntry) -> bool:
    return any(not isinstance(part, TextPart) or part.text.strip() for part in message.parts)


CAP = 200_000
"""Characters that are carried: some 50,000 tokens, a quarter of what most models take."""
LEAST = 10
"""Characters that anything takes at least beside the text of a message."""
CUT = "[Beginning omitted.]"


class Carried(Frozen):
    """The block for the agent, and what it lacks, in words; empty if nothing."""

    block: ContentBlock
    lacks: str


def carry(session: Session, carrying: Carrying = "wanted") -> None:
    """Have the next prompt carry what was said here, if anything was, or have that offered."""
    if any(isinstance(entry, MessageEntry) for entry in session.entries):
        session.apply(CarryingChosen(carrying))


def toggle_carrying(session: Session) -> bool:
    """Have the next prompt carry it, or not; whether there is anything that the agent does not know."""
    if session.carrying:
        session.apply(CarryingChosen("offered" if session.carrying == "wanted" else "wanted"))
    return bool(session.carrying)


def size_carried(session: Session) -> int:
    block = carried(session, embedded=False).block
    return len(block.text) if isinstance(block, TextContent) else 0


def led(session: Session, blocks: list[ContentBlock], *, embedded: bool) -> list[ContentBlock]:
    """A prompt that goes out now, led by what was said before where it carries that."""
    if not session.carrying:
        return blocks
    wanted = session.carrying == "wanted" and not any(is_carried(block) for block in blocks)
    session.apply(CarryingChosen(""))
    if not wanted:
        return blocks
    before = carried(session, embedded=embedded)
    if before.lacks:
        session.apply(Noticed("info", "The agent gets a shortened conversation", f"Left out: {before.lacks}."))
    return [before.block, *blocks]


def carried(session: Session, *, embedded: bool, cap: int = CAP) -> Carried:
    """What was said in a session, for the agent only: as a resource where it takes one (`embedded`), else as text.

    Of more than `cap` characters the details of tool calls are left out first, the oldest before the newer ones, then
    the beginning. No more of it is put into words than that takes.
    """
    entry_markdown: Callable[..., str] = late("acp_tui.session.export").entry_markdown
    said, whole = _said(session, cap)
    calls = [at for at, entry in enumerate(said) if isinstance(entry, ToolCallEntry)]
    pieces = [entry_markdown(each, session, head_only=isinstance(each, ToolCallEntry)) for each in said]
    room = cap - sum(len(piece) + 2 for piece in pieces)
    while calls and room >= 0:
        at = calls[-1]
        detailed = entry_markdown(said[at], session)
        room -= len(detailed) - len(pieces[at])
        if room >= 0:
            pieces[at] = detailed
            calls.pop()
    text = "\n\n".join(pieces)
    lacks = ["the details of one tool call" if len(calls) == 1 else f"the details of {len(calls):,} tool calls"]
    if not whole or len(text) > cap:
        text = f"{CUT}\n\n{text[-cap:]}"
        lacks.append("the beginning")
    return Carried(_block(f"{CARRIED}\n\n{text}\n", embedded=embedded), " and ".join(lacks if calls else lacks[1:]))


def _block(text: str, *, embedded: bool) -> ContentBlock:
    for_agent = Annotations(audience=["assistant"])
    if not embedded:
        return TextContent(text=text, annotations=for_agent)
    resource = TextResource(uri=CARRIED_URI, text=text, mime_type="text/markdown")
    return EmbeddedResource(resource=resource, annotations=for_agent)


def own_blocks(message: MessageEntry) -> list[ContentBlock]:
    """What the user sent with a message, without what this program put in front of it."""
    own = [TextContent(text=part.text) if isinstance(part, TextPart) else part for part in own_parts(message.parts)]
    first = next(
        (at for at, block in enumerate(own) if isinstance(block, TextContent) and not for_agent_only(block)), None
    )
    if first is not None and has_note(told := getattr(own[first], "text", "")):
        own[first : first + 1] = [TextContent(text=rest)] if (rest := without_note(told)) else []
    return own


def _said(session: Session, cap: int) -> tuple[list[Entry], bool]:
    """What may find room in so many characters, and whether that is all.

    It is without what an earlier prompt carried, which stands before that one here.
    """
    said: list[Entry] = []
    for entry in reversed(session.entries):
        if cap < 0:
            return said[::-1], False
        if not entry.carried:
            continue
        parts = entry.parts if isinstance(entry, MessageEntry) else []
        mine = entry if isinstance(entry, MessageEntry) and entry.role == "user" else None
        said.append(entry if mine is None else replace(mine, parts=list(own_parts(mine.parts))))
        cap -= LEAST + sum(part.length for part in parts if isinstance(part, TextPart))
    return said[::-1], True


KEPT = "the system prompt of this session"
"""Where a text comes from that a record holds."""
WITHOUT = "--no-system-prompt"
"""The option that opens a session without any."""


def as_before(sent: SystemPromptSent) -> SystemPrompt:
    texts = sent.override, *sent.append
    return SystemPrompt(sent.override, sent.append, tuple(KEPT for text in texts if text))


def offered_prompt(prompt: SystemPrompt, can: AgentCapabilities) -> tuple[SystemPrompt, list[Noticed]]:
    """The texts that the agent takes, and what the user is told of the others."""
    if not prompt.texts or can.system_prompt == "override":
        return prompt, []
    if not can.system_prompt:
        message, hint = f"Not sent: {named_sources(prompt)}", "Put it in your first prompt instead."
        return SystemPrompt(), [Noticed("warning", "The agent does not support a system prompt", message, hint)]
    if not prompt.override:
        return prompt, []
    own, *others = prompt.sources or ("",)
    hint = "Add to it instead: --append-system-prompt"
    notice = Noticed("warning", "The agent does not support replacing its system prompt", f"Not sent: {own}", hint)
    return replace(prompt, override="", sources=tuple(others)), [notice]


def is_prompt_offered(prompt: SystemPrompt, can: AgentCapabilities) -> bool:
    return bool(offered_prompt(prompt, can)[0].texts)


def prompt_sent(call: Call, prompt: SystemPrompt) -> SystemPromptSent | None:
    """What went with the request that opened a session, to be remembered; None where that is nothing."""
    sent = system_prompt_of(call.params)
    if not sent.texts and (prompt.texts or not prompt.given):
        return None
    return SystemPromptSent(sent.override, sent.append)


def not_opened(fault: AgentFault, prompt: SystemPrompt, *, attended: bool) -> AgentFault:
    """The fault of an agent that opened no session with this prompt, and how to go on without it."""
    named = [source for source in dict.fromkeys(prompt.sources) if source != KEPT]
    hint = f"Leave out {', '.join(named)}, or add {WITHOUT}." if named else f"Add {WITHOUT}."
    if attended:
        hint = "Press Enter to open the session without the system prompt."
    return AgentFault("The agent did not open the session with your system prompt", fault.message, hint)


def named_sources(prompt: SystemPrompt) -> str:
    return ", ".join(dict.fromkeys(prompt.sources)) or KEPT
