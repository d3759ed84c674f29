"""What the user does with the comments of a session: looks at them, and makes one prompt of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from acp_tui.host.project_files.excerpts import lines_of_file
from acp_tui.session.text.mentions import mentions_in
from acp_tui.session.text.words import counted
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import Draft, unlabelled
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.review.comment_list import CommentList, paths_of
from acp_tui.ui.review.comments import Comment, Comments
from acp_tui.ui.review.marks import ReadMarks
from acp_tui.ui.review.pane import ReviewPane
from acp_tui.ui.review.prompt import heading_of, prompt_of

NOTHING = "No comments yet: press c on a line of a diff"


def _nothing() -> None:
    pass


class ReviewActions:
    """The comments and the marks of one session; they last as long as the program runs."""

    def __init__(self, view: SessionView, editor: PromptEditor) -> None:
        self.view, self._editor = view, editor
        self.comments, self.marks = Comments(), ReadMarks()
        self._written: dict[int, str] = {}  # of the comments that were put into the prompt: the heading, by number
        self._quoted: set[str] = set()  # mentions that are none: they stand in quotes

    @property
    def _cwd(self) -> str:
        return self.view.session.cwd

    def pane(self) -> ReviewPane:
        """A view in which lines are commented for this session."""
        return ReviewPane(self.comments, self.marks, self._cwd)

    def open(self, writes: Callable[[], object] = _nothing, closed: Callable[[], object] = _nothing) -> None:
        """List the comments where their lines are now.

        `writes` is called before they are put into the prompt, `closed` where they are not.
        """
        if self.comments.all:
            self.view.run(self._open(writes, closed))
        else:
            self.view.say(NOTHING)

    async def _open(self, writes: Callable[[], object], closed: Callable[[], object]) -> None:
        await self.follow()
        if await self.view.ask(CommentList(self.comments, self._cwd)) == "prompt":
            writes()
            self._write(self.comments.finished)
        else:
            closed()

    async def follow(self) -> None:
        """Look where the lines are in the files by now. What cannot be read stays where it was told."""
        roots = self.view.client.roots(self.view.session)
        for path in paths_of(self.comments.all):
            lines = await lines_of_file(path, roots)
            if lines is not None:
                self.comments.follow(path, lines)

    def _write(self, comments: Sequence[Comment]) -> None:
        """Put them in front of what is written in the prompt, in place of those that are there already."""
        text = unlabelled(prompt_of(comments, self._cwd))
        self._written = {each.number: heading_of(each, self._cwd) for each in comments}
        quotes = (line.text for each in comments for line in each.quote)
        said = _named(each.text for each in comments)
        self._quoted = _named(quotes) - said
        self._editor.give_back(f"{text}\n")
        self.view.focus_prompt()
        self.view.say("Edit the comments, then press Enter to send them", 5)

    def take(self, comments: Sequence[Comment]) -> None:
        """Comments that went with no answer: they are kept with those of the session."""
        self.comments.take(comments)
        if comments:
            self.view.say(f"{counted(len(comments), 'comment')} kept: “Review comments” in the palette lists them", 5)

    def without_mentions(self, draft: Draft) -> Draft:
        """A draft without the mentions that quoted lines have: they attach no files."""
        if not self._written or not draft.mentions or not self._numbers_in(draft.text):
            return draft
        return replace(draft, mentions=tuple(each for each in draft.mentions if each.name not in self._quoted))

    def leaves(self, draft: Draft) -> Draft:
        """A draft is on its way to the agent: comments that are in it are done with."""
        numbers = self._numbers_in(draft.text)
        if numbers:
            self.comments.sent(numbers)
            self._written = {number: each for number, each in self._written.items() if number not in numbers}
        return draft

    def _numbers_in(self, text: str) -> list[int]:
        return [number for number, heading in self._written.items() if f"{heading}\n" in text]


def _named(texts: Iterable[str]) -> set[str]:
    return {mention.name for text in texts for mention in mentions_in(text)}
