"""Frames for the terminal: rows that moved are moved by the terminal itself, and only what is new is written.

What the terminal shows is known from what was written last. An update of Textual's is compared with that: rows that
stand elsewhere already are scrolled there (DECSTBM, DL, IL), chops that stand there are left out. A chop is what
Textual calls the part of a row between two edges of widgets. Whatever is not known exactly is painted as Textual does.
"""

import inspect
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias, cast

from rich.cells import cell_len, get_character_cell_size
from rich.color import Color, ColorSystem
from rich.console import Console
from rich.style import Style
from textual.app import App
from textual.strip import Strip

from acp_tui.expressions import expression

try:
    from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
except ImportError:  # another Textual
    ChopsUpdate = LayoutUpdate = CompositorUpdate = object  # type: ignore[assignment,misc]

WORTH = 40  # characters that scrolling must save, its own four sequences not counted; for less, nothing is moved
SGR = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "21", "51", "52", "53")  # of each bit of a style's attributes
_CANNOT = expression(
    r"dumb|unknown|(?:ansi|pcansi|cons25|sun|cygwin|mach|vt1|vt5[02]|wy|adm|hp).*"
)  # in terminfo: no csr, or no dl and il
_MARK_FIRST = expression(r"(?:\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\)*([^\x00-\x7f])")
# Terminals do not agree how many cells these take: emoji newer than the terminal, flags, icons of fonts, what is wide
# in East Asia only (but letters, and what borders are made of), scripts whose letters join.
_DOUBTFUL = expression(
    r"[\u034f\u0900-\u109f\u1100-\u11ff\u1780-\u17ff\u200b-\u200f\u2010-\u2027\u2030-\u203e\u20d0-\u24ff\u25a0-\u27bf"
    r"\u2900-\u2bff\u3248-\u324f\ua8e0-\ua9ff\ud7b0-\ud7ff\ue000-\uf8ff\ufe00-\ufe0f\ufffd\U0001f000-\U0001faff"
    r"\U000e0000-\U0010ffff]+"
)
_PLACE = expression("\x1f([0-9]+);")  # a column of the strip, in its text; no text has this control
PLAIN = (0, "39", "49")  # no attributes, and the terminal's own colours

Chop: TypeAlias = tuple[int, int, str | None]
"""First column, the column behind the last, and what was written there; None where that is not known."""
Row: TypeAlias = tuple[Chop, ...]

log = logging.getLogger(__name__)


class RowUpdate(NamedTuple):
    """What an update writes in one row, from left to right; `row` is the row as it stands then.

    `exact` means that each part is a whole chop, so that a row that is as it was need not be written.
    """

    row: Row
    parts: list[tuple[int, str]]
    exact: bool


class Shift(NamedTuple):
    """Rows `top` to `bottom` move up by `by` rows, down if it is negative."""

    top: int
    bottom: int
    by: int

    def moved(self, rows: Sequence[Row]) -> list[Row]:
        """The rows as they are after it; those that came in are empty, so that nothing is known of them."""
        kept, new = list(rows[self.top : self.bottom + 1]), [()] * abs(self.by)
        kept = [*kept[self.by :], *new] if self.by > 0 else [*new, *kept[: self.by]]
        return [*rows[: self.top], *kept, *rows[self.bottom + 1 :]]

    def __str__(self) -> str:
        """Lines are deleted or inserted: also terminals that cannot scroll a region (`indn`) know that."""
        what = "M" if self.by > 0 else "L"
        return f"\x1b[{self.top + 1};{self.bottom + 1}r\x1b[{self.top + 1};1H\x1b[{abs(self.by)}{what}\x1b[r"


