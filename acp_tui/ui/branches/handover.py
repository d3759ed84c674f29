"""Handing a conversation over to another agent: the digest in its prompt, the row that tells its size, the links."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.records.records import Records
from acp_tui.host.records.replay import RecordedSession
from acp_tui.host.system.threads import in_thread
from acp_tui.protocol.vocabulary.content import EmbeddedResource, TextResource
from acp_tui.session.changes import Change, InfoChanged
from acp_tui.session.digest import digest, pictures, tokens_in, transcript
from acp_tui.session.entries import Entry
from acp_tui.session.facts import HandedOver, TakenOver
from acp_tui.session.folds.history import HandOverEntry
from acp_tui.session.state import Session
from acp_tui.session.text.mentions import mentions_in
from acp_tui.session.text.phrases import TRANSCRIPT_URI, counted
from acp_tui.startup import late
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.session_view import SessionView, announce_fault
from acp_tui.ui.kit.theme import key_hints
from acp_tui.ui.prompt.banners import NO_KEYS, Banner, Banners, Form
from acp_tui.ui.prompt.draft import Draft, as_text, clean_paste, unlabelled
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.diff_files import ChangedFiles
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.sessions.tabs import HandOver, Opened, Program, Tab
from acp_tui.views.formatting import byte_size, tokens

PAST_SESSIONS = "acp_tui.ui.sessions.past_session_actions"
NAME = 24  # cells of an agent's name


class HandOverSize(Frozen):
    """How much is handed over: characters of what is `written` and of the transcript that goes with it, if any."""

    agent: str
    written: int
    transcript: int | None = None
    outputs: bool = False

    def forms(self) -> Iterator[Form]:
        """Words for the size, and the key of the tool output, the longest first."""
        total = self.written + (self.transcript or 0)
        about = f"≈{tokens(tokens_in(total))} tokens"
        named = (
            f"Hand-over from {sanitise_line(self.agent, NAME) or 'another agent'}: {counted(self.written, 'character')}"
        )
        if self.transcript is None:
            yield f"{named}, {about} · no transcript", NO_KEYS
            yield f"{counted(total, 'character')}, {about}", NO_KEYS
            return
        key = first_way("hand_over")
        act = key_hints([(key, f"{'remove' if self.outputs else 'add'} tool output")])
        yield f"{named} + transcript {self.transcript:,}, {about} · {'with' if self.outputs else 'no'} tool output", act
        yield f"Hand-over: {counted(total, 'character')}, {about}", act
        yield (
            f"{counted(total, 'character')}, {about}",
            key_hints([(key, f"{'−' if self.outputs else '+'} tool output")]),
        )


OPPOSITE = {"to": "from", "from": "to"}


class Links:
    """The links that one session shows, or a record that is read from there."""

    def __init__(self, view: SessionView, program: Program) -> None:
        self._view, self._tabs, self._program = view, program.tabs, program

    def follow(self, entry: Entry | None) -> bool:
        """Go where an entry leads; whether it is a link."""
        if not isinstance(entry, HandOverEntry):
            return False
        tab = self._open_tab(entry)
        if tab is not None:
            app = self._view.app
            while len(app.screen_stack) > 1:  # the record in which the link stands
                app.pop_screen()
            self._tabs.show(tab)
        else:
            self._view.run(self._read(entry))
        return True

    def _open_tab(self, link: HandOverEntry) -> Tab | None:
        """The tab with the other side of this hand-over; one that its agent told anew has only the id."""
        tabs = [tab for tab in self._tabs.entries if not any(entry is link for entry in tab.session.entries)]
        marked = (tab for tab in tabs if _has_other_side(tab, link))
        named = (link.session_id, link.agent) if link.session_id else None
        same = (tab for tab in tabs if (tab.session.id, tab.session.agent_name) == named)
        return next(marked, None) or next(same, None)

    async def _read(self, link: HandOverEntry) -> None:
        records = self._program.records or Records()
        records.flush()
        info = await in_thread(records.linked, link.agent, link.session_id, link.mark)
        if info is None:
            agent = sanitise_line(link.agent, 40) or "the other agent"
            self._view.say(f"No record of the session with {agent} on this machine", 5, "warning")
            return
        past = late(PAST_SESSIONS)
        session = await past.read_record(self._view.app, records, info)
        if session is not None:
            self._view.open(past.HistoryScreen(session, info, self.follow))


def _has_other_side(tab: Tab, link: HandOverEntry) -> bool:
    links = (entry for entry in tab.session.entries if isinstance(entry, HandOverEntry))
    return any((each.way, each.mark) == (OPPOSITE[link.way], link.mark) for each in links)


COUNTING = 0.3  # seconds at most for comparing the files that were changed; of the rest nothing is told
NOTHING = "Nothing to hand over: no messages yet"


@dataclass(slots=True)
class HandOverDraft:
    """A hand-over in the prompt: where it comes from, what both sides are marked with, and what was written.

    `label` stands for the transcript.
    """

    source: Session
    mark: str
    text: str
    label: str
    block: EmbeddedResource
    outputs: bool = False

    def is_in(self, text: str) -> bool:
        """Whether a text, which may have been edited, still is this hand-over."""
        return self.label in text or text.lstrip().startswith(self.text.partition("\n")[0])


class HandOverActions:
    """Handing this session's conversation over, and what was handed over to this one."""

    def __init__(self, view: SessionView, editor: PromptEditor, program: Program, banners: Banners) -> None:
        self._view, self._editor, self._program, self._banners = view, editor, program, banners
        self._written: HandOverDraft | None = None
        self._restored = False

    def restore_links(self) -> None:
        """A session that its agent brought back tells nothing of hand-overs: its records do."""
        conversation = self._view.client.of(self._view.session)
        if not self._restored and conversation.source.kind == "known" and conversation.is_open:
            self._restored = True
            self._view.run(self._restore())

    async def _restore(self) -> None:
        session = self._view.session
        facts = await in_thread(Records().links, session.agent_name, session.id)
        known = {(each.way, each.mark) for each in session.entries if isinstance(each, HandOverEntry)}
        for fact in facts:
            if ("to" if isinstance(fact, HandedOver) else "from", fact.mark) not in known:
                session.apply(fact)

    def choose_agent(self) -> None:
        self._choose(self._program.converse)

    def _choose(self, begin: Callable[[Opened], object], folder: str = "", title: str | None = None) -> None:
        """`begin` gets the session, in this folder (empty: in that of the start); `title` says what it is for."""
        if self._program.agents is None:
            self._view.say("No other agents configured")
            return
        try:
            screen = self._program.agents(begin, folder)
        except Fault as fault:
            announce_fault(self._view.app, fault)
        else:
            screen.title = title
            self._view.open(screen)

    def begin(self) -> None:
        """Let the user choose the agent that is to go on; its session has the same folder.

        In that session the same key adds the tool output, or takes it out.
        """
        session = self._view.session
        if self._is_in_prompt:
            self.toggle_outputs()
            return
        if not digest(session):
            self._view.say(NOTHING)
            return

        def go_on(opened: Opened) -> None:
            self._program.converse(opened._replace(handed=HandOver(session)))

        self._choose(go_on, session.cwd, BY_ID["hand_over"].label)

    def take(self, handed: HandOver) -> None:
        if handed.session is not None:
            self._write(handed.session)
        elif handed.record is not None:
            self._view.run(self._read(handed.record))

    async def _read(self, record: RecordInfo) -> None:
        source = await late(PAST_SESSIONS).read_record(self._view.app, Records(), record)
        if source is not None and digest(source):
            self._write(source)
        elif source is not None:
            self._view.say(NOTHING, 5, "warning")

    def _write(self, source: Session) -> None:
        changed = ChangedFiles()
        changed.look(source.entries)
        changed.count(COUNTING)
        editor = self._editor
        text = unlabelled(clean_paste(digest(source, changed.files(source.index.writes))))
        labels = [
            editor.chips.hold("Image", f"{byte_size(len(image.data) * 3 // 4)}, {image.mime_type[-10:]}", image)
            for image in pictures(source)
        ]
        written = HandOverDraft(source, os.urandom(8).hex(), text, "", self._block(source, "", outputs=False))
        self._attach(written, outputs=False)
        self._written = written
        editor.give_back(f"{as_text(text)}\n\n{' '.join([*labels, written.label])}\n")
        self.look()
        self._view.say("Edit the prompt, then press Enter to hand over", 5)

    def _attach(self, written: HandOverDraft, *, outputs: bool) -> None:
        written.block = self._block(written.source, written.mark, outputs=outputs)
        written.outputs = outputs
        size = byte_size(len(_text_of(written.block).encode("utf-8", "replace")))
        words = f"of {sanitise_line(written.source.agent_name, NAME) or 'another agent'}, {size}"
        written.label = self._editor.chips.hold("Transcript", words, written.block)

    def _block(self, source: Session, mark: str, *, outputs: bool) -> EmbeddedResource:
        text = clean_paste(transcript(source, outputs=outputs))
        return EmbeddedResource(
            resource=TextResource(uri=f"{TRANSCRIPT_URI}{mark}.md", text=text, mime_type="text/markdown")
        )

    def look(self) -> None:
        """Another text is in the prompt: say how large the hand-over is that is in it."""
        written, text = self._written, self._editor.text
        if written is None or not written.is_in(text):
            self._banners.put("hand_over")
            return
        attached = written.label in text
        if attached:  # it may come back from the queue, or from a turn that was cancelled at once
            self._editor.chips.stand_for(written.label, written.block)
        size = HandOverSize(written.source.agent_name, len(text), None, written.outputs)
        if attached:
            own = len(text) - len(written.label)
            size = replace(size, written=own, transcript=len(_text_of(written.block)))
        self._banners.put("hand_over", Banner([*size.forms()], action=self.toggle_outputs))

    @property
    def _is_in_prompt(self) -> bool:
        return self._written is not None and self._written.label in self._editor.text

    def toggle_outputs(self) -> None:
        written, editor = self._written, self._editor
        if written is None or not self._is_in_prompt:
            self._view.say("No handoff in the prompt")
            return
        before = written.label
        self._attach(written, outputs=not written.outputs)
        above, _, _ = editor.text.partition(before)
        row, column = above.count("\n"), len(above.rpartition("\n")[2])
        place = (row, column), (row, column + len(before))
        editor.replace(written.label, *place, maintain_selection_offset=True)
        added = "Tool output added; known secrets are hidden" if written.outputs else "Tool output removed"
        self._view.say(added, 4)

    def without_mentions(self, draft: Draft) -> Draft:
        """A draft without the mentions that the digest has: what was said elsewhere attaches no file here."""
        written = self._written
        if written is None or not draft.mentions or not written.is_in(draft.text):
            return draft
        said = {mention.name for mention in mentions_in(written.text)}
        return replace(draft, mentions=tuple(each for each in draft.mentions if each.name not in said))

    def leaves(self, draft: Draft) -> Draft:
        """A draft is on its way to the agent: where it is the hand-over, both transcripts say so."""
        written = self._written
        if written is not None and written.is_in(draft.text):
            source = written.source
            self._view.session.apply(TakenOver(written.mark, source.agent_name, source.id))
            self._tell_source(written)
        return draft

    def _tell_source(self, written: HandOverDraft) -> None:
        """As soon as this session has an id, by which the other one can name it."""
        session = self._view.session
        if session.id:
            self._link(written)
            return

        def heard(change: Change) -> None:
            if isinstance(change, InfoChanged) and session.id:
                unsubscribe()
                self._link(written)

        unsubscribe = session.subscribe(heard)

    def _link(self, written: HandOverDraft) -> None:
        source, session = written.source, self._view.session
        fact = HandedOver(written.mark, session.agent_name, session.id)
        if isinstance(source, RecordedSession):
            self._view.run(in_thread(Records().tell, source.path, fact))
        else:
            source.apply(fact)


def _text_of(block: EmbeddedResource) -> str:
    return block.resource.text if isinstance(block.resource, TextResource) else ""
