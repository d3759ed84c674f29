"""What completes a prompt while it is written: slash commands, the agent's and ours, and mentions of files."""

import re
from collections.abc import Callable

from acp_tui.host.project_files.file_index import FileIndex
from acp_tui.host.project_files.file_search import FileList
from acp_tui.session.text.mentions import beginning, begun, written
from acp_tui.session.text.words import counted
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.completion import CommandCompletion, MentionList, slash_query
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.shell import SIGN
from acp_tui.ui.slash.current import CurrentCommands
from acp_tui.ui.slash.offers import Offer
from acp_tui.ui.transcript.view import TranscriptView
from acp_tui.views.formatting import home_path

OFFERED = 20
_LINES = re.compile(r":[\d-]*$")


def prompt_top(editor: PromptEditor) -> int:
    """The row of the screen with which the prompt begins; pop-ups stand on it."""
    return editor.screen.query_one("#prompt").region.y


class MentionActions:
    """The mentions of one prompt; the editor draws what is known."""

    def __init__(self, view: SessionView, editor: PromptEditor, changed: Callable[[], None]) -> None:
        self._view, self._editor = view, editor
        editor.mentioned, editor.is_piece = self.is_known, self.is_piece
        self.list = MentionList(self._clicked, changed)
        self._index: FileIndex | None = None
        self._query: str | None = None
        self._found: tuple[str, FileList, list[str]] | None = None  # the last search, which is often asked for twice
        self._taken: set[str] = set()  # chosen from the list, so that nobody is still looking for them
        self._put_away: tuple[int, int] | None = None  # where the user closed the list

    def is_known(self, path: str) -> bool:
        """Whether a path is one of those below the roots, as far as they are listed."""
        return self._index is not None and path.rstrip("/") in self._index.files

    def is_piece(self, path: str) -> bool:
        """Whether a mention goes at one key; while it is written its letters go one by one."""
        return path in self._taken or (self.is_known(path) and not self.list.is_open)

    def look_anew(self) -> None:
        """The session has other folders: what was listed is not all any more."""
        self._index = self._found = None

    def edited(self) -> None:
        before = self._before
        if self._editor.text.startswith(SIGN):
            self._tell_shell()
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

    def take_key(self, key: str) -> bool:
        if not self.list.is_open or (self.list.chosen() is None and key != "escape"):
            return False
        if key in ("up", "down", "ctrl+p", "ctrl+n"):
            self.list.move(-1 if key in ("up", "ctrl+p") else 1)
        elif key == "escape":
            self._put_away = self._place(self._before)
            self.list.close()
        elif key in ("tab", "enter"):
            return self._accept(into=key == "tab")
        else:
            return False
        return True

    def _clicked(self) -> None:
        self._accept(into=False)
        self._view.focus_prompt()

    def _tell_shell(self) -> None:
        where, way = home_path(self._view.session.cwd), first_way("attach_output")
        self.list.offer((), f"Shell, not shared with the agent ({way} to attach the output) · in {where}")
        self.list.stand_on(prompt_top(self._editor))

    def _accept(self, *, into: bool) -> bool:
        """Write the highlighted path; `into` a folder the writing goes on. Nothing is taken if it stands there."""
        path, before = self.list.chosen(), self._before
        self.list.close()
        query = begun(before)
        if path is None or query is None:
            return False
        if not into and _LINES.sub("", query) in (path, path.rstrip("/")):
            return False
        row, column = self._editor.cursor_location
        text = self._continued(path) if into and path.endswith("/") else self._whole(path, query)
        self._editor.replace(text, (row, beginning(before)), (row, column), maintain_selection_offset=False)
        return True

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
            words = "No files here"
        self.list.offer(found, words)
        if self.list.is_open:
            self.list.stand_on(prompt_top(self._editor))

    def _listed(self) -> FileIndex:
        if self._index is None:
            self._index = FileIndex(self._view.client.roots(self._view.session))
            self._index.changed = self._more
        return self._index

    def _more(self) -> None:
        if self._editor.is_mounted:
            self._editor.draw_again()
            if self.list.is_open:
                self.edited()

    @property
    def _before(self) -> str:
        editor = self._editor
        row, column = editor.cursor_location
        return editor.document[row][:column]

    def _place(self, before: str) -> tuple[int, int]:
        return self._editor.cursor_location[0], beginning(before)


class Completions:
    """The pop-ups of one prompt; they take their keys before the editor does."""

    def __init__(
        self,
        view: SessionView,
        editor: PromptEditor,
        transcript: TranscriptView,
        slash: CurrentCommands,
        begun: Callable[[], object],
    ) -> None:
        """`begun` is called when a slash command begins to be written."""
        self._editor, self._transcript, self._slash, self._tell_begun = editor, transcript, slash, begun
        self.commands = CommandCompletion(self.accept, self._changed)
        self.mentions = MentionActions(view, editor, self._changed)
        editor.popup_keys = self._take_key
        self._begun = False

    def edited(self) -> None:
        text = self._editor.text
        slash = text.startswith("/") and not self._editor.is_text and self._editor.document.line_count == 1
        if slash and not self._begun:
            self._tell_begun()
        self._begun = slash
        if slash:
            self.commands.offer(text, self._slash.now)
        elif self.commands.display:
            self.commands.close()
        if self.commands.display:
            self.commands.stand_on(prompt_top(self._editor))
        self.mentions.edited()

    def accept(self) -> None:
        offer = self.commands.chosen()
        if offer is not None:
            self._complete(offer, " ")
            self._editor.focus()

    def close(self) -> None:
        self.mentions.take_key("escape")  # which keeps it closed for this word
        self.commands.close()

    def _take_key(self, key: str) -> bool:
        if self.commands.is_open or self.mentions.list.is_open:
            self.edited()  # a key can come before the news of what was typed before it
        if self.mentions.take_key(key):
            return True
        if not self.commands.is_open:
            return False
        if key in ("up", "down"):
            self.commands.move(-1 if key == "up" else 1)
        elif key == "tab":
            self.accept()
        elif key == "enter":
            return self._enter()
        else:
            return False
        return True

    def _enter(self) -> bool:
        """A name that is written out, or was moved to, runs, unless its argument is asked for; others are completed."""
        offer = self.commands.chosen()
        meant = self.commands.meant(slash_query(self._editor.text) or "")
        if meant is not None and not meant.asks:
            self._complete(meant)  # and Enter goes on to send it
            return False
        if offer is not None:
            self._complete(offer, " ")
        return True

    def _complete(self, offer: Offer, ending: str = "") -> None:
        self._editor.set_draft(f"/{offer.name}{ending}")
        self.commands.close()

    def _changed(self) -> None:
        """A list of choices stands where the welcome would name some of them again."""
        lists = self.commands, self.mentions.list
        self._transcript.cover_welcome(any(shown.chosen() is not None for shown in lists))
