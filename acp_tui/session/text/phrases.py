"""Words for counts, plans and data, for every front end; imported before the first frame."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from acp_tui.expressions import expression
from acp_tui.safe_text import one_line

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.initialization import Account, AuthStatus
    from acp_tui.protocol.vocabulary.session_updates import Plan

TRANSCRIPT_URI = "acp-tui:transcript/"
"""How the address of a transcript begins that is handed over with a prompt; nothing can be found there."""
NOT_SENT = "Not sent from acp-tui"
"""What is said of a message that an agent tells as the user's, and that they did not send from here."""
DEEPEST = 6  # levels of data that are told in words
SHORT_LIST = 60  # characters of a list that is told on one line
CARRIED = "This is our conversation so far. Continue with the message below."
"""How a conversation begins that the first prompt of another session carries, for the agent only."""


_THINKING = frozenset(("thinking", "reasoning", "effort", "thought", "think"))
_BESIDE = frozenset(("level", "mode", "model", "budget", "depth", "strength", "extended"))
_WORD, _CAMEL = expression(r"[^\W_]+"), expression(r"(?<=[a-z0-9])(?=[A-Z])")


CARRIED_URI = "conversation:///so-far.md"
"""The address of such a conversation, where it goes as a resource."""


def done_words(plans: Sequence[Plan]) -> str:
    """How much is done of what is to be done: `✓ 3 / 3 · 1 cancelled`; empty where there are no steps."""
    statuses = [entry.status for plan in plans for entry in plan.entries]
    done, cancelled = statuses.count("completed"), statuses.count("cancelled")
    wanted = len(statuses) - cancelled
    parts = [f"{'✓ ' if done == wanted else ''}{done} / {wanted}"] if wanted else []
    return " · ".join([*parts, f"{cancelled} cancelled"] if cancelled else parts)


def means_thinking(category: str | None, *names: str) -> bool:
    """Whether the category, the id or the name of an option plainly says the thinking level: `Reasoning effort`.

    Each of its words has to fit: `Reasoning summary` is something else. What the agent calls a mode or a model is one.
    """
    if category in ("mode", "model"):
        return False
    found = [set(_WORD.findall(_CAMEL.sub(" ", text or "").lower())) for text in (category, *names)]
    return any(words & _THINKING and words <= _THINKING | _BESIDE for words in found)


def duration(seconds: float) -> str:
    """A span of time, to the second: `12 s`, `2 min 05 s`, `1 h 02 min`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min"


def counted(count: int, noun: str) -> str:
    """A number with its noun: `1 line`, `3,000 lines`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def plus_minus(added: int, removed: int) -> list[str]:
    """How many lines came and went: `+12`, `−3`; of none nothing."""
    return [f"+{added:,}"] * bool(added) + [f"−{removed:,}"] * bool(removed)


def path_end(path: str, limit: int) -> str:
    """A path in at most so many characters: its end says more than its beginning."""
    return path if len(path) <= limit else f"…{path[1 - limit :]}"


def exit_number(code: int) -> str:
    """An exit code as it is told; `?` for one that no system has, which could be longer than its row."""
    return str(code) if abs(code) < 2**32 else "?"  # Windows has 32 bits


def data_text(value: Any) -> str:
    """Data as lines that can be read: `name: value`, what has lines of its own below its name, lists by `-`."""
    return value if isinstance(value, str) else "\n".join(_data_lines(value, 0))


def _data_lines(value: Any, depth: int) -> Iterator[str]:
    if depth > DEEPEST:
        yield _scalar(value)
    elif isinstance(value, dict) and value:
        for name, member in value.items():
            yield from _member(f"{name}:", member, depth)
    elif isinstance(value, list) and value:
        for item in value:
            yield from _member("-", item, depth)
    elif isinstance(value, str):
        yield from value.removesuffix("\n").split("\n")
    else:
        yield _scalar(value)


def _member(name: str, value: Any, depth: int) -> Iterator[str]:
    """`name: value` on one line where that has one, a short list of words too, else the lines below the name."""
    plain = isinstance(value, list) and value and not any(isinstance(item, dict | list) for item in value)
    words = [_scalar(item) for item in value] if plain else []
    if words and sum(map(len, words)) <= SHORT_LIST and not any("\n" in word for word in words):
        yield f"{name} {', '.join(words)}"
        return
    lines = list(_data_lines(value, depth + 1))
    if name == "-":
        yield f"- {lines[0]}"
        yield from (f"  {line}" for line in lines[1:])
    elif len(lines) == 1 and not (isinstance(value, dict | list) and value):
        yield f"{name} {lines[0]}".rstrip()
    else:
        yield name
        yield from (f"    {line}" for line in lines)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "… nested too deeply to show"


