"""Undo of a turn's files, and redo: each after its preview, and never while the agent works."""

from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_tui.errors import Fault
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.snapshot_history import Point
from acp_tui.host.revert.apply import FileProgress
from acp_tui.host.revert.steps import Preview, Step, TakenBack
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.text.phrases import counted
from acp_tui.startup import late
from acp_tui.ui.changes.extensions import FIRST, ChangesExtension, Here
from acp_tui.ui.commands.key_table import first_way, ways_to
from acp_tui.ui.entries.diff_units import diff_units
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.kit.session_view import SessionView, announce_fault
from acp_tui.ui.prompt.banners import AgentNotes, Banner, Banners, ConversationBanner, banner_of
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.questions.subject_screen import SubjectScreen
from acp_tui.views.undo import lowered, problems, summary, turn_name, turn_of, with_its_folders

if TYPE_CHECKING:
    from acp_tui.ui.undo.undo_panel import EarlierTurns, StepChoice

PANEL = "acp_tui.ui.undo.undo_panel"
NOTHING = "No files to undo"
NOTHING_UNDONE = "No files to redo"
UNCHANGED = "nothing to undo"
AFTER_TURN = "when the turn ends"
BUSY = "The agent started working again; nothing was changed"
INDENT = 1  # cells before a diff
SLOW = 0.3  # seconds, from which it is said that something takes long
COUNTED_EACH = 0.1  # seconds between two counts of the files that are written
Work = Callable[[], Coroutine[Any, Any, object]]


class WaitingUndo(NamedTuple):
    """What is done once the turn has ended: `words` for it, by the id of the command that withdraws it, too."""

    command: str
    words: str
    work: Work


