"""The offer of rules for the next such requests, which the permission panel shows in the place of a request.

Its keys count under the rule of answers, as all of the panel: it was opened by a key of the user.
"""

from collections.abc import Callable, Sequence
from functools import partial

from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import UserFault
from acp_tui.host.rules.rule import EVERYTHING, READERS, SCOPE_NAMES, Rule, RuleOffer, RulePreview
from acp_tui.host.rules.session_rules import SessionRules
from acp_tui.protocol.vocabulary.tool_calls import PermissionOption
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.facts import PendingPermission
from acp_tui.session.text.phrases import counted
from acp_tui.startup import late
from acp_tui.ui.kit.answer_rule import Meaning
from acp_tui.ui.kit.key_routing import Typed, meaning_of
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.kit.session_view import SessionView, announce_fault, say
from acp_tui.ui.kit.theme import ACCENT, CLOSE, KEY, MUTED, SCROLL, Hint, fitting, key_hints
from acp_tui.ui.prompt.banners import NO_KEYS, Banner, Banners
from acp_tui.ui.questions.docked_panel import LOUD
from acp_tui.ui.render.text import cut, painted
from acp_tui.ui.text_panels import FactsPanel
from acp_tui.views.permission_rules import (
    EVERYTHING_ALLOWED,
    EVERYTHING_ALLOWED_SHORT,
    READERS_NAME,
    OfferChoices,
    OfferLine,
    box,
    shown_name,
)
from acp_tui.views.permissions import first_of_kind

KEYS = " snv"
LABELS = ("Match  ", "Where  ")
APART = "   "  # between choices, and before the key that turns them
ON, OFF = "● ", "○ "
WIDE = 40  # cells of a row of hints in which Enter has its longer words
AIRY = 24  # rows of a screen from which on there are blank ones between groups
BLANK = Content("")
TURN, REACH, NO_KEY = ("s", "change"), ("← →", "change"), ("", "")
NO_RULES = RuleOffer()
NOTHING = RulePreview(0, ())
Rules = Callable[[], SessionRules | None]
"""Gives the rules of the session that asks; None where there are none, as for a conversation that is played again."""


def no_session_rules() -> None:
    """There are none."""


class MatchesPanel(FactsPanel):
    """The requests that rules would have answered, below a heading in words."""

    KEYS = (
        PanelKey("up,down", SCROLL[1], label=SCROLL[0], when=lambda panel: panel.scroll.show_vertical_scrollbar),
        PanelKey("y,c", "copy", "copy"),
        CLOSE,
    )

    def __init__(self, heading: str, requests: Sequence[str]) -> None:
        super().__init__("requests", [("", [("", row) for row in requests])])
        self._heading = heading

    def heading(self) -> Content:
        return Content.styled(self._heading, "bold")

    def start(self) -> None:
        super().start()
        self.watch(self.scroll, "show_vertical_scrollbar", self.say, init=False)