LONGEST = 160  # characters of one account
_STATES = {
    "authenticated": "Logged in",
    "unauthenticated": "Not logged in",
    "not_required": "No login needed",
    "unknown": "Login state unknown",
}


def state_words(status: AuthStatus) -> str:
    """The state alone, which names nobody."""
    return _STATES[status.state]


def login_words(status: AuthStatus) -> str:
    """`Logged in as Claude Max · ann@example.com and 2 more accounts`; other states without accounts."""
    names = account_names(status)
    if not names:
        return state_words(status)
    more = len(names) - 1 + status.more_accounts
    others = f" and {counted(more, 'more account')}" if more else ""
    return f"{state_words(status)} as {names[0]}{others}"


def account_names(status: AuthStatus) -> list[str]:
    """The accounts in use, each as one line; none unless somebody is logged in."""
    shown = status.shown if status.state == "authenticated" else ()
    return [name for account in shown if (name := _name(account))]


def _name(account: Account) -> str:
    return one_line(" · ".join(filter(None, (account.label, *account.more))), LONGEST)


_EARLIER = CARRIED.replace(
    "Continue with the message below", " ".join(("Go", "on from it with the message that follows"))
)
MOST = 20  # files that are named
LONGEST_NAME = 200  # characters of a name
BEGIN = "Note from the user: since your last turn I "
END = "Do not assume that they still contain what you wrote; read them again before you rely on them."
_ENDS = "|".join(map(re.escape, (END, END.replace("still contain", "hold"))))  # and of earlier versions
LEAST_TITLE = 8  # characters by which it is known that a title is ours
_TAG = expression(r"\s*(?:<\w+\s+\w+=[\"']?|@?\[[^\]]*\]\(|[\[@(<\"'])")
_AGENTS_TAG = expression(
    r"\s*<[a-z]+(?:[-_][a-z]+)*[-_]"
    r"(?:reminder|context|instructions|message|name|notification|stdout|caveat|file|selection|info)(?:>|\s|…|\.\.\.|$)"
)
_ADDRESSES = (CARRIED_URI.removesuffix("so-far.md"), TRANSCRIPT_URI)
_NOTE = expression(rf"\A\s*{re.escape(BEGIN)}[^\n]{{1,{(MOST + 2) * 2 * LONGEST_NAME}}}?(?:{_ENDS})\s*")


def note_of(back: Sequence[str], again: Sequence[str] = (), before: str = "these changes") -> str:
    """The note: which files are `back` to how they were before (`turn 3`), and in which changes are there `again`.

    Empty if there are none; else it ends in a blank line, for what follows belongs to the same message.
    """
    said = []
    if back:
        said.append(f"undid your changes to these files: {_names(back)}; they are now as they were before {before}")
    if again:
        said.append(f"restored changes that I had undone, in these files: {_names(again)}")
    return f"{BEGIN}{'; and I '.join(said)}. {END}\n\n" if said else ""


def has_carried(text: str) -> bool:
    """Whether a text has the sentence before a carried conversation, of this or an earlier version."""
    return CARRIED in text or _EARLIER in text


def without_note(text: str) -> str:
    """A user's message without the note that this program put before it."""
    return _NOTE.sub("", text, count=1)


def has_note(text: str) -> bool:
    return _NOTE.match(text) is not None


def begins_with_ours(title: str) -> bool:
    """Whether a title begins with what this program put before the user's words; mostly it is cut amid that.

    Or its agent did: `<system-reminder>`, `<session_context>`. Other tags may be the user's, who asks about HTML.
    """
    if _AGENTS_TAG.match(title):
        return True
    tag = _TAG.match(title)
    said = " ".join(title[tag.end() if tag is not None else 0 :].split()).rstrip("….\"'>)]")
    addresses = [said.startswith(each) or (tag is not None and each.startswith(said)) for each in _ADDRESSES]
    return len(said) >= LEAST_TITLE and (
        any(addresses) or any(_agree(said, each) for each in (CARRIED, _EARLIER, BEGIN))
    )


def _agree(said: str, ours: str) -> bool:
    return said.startswith(ours.rstrip(" .")) or ours.startswith(said)


def _names(paths: Sequence[str]) -> str:
    named = ", ".join(one_line(path, LONGEST_NAME) for path in paths[:MOST])
    more = len(paths) - MOST
    return f"{named} and {more:,} more" if more > 0 else named
