"""The panel of an undo: what it would do, path by path, to be chosen from and agreed to; and what failed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import Fault
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.snapshot_history import Point
from acp_tui.host.revert.steps import Outcome, Preview, Step
from acp_tui.host.snapshots.path_state import ABSENT
from acp_tui.session.text.phrases import counted
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.entries.diff_units import LazyDiffs
from acp_tui.ui.kit.answer_rule import Meaning
from acp_tui.ui.kit.key_routing import Typed
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.kit.picker import Asking, AskingList
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.session_view import announce_fault, say
from acp_tui.ui.kit.theme import MUTED, SCROLL, Hint
from acp_tui.ui.render.diff import FileDiff, compare
from acp_tui.ui.render.text import cut, cut_path, painted, sanitise_line
from acp_tui.ui.text_panels import TextPanel
from acp_tui.views.changed_files import WHO, mode_words
from acp_tui.views.command_index import LEADER
from acp_tui.views.undo import (
    StepRow,
    can_choose,
    files_words,
    implied_folders,
    is_left_out,
    left_alone,
    since_words,
    step_row,
    time_of,
    why_not_chosen,
    with_folders,
)

COMMAND = "take_back_turn"  # whose keys go one turn further back in its own panel
NONE_CHOSEN = "No files selected. Press Space to select one"
NOTHING_TO_DO = "Nothing to do for this file"
WIDEST, SHARE = 100, 0.92  # cells of the panel, and its part of a screen that is not short
ROOMY = 30  # rows of a screen, from which the panel leaves some of it blank
AROUND, AROUND_SHORT = 10, 2  # rows beside list and notes; a short panel has no gaps
SIDES, SIDES_SHORT = 7, 5  # cells beside the words: border, padding, what a list keeps for its edge
NOTES_SHARE = 3  # the notes take at most this part of the rows, and those that the list leaves
LEAST = 3  # rows of the list
MARK, GAP = 2, 2  # cells of the box, and between two columns
PATH_AT_LEAST = 24  # cells; on a narrow screen who it was is told only where it is a reason
ACT_AT_MOST = 30
USUAL = {WHO["agent"].brief}  # whose changes an undo is expected to be of
NOT_KEPT = "The current version cannot be shown"


def widths_of(rows: Sequence[StepRow], width: int) -> tuple[int, int]:
    """Cells of the columns for what happens and for who it was, in a list of that width."""
    act = min(ACT_AT_MOST, max((cell_len(row.act[0]) for row in rows), default=0))
    authors = {row.who for row in rows}
    who = max(map(cell_len, authors - USUAL), default=0) and max(map(cell_len, authors))
    if width - MARK - 2 * GAP - act - who < PATH_AT_LEAST:
        who = 0
    return act if width - MARK - GAP - act >= PATH_AT_LEAST else max(8, width - MARK - GAP - PATH_AT_LEAST), who


def rows_of(preview: Preview, shown: Sequence[int], chosen: Sequence[bool], width: int) -> list[ListRow[int]]:
    """A row for each step that is shown, in so many cells; its value is the step's number. A reason stands below."""
    again, few = preview.undoes is not None, not why_not_chosen([preview.steps[at] for at in shown])
    new, chosen_steps = time_of(preview), zip(preview.steps, chosen, strict=True)
    rows = [step_row(step, chosen=is_chosen, again=again, why=few, new=new) for step, is_chosen in chosen_steps]
    widths, found = widths_of(rows, width), []
    for at in shown:
        below = painted(rows[at].below).wrap(max(8, width - MARK)) if rows[at].below else []
        found.append(ListRow(partial(_drawn, rows[at], widths, below), at, 1 + len(below)))
    return found


def _drawn(row: StepRow, widths: tuple[int, int], below: Sequence[Content], width: int) -> Content:
    (box, box_tone), (path, tone), (act, act_tone), (for_act, for_who) = row.box, row.path, row.act, widths
    who = f"{'':{GAP}}{row.who:<{for_who}}" if for_who else ""
    act = cut(act, for_act)
    room = max(1, width - MARK - GAP - for_act - cell_len(who))
    path = cut_path(path, room)
    filled = act + " " * (for_act - cell_len(act))
    gap = " " * (room - cell_len(path) + GAP)
    line = painted([(f"{box} ", box_tone), (path, tone), (gap, ""), (filled, act_tone), (who, "muted")])
    return Content("\n").join([line, *(Content.assemble(" " * MARK, each) for each in below)])


