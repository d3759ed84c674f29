"""What the agent asked by a form or an address, in the transcript: the question, and what became of it."""

from collections.abc import Iterator, Sequence

from acp_tui.protocol.vocabulary.elicitation import UrlElicitation
from acp_tui.session.entries import ElicitationEntry
from acp_tui.session.forms.fields import fields_of
from acp_tui.session.text.secret_names import NOT_RECORDED
from acp_tui.ui.entries.shared_units import EntryUnit, message_lines
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Row
from acp_tui.ui.render.wrap import Line, blank_row, block_edge, page_line, rows_of

VALUES_SHOWN = 20  # of what was sent

_OUTCOMES = {
    None: ("?", "Question", "waits for you"),
    "accept": ("✓", "Question", "answered"),
    "decline": ("✗", "Question", "declined"),
    "cancel": ("✗", "Question", "cancelled"),
}


def outcome_of(entry: ElicitationEntry) -> tuple[str, str, str]:
    """Sign, word and what became of it."""
    if isinstance(entry.request, UrlElicitation) and entry.action == "accept":
        if entry.completed:
            return "✓", "Visit", "done"
        return (
            ("↗", "Visit", "opened; the agent never said that it was done")
            if entry.sealed
            else ("↗", "Visit", "opened; the agent waits until it is done")
        )
    return _OUTCOMES.get(entry.action) or ("·", "Question", sanitise_line(entry.action or "", 40))


class ElicitationUnit(EntryUnit[ElicitationEntry]):
    """The outcome, the question, the address or the values that were sent; that it waits, as long as it is asked."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        return [*rows_of(self._lines(palette), block_edge(width)), blank_row()]

    def _lines(self, palette: Palette) -> Iterator[Line]:
        entry = self._entry
        sign, word, outcome = outcome_of(entry)
        style = palette.warning if entry.action is None else palette.muted
        yield page_line([(f"{word}  ", style), (outcome, palette.muted)], sign, style)
        if entry.action is None:
            return  # the panel asks it
        yield from message_lines(entry.request.message, palette.text, palette)
        if isinstance(entry.request, UrlElicitation):
            yield page_line([(sanitise_line(entry.request.url, 2_000), palette.muted)])
        else:
            yield from self._values(palette)

    def _values(self, palette: Palette) -> Iterator[Line]:
        content = self._entry.content or {}
        if not content or isinstance(self._entry.request, UrlElicitation):
            return
        fields = {field.name: field for field in fields_of(self._entry.request.requested_schema)}
        for name, value in list(content.items())[:VALUES_SHOWN]:
            field = fields.get(name)
            several = value if isinstance(value, list) else [value]
            words = ["yes" if each is True else "no" if each is False else str(each) for each in several]
            told = ", ".join(field.title_of(word) if field else word for word in words)
            named = field.title if field else name
            title = f"{sanitise_line(named, 60)}  " if named != self._entry.request.message else ""
            style = palette.faint if value == NOT_RECORDED else palette.text
            yield page_line([(title, palette.muted), (sanitise_line(told, 400), style)])
        if len(content) > VALUES_SHOWN:
            yield page_line([(f"… {len(content) - VALUES_SHOWN} more", palette.faint)])
