"""What an undo would do, path by path, to be looked at, chosen from and agreed to; and what could not be done."""

from collections import Counter
from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.host.take_back.steps import Outcome, Preview, Step
from acp_tui.session.text.words import counted
from acp_tui.ui.answers.asking_screens import Asking, AskingOverlay
from acp_tui.ui.kit.announcements import say
from acp_tui.ui.kit.hints import Hint, HintLine
from acp_tui.ui.kit.row_list import RowList
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.overlays.text_panel import TextPanel
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.take_back.folders import implied_folders, with_folders
from acp_tui.ui.take_back.step_rows import rows_of
from acp_tui.ui.take_back.words import can_choose, files_words, is_left_out, title, why_not_chosen

NONE_CHOSEN = "Nothing is chosen: Space chooses a file"
WIDEST, SHARE = 100, 0.92  # cells of the panel, and its part of a screen that is not short
ROOMY = 30  # rows of a screen, from which the panel leaves some of it blank
AROUND, AROUND_SHORT = 10, 2  # rows beside list and notes; a short panel has no gaps
SIDES, SIDES_SHORT = 7, 5  # cells beside the words: border, padding, what a list keeps for its edge
NOTES_SHARE = 3  # the notes take at most this part of the rows
LEAST = 3  # rows of the list
LISTED = 300  # files left alone that are named, each with its reason; 30,000 of them stop the screen for 3 s
HINTS: Sequence[Hint] = (
    ("enter", ""),
    ("space", "choose"),
    ("a", "all"),
    ("v", "diff"),
    ("?", "notes"),
    ("esc", "cancel"),
)


