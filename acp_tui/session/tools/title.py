"""The title of a tool call: what it says beyond the subject, and the subject that a title names by itself.

A verb is taken away only where the rest is the subject; any other title stays whole.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from acp_tui.session.entries import ToolCallEntry

SUBAGENT, TODO = "subagent", "todo"
"""Kinds of calls that only their inputs tell: the protocol has no words for them."""

VERBS = {
    "read": "Read",
    "edit": "Edit",
    "delete": "Delete",
    "move": "Move",
    "search": "Search",
    "execute": "Run",
    "think": "Think",
    "fetch": "Fetch",
    "switch_mode": "Mode",
    SUBAGENT: "Subagent",
    TODO: "Todos",
}
CREATE = "Create"
DOING = {"Move": "Moving", "Tool": "Running", CREATE: "Creating", "Write": "Writing", "Delete": "Deleting"}
DOING |= {verb: f"{verb}ing" for verb in ("Read", "Edit", "Search", "Think", "Fetch", "List", "Find")}
READING = ("read", "search", "fetch")  # kinds of calls that change nothing
ANY_VERB = "Tool"
NOT_FINISHED = "not finished"
_ENDINGS = {"completed": "done", "failed": "failed", "cancelled": "cancelled"}


def verb_of(kind: str) -> str:
    return VERBS.get(kind, ANY_VERB)


def ending_of(entry: ToolCallEntry) -> str:
    """How the call ended: done, failed, rejected, cancelled, not finished; empty while it goes on."""
    ended = _ENDINGS.get(entry.status, NOT_FINISHED if entry.sealed else "")
    return entry.stopped if ended == "cancelled" and entry.stopped else ended


LONGEST = 4_096  # characters that are looked at

_VERBS = {
    "read": "read reading view viewing open opening show showing list listing",
    "search": "search searching grep glob find finding",
    "fetch": "fetch fetching get getting browse browsing",
    "edit": "edit editing write writing create creating update updating modify modifying patch",
    "delete": "delete deleting remove removing",
    "move": "move moving rename renaming",
    "execute": "run running execute executing exec bash shell sh command terminal",
    "think": "think thinking",
}
_LOOKS = ("read", "search", "fetch")  # agents have one kind for all that: the subject tells what is done
_IDLE = "unknown untitled"
_FILLERS = "a an the this new file files folder directory command commands tool call to for of in it"

_WORD = re.compile(r"([A-Za-z_][\w-]*)(:?)(?:\s+|(?=[`'\"“]|$))")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][\w-]*(?:(?:\.|:{1,2}|/)[\w-]+)*")
_SIGN = re.compile(r"^[ \t]*\$\s+", re.MULTILINE)
_QUOTES = str.maketrans("", "", "`'\"“”‘’«»")
_QUOTED = re.compile(r"""(?s)(?:`([^`]+)`|'([^']+)'|"([^"]+)"|“([^”]+)”)""")
_JOINED = re.compile(r" (?:in|to|→|->) ")
_INPUT_BEHIND = re.compile(r"\s*([\w.-]+(?: [\w.-]+){0,3})\s*[:(]?\s*\{\s*[\"']([\w-]+)[\"']\s*:")
_MOVED = re.compile(r"(\S+) (?:to|->|→) (\S+)")


def beyond(title: str, names: Iterable[str], kind: str) -> str:
    """What the title says that the names of the subject do not: nothing, a range behind the name, or all of it."""
    known = {key_of(name[:LONGEST]) for name in names} - {""}
    for rest, _ in _openings(title[:LONGEST], kind):
        key = key_of(rest)
        *before, last = _JOINED.split(key)  # `hello in src`, `a.py to b.py`
        cut = rest.endswith(("…", "..."))
        ends = last in known or (cut and any(name.startswith(last) for name in known))
        if not key or key in known or (ends and all(part in known for part in before)):
            return ""
        if behind := next((key[len(name) :].strip() for name in known if key.startswith(f"{name} (")), ""):
            return behind
    return unmarked(title)


def is_identifier(title: str, kind: str) -> bool:
    """Whether a title is the name of a tool and no more; for tools of files what looks like a path is a file."""
    title = title.strip()
    if kind in ("read", "edit", "delete", "move") and re.search(r"[./]", title):
        return False
    return _IDENTIFIER.fullmatch(title) is not None


def named_by(title: str, kind: str) -> tuple[str, ...]:
    """The subject that a title names: what is left of it without the verb, if that is one thing; two for a move."""
    title = title[:LONGEST].strip()
    for rest, after_name in _openings(title, kind):
        quoted = _QUOTED.fullmatch(rest)
        if quoted is not None:
            return (next(text for text in quoted.groups() if text).strip(),)
        moved = _MOVED.fullmatch(rest) if kind == "move" else None
        if moved is not None:
            return tuple(text.translate(_QUOTES) for text in moved.groups())
        if rest and not re.search(r"\s", rest) and (rest != title or not is_identifier(rest, kind)):
            return (rest,)
        if rest and after_name:
            return (rest,)
    return ()


def verb_kind(title: str) -> str | None:
    """The kind whose verb a title begins with."""
    word = _WORD.match(title.strip())
    found = (kind for kind, verbs in _VERBS.items() if word is not None and word[1].lower() in verbs.split())
    return next(found, None)


def kind_of(title: str, names: Iterable[str]) -> str | None:
    """The kind whose verb a title begins with, if the rest is the subject: `Fetching: https://x.org`."""
    kind = verb_kind(title)
    return kind if kind is not None and not beyond(title, names, kind) else None