class StepChoice:
    """The steps of a preview that are chosen; a folder follows what lies in it. `notes` belong to all of them."""

    def __init__(self, preview: Preview) -> None:
        steps = preview.steps
        self.preview, self._below = preview, implied_folders(steps)
        shown = [at for at in range(len(steps)) if at not in self._below]
        self.shown = sorted(shown, key=lambda at: not is_left_out(steps[at]))  # they are to be decided on
        self.notes = [*preview.notes, *why_not_chosen([steps[at] for at in self.shown])]
        self._choose([step.chosen and can_choose(step) and not step.refusal for step in steps])

    @property
    def steps(self) -> list[Step]:
        return [step for step, chosen in zip(self.preview.steps, self.chosen, strict=True) if chosen]

    @property
    def verb(self) -> str:
        return "undo" if self.preview.undoes is None else "redo"

    @property
    def files(self) -> str:
        """`2 files`: those that are chosen."""
        return counted(sum(self.chosen[at] for at in self.shown), "file")

    def rows(self, width: int) -> list[ListRow[int]]:
        return rows_of(self.preview, self.shown, self.chosen, width)

    def toggle(self, at: int) -> str:
        """Choose a step, or leave it out; why that is not possible, or nothing."""
        step = self.preview.steps[at]
        if not can_choose(step):
            return step.refusal or NOTHING_TO_DO
        self._choose([chosen != (number == at) for number, chosen in enumerate(self.chosen)])
        return ""

    def toggle_all(self) -> None:
        """All that nothing speaks against, or none; what is refused is chosen one by one only."""
        steps = self.preview.steps
        free = {at for at in self.shown if can_choose(steps[at]) and not steps[at].refusal}
        every = all(self.chosen[at] for at in free) and any(self.chosen)
        self._choose([not every and at in free for at in range(len(self.chosen))])

    def _choose(self, chosen: Sequence[bool]) -> None:
        self.chosen = with_folders(chosen, self.preview.steps, self._below)


class EarlierTurns:
    """The undo of one turn more than those that were `shown`, up to the end of the last one."""

    def __init__(self, changes: SessionChanges, shown: set[int], until: Point) -> None:
        self._changes, self._shown, self._until = changes, shown, until

    @property
    def next(self) -> Point | None:
        found = self._changes.last_turn(self._shown)
        return found[0] if found is not None else None

    async def preview(self) -> Preview | None:
        while (since := self.next) is not None:
            self._shown.add(since.turn)
            between = await self._changes.between(since, self._until)
            words = since_words(since.words, since.turn)
            preview = await self._changes.preview(words, between, between.files)
            if preview.steps and not preview.is_as_it_was:
                return preview
        return None