class FrameWriter:
    """Wraps Textual's updates. It is off where `on` is not set, or where this Textual is not the one it knows.

    With `moves` the terminal is one that can move rows; see `moves_rows`.
    """

    def __init__(self, *, on: bool = True, moves: bool = True) -> None:
        self._rows: list[Row] = []
        self._moves = moves
        missing = unknown_names() if on else ()
        if missing:
            log.warning("frames are painted whole, for Textual has changed: %s", ", ".join(missing))
        self._on = on and not missing

    def wrapped(self, told: tuple[Any, ...]) -> tuple[Any, ...]:
        """What `App._display` is told, with the update, which is the last of it, wrapped."""
        return (*told[:-1], self.wrap(told[-1])) if self._on and told else told

    def wrap(self, update: Any) -> Any:
        """The update as it is to be written: an update of ours, or the same one where it is of no known kind."""
        if not self._on or update is None:
            return update
        if type(update) is LayoutUpdate or type(update) is ChopsUpdate:
            return _Frame(update, self._render)
        self.forget()
        return update

    def forget(self) -> bool:
        """Others may have written on the terminal: the next update is written whole. Whether anything was known."""
        known, self._rows = bool(self._rows), []
        return known

    def _render(self, update: Any, console: Console) -> str:
        """What is to be written for the update. Only now is it certain that it is written."""
        try:
            return self._difference(update, console)
        except Exception:
            log.exception("a frame could not be compared with the last one; frames are painted whole from now on")
            self._on = False
            return self._as_textual(update, console)

    def _as_textual(self, update: Any, console: Console) -> str:
        self.forget()
        return cast("str", update.render_segments(console))

    def _difference(self, update: Any, console: Console) -> str:
        system = console._color_system or ColorSystem.TRUECOLOR  # noqa: SLF001 (as Textual asks for it)
        render = partial(drawn, system=system)
        if type(update) is ChopsUpdate:
            self._resize(len(update.chops))
            return self._write(_rows_of(update, self._rows, render))
        region = update.region
        if region.x or region.y:
            return self._as_textual(update, console)
        self._resize(region.height)
        return self._write({y: _whole_row(strips, region.width, render) for y, strips in enumerate(update.strips)})

    def _resize(self, height: int) -> None:
        if len(self._rows) != height:
            self._rows = [()] * height

    def _write(self, written: dict[int, RowUpdate]) -> str:
        old, new = self._rows, list(self._rows)
        for y, one in written.items():
            new[y] = one.row
        self._rows = new
        changed = [y for y in written if new[y] != old[y] or not written[y].exact]
        pieces = {y: _paint(y, old[y], written[y].parts) for y in changed}
        shift = find_shift(old, new, changed) if self._moves else None
        if shift is None:
            return "".join(pieces.values())
        region = range(shift.top, shift.bottom + 1)
        moved = shift.moved(old)
        anew = {y: _paint(y, moved[y], _parts(new[y])) for y in region}
        before = sum(len(pieces.get(y, "")) for y in region)
        if before - sum(map(len, anew.values())) - len(str(shift)) <= WORTH:
            return "".join(pieces.values())
        return str(shift) + "".join({**pieces, **anew}.values())


class _Frame(CompositorUpdate):
    """An update whose rendering is ours."""

    def __init__(self, update: Any, render: Callable[[Any, Console], str]) -> None:
        self._update, self._render = update, render

    def render_segments(self, console: Console) -> str:
        return self._render(self._update, console)


def moves_rows(environ: Mapping[str, str]) -> bool:
    """Whether the terminal has DECSTBM, DL and IL, as far as its name tells; without the first, DL moves all below."""
    return _CANNOT.fullmatch(environ.get("TERM", "" if sys.platform == "win32" else "dumb")) is None


def unknown_names() -> tuple[str, ...]:
    """What this Textual does not have, or has otherwise, of the private names that are used here."""
    wanted = {
        "LayoutUpdate": (LayoutUpdate, ("strips", "region")),
        "ChopsUpdate": (ChopsUpdate, ("chops", "spans", "chop_ends")),
        "CompositorUpdate.render_segments": (getattr(CompositorUpdate, "render_segments", None), ("self", "console")),
        "App._display": (getattr(App, "_display", None), ("self", "screen", "renderable")),
    }
    wrong = [name for name, (made, names) in wanted.items() if made is None or _parameters(made) != names]
    style = Style()
    attributes = ("_attributes", "_set_attributes", "_color", "_bgcolor", "_link", "_link_id")
    wrong += [f"Style.{name}" for name in attributes if not hasattr(style, name)]
    wrong += [] if hasattr(Strip([]), "_render_cache") else ["Strip._render_cache"]
    return tuple(wrong)


