"""The permissions of a session: its agent's mode first, below it the rules that answer requests in the user's place."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import Fault, UserFault
from acp_tui.host.rules.rule import READERS, Rule
from acp_tui.host.rules.rule_book import book_of
from acp_tui.host.rules.session_rules import SessionRules
from acp_tui.host.user_programs import editor_command
from acp_tui.safe_text import one_line
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.list_panel import DELETE, ListPanel, PanelKey
from acp_tui.ui.kit.row_list import ListRow, RowList, grouped
from acp_tui.ui.kit.session_view import SessionView, announce_fault
from acp_tui.ui.kit.theme import CLOSE, MOVE, MUTED
from acp_tui.ui.render.text import cut, safe
from acp_tui.ui.terminal.suspension import run_on_terminal
from acp_tui.views.formatting import capitalised, home_path
from acp_tui.views.options import first_of, option_name, value_name
from acp_tui.views.permission_rules import (
    EVERYTHING_ALLOWED,
    MODE_NOTE,
    MODE_NOTE_SHORT,
    NO_RULES_YET,
    READERS_FEW,
    READERS_MORE,
    READERS_NAME,
    READERS_NOTE,
    Listed,
    about_rule,
    facts_of_rule,
    facts_of_uses,
    rule_words,
    shown_name,
)

MARGINS = 8  # cells of the screen beside the text
ABOUT_ROWS = 2  # with the blank one, where the screen has room for that
BROKEN = 10  # cells at the end of a row that a word may leave, which begins the next
LEAST_NAME = 32  # cells of a name beside what else is told of it
WIDE = 80  # columns, in which a row has room for examples
FAULT_AT_MOST = 400  # characters
_LINE = re.compile(r":(\d+)\b")


class RulesScreen(ListPanel[Listed, None]):
    """Space turns a rule off or on, Delete deletes it, u brings it back. A file that cannot be used is named above."""

    PANEL = "settings-panel"
    KEYS = (
        PanelKey("enter", lambda panel: panel.enter_word, "choose"),
        PanelKey("space", lambda panel: panel.turn_word, "turn"),
        PanelKey("delete", DELETE, "delete", when=lambda panel: isinstance(panel.list.value, Rule)),
        PanelKey("u", "undo", "undo", when=lambda panel: panel.deleted is not None),
        PanelKey("e", "edit file", "edit"),
        MOVE,
        CLOSE,
    )

    def __init__(self, view: SessionView, rules: SessionRules, change_mode: Callable[[], object]) -> None:
        super().__init__("Permissions")
        self._session, self._rules, self._change_mode = view.session, rules, change_mode
        self._fault, self._about = Static(id="settings-fault"), Static(id="settings-about")
        self.above, self.below = [self._fault], [self._about]
        self.deleted: Rule | None = None
        self._problem = ""
        self._listed_rules: Sequence[Rule] = ()
        self._uses: Mapping[str, tuple[int, float]] = {}

    @property
    def enter_word(self) -> str:
        return "change" if self.list.value == "mode" else ""

    @property
    def turn_word(self) -> str:
        value = self.list.value
        off = value.off if isinstance(value, Rule) else not self._rules.readers
        return "" if value in (None, "mode") else "turn on" if off else "turn off"

    def heading(self) -> Content:
        where = one_line(home_path(str(book_of(self._rules.setup.policy).path)), 120)
        return Content.assemble(("Permissions", "bold"), (f"  {where}", MUTED))

    def fit(self) -> None:
        facts = Content(self._problem).wrap(max(10, self.app.size.width - MARGINS)) if self._problem else []
        self._fault.styles.max_height = len(facts)
        self.beside = len(facts) + ABOUT_ROWS
        super().fit()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._describe()
        self.say()

    def _describe(self) -> None:
        """All that is known of the highlighted row: it may have no room for that."""
        value = self.list.value
        width = self.list.size.width or self.app.size.width - MARGINS
        name, facts, about = self._words_of(value) if value is not None else ("", "", "")
        unseen = [facts] if facts and _room_for(name, facts, width) is None else []
        room = (width - 2) * 2 - BROKEN if self.is_short else width - 2
        words = [about, *unseen] if value == "readers" else [*unseen, about]  # what it warns of first
        self._about.update(safe(cut(" · ".join(words), room), MUTED))

    def start(self) -> None:
        self._show()

    def _show(self) -> None:
        everything = [EVERYTHING_ALLOWED] if self._rules.setup.policy.everything else []
        try:
            self._listed_rules = self._rules.listed()
        except UserFault as fault:
            self._listed_rules = ()
            everything.append(one_line(f"{fault.message}. {fault.hint}", FAULT_AT_MOST))
        self._problem = "\n".join(everything)
        self._fault.display = bool(self._problem)
        self._fault.update(safe(self._problem))
        before = self.list.value
        self.fit()
        self.fill(partial(_same, before))
        if self.list.value is None:  # a heading
            self.list.move(1)
        self._describe()

    def _words_of(self, value: Listed) -> tuple[str, str, str]:
        """The name of a row, what stands at its right, and what is told of it where it is highlighted."""
        now = datetime.now(UTC)
        if isinstance(value, Rule):
            name = rule_words(value.verdict, shown_name(value), on=not value.off)
            return name, facts_of_rule(value, self._uses, now), about_rule(value, now)
        if value == "readers":
            shown = READERS_NAME + READERS_FEW * (self.app.size.width >= WIDE)
            name = rule_words("allow", shown, on=self._rules.readers)
            return name, facts_of_uses(READERS, self._uses, now), f"{capitalised(READERS_NOTE)} · {READERS_MORE}"
        mode = first_of(self._session.config_options, "mode")
        has_room = cell_len(MODE_NOTE) + MARGINS + 2 <= self.app.size.width
        name = f"{option_name(mode)}: {value_name(mode)}" if mode is not None else ""
        return name, first_way("next_mode"), MODE_NOTE if has_room else MODE_NOTE_SHORT

    def listed(self) -> list[ListRow[Listed]]:
        self._uses = self._rules.uses()
        rows = [("Built in", self._listed_row("readers"))]
        rows += [("Your rules", self._listed_row(rule)) for rule in self._listed_rules]
        if first_of(self._session.config_options, "mode") is not None:
            rows.insert(0, ("Agent", self._listed_row("mode")))
        if not self._listed_rules:
            rows.append(("Your rules", ListRow(_nothing_yet)))
        return grouped(rows, apart=not self.is_short)

    def _listed_row(self, value: Listed) -> ListRow[Listed]:
        name, facts, _ = self._words_of(value)
        return ListRow(partial(_row, name, facts), value)

    def choose(self, value: Listed) -> None:
        if value == "mode":
            self.dismiss()
            self._change_mode()
        else:
            self.action_turn()

    def action_turn(self) -> None:
        value = self.list.value
        if isinstance(value, Rule):
            self._do(partial(self._rules.turn_on if value.off else self._rules.turn_off, [value.id]))
        elif value == "readers":
            self._do(partial(self._rules.turn_off if self._rules.readers else self._rules.turn_on, [READERS]))

    def action_delete(self) -> None:
        value = self.list.value
        if isinstance(value, Rule) and self._do(partial(self._rules.remove, value.id)):
            self.deleted = value
            self.say()

    def action_undo(self) -> None:
        """Bring back the rule that was deleted last."""
        deleted, self.deleted = self.deleted, None
        if deleted is not None:
            self._do(partial(self._rules.make, [deleted], readers=False))

    def _do(self, change: Callable[[], object]) -> bool:
        try:
            change()
        except UserFault as fault:
            announce_fault(self.app, fault)
            return False
        finally:
            self._show()
        return True

    def action_edit(self) -> None:
        self.app.run_worker(self._edit(), group="editor", exclusive=True)

    async def _edit(self) -> None:
        """The file in the user's editor, at the line of its fault."""
        path, line = book_of(self._rules.setup.policy).path, _LINE.search(self._problem)
        try:
            await run_on_terminal(self.app, editor_command(str(path), int(line[1]) if line else None))
        except Fault as fault:
            announce_fault(self.app, fault)
        if self.is_mounted:
            self._show()


def _same(before: Listed | None, value: Listed) -> bool:
    return before is not None and (
        value.id == before.id if isinstance(value, Rule) and isinstance(before, Rule) else value == before
    )


def _row(name: str, facts: str, width: int) -> Content:
    """A row in one line: the facts give way to a name of usual length, and a longer name to them."""
    room = _room_for(name, facts, width)
    if room is None:
        return Content(cut(name, width))
    shown = cut(name, room)
    return Content.assemble(shown, " " * (width - cell_len(shown) - cell_len(facts)), (facts, MUTED))


def _room_for(name: str, facts: str, width: int) -> int | None:
    """The cells of a name before the facts; None where those have no room."""
    room = width - cell_len(facts) - 2
    return None if room < min(LEAST_NAME, cell_len(name)) else room


def _nothing_yet(width: int) -> Content:
    long, short = NO_RULES_YET
    return Content.styled(long if cell_len(long) <= width else short, f"{MUTED} italic")


def open_rules(view: SessionView, rules: SessionRules, change_mode: Callable[[], object]) -> None:
    view.open(RulesScreen(view, rules, change_mode))