class TakeBackActions:
    """Taking back in one session; others that know what is to be taken back hand a preview to `ask`."""

    def __init__(self, view: SessionView, banners: Banners) -> None:
        self._view, self.banners = view, banners
        self.carrying = ConversationBanner(view)
        self._waits: WaitingUndo | None = None
        self._looking = ""
        self._besides: Collection[int] = ()
        self._passed: set[int] = set()  # turns that were shown, of which nothing is chosen beforehand
        self._changes: SessionChanges | None = None
        self._notes: AgentNotes | None = None
        self._unsubscribe: Callable[[], None] = lambda: None

    @property
    def changes(self) -> SessionChanges:
        """The session's; from the first time on its line follows them."""
        if self._changes is None:
            self._changes = self._view.client.changes(self._view.session)
            self._unsubscribe = self._changes.subscribe(self.look)
        return self._changes

    @property
    def notes(self) -> AgentNotes:
        if self._notes is None:
            self._notes = AgentNotes(self._view.session, self.changes)
        return self._notes

    def close(self) -> None:
        self._waits = None
        self._unsubscribe()

    def take_back_turn(self) -> None:
        """The files of the last turn that changed some which are not all taken back."""
        turn = self.changes.turn_number if self._view.session.turn.active else 0
        self.begin("take_back_turn", "Undo", partial(self._take_back_turn, turn))

    def redo(self) -> None:
        self.begin("redo_taken_back", "Redo", self._redo)

    def begin(self, command: str, words: str, work: Work) -> None:
        """Do this now, or at the turn's end; the same command again withdraws it."""
        if self.waits_for(command):
            self.withdraw()
        elif self._looking:
            self._view.say(self._looking)
        elif off := self.changes.off:
            self._view.say(f"{NOTHING}: {lowered(off)}", 5)
        elif self._view.session.turn.active:
            self._waits = WaitingUndo(command, words, work)
            self._hold_queue(held=True)  # or the next prompt would be out before
            self.look()
            if not (self._view.has_keys and self.banners.is_seen):
                self._view.say(f"{words} {AFTER_TURN}", 4)
        else:
            self._view.run(self.looking(work()))

    def waits_for(self, command: str) -> bool:
        return self._waits is not None and self._waits.command == command

    def withdraw(self) -> bool:
        """Wait for the turn's end no more; whether something did."""
        waited = self._waits is not None
        self._waits = None
        if waited:
            self._hold_queue(held=False)
        self.look()
        return waited

    def look(self) -> None:
        """What goes on in the session, or what was taken back, is another."""
        waits = self._waits
        if waits is not None and not self._view.session.turn.active:
            self._waits = None
            self._resume(waits)
        self.notes.look()
        self.banners.put("take_back", *self._said())

    def toggle_telling(self) -> None:
        """Do not tell the agent with the next prompt, or do. A conversation that it does not know comes first."""
        if self.carrying.toggle():
            return
        if not self.notes.toggle():
            self._view.say("Nothing to mention: nothing was undone since the last prompt")
        elif self.notes.is_left_out:
            self._view.say(f"The next prompt won't mention it ({ways_to('tell_taken_back')} to include it)", 4)
        self.look()

    def leading(self, draft: Draft) -> Draft:
        """A prompt that is sent now, and before it what the agent has to know, which is told then."""
        led = self.notes.leading(draft.blocks)
        self._show_line()
        return replace(draft, blocks=tuple(led))

    def noted(self, blocks: Sequence[ContentBlock], besides: Collection[int]) -> list[ContentBlock]:
        """The same for a branch; here it is still to be told. Takings `besides` are no news there."""
        return self.notes.noted(blocks, besides)

    def later_than(self, point: Point) -> set[int]:
        """The takings back of turns of which an agent knows nothing that remembers what was said before this point."""
        found = set[int]()
        for each in self.changes.taken_back:
            if turn_of(each) >= max(1, point.turn) or each.undoes in found:  # what undoes one is no more known than it
                found.add(each.number)
        return found

    def set_besides(self, besides: Collection[int]) -> None:
        """What is written now goes to a branch for which these takings are no news."""
        self._besides = besides
        self._show_line()

    async def ask(self, preview: Preview, further: "EarlierTurns | None" = None) -> TakenBack | None:
        """Show what would happen (`further`: one turn earlier), and do what is agreed to; None if that is nothing."""
        view = self._view
        self._set_looking("")
        if not preview.steps:
            view.say(NOTHING, 4)  # nothing but the agent's own state
            return None
        if preview.is_as_it_was:
            view.say(f"{preview.words}: {UNCHANGED}", 4)
            return None
        choice = await view.ask(late(PANEL).TakeBackPanel(preview, self.show, further))
        return await self.carry_out(choice) if choice is not None else None

    async def carry_out(self, choice: "StepChoice", *, quiet: bool = False) -> TakenBack | None:
        """Do what the user agreed to; None if the agent works meanwhile. `quiet`: only the transcript has it."""
        view, steps = self._view, choice.steps
        if view.session.turn.active:
            view.say(BUSY, 5, "warning")
            return None
        taken = await self._done(choice.preview, steps)
        way = "redo_taken_back" if taken.undoes is None else "take_back_turn"
        if not quiet or not all(outcome.done for outcome in taken.outcomes):
            view.say(summary(taken, f"{ways_to(way)} to {'redo' if taken.undoes is None else 'undo'}"), 6)
        self.look()
        if left := problems(taken, {step.change.path for step in steps}):
            await view.ask(late(PANEL).LeftAlonePanel(left))
        return taken

    def show(self, step: Step) -> None:
        """Open what a step would change in its file."""
        self._view.run(_show(self._view, self.changes, step))

    async def _done(self, preview: Preview, steps: Sequence[Step]) -> TakenBack:
        """Do that; where it takes long, the line counts."""
        progress, verb = FileProgress(), "Undo" if preview.undoes is None else "Redo"

        def tell() -> None:
            if progress.of:
                self._looking = f"{verb}: {progress.done:,} of {counted(progress.of, 'file')}"
            if monotonic() >= shown_from:
                self._show_line()

        shown_from = monotonic() + SLOW
        held_already = self._view.client.of(self._view.session).holds_queue
        self._hold_queue(held=True)  # or the agent would begin on files that are half undone
        self._set_looking("Writing files…")
        ticking = self.banners.set_interval(COUNTED_EACH, tell)
        try:
            return await self.changes.take_back(preview, steps, progress)
        finally:
            ticking.stop()
            self._set_looking("")
            if not held_already:
                self._hold_queue(held=False)

    async def looking(self, work: Coroutine[Any, Any, object]) -> None:
        """One at a time; where reading takes long, the line says so, until it is done."""
        self._set_looking("Comparing files…")
        try:
            await work
        finally:
            self._set_looking("")

    def done_looking(self) -> None:
        self._set_looking("")

    def _resume(self, waits: WaitingUndo) -> None:
        """What waited begins, where its session is looked at: no panel may stand over another one."""
        if self._view.is_shown:
            self._view.run(self._before_the_queue(waits.work))
        else:
            self._hold_queue(held=False)
            self._view.say(f"{waits.words}: the turn has ended, so press the key again", 6)

    async def _before_the_queue(self, work: Work) -> None:
        try:
            await self.looking(work())
        finally:
            self._hold_queue(held=False)

    def _hold_queue(self, *, held: bool) -> None:
        conversation = self._view.client.of(self._view.session)
        conversation.holds_queue = held
        conversation.send_queued()

    async def _take_back_turn(self, meant: int) -> None:
        """Undo the newest turn that is not, or the one that was `meant` (0: none) while it went on.

        One of which nothing is chosen beforehand is shown once, and passed by the next time.
        """
        changes = self.changes
        while (found := changes.last_turn(self._passed)) is not None:
            turn = found[0].turn
            name = turn_name(found[0].words, turn)
            if meant and turn != meant:
                self._view.say(f"{NOTHING}: this turn changed no files", 4)
                return
            between = await changes.between(*found)
            preview = await changes.preview(name, between, between.files)
            if preview.steps and not preview.is_as_it_was:
                if not any(step.chosen for step in preview.steps):
                    self._passed.add(turn)
                await self.ask(preview, late(PANEL).EarlierTurns(changes, {turn, *self._passed}, found[1]))
                return
            self._passed.add(turn)
            self._view.say(f"{name}: {UNCHANGED if preview.steps else 'no files changed'}", 4)
        self._view.say(f"{NOTHING}: {_why_none(changes)}", 4)

    async def _redo(self) -> None:
        changes = self.changes
        last = next((each for each in reversed(changes.taken_back) if can_redo(each)), None)
        if last is None:
            self._view.say(NOTHING_UNDONE, 4)
            return
        preview = await changes.preview_undo(last)
        await self.ask(preview)

    def _set_looking(self, words: str) -> None:
        self._looking = words
        if words:
            self.banners.set_timer(SLOW, self._show_line)
        else:
            self._show_line()

    def _show_line(self) -> None:
        self.banners.put("take_back", *self._said())

    def _said(self) -> list[Banner]:
        said = []
        if self._looking:
            said.append(banner_of(self._looking, self._show_line))
        if self._waits is not None:
            words = f"{self._waits.words} {AFTER_TURN}"
            said.append(banner_of(words, self.withdraw, (first_way("cancel"), "withdraw"), "$foreground"))
        if news := self.notes.news(self._besides):
            hint = (first_way("tell_taken_back"), "leave out")
            said.append(banner_of(f"The next prompt will mention {news.words}", self.toggle_telling, hint))
        return [*said, *self.carrying.banners()]