def _parameters(made: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(made).parameters)
    except (TypeError, ValueError):
        return ()


def find_shift(old: Sequence[Row], new: Sequence[Row], changed: Iterable[int]) -> Shift | None:
    """How most of the changed rows moved; None where they did not, or where a row in between is not known.

    Each row votes by its widest chop, for a scrollbar or a sidebar beside it does not move along.
    """
    known: dict[Chop, list[int]] = {}
    for y, row in enumerate(old):
        if row:
            known.setdefault(_widest(row), []).append(y)
    homes = [(y, known.get(_widest(new[y]), ())) for y in changed if new[y]]
    homes = [(y, froms) for y, froms in homes if 0 < len(froms) < 4]  # blank rows are everywhere
    votes = Counter(start - y for y, froms in homes for start in froms if start != y)
    if not votes:
        return None
    by = max(votes, key=lambda by: (votes[by], -abs(by)))
    ys = [y for y, froms in homes if y + by in froms]
    shift = Shift(min(*ys, *(y + by for y in ys)), max(*ys, *(y + by for y in ys)), by)
    region = new[shift.top : shift.bottom + 1]
    return shift if all(row and all(text is not None for _, _, text in row) for row in region) else None


def _widest(row: Row) -> Chop:
    return max(row, key=lambda chop: chop[1] - chop[0])


def _parts(row: Row) -> list[tuple[int, str]]:
    return [(x, text) for x, _, text in row if text is not None]


def _whole_row(strips: Iterable[Strip], width: int, render: Callable[[Strip], str]) -> RowUpdate:
    """A row of a whole screen: its strips stand side by side. One whose strips do not fill it is not known."""
    row: list[Chop] = []
    x = 0
    for strip in strips:
        end = x + strip.cell_length
        if end > x:
            row.append((x, end, render(strip)))
        x = end
    exact = x == width and not any(segment.control for strip in strips for segment in strip)
    parts = _parts(tuple(row))
    return RowUpdate(tuple(row) if exact else (), parts, exact)


def _rows_of(update: Any, rows: Sequence[Row], render: Callable[[Strip], str]) -> dict[int, RowUpdate]:
    """The rows that chops are written in. Textual's condition for each, and how it crops it, is followed exactly."""
    written: dict[int, RowUpdate] = {}
    for y, x1, x2 in update.spans:
        line, ends = update.chops[y], update.chop_ends[y]
        if y not in written:
            old = {(x, end): text for x, end, text in rows[y]}
            row: Row = tuple((x, end, old.get((x, end))) for x, end in zip(line, ends, strict=False))
            written[y] = RowUpdate(row, [], exact=True)
        chops, (_, parts, exact) = list(written[y].row), written[y]
        for at, (end, (x, strip)) in enumerate(zip(ends, line.items(), strict=False)):
            if strip is None or x >= x2 or end <= x1:
                continue
            whole = end <= x2 and strip.cell_length == end - x and not any(part.control for part in strip)
            text = render(strip if end <= x2 else strip.crop(0, x2 - x))
            parts.append((x, text))
            chops[at] = (x, end, text if whole else None)
            exact = exact and whole
        written[y] = RowUpdate(tuple(chops), parts, exact)
    return written


def _paint(y: int, old: Row, parts: Sequence[tuple[int, str]]) -> str:
    """What to write in a row.

    Behind what is not ASCII nothing is left out: a terminal may take other characters to be wider than we do. Where a
    part begins with a mark, the terminal adds it to the part before it, which is written too.
    """
    there = set() if any(_begins_with_mark(text) for _, text in parts) else set(_parts(old))
    pieces: list[str] = []
    for part in parts:
        if part not in there:
            pieces.append(f"\x1b[{y + 1};{part[0] + 1}H{placed(part[1], y, part[0])}")
            if not part[1].isascii():
                there = set()
    return "".join(pieces)


