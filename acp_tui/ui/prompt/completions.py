"""Completions of a prompt while it is written: pop-ups above it for slash commands, and for the paths of mentions.

The editor keeps the focus. A key costs a search and the rows on the screen: nothing is measured, and nothing is laid
out anew while as many rows are shown.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial

from rich.cells import cell_len
from textual import events
from textual.content import Content

from acp_tui.host.prompts.file_index import FileIndex, FileList
from acp_tui.host.prompts.mentions import find_mention
from acp_tui.session.text.mentions import Mention, beginning, begun, mentions_in, written
from acp_tui.session.text.phrases import counted
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.row_list import ListRow, RowList, Value, words_row
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import ACCENT, MUTED, key_hints
from acp_tui.ui.prompt.draft import EditorExtension
from acp_tui.ui.prompt.draft_actions import SIGN
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import cut, cut_left, sanitise_line
from acp_tui.ui.transcript.placed_scroll_view import columns_of
from acp_tui.views.command_index import SessionCommands, SlashCommands, SlashOffer, slash_query
from acp_tui.views.formatting import home_path

COMMANDS_AT_MOST, PATHS_AT_MOST = 8, 9  # rows; what else there is scrolls
ROWS_AT_MOST = 200  # of commands; who has more of them types some letters
NAME_AT_MOST = 40  # cells
OWNER_WIDTH, NARROW = 9, 70  # cells of the word that says whose a command is, with a gap; of a row that has none
OFFERED = 20
_LINES = re.compile(r":[\d-]*$")


class PopUp(RowList[Value]):
    """A list that stands on the prompt."""

    DEFAULT_CSS = "PopUp { layer: popup; dock: bottom; height: 1; border-left: outer $primary; background: $surface; }"

    def __init__(self, name: str, clicked: Callable[[], None], changed: Callable[[], None]) -> None:
        super().__init__()
        self.id = name
        self._clicked, self._changed = clicked, changed
        self.has_moved = False  # the highlight, by the user, so that Enter means that row
        self.display = False

    def on_mount(self) -> None:
        """The prompt may have its place only later: while a question that was answered by text gives it back."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self.stand_on_prompt)

    @property
    def is_open(self) -> bool:
        return self.display

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self._clicked()

    def move(self, step: int) -> None:
        super().move(step)
        self.has_moved = True

    def close(self) -> None:
        self.display = self.has_moved = False
        self._changed()

    def stand_on_prompt(self, _laid_out: object = None) -> None:
        if not self.display:
            return
        size, top = self.screen.size, self.screen.query_one("#prompt").region.y
        self.styles.margin = (0, 1, max(0, size.height - top), 1)
        self.styles.width = columns_of(self) - 2  # 1fr of a docked widget forgets its margins

    def chosen(self) -> Value | None:
        return self.value if self.display else None

    def _open(self, rows: Sequence[ListRow[Value]], most: int) -> None:
        self.display, self.has_moved = bool(rows), False
        self.styles.height = min(most, max(1, len(rows)))
        self.fill(rows)
        self._changed()


def command_begun(text: str, commands: SlashCommands) -> SlashOffer | None:
    """The command whose name is written already and that says what may follow it."""
    meant = commands.of_line(text) if " " in text else None
    return meant[0] if meant is not None and meant[0].hint else None


class CommandCompletion(PopUp[SlashOffer]):
    """Slash commands and whose they are; of one that is written already, what may follow it, which cannot be chosen."""

    def __init__(self, clicked: Callable[[], None], changed: Callable[[], None]) -> None:
        super().__init__("completion", clicked, changed)
        self._offered: tuple[list[SlashOffer], int, bool] = [], 0, False

    @property
    def is_open(self) -> bool:
        return self.chosen() is not None

    def meant(self, typed: str) -> SlashOffer | None:
        """The highlighted command, if the user moved to it or typed its name."""
        offer = self.chosen()
        return offer if offer is not None and (self.has_moved or offer.name == typed) else None

    def offer(self, text: str, commands: SlashCommands) -> None:
        query = slash_query(text)
        found = commands.found(query) if query is not None else []
        begun = command_begun(text, commands)
        shown = found[:ROWS_AT_MOST] or ([begun] if begun else [])
        more = len(found) - len(shown) if found else 0
        offered = shown, more, bool(found)
        if offered == self._offered and self.display == bool(shown):
            return
        self._offered = offered
        names = [min(NAME_AT_MOST, cell_len(each.name)) for each in shown]
        sizes = max(names, default=0), max(names[:COMMANDS_AT_MOST], default=0)  # the first: in few cells
        rows = [ListRow(partial(_command_row, each, sizes), each if found and each.can_run else None) for each in shown]
        unusable = commands.unusable if found and not query else 0
        left_out = f"{counted(unusable, 'agent command')} hidden (unusable names)" if unusable else ""
        cut_off = f"{counted(more, 'more command')} (type to filter)" if more else ""
        if told := " · ".join(filter(None, (cut_off, left_out))):
            rows.insert(0, words_row(told, f"{MUTED} italic"))
        self._open(rows, COMMANDS_AT_MOST)