def quoted_command(title: str) -> str | None:
    """The command in a title that is one: `` `ls -la` `` or `$ ls -la`."""
    title = title.strip()
    if title.startswith("$ "):
        return title[2:].strip() or None
    quoted = title.startswith("`") and title.endswith("`") and title.count("`") == 2
    return title[1:-1].strip() or None if quoted else None


def unmarked(title: str) -> str:
    """A title without the sign that stands before commands, which it may not give itself, on none of its lines."""
    return _SIGN.sub("", title).strip()


def without_input(title: str, inputs: Iterable[Any]) -> str:
    """A title without the JSON of one of the inputs behind it, which is often cut: `apply_patch: {"input":"***…`."""
    found = _INPUT_BEHIND.match(title)
    known = found is not None and any(isinstance(value, dict) and found[2] in value for value in inputs)
    return found[1] if found is not None and known else title


def key_of(text: str) -> str:
    """A text as it is compared: without quotes, the sign of a command, and the dots of an end that was cut."""
    return " ".join(unmarked(text).translate(_QUOTES).split()).removesuffix("…").removesuffix("...").strip()


@lru_cache(maxsize=64)
def _idle_words(kind: str) -> tuple[frozenset[str], frozenset[str]]:
    """The verbs that say no more than the kind, and all words of which an opening of such a title is made."""
    kinds = _LOOKS if kind in _LOOKS else (kind,)
    verbs = frozenset((kind, *" ".join((_IDLE, *(_VERBS.get(like, "") for like in kinds))).split()))
    return verbs, verbs.union(_FILLERS.split())


def _openings(title: str, kind: str) -> Iterator[tuple[str, bool]]:
    """The title, and what is left of it after each word that says no more than the kind; whether `Name:` was one."""
    verbs, idle = _idle_words(kind)
    rest, named = title.strip(), False
    while True:
        yield rest, named
        word = _WORD.match(rest)
        if word is None:
            return
        parts = _PARTS.findall(word[1]) if word[2] else ()  # `ReadFile:`
        if word[1].lower() not in idle and not any(part.lower() in verbs for part in parts):
            return
        rest, named = rest[word.end() :].strip(), bool(word[2])