def placed(text: str, y: int, x: int) -> str:
    """The text of a chop that begins there, with the places in it as the terminal takes them."""
    return _PLACE.sub(lambda place: f"\x1b[{y + 1};{x + int(place[1]) + 1}H", text) if "\x1f" in text else text


def _begins_with_mark(text: str) -> bool:
    """Whether the first character of a chop has no cell of its own, as an accent that was cut off its letter."""
    found = None if text.isascii() else _MARK_FIRST.match(text)
    return found is not None and get_character_cell_size(found[1]) == 0


class Drawn(str):
    """A strip as text for the terminal. Kept where Textual keeps its own of it, which has the same cells."""

    __slots__ = ("system",)
    system: ColorSystem


def drawn(strip: Strip, system: ColorSystem) -> str:
    """The strip's text; it begins and ends without attributes, colours and links."""
    kept = strip._render_cache  # noqa: SLF001 (Textual has no public place for it)
    if type(kept) is Drawn and kept.system is system:
        return kept
    made = Drawn(lean(strip, system))
    made.system = system
    strip._render_cache = made  # noqa: SLF001
    return made


def lean(strip: Strip, system: ColorSystem) -> str:
    """The same cells as Textual's rendering gives; between segments only what changes is told."""
    parts: list[str] = []
    now, link, column = PLAIN, "", 0
    for text, style, control in strip:
        wanted = PLAIN if style is None else _look(style, system)
        address = f"id={style._link_id};{style._link}" if style is not None and style._link else ""  # noqa: SLF001
        if not text:
            continue
        if address != link:
            parts.append(f"\x1b]8;{address or ';'}\x1b\\")
        if wanted != now:
            parts.append(_change(now, wanted))
        if text.isascii() or not _DOUBTFUL.search(text):
            parts.append(text)
        else:
            parts += _with_places(text, column)
        column += 0 if control else len(text) if text.isascii() else cell_len(text)
        now, link = wanted, address
    if now != PLAIN:
        parts.append("\x1b[0m")
    if link:
        parts.append("\x1b]8;;\x1b\\")
    return "".join(parts)


def _with_places(text: str, column: int) -> Iterator[str]:
    """The text with the place of what follows behind each doubtful run, and blanks where one may take fewer cells."""
    end = 0
    for found in _DOUBTFUL.finditer(text):
        run, between = found[0], text[end : found.start()]
        column += cell_len(between)
        cells = cell_len(run)
        yield between
        if cells != len(run) and get_character_cell_size(run[0]):  # a mark belongs to what is before it
            yield f"{' ' * cells}\x1f{column};"
        column, end = column + cells, found.end()
        yield f"{run}\x1f{column};"
    yield text[end:]


def _look(style: Style, system: ColorSystem) -> tuple[int, str, str]:
    """Attributes as bits, and the codes of both colours."""
    colour, ground = style._color, style._bgcolor  # noqa: SLF001
    return (
        style._attributes & style._set_attributes,  # noqa: SLF001
        "39" if colour is None else _codes(colour, system, foreground=True),
        "49" if ground is None else _codes(ground, system, foreground=False),
    )


@lru_cache(maxsize=1024)
def _codes(colour: Color, system: ColorSystem, *, foreground: bool) -> str:
    return ";".join(colour.downgrade(system).get_ansi_codes(foreground))


@lru_cache(maxsize=1024)
def _change(now: tuple[int, str, str], wanted: tuple[int, str, str]) -> str:
    """From one look to the next. What takes attributes away differs among terminals: it all begins anew then."""
    if wanted == PLAIN:
        return "\x1b[0m"
    codes: list[str] = []
    if now[0] and now[0] != wanted[0]:
        codes, now = ["0"], PLAIN
    added = wanted[0] & ~now[0]
    codes += [SGR[bit] for bit in range(added.bit_length()) if added & (1 << bit)]
    codes += [colour for colour, was in zip(wanted[1:], now[1:], strict=True) if colour != was]
    return f"\x1b[{';'.join(codes)}m"
