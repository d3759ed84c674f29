"""Toasts: what is told for some seconds, in rows of its own, so that nothing is ever hidden by them."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import time
from typing import Any

from textual.app import App
from textual.content import Content
from textual.notifications import Notification
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.expressions import expression
from acp_tui.ui.kit.session_view import News
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import cut, sanitise, sanitise_line

MOST = 8  # toasts that are shown, or wait, at once
KEPT = 50  # that can be read again, of those that are listed nowhere else
WIDEST = 90  # cells of a toast, where it may take as many rows as it needs
SIDES = 3  # cells left and right of the row, as for its neighbours
AFTER = 2  # cells of a toast's ground after its longest row
ROOMY = (80, 30)  # columns and rows of a screen on which more than the latest toast is shown
SHARE, SHARE_OF_FEW = 4, 6  # toasts take at most this part of the rows
LOW = 14  # rows of a screen, up to which no row waits for toasts
FEW = 3  # rows, in which the latest is shown
_FOLDERS = expression(r"(?<![\w…:/])~?/(?:[^\s/,:]+/)+")  # of a path, whose last part says most
_SIGNS = {"information": ("•", MUTED), "warning": ("!", "bold $warning"), "error": ("✗", "bold $error")}
_HEADED = tuple(f"{sign} " for sign, _ in _SIGNS.values())


class ToastLines(Static):
    """The toasts of one screen; a click puts them away."""

    DEFAULT_CSS = """
    ToastLines { width: 1fr; height: auto; }
    ToastLines.-docked { dock: bottom; }
    """

    def __init__(self, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._told: Sequence[Notification] = ()
        self._expiry: Timer | None = None

    def show(self, told: Sequence[Notification]) -> None:
        """Show these, the latest last, until each of them has expired."""
        self._told = told
        self._draw()
        if self._expiry is not None:
            self._expiry.stop()
        if told:
            self._expiry = self.set_timer(max(0.05, min(each.time_left for each in told)), self._expire)

    def on_resize(self) -> None:
        self._draw()

    def on_click(self) -> None:
        self.app.clear_notifications()

    def _expire(self) -> None:
        self.show([each for each in self._told if not each.has_expired])

    def _draw(self) -> None:
        columns, lines = self.app.size
        is_roomy = columns >= ROOMY[0] and lines >= ROOMY[1]
        rows = lines // SHARE if is_roomy else min(FEW, lines // SHARE_OF_FEW) if lines > LOW else 1
        drawn = toast_rows(self._told, columns - 2 * SIDES, rows)
        self.set_class(not drawn, "-empty")
        self.styles.height = 0 if lines <= LOW and not drawn else "auto"
        self.update(Content("\n").join(row.pad_left(SIDES) for row in drawn))
        if self.has_class("-docked") and lines >= ROOMY[1]:  # no list moves again when a toast goes
            least = self.styles.min_height
            self.styles.min_height = max(len(drawn), int(least.value) if least is not None else 0)


def toast_rows(told: Sequence[Notification], width: int, most: int) -> list[Content]:
    """The toasts in at most so many rows at the right of `width` cells: of few rows the latest, else all that fit."""
    room = (width if most <= FEW else min(width, WIDEST)) - 1 - AFTER
    blocks = [_block(each, room, most) for each in (told[-1:] if most <= FEW else reversed(told))]
    shown: list[list[Content]] = []
    while len(shown) < len(blocks) and sum(map(len, shown)) + len(blocks[len(shown)]) <= most:
        shown.append(blocks[len(shown)])
    if len(shown) < len(told) and shown:
        shown[0] = [*shown[0][:-1], _counted(shown[0][-1], len(told) - len(shown), room)]
    return _pill([row for block in reversed(shown) for row in block], width)


def _counted(row: Content, more: int, width: int) -> Content:
    words = f"  +{more}"
    return row.truncate(width - len(words), ellipsis=True) + Content.styled(words, MUTED)


def _pill(told: Sequence[Content], width: int) -> list[Content]:
    longest = max((row.cell_length for row in told), default=0)
    rows = [row.pad_right(longest - row.cell_length).pad(1, AFTER).stylize_before("on $panel") for row in told]
    return [row.pad_left(max(0, width - longest - 1 - AFTER)) for row in rows]


def _block(note: Notification, width: int, most: int) -> list[Content]:
    sign, ink = _SIGNS[note.severity]
    title, text = sanitise_line(note.title, 400), sanitise(note.message).strip("\n")
    head = "" if (title or text).startswith(_HEADED) else f"{sign} "
    joined = " · ".join(filter(None, (title, *(sanitise_line(line, 400) for line in text.split("\n")))))
    bold = len(head + title) if title else 0
    line = _inked(head + joined, bold, ink)
    if line.cell_length <= width and ("\n" not in text or most <= FEW):
        return [line]
    if most <= FEW:
        shorter = line if len(line.wrap(width - 2)) <= most else _inked(_FOLDERS.sub("…/", head + joined), bold, ink)
        return _in_few(shorter, width, most)
    rows = [Content("  ") + row for row in Content(text if title else head + text).wrap(width - 2)]
    if title:
        rows.insert(0, _inked(cut(head + title, width), bold, ink))
    else:
        rows[0] = _inked(rows[0].plain[2:], 0, ink)
    return rows if len(rows) <= most else [*rows[: most - 1], Content.styled("…", MUTED)]


def _in_few(line: Content, width: int, most: int) -> list[Content]:
    """The line wrapped below itself, and what has no room there left out."""
    rows = line.wrap(width - 2)
    if len(rows) > most:
        rest = Content(" ").join(rows[most - 1 :])
        rows = [*rows[: most - 1], rest.truncate(width - 2 * (most > 1), ellipsis=True)]
    return [row.pad_left(2) if at else row for at, row in enumerate(rows)]


def _inked(text: str, bold: int, ink: str) -> Content:
    """A text with a sign in front, which has the ink; so does a title of so many characters, unless it is quiet."""
    return Content(text).stylize(ink, 0, 2 if ink == MUTED else max(2, bold))


class Toasts:
    """What is told, and where: on the screen that has the keys, and on none below it.

    What nobody asked for waits while the user chooses or answers something: no row may move under their hands.
    """

    def __init__(self, app: App[Any], answering: Callable[[], bool]) -> None:
        self._app, self._answering = app, answering
        self._live: list[Notification] = []
        self._waiting: deque[News] = deque(maxlen=MOST)
        self._looks = False
        self.told: deque[Notification] = deque(maxlen=KEPT)
        """What went wrong, to be read again: the latest last."""

    @property
    def live(self) -> list[Notification]:
        self._live = [each for each in self._live if not each.has_expired]
        return self._live

    def add(self, note: Notification) -> None:
        """Show it now, or as soon as the user has chosen or answered; two equal ones are one."""
        held: list[Any] | deque[Any] = self._waiting if isinstance(note, News) and self._is_choosing else self.live
        for before in [each for each in held if _said(each) == _said(note)]:
            held.remove(before)
        held.append(note)
        del self._live[:-MOST]
        if note.severity != "information" and not (isinstance(note, News) and note.listed):
            self.told.append(note)
        self.look_soon()

    def clear(self) -> None:
        self._live.clear()
        self._waiting.clear()
        self.look_soon()

    def look_soon(self) -> None:
        """Look once, however much is told and whichever screens come and go before that."""
        if not self._looks:
            self._looks = True
            self._app.call_later(self._look)

    @property
    def _is_choosing(self) -> bool:
        stack = self._app.screen_stack
        return bool(stack) and (stack[-1].is_modal or self._answering())

    def _look(self) -> None:
        self._looks = False
        stack = self._app.screen_stack
        if not stack:
            return
        if self._is_choosing:
            shown = [each for each in self.live if not isinstance(each, News)]
        else:
            self._live += [replace(each, raised_at=time()) for each in self._waiting]
            self._waiting.clear()
            del self._live[:-MOST]
            shown = list(self.live)
        for below in stack[:-1]:
            for lines in below.query(ToastLines):
                lines.show(())
        _show(shown, stack[-1])


def _show(told: Sequence[Notification], top: Widget) -> None:
    there = sorted(top.query(ToastLines), key=lambda lines: lines.has_class("-docked"))
    lines = there[0] if there else None
    for docked in there[1:]:  # before the screen had rows for them
        docked.remove()
    if lines is None and told:
        lines = ToastLines(classes="-docked")
        top.mount(lines)
    if lines is not None:
        lines.show(told)


def _said(note: Notification) -> tuple[str, str, str]:
    return note.severity, note.title, note.message