class TakeBackPanel(AskingList[int, StepChoice | None]):
    """Space chooses a step or leaves it out, Enter gives back those that are chosen, Esc nothing.

    `show` opens what a step would change. `further` previews the same back to one turn earlier, if there is one: the
    keys of the command that opens the panel ask for it.
    """

    TOGGLES, PANEL = " av?", "take-back-panel"
    KEYS = (
        PanelKey("enter", lambda panel: f"{panel.choice.verb} {panel.choice.files}", "agree"),
        PanelKey("space", "select", "choose"),
        PanelKey("v", "diff", "show_step"),
        PanelKey("question_mark", lambda panel: "" if panel.all_notes else "notes", "show_notes"),
        PanelKey("a", "all", "choose_all"),
        ("esc", "cancel"),
    )

    def __init__(self, preview: Preview, show: Callable[[Step], object], further: EarlierTurns | None = None) -> None:
        super().__init__()
        self.add_class("take-back")
        self.choice, self._show, self._further = StepChoice(preview), show, further
        self._after_leader = False
        self._notes = Static(classes="take-back-notes")
        self.below = [self._notes]

    def start(self) -> None:
        self.fit()

    def fit(self) -> None:
        size = self.app.size
        few = size.height < ROOMY
        self.set_class(few, "-few")
        width = size.width if few else min(WIDEST, int(size.width * SHARE))
        self.query_one(".take-back-panel").styles.width = width
        self._width = width - (SIDES_SHORT if few else SIDES)
        room = (size.height if few else int(size.height * SHARE)) - AROUND
        tight = few and self._rows_wanted > room
        self.set_class(tight, "-tight")
        self._share(size.height - AROUND_SHORT if tight else room)
        self.fill()

    @property
    def _about(self) -> list[str]:
        return [*self.choice.notes, *([_of_conversation()] if self._further is not None else [])]

    @property
    def _rows_wanted(self) -> int:
        """Of all files and notes."""
        notes = sum(len(_wrapped(note, self._width)) for note in self._about)
        return notes + sum(row.lines for row in self.choice.rows(self._width))

    def _share(self, room: int) -> None:
        """Share the rows between the list and its notes, of which `?` shows what has no room."""
        free = room - sum(row.lines for row in self.choice.rows(self._width))
        lines, self.all_notes = fitted(self._about, self._width, max(1, room // NOTES_SHARE, free))
        self._notes.display = bool(lines)
        self._notes.update(Content("\n").join(lines))
        self._room = max(LEAST, room - len(lines))

    def heading(self) -> Content:
        preview = self.choice.preview
        counts = f" · {files_words([step.change for step in preview.steps])}"
        words = sanitise_line(f"{self.choice.verb.capitalize()} {preview.words}", 400)
        return Content.assemble((cut(words, max(8, self._width - len(counts))), "bold"), (counts, MUTED))

    def hints(self) -> list[Hint]:
        further = self._further is not None and self._further.next is not None
        earlier = [(first_way(COMMAND), "one more turn")] if further else []
        first, *others = super().hints()
        return [first, *earlier, *others]

    def listed(self) -> list[ListRow[int]]:
        rows = self.choice.rows(self._width)
        self.list.styles.height = max(1, min(self._room, sum(row.lines for row in rows)))
        return rows

    def meaning(self, event: Typed) -> Meaning:
        asks = isinstance(event, events.Key) and self._asks_further(event.key)
        return "command" if asks else super().meaning(event)

    def on_key(self, event: events.Key) -> None:
        """The keys of the command, and nothing that was pressed before the panel could be read."""
        further = self._asks_further(event.key)
        self._after_leader = event.key == LEADER.key
        if further and self.counts(event):
            event.stop()
            event.prevent_default()
            self.run_worker(self._go_further())

    def _asks_further(self, key: str) -> bool:
        command = BY_ID[COMMAND]
        return self._further is not None and key in (command.leaders if self._after_leader else command.keys)

    async def _go_further(self) -> None:
        if self._further is None:
            return
        try:
            preview = await self._further.preview()
        except Fault as fault:
            announce_fault(self.app, fault)
            return
        if preview is None:
            self._refuse("No earlier turn to undo")
            self.say()
        else:
            self.choice = StepChoice(preview)
            self.await_paint()
            self.fit()

    def choose(self, value: int) -> None:
        if refusal := self.choice.toggle(value):
            self._refuse(refusal)
        self.fill()

    def action_choose_all(self) -> None:
        self.choice.toggle_all()
        self.fill()

    def action_show_step(self) -> None:
        if self.list.value is not None:
            self._show(self.choice.preview.steps[self.list.value])

    def action_show_notes(self) -> None:
        self.app.push_screen(notes_panel(self.choice.notes))

    def action_agree(self) -> None:
        if self.choice.steps:
            self.dismiss(self.choice)
        else:
            self._refuse(NONE_CHOSEN)

    def _refuse(self, words: str) -> None:
        say(self.app, words, 4)


def _of_conversation() -> str:
    return f"The conversation is unchanged. Press {first_way('pick_earlier')} to rewind it too."


def fitted(notes: Sequence[str], width: int, most: int, more: str = "?") -> tuple[list[Content], bool]:
    """Notes in so many cells and at most so many rows; whether these are all. `more`: the keys that show the rest."""
    lines = [line for note in notes for line in _wrapped(note, width)]
    if len(lines) <= most:
        return lines, True
    return [*lines[: most - 1], Content.styled(f"… more: {more}" if more else "…", MUTED)], False


def notes_panel(notes: Sequence[str]) -> TextPanel:
    return TextPanel("Before you undo", "\n\n".join(map(_safe, notes)))


class LeftAlonePanel(Asking[None], TextPanel):
    """What was chosen and could not be done, or not all of it; read until a key that counts."""

    KEYS = (SCROLL, ("enter", "close"))

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        told = [Content("\n  ").join(map(painted, filter(None, rows))) for rows in left_alone(outcomes)]
        heading = counted(len(outcomes), "file")
        self._told = Content("\n\n").join(told)
        super().__init__(f"{heading} not fully undone", self._told)

    def on_mount(self) -> None:
        self.call_after_refresh(self._fit)

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        width = max(10, self.scroll.scrollable_content_region.width - 1)
        self.scroll.styles.height = min(len(self._told.wrap(width)), self.list_rows())

    def move(self, step: int) -> bool | None:
        self.action_scroll(step)
        return None


def _safe(text: str) -> str:
    return sanitise_line(text, 1_000)


def _wrapped(note: str, width: int) -> list[Content]:
    whole = _safe(note) + "." * note[-1:].isalnum()  # as the sentences around it
    return list(Content.styled(whole, MUTED).wrap(max(8, width)))


class StepDiff(LazyDiffs):
    """What one step would change in its file: how it is now beside how it comes to be. Compared when first drawn."""

    def __init__(self, step: Step, now: bytes | None, target: bytes | None) -> None:
        super().__init__(())
        self._step, self._now, self._target = step, now, target

    @cached_property
    def files(self) -> list[FileDiff]:
        step, now, target = self._step, self._now, self._target
        path = step.change.path
        notes = []
        if step.act == "move":
            notes.append(f"moved to {step.change.old_path}")
        if step.now.mode != step.target.mode and "absent" not in (step.now.kind, step.target.kind):
            notes.append(mode_words(step.now, step.target))
        if now is None and step.now.kind in ("file", "link"):
            return [FileDiff(path, notes=(*notes, NOT_KEPT))]
        file = compare(path, None if now is None else _text(now), _text(target or b""))
        if step.target.kind == "absent":
            file = replace(file, notes=("deleted",))
        return [replace(file, notes=(*file.notes, *notes))]


async def diff_of(step: Step, changes: SessionChanges) -> StepDiff:
    """Raises `UserFault`."""
    target = step.content
    if target is None:
        target, _ = await changes.texts(replace(step.change, before=step.target, after=ABSENT))
    return StepDiff(step, await changes.text_now(step), target)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")  # bytes that are no text differ, too