class TakeBackPanel(AskingOverlay[Sequence[Step] | None]):
    """Space chooses a step or leaves it out, Enter gives back those that are chosen, Esc nothing.

    `show` opens what a step would change.
    """

    TOGGLES = " av?"

    def __init__(self, preview: Preview, show: Callable[[Step], object]) -> None:
        super().__init__(classes="picker take-back")
        self._preview, self._show = preview, show
        self._below = implied_folders(preview.steps)
        shown = [at for at in range(len(preview.steps)) if at not in self._below]
        self._shown = sorted(shown, key=lambda at: not is_left_out(preview.steps[at]))  # they are to be decided on
        self._choose([step.chosen and can_choose(step) and not step.refusal for step in preview.steps])
        self._told = [*preview.notes, *why_not_chosen([preview.steps[at] for at in self._shown])]
        self._title = Static(classes="picker-title")
        self.list = RowList[int]()
        self._notes = Static(classes="take-back-notes")
        self._hints = HintLine(classes="picker-hints")

    def compose(self) -> ComposeResult:
        with Vertical(classes="picker-panel take-back-panel"):
            yield self._title
            yield self.list
            yield self._notes
            yield self._hints

    def on_mount(self) -> None:
        self.on_resize()

    def on_resize(self) -> None:
        size = self.app.size
        few = size.height < ROOMY
        self.set_class(few, "-few")
        width = size.width if few else min(WIDEST, int(size.width * SHARE))
        self.query_one(".take-back-panel").styles.width = width
        self._width = width - (SIDES_SHORT if few else SIDES)
        room = size.height - AROUND_SHORT if few else int(size.height * SHARE) - AROUND
        self._fit(room)
        self._draw()

    def _fit(self, room: int) -> None:
        """Share the rows between the list and its notes, of which `?` shows what has no room."""
        lines = [line for note in self._told for line in _wrapped(note, self._width)]
        most = max(1, room // NOTES_SHARE)
        self._all_notes = len(lines) <= most
        if not self._all_notes:
            lines = [*lines[: most - 1], Content.styled("… more: ?", MUTED)]
        self._notes.display = bool(lines)
        self._notes.update(Content("\n").join(lines))
        self._room = max(LEAST, room - len(lines))

    def _draw(self) -> None:
        told = f" · {files_words([step.change for step in self._preview.steps])}"
        words = cut(sanitise_line(title(self._preview), 400), max(8, self._width - len(told)))
        self._title.update(Content.assemble((words, "bold"), (told, MUTED)))
        rows = rows_of(self._preview, self._shown, self.chosen, self._width)
        needed = self._room if self.has_class("-few") else sum(row.lines for row in rows)
        self.list.styles.height = max(1, min(self._room, needed))
        self.list.fill(rows, self.list.highlighted or 0 if rows else None)
        verb = "undo" if self._preview.undoes is None else "redo"
        does = f"{verb} {counted(sum(self.chosen[at] for at in self._shown), 'file')}"
        hints = [(key, word or does) for key, word in HINTS if key != "?" or not self._all_notes]
        self._hints.show(hints)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key in ("escape", "ctrl+c", "ctrl+q"):
            self.dismiss(None)
        elif self.counts(event):
            act = self._acts().get(event.character or "") or self._acts().get(event.key)
            if act is not None:
                act()

    def _acts(self) -> dict[str, Callable[[], object]]:
        return {
            "enter": self._agree,
            " ": self._toggle,
            "a": self._toggle_all,
            "v": self._show_step,
            "?": self._show_notes,
            "pageup": lambda: self.list.page(-1),
            "pagedown": lambda: self.list.page(1),
        }

    def move(self, step: int) -> bool | None:
        before = self.list.highlighted
        self.list.move(step)
        return None if self.list.highlighted == before else False

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if self.click_counts():
            self._toggle()

    def _toggle(self) -> None:
        at = self.list.value
        if at is None:
            return
        step = self._preview.steps[at]
        if can_choose(step):
            self._choose([chosen != (number == at) for number, chosen in enumerate(self.chosen)])
            self._draw()
        else:
            say(self.app, step.refusal or "Nothing to do for this file", 4)

    def _toggle_all(self) -> None:
        """All that nothing speaks against, or none; what is refused is chosen by itself only."""
        steps = self._preview.steps
        free = [at for at in self._shown if can_choose(steps[at]) and not steps[at].refusal]
        every = all(self.chosen[at] for at in free) and any(self.chosen)
        all_free = set(free)
        self._choose([not every and at in all_free for at in range(len(self.chosen))])
        self._draw()

    def _choose(self, chosen: Sequence[bool]) -> None:
        self.chosen = with_folders(chosen, self._preview.steps, self._below)

    def _show_step(self) -> None:
        if self.list.value is not None:
            self._show(self._preview.steps[self.list.value])

    def _show_notes(self) -> None:
        self.app.push_screen(TextPanel("Before you do this", "\n\n".join(map(_safe, self._told))))

    def _agree(self) -> None:
        steps = [step for step, chosen in zip(self._preview.steps, self.chosen, strict=True) if chosen]
        if steps:
            self.dismiss(steps)
        else:
            say(self.app, NONE_CHOSEN, 4)


class LeftAlonePanel(Asking[None], TextPanel):
    """What was chosen and could not be done, or not all of it; read until a key that counts."""

    HINTS = (("↑↓", "scroll"), ("enter", "close"))

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        told = []
        for each in outcomes[:LISTED]:
            sign = "△ in part  " if each.done else "✗ left alone  "
            path = sanitise_line(each.path, 1_000)
            head = Content.assemble((sign, "$warning" if each.done else "$error"), path)
            told.append(Content("\n  ").join([head, Content.styled(_safe(each.said) or "no reason known", MUTED)]))
        for said, count in Counter(_safe(each.said) for each in outcomes[LISTED:]).most_common(LISTED):
            told.append(Content(f"… {counted(count, 'more file')}: {said}"))
        heading = counted(len(outcomes), "file")
        self._told = Content("\n\n").join(told)
        super().__init__(f"{heading} not undone as shown", self._told)

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
    return list(Content.styled(_safe(note), MUTED).wrap(max(8, width)))