async def _show(view: SessionView, changes: SessionChanges, step: Step) -> None:
    try:
        diff = await late(PANEL).diff_of(step, changes)
    except Fault as fault:
        announce_fault(view.app, fault)
        return
    view.open(SubjectScreen(partial(diff_units, diff, INDENT), "unified"))


def can_redo(taken: TakenBack) -> bool:
    return taken.undoes is None and not taken.undone and bool(taken.steps)


def _why_none(changes: SessionChanges) -> str:
    if changes.progress is not None:
        return "the first snapshot is not finished"
    if not any(point.kind == "prompt" for point in changes.points):
        return "no turn yet"
    return "all turns are already undone"


class ScreenKeys(ChangesExtension):
    """The keys of the changes screen that undo what is looked at there: a file, all that are listed, a hunk.

    Each does that with what the user saw when it was pressed.
    """

    def __init__(self, actions: TakeBackActions) -> None:
        self._actions = actions
        self.keys = (
            PanelKey("u", "undo file", self._file, _on_file, rank=FIRST, missing="No file to undo"),
            PanelKey("h", "undo hunk", self._hunk, _on_hunk, rank=FIRST, missing="No hunk to undo"),
            PanelKey("U", "undo all", self._all, _on_any, rank=FIRST, missing="Nothing to undo"),
        )

    def refusal(self, here: Here) -> str:
        return here.no_undo

    def _file(self, here: Here) -> None:
        changes, file = here.changes, here.file
        if changes is not None and file is not None:
            files = with_its_folders(file, changes.files)
            self._begin("u", file.path, partial(here.source.preview, file.path, changes, files, pointed=True))

    def _all(self, here: Here) -> None:
        words, changes = _all_words(here), here.changes
        if changes is not None:
            self._begin("U", words, partial(here.source.preview, words, changes, changes.files))

    def _hunk(self, here: Here) -> None:
        if here.file is not None and here.hunk is not None:
            self._begin("h", f"one hunk of {here.file.path}", partial(here.source.preview_hunk, here.file, here.hunk))

    def _begin(self, key: str, words: str, preview: Callable[[], Coroutine[Any, Any, Preview]]) -> None:
        self._actions.begin(f"changes {key}", f"Undo {words}", partial(self._ask, preview))

    async def _ask(self, preview: Callable[[], Coroutine[Any, Any, Preview]]) -> None:
        await self._actions.ask(await preview())


def _on_file(here: Here) -> bool:
    return here.file is not None and not here.no_undo


def _on_hunk(here: Here) -> bool:
    return here.hunk is not None and not here.no_undo


def _on_any(here: Here) -> bool:
    return bool(here.changes and here.changes.files) and not here.no_undo


def _all_words(here: Here) -> str:
    """`"fix the parser"` for a turn, else `all since the session began`."""
    if here.turn and here.changes is not None:
        return turn_name(here.changes.since.words, here.turn)
    return f"all {lowered(here.words)}"