class RuleOfferView(Static):
    """What "Don't ask again" offers for one request; without `choices` it is closed."""

    DEFAULT_CSS = "RuleOfferView { display: none; height: auto; padding: 0 1; }"

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._rules = rules
        self.offer = NO_RULES
        self.choices: OfferChoices | None = None
        self._pending: PendingPermission | None = None
        self._preview = NOTHING
        self._previews: dict[tuple[bool, tuple[Rule, ...]], RulePreview] = {}  # of an offer, by what is chosen

    def begin(self, pending: PendingPermission) -> RuleOffer:
        """Look at a request; what can be offered for it."""
        rules = self._rules()
        self.close()
        self._pending = pending
        self.offer = rules.offer(pending) if rules is not None else NO_RULES
        return self.offer

    def open(self, options: Sequence[PermissionOption]) -> None:
        self.choices = OfferChoices(self.offer, rejects=first_of_kind(options, "reject_once") is not None)
        self._previews.clear()
        self.display = True
        self._renew()

    def close(self) -> None:
        self.choices, self.display = None, False

    def _renew(self) -> None:
        rules, choices, pending = self._rules(), self.choices, self._pending
        if rules is None or choices is None or pending is None:
            return
        chosen = choices.turns_readers_on, tuple(choices.drafts)
        if chosen not in self._previews:  # up to 200 requests are judged for each
            self._previews[chosen] = rules.preview(pending, chosen[1], readers=chosen[0])
        self._preview = self._previews[chosen]

    def heading(self) -> Content:
        rejects = self.choices is not None and self.choices.verdict == "reject"
        return Content.styled(f"△ New rule: {'reject' if rejects else 'allow'} without asking", LOUD)

    def meaning(self, event: Typed) -> Meaning:
        return meaning_of(event, commands=KEYS)

    def move(self, step: int) -> bool | None:
        return False if self.choices is not None and self.choices.move(step) else None

    def change_for(self, key: str) -> Callable[[], object] | None:
        """What a key changes of what is chosen, if anything."""
        choices = self.choices
        if choices is None:
            return None
        changes: dict[str, Callable[[], object]] = {
            "space": choices.toggle,
            "left": lambda: choices.reach(-1),
            "right": lambda: choices.reach(1),
            "s": choices.turn_scope,
            "n": choices.turn_verdict,
            "v": self._show_which,
        }
        return changes.get(key)

    def change(self, change: Callable[[], object]) -> None:
        change()
        self._renew()

    def save(self, options: Sequence[PermissionOption]) -> PermissionOption | None:
        """Make the rules that are chosen; the option that answers this request as they would.

        None: nothing was saved, which is told, or the second Enter has to come.
        """
        rules, choices = self._rules(), self.choices
        if rules is None or choices is None:
            return None
        answer = first_of_kind(options, f"{choices.verdict}_once")
        if choices.is_empty or answer is None:
            say(
                self.app,
                "Nothing is selected: press Space"
                if answer is not None
                else 'The agent offers no "once" option for this',
                3,
            )
            return None
        if choices.asks_twice(self._preview):
            choices.warned = True
            return None
        try:
            made = rules.make(choices.drafts, readers=choices.turns_readers_on)
        except UserFault as fault:
            announce_fault(self.app, fault)
            return None
        words = shown_name(made[0]) if made else READERS_NAME
        more = f" and {counted(len(made) - 1, 'more')}" if len(made) > 1 else ""
        say(self.app, f"Rule saved: {words}{more} · /permissions", 4)
        return options[answer]

    def _show_which(self) -> None:
        answered = self._preview.answered
        if answered and self.choices is not None:
            self.app.push_screen(MatchesPanel(self.choices.past, answered))

    def fit(self, width: int, rows: int, asked: str = "") -> None:
        """Draw in so many cells and rows: what is `asked` if there is room, the parts, as many as have room around the
        highlighted one, where the rules hold, and what they would have done. Where rows are few these are shorter.
        """
        choices = self.choices
        if choices is None:
            return
        room = max(10, width - 2)
        inner, lines = max(8, room - len(LABELS[0])), choices.lines()
        parts = [_part(line, inner, at == choices.at, len(lines) > 1) for at, line in enumerate(lines)]
        need, where = sum(map(len, parts)), _where(choices, inner)
        effect = self._effect(room, short=room < WIDE)
        if need + len(where) + len(effect) > rows:
            effect = self._effect(room, short=True)
        if need + len(where) + len(effect) > rows:
            where = _choices([SCOPE_NAMES[choices.scope]], 0, inner, TURN if choices.scopes[1:] else NO_KEY)
        matched = _around(parts, choices.at, max(1, rows - len(where) - len(effect)))
        groups = [_labelled(LABELS[0], matched), _labelled(LABELS[1], where), *([effect] if effect else [])]
        airy, need = self.app.size.height >= AIRY, need + len(where) + len(effect)
        if asked and airy and need + len(groups) + 3 <= rows:
            groups.insert(0, [Content.styled(cut(asked, room), MUTED)])
        blank = [BLANK] * (airy and need + len(groups) + 1 <= rows)
        self.update(Content("\n").join([*blank, *(row for group in groups for row in (*group, *blank))]))

    def _effect(self, room: int, *, short: bool) -> list[Content]:
        words = self.choices.effect(self._preview, short=short) if self.choices is not None else []
        return painted(words).wrap(room) if words else []

    def hints(self, room: int) -> Content:
        choices = self.choices
        if choices is None:
            return Content("")
        once = choices.verdict
        other, turns = "reject" if once == "allow" else "allow", choices.rejects and bool(choices.offer.rows)
        save: Hint = ("enter", f"save, and {once} this" if room >= WIDE else "save" if turns else f"save and {once}")
        turn: Hint = ("n", f"{other} instead" if room >= WIDE else other)
        leave: Hint = ("space", "select")
        several = [leave] if choices.count > 1 else []
        keys = [save, *several, *([turn] if turns else []), ("esc", "back")]
        return key_hints(fitting(keys, room, (leave, turn)))


def _labelled(label: str, rows: Sequence[Content]) -> list[Content]:
    return [Content.assemble((" " * len(label) if at else label, MUTED), row) for at, row in enumerate(rows)]


