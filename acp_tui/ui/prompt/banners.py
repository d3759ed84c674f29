"""Banners: rows above the prompt, or in it, by which features say what holds for the next prompt, each with its key."""

import time
from collections.abc import Callable, Collection, Iterator, Sequence

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.revert.steps import TakenBack
from acp_tui.host.sessions.continuation import size_carried, toggle_carrying
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.session.digest import tokens_in
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import MUTED, Hint, key_hints
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.views.formatting import SEPARATOR, tokens
from acp_tui.views.undo import RestoredFiles, news_of

GAP = 2  # cells before the keys
LEAST = 8  # cells of the words beside keys that always stay
BESIDE_ABOUT = 20  # cells of the words, with which ideas stand beside them
NO_KEYS = Content("")
INSTEAD = {"branch": "review"}  # an edited message goes elsewhere: what waits here waits until it is sent
Form = tuple[str, Content]  # words, and the keys at the right


class Banner(Frozen):
    """What is said in one row, its longest form first; a form serves where its words have `least` cells, or their own.

    `about` are ideas beside it, or below it where they have no room there, `hints` keys in a row of their own; a click
    anywhere does the `action`.
    """

    forms: Sequence[Form]
    tone: str = MUTED
    least: int | None = None
    about: Sequence[str] = ()
    hints: Sequence[Hint] = ()
    action: Callable[[], object] | None = None

    def rows(self, width: int) -> list[Content]:
        """The rows, in so many cells."""
        beside = Content.styled(" " * GAP + sanitise_line(SEPARATOR.join(self.about)), MUTED)
        room = width - beside.cell_length
        if self.about and room >= min(BESIDE_ABOUT, self._first(width).cell_length):
            return [self._first(room) + beside, *self._keys(width)]
        about = [Content.styled(sanitise_line(row, width), MUTED) for row in packed(self.about, width)]
        return [self._first(width), *about, *self._keys(width)]

    def _keys(self, width: int) -> list[Content]:
        return [key_hints(self.hints, width)] if self.hints else []

    def _first(self, width: int) -> Content:
        for words, keys in self.forms:
            room = width - keys.cell_length - GAP if keys else width
            if room >= (cell_len(words) if self.least is None else self.least):
                break
        left = Content.styled(cut(sanitise_line(words, 400), max(LEAST, room)), self.tone)
        gap = max(1, width - left.cell_length - keys.cell_length) if keys else 0
        return Content.assemble(left, " " * gap, keys)


def packed(ideas: Sequence[str], width: int) -> list[str]:
    """The ideas in as few rows as they need; none goes over two rows."""
    rows: list[str] = []
    for idea in ideas:
        if rows and len(rows[-1] + SEPARATOR + idea) <= width:
            rows[-1] += SEPARATOR + idea
        else:
            rows.append(idea)
    return rows


class Banners(Static):
    """The banners of the features `who`, in this order of theirs, with a blank row between two where there is room."""

    DEFAULT_CSS = "Banners { display: none; height: auto; margin: 0 0 1 0; }"

    def __init__(self, *who: str) -> None:
        super().__init__()
        self._said: dict[str, Sequence[Banner]] = dict.fromkeys(who, ())
        self._drawn: object = None  # what is painted, and for which room
        self._actions: Sequence[Callable[[], object] | None] = ()

    def put(self, who: str, *banners: Banner) -> None:
        """Say this, and nothing else of that feature; without a banner say nothing of it."""
        if banners != self._said[who]:
            self._said[who] = banners
            self.display = any(self._said.values())
            self._draw()

    @property
    def is_seen(self) -> bool:
        """Whether they have a place; a question may have that of the prompt."""
        return all(node.display for node in self.ancestors_with_self)

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._draw())

    def on_click(self, event: events.Click) -> None:
        action = self._actions[event.y] if event.y < len(self._actions) else None
        if action is not None:
            event.stop()
            action()

    def _draw(self) -> None:
        if not (self.is_mounted and self.display and self.size.width):
            return
        said = [*self._said.values()], self.size.width, self.screen.has_class("-short")
        if said != self._drawn:
            self._drawn = said
            rows = [*self._rows(self.size.width, gap=not said[2])]
            self._actions = [action for _, action in rows]
            self.update(Content("\n").join(row for row, _ in rows))

    def _rows(self, width: int, *, gap: bool) -> Iterator[tuple[Content, Callable[[], object] | None]]:
        full = {feature: banners for feature, banners in self._said.items() if banners}
        hidden = {INSTEAD.get(feature) for feature in full}
        shown = [banners for feature, banners in full.items() if feature not in hidden]
        for number, banners in enumerate(shown):
            if number and gap:
                yield Content(""), None
            yield from ((row, banner.action) for banner in banners for row in banner.rows(width))


BESIDE_KEY = 20  # cells of the words beside the key
LOOKED_AT = 200  # entries from the end among which a prompt that was just sent stands
_WORDS = {
    "wanted": ("Your next prompt includes the conversation so far", "leave out"),
    "offered": ("Your next prompt can include the conversation so far", "include"),
}


