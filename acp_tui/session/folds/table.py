"""The tables of this room: which fold takes which update or fact, and how each kind of entry reads as Markdown.

Of all its files every function `fold_…` is a fold: the type of its second parameter says what it takes. Every function
`markdown_…` gives the paragraphs of an entry: the type of its first parameter says of which kind.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalUpdate
from acp_tui.session.entries import Entry
from acp_tui.session.state import Fold, Session
from acp_tui.session.text.markdown import one_line, quote
from acp_tui.startup import modules_beside

Paragraphs = Callable[[Any, Session, Mapping[str, str]], Iterator[str]]


def _functions(prefix: str, parameter: int) -> dict[type, Any]:
    return {
        tuple(function.__annotations__.values())[parameter]: function
        for module in modules_beside(__name__)
        for name, function in vars(module).items()
        if name.startswith(prefix)
    }


def _words(entry: Entry, *_: object) -> Iterator[str]:
    yield quote(f"**{one_line(' · '.join(entry.pieces))}**")


# Terminals may run on this machine, so that their output is no sign of life from the agent.
_HEARD = frozenset(get_args(Update)) - {TerminalUpdate, TerminalOutputChunk}
FOLDS: dict[type, tuple[Fold, bool]] = {kind: (fold, kind in _HEARD) for kind, fold in _functions("fold_", 1).items()}
"""The fold of each event, and whether that is a sign of life from the agent."""
_MARKDOWN: dict[type, Paragraphs] = _functions("markdown_", 0)


def markdown_of(entry: Entry, session: Session, links: Mapping[str, str]) -> Iterator[str]:
    """An entry in paragraphs, of which the first costs little; `links` go to the parts of subagents, by their ids."""
    return _MARKDOWN.get(type(entry), _words)(entry, session, links)