def _command_row(offer: SlashOffer, sizes: tuple[int, int], width: int) -> Content:
    narrow = width < NARROW
    width_of_name = min(sizes[narrow], max(8, width // 3))
    name = "/" + cut(offer.name, NAME_AT_MOST)
    gap = " " * max(2, width_of_name + 3 - cell_len(name))
    side = "" if narrow else f"{offer.owner if offer.can_run else '':{OWNER_WIDTH}}"
    if not offer.can_run:
        return Content.styled(f"{name}{gap}{side}{offer.description}", MUTED)
    argument = f"{offer.argument}  " if offer.hint else ""
    return Content.assemble((name + gap, "bold"), (side, MUTED), (argument, ACCENT), (offer.words, MUTED))


class MentionList(PopUp[str]):
    """Paths, the best first, and below them a line of words."""

    def __init__(self, clicked: Callable[[], None], changed: Callable[[], None]) -> None:
        super().__init__("mentions", clicked, changed)
        self._offered: tuple[list[str], Content] = [], Content("")

    def offer(self, paths: Sequence[str], words: Content) -> None:
        """Show these paths; `words` say what else there is to know. With neither, close."""
        offered = list(paths), words
        if self.display and offered == self._offered:
            return
        self._offered = offered
        rows = [ListRow(partial(_path_row, path), path) for path in paths]
        rows += [ListRow(lambda _width: words)] * bool(words)
        self._open(rows, PATHS_AT_MOST)


def _aside(words: str) -> Content:
    return Content.styled(sanitise_line(words), f"{MUTED} italic")


def _path_row(path: str, width: int) -> Content:
    shown = cut_left(sanitise_line(path, 4096), max(20, width))
    folder, slash, name = shown.rstrip("/").rpartition("/")
    return Content.assemble((folder + slash, MUTED), name + ("/" if path.endswith("/") else ""))


class MentionActions(EditorExtension):
    """The mentions of one prompt, and the list of paths in which each is found."""

    def __init__(self, view: SessionView, editor: PromptEditor, changed: Callable[[], None]) -> None:
        self._view, self._editor = view, editor
        self.list = MentionList(self._clicked, changed)
        self._index: FileIndex | None = None
        self._query: str | None = None
        self._found: tuple[str, FileList, list[str]] | None = None  # the last search, which is often asked for twice
        self._taken: set[str] = set()  # chosen from the list, so that nobody is still looking for them
        self._put_away: tuple[int, int] | None = None  # where the user closed the list

    def is_mention(self, path: str) -> bool:
        """Whether a path is one of those below the roots, as far as they are listed."""
        return self._index is not None and path.rstrip("/") in self._index.files

    def piece_before(self, line: str, column: int) -> int:
        """A mention goes at one key; while it is written its letters go one by one."""
        for mention in mentions_in(line):
            path = mention.path
            if mention.end == column and (path in self._taken or (self.is_mention(path) and not self.list.is_open)):
                return column - mention.start
        return 0

    def look_anew(self) -> None:
        """The session has other folders: what was listed is not all any more."""
        self._index = self._found = None

    def edited(self) -> None:
        before = self._before
        if hint := self._hint:
            self.list.offer((), hint)
            self.list.stand_on_prompt()
            return
        was_writing, self._query = self._query is not None, begun(before)
        if (self._query is not None and not was_writing) or ("@" in before and self._index is None):
            self._listed().refresh()
        if self._query is None or self._is_whole(self._query) or self._put_away == self._place(before):
            if self._query is None:
                self._put_away = None
            self.list.close()
            return
        self._offer(_LINES.sub("", self._query))

    def acts_on(self, key: str) -> bool:
        if not self.list.is_open or self._expands or (self.list.chosen() is None and key != "escape"):
            return False
        if key in ("up", "down", "ctrl+p", "ctrl+n"):
            self.list.move(-1 if key in ("up", "ctrl+p") else 1)
        elif key == "escape":
            self._put_away = self._place(self._before)
            self.list.close()
        elif key == "enter" and not self.list.has_moved and self._is_there:
            self.list.close()
            return False
        elif key in ("tab", "enter"):
            return self._accept(into=key == "tab")
        else:
            return False
        return True

    def _clicked(self) -> None:
        self._accept(into=False)
        self._view.focus_prompt()

    @property
    def _hint(self) -> Content:
        """A line on what is written, where there is nothing to choose."""
        if self._editor.text.startswith(SIGN):
            where, way = home_path(self._view.session.cwd), first_way("attach_output")
            return _aside(f"Shell, not shared with the agent ({way} to attach the output) · in {where}")
        return key_hints([(first_way("unfold_paste"), "expand")] * self._expands)

    def _accept(self, *, into: bool) -> bool:
        """Write the highlighted path; `into` a folder the writing goes on."""
        path, before = self.list.chosen(), self._before
        self.list.close()
        query = begun(before)
        if path is None or query is None:
            return False
        row, column = self._editor.cursor_location
        text = self._continued(path) if into and path.endswith("/") else self._whole(path, query)
        self._editor.replace(text, (row, beginning(before)), (row, column), maintain_selection_offset=False)
        return True

    @property
    def _is_there(self) -> bool:
        """Whether what is written is a path already, listed or not (ignored files are not): Enter leaves it alone."""
        mention = Mention(0, 0, _LINES.sub("", begun(self._before) or ""))
        return bool(mention.path) and find_mention(mention, self._view.client.roots(self._view.session)) is not None

    def _is_whole(self, query: str) -> bool:
        path = _LINES.sub("", query)
        return path in self._taken or (self._index is not None and self._index.files.has_file(path))

    def _continued(self, folder: str) -> str:
        self._taken.discard(folder)
        return f'@"{folder}' if " " in folder else f"@{folder}"

    def _whole(self, path: str, query: str) -> str:
        self._taken.add(path)
        lines = _LINES.search(query)
        return written(path) + (lines[0] if lines and not path.endswith("/") else "") + " "

    def _offer(self, query: str) -> None:
        index = self._listed()
        words = ""
        if index.reading and len(index.files) < OFFERED:
            words = "Searching for files…"
        elif index.cut:
            words = f"Only the first {counted(len(index.files), 'path')} are listed"
        if self._found is None or self._found[:2] != (query, index.files):
            self._found = query, index.files, index.files.find(query, OFFERED)
        found = self._found[2]
        if not found and not words and not query:
            words = "No files in this folder"
        self.list.offer(found, _aside(words))
        self.list.stand_on_prompt()

    def _listed(self) -> FileIndex:
        if self._index is None:
            self._index = FileIndex(self._view.client.roots(self._view.session), self._more)
        return self._index

    def _more(self) -> None:
        if self._editor.is_mounted:
            self._editor.draw_again()
            if self.list.is_open:
                self.edited()

    @property
    def _expands(self) -> bool:
        """Whether the cursor is behind a chip whose text can be expanded. The hint for that takes no key."""
        return self._editor.chips.is_text_before(self._before)

    @property
    def _before(self) -> str:
        editor = self._editor
        row, column = editor.cursor_location
        return editor.document[row][:column]

    def _place(self, before: str) -> tuple[int, int]:
        return self._editor.cursor_location[0], beginning(before)


class Completions(EditorExtension):
    """The pop-ups of one prompt; they take their keys before the editor does."""

    def __init__(
        self,
        view: SessionView,
        editor: PromptEditor,
        slash: SessionCommands,
        begun: Callable[[], object],
    ) -> None:
        """`begun` is called when a slash command begins to be written."""
        self._editor, self._slash, self._tell_begun = editor, slash, begun
        self.commands = CommandCompletion(self.accept, self._changed)
        self.mentions = MentionActions(view, editor, self._changed)
        self._begun, self._put_away = False, ""  # the text for which the lists were closed

    def edited(self) -> None:
        text, lines = self._editor.text, self._editor.document.line_count
        slash = text.startswith("/") and text != self._put_away and not self._editor.is_text and lines == 1
        if slash and not self._begun:
            self._tell_begun()
        self._begun = slash
        if slash:
            self.commands.offer(text, self._slash.now)
        elif self.commands.display:
            self.commands.close()
        self.commands.stand_on_prompt()
        self.mentions.edited()

    def accept(self) -> None:
        if (offer := self.commands.chosen()) is not None:
            self._complete(offer, " ")
            self._editor.focus()

    def close_lists(self) -> None:
        self.mentions.acts_on("escape")  # which keeps it closed for this word
        self.mentions.list.close()
        self.commands.close()
        self._put_away = self._editor.text

    def takes_key(self, event: events.Key) -> bool:
        key = event.key
        if self.commands.is_open or self.mentions.list.is_open:
            self.edited()  # a key can come before the news of what was typed before it
        if self.mentions.acts_on(key):
            return True
        if not self.commands.is_open:
            return False
        if key in ("up", "down"):
            self.commands.move(-1 if key == "up" else 1)
        elif key == "tab":
            self._tab()
        elif key == "enter":
            return self._enter()
        else:
            return False
        return True

    def _tab(self) -> None:
        typed = slash_query(self._editor.text) or ""
        if self.commands.meant(typed) is not None or not self._slash.now.is_name(typed):
            self.accept()

    def _enter(self) -> bool:
        """A name that is written out, or was moved to, runs, unless its argument is asked for; others are completed.

        What is no beginning of a name is sent as it is, or asked about: it never becomes another command.
        """
        offer, typed = self.commands.chosen(), slash_query(self._editor.text) or ""
        chosen = self.commands.meant(typed)
        if chosen is not None and not chosen.asks:
            self._complete(chosen)  # and Enter goes on to send it
            return False
        if chosen is None and offer is not None and not self._slash.now.completes(typed, offer):
            return False
        if offer is not None:
            self._complete(offer, " ")
        return True

    def _complete(self, offer: SlashOffer, ending: str = "") -> None:
        self._editor.set_draft(f"/{offer.name}{ending}")
        self.commands.close()

    def _changed(self) -> None:
        self._editor.post_message(PromptEditor.ModeChanged())