def _where(choices: OfferChoices, room: int) -> list[Content]:
    """Where the rules hold, in one row if short words have room in that."""
    names, at = [SCOPE_NAMES[scope] for scope in choices.scopes], choices.scopes.index(choices.scope)
    short, key = [name.removeprefix("this ") for name in names], TURN if names[1:] else NO_KEY
    forms = [_choices(names, at, room, key), _choices(short, at, room, key)]
    forms.append(_choices(short, at, room, (key[0], ""), " "))
    return next((form for form in forms if not form[1:]), forms[0])


def _choices(names: Sequence[str], at: int, room: int, key: Hint, apart: str = APART) -> list[Content]:
    """Names of which one counts, side by side where all have room, else below each other, with the key behind them."""
    parts = [Content.styled(name, "" if number == at else MUTED) for number, name in enumerate(names)]
    signs = [
        Content.styled(ON if number == at else OFF, ACCENT if number == at else MUTED) for number in range(len(names))
    ]
    word = f" {key[1]}" if key[1] else ""
    key_words = Content.assemble(APART if key[1] else "  ", (key[0], KEY), (word, MUTED)) if key[0] else BLANK
    whole = Content.assemble(Content(apart).join(map(Content.assemble, signs, parts)), key_words)
    if whole.cell_length <= room:
        return [whole]
    rows = [
        Content.assemble(sign if not row else " " * len(ON), words)
        for sign, part in zip(signs, parts, strict=True)
        for row, words in enumerate(part.wrap(max(4, room - len(ON))))
    ]
    fits = rows[-1].cell_length + key_words.cell_length <= room
    return [*rows[:-1], Content.assemble(rows[-1], key_words)] if fits else [*rows, key_words]


def _part(line: OfferLine, room: int, highlighted: bool, several: bool) -> list[Content]:
    """A part of the request, with its tick where there are several; of those the highlighted one has its choices."""
    lead, names, at = BLANK, line.names, line.at
    if several:
        lead = Content.assemble(("❯ " if highlighted else "  ", "$warning"), (f"{line.box} ", ACCENT))
        names, at = (names, at) if highlighted else ([names[at]], 0)
    inner = max(4, room - lead.cell_length)
    alone = several and not names[1:]
    rows = Content(names[at]).wrap(inner) if alone else _choices(names, at, inner, REACH if names[1:] else NO_KEY)
    note = Content.styled(line.note, "$warning" if line.box == box(True) else MUTED)
    whole = Content.assemble(rows[0], APART, note)
    if line.note and alone and not rows[1:] and whole.cell_length <= inner:
        rows = [whole]
    elif line.note:
        rows = [*rows, *note.wrap(inner)]
    return [Content.assemble(" " * lead.cell_length if row else lead, words) for row, words in enumerate(rows)]


def _around(parts: Sequence[Sequence[Content]], at: int, room: int) -> list[Content]:
    """The rows of the parts for so many rows: those of the highlighted one first, then of its neighbours."""
    rows = [row for part in parts for row in part]
    if len(rows) <= room:
        return rows
    begin = sum(map(len, parts[:at]))
    size = max(1, room - 1)
    first = max(0, min(begin, len(rows) - size))
    shown = rows[first : first + size]
    return [*shown, Content.styled(f"  … {counted(len(rows) - len(shown), 'more row')}", MUTED)][:room]


class RuleActions:
    """What the user can do with the rules of a session, questions aside. `run` does a command by its id."""

    def __init__(self, view: SessionView, banners: Banners, run: Callable[[str], object]) -> None:
        self._view, self._run = view, run
        if self._rules.setup.policy.everything:
            forms = [(EVERYTHING_ALLOWED, NO_KEYS), (EVERYTHING_ALLOWED_SHORT, NO_KEYS)]
            banners.put("everything", Banner(forms, LOUD))

    @property
    def _rules(self) -> SessionRules:
        return self._view.client.of(self._view.session).rules

    def open(self) -> None:
        late("acp_tui.ui.rules_screen").open_rules(self._view, self._rules, partial(self._run, "pick_mode"))

    def turn_entry(self, entry: Entry | None) -> None:
        """Turn the rules off that answered the request for this call, or on again if they all are off."""
        self._view.say(self._turned(entry.rules if isinstance(entry, ToolCallEntry) else ()), 4)

    def _turned(self, ids: Sequence[str]) -> str:
        if not ids:
            return "No rule answered this"
        if EVERYTHING in ids:
            return "Allowed by --yolo: start without it to be asked"
        try:
            off = {rule.id for rule in self._rules.listed() if rule.off} | set([] if self._rules.readers else [READERS])
            again = off.issuperset(ids)
            (self._rules.turn_on if again else self._rules.turn_off)(ids)
        except UserFault as fault:
            return f"{fault.title}: {fault.message}"
        return "Rule on: requests like this are answered" if again else "Rule off: you are asked again · x turns it on"