def banner_of(words: str, action: Callable[[], object], hint: Hint | None = None, tone: str = MUTED) -> Banner:
    """What is said, with the key that takes it away where there is room for it; a click does that too."""
    keyed = [(words, key_hints([hint]))] if hint is not None else []
    return Banner([*keyed, (words, NO_KEYS)], tone, BESIDE_KEY, action=action)


class ConversationBanner:
    """What is carried is measured once for each state; it takes milliseconds."""

    def __init__(self, view: SessionView) -> None:
        self._view = view
        self._measured: tuple[int, int] | None = None  # entries, and characters

    def banners(self) -> list[Banner]:
        """One, or none where the agent knows what was said."""
        session = self._view.session
        if not session.carrying or session.turn.active:
            return []
        words, act = _WORDS[session.carrying]
        said = f"{words} (≈{tokens(tokens_in(self._size()))} tokens)"
        return [banner_of(said, self.toggle, (first_way("tell_taken_back"), act))]

    def toggle(self) -> bool:
        """Include it, or leave it out; whether there is anything that the agent does not know."""
        return toggle_carrying(self._view.session)

    def _size(self) -> int:
        session = self._view.session
        count = len(session.entries)
        if self._measured is None or self._measured[0] != count:
            self._measured = count, size_carried(session)
        return self._measured[1]


class AgentNotes:
    """Which takings back of one session the agent knows of. What earlier runs left untold counts too.

    `clock` gives Unix seconds.
    """

    def __init__(self, session: Session, changes: SessionChanges) -> None:
        self._session, self._changes = session, changes
        self._began = time.time()
        self._known = 0  # the number of the last one that was told, or left out, in this run
        self._sent: tuple[str, int] | None = None  # a note on its way, and what was known before it
        self._left_out = 0  # the number of the last one when the user took the line out

    def news(self, besides: Collection[int] = ()) -> RestoredFiles:
        """What the next prompt tells; nothing if the user has taken that out."""
        waiting = [each for each in self._waiting() if each.number not in besides]
        return RestoredFiles() if self.is_left_out else news_of(waiting, self._session.cwd)

    @property
    def is_left_out(self) -> bool:
        """Whether there was something to tell, and the user does not want that."""
        waiting = self._waiting()
        return bool(waiting) and self._left_out >= waiting[-1].number

    def toggle(self) -> bool:
        """Leave it out, or take it in again; whether there is anything to tell."""
        waiting = self._waiting()
        if not news_of(waiting, self._session.cwd):
            return False
        self._left_out = 0 if self.is_left_out else waiting[-1].number
        return True

    def leading(self, blocks: Sequence[ContentBlock]) -> list[ContentBlock]:
        """A prompt with the note before it; from now on that is told.

        A slash command has to be the first word of its prompt: the next one tells.
        """
        waiting = self._waiting()
        if not waiting or _is_command(blocks):
            return list(blocks)
        note = self.news().note
        self._sent, self._known = (note, self._known) if note else None, waiting[-1].number
        return _led(note, blocks)

    def noted(self, blocks: Sequence[ContentBlock], besides: Collection[int]) -> list[ContentBlock]:
        """A prompt for another session with the note before it; takings `besides` are no news there."""
        return list(blocks) if _is_command(blocks) else _led(self.news(besides).note, blocks)

    def look(self) -> None:
        """A prompt that came back to the user has told nothing."""
        if self._sent is None:
            return
        note, known = self._sent
        if not self._is_there(note.strip()):
            self._known, self._sent = known, None
        elif not self._session.turn.active and not self._session.queue:
            self._sent = None

    def _is_there(self, note: str) -> bool:
        session = self._session
        waiting = (block for prompt in (*session.queue, *session.steering) for block in prompt.blocks)
        said = (each for each in reversed(session.entries[-LOOKED_AT:]) if isinstance(each, MessageEntry))
        parts = (part for each in said if each.role == "user" for part in each.parts)
        texts = (each.text for each in (*waiting, *parts) if isinstance(each, TextContent | TextPart))
        return any(note in text for text in texts)

    def _waiting(self) -> list[TakenBack]:
        """Those of which the agent was told nothing, in order. In earlier runs each prompt told of those before it."""
        prompts = [each.time for each in self._changes.points if each.kind == "prompt" and each.time < self._began]
        last = max(prompts, default=0.0)
        told = [each.number for each in self._changes.taken_back if each.time <= last]
        known = max([self._known, *told])
        return [each for each in self._changes.taken_back if each.number > known]


def _is_command(blocks: Sequence[ContentBlock]) -> bool:
    first = next((block.text for block in blocks if isinstance(block, TextContent)), "")
    return first.startswith("/")


def _led(note: str, blocks: Sequence[ContentBlock]) -> list[ContentBlock]:
    return [TextContent(text=note), *blocks] if note else list(blocks)
