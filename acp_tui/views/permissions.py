"""A permission request as it is shown: what is asked, all that it names, and the options with their letters."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    PermissionOption,
    ToolCallContent,
    ToolCallLocation,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import Session
from acp_tui.session.tools.subject import (
    SubjectLocation,
    ToolSubject,
    asked_entry,
    asked_subject,
    told_line,
    verb_before,
)
from acp_tui.session.tools.title import beyond, is_identifier, unmarked, verb_of, without_input
from acp_tui.views.changed_files import place
from acp_tui.views.formatting import brief

# A letter stands for a kind of options; lower case is never "always". It answers with the first option of its kind in
# the agent's order, beside which it is shown, and is text where there is none.
LETTERS = {"allow_once": "y", "allow_always": "Y", "reject_once": "n", "reject_always": "N"}
ONCE = ("allow_once", "reject_once")  # the kinds that answer one request; of an unknown kind nothing is known
_VERDICTS = {"allow": ("yes", "allow", "approve", "accept"), "reject": ("no", "reject", "deny", "decline", "don't")}
_LASTING = ("always", "ask again", "session", "remember", "never", "project")
NAME_LIMIT = 1000  # characters of a name that are shown while it is highlighted


class RequestFact(NamedTuple):
    """Something that is named: a `title`, a `command`, a file or an address (`named`), or what is `muted`."""

    text: str
    sort: Literal["title", "command", "named", "muted", "blank"]


OUTSIDE = "Outside the project: "
BLANK = RequestFact("", "blank")
"""A row between two groups."""


class RequestSubject(Frozen):
    """Subject of a request, whichever way it was said. `about` is all that it names, `plans` are Markdown texts.

    `raws` are the raw inputs, or a subject of a type that is not known, each with a label.
    """

    title: str
    about: ToolSubject
    description: str = ""
    content: Sequence[ToolCallContent] = ()
    earlier_diffs: Sequence[Diff] = ()
    raws: Sequence[tuple[Any, str]] = ()
    plans: Sequence[str] = ()
    locations: Sequence[ToolCallLocation] = ()
    cwd: str = ""

    @property
    def diffs(self) -> list[Diff]:
        """All diffs: those that the content held before, where they tell what is lost; else its own, or the input's."""
        own = list(self.earlier_diffs) or [item for item in self.content if isinstance(item, Diff)]
        return own or [patch.diff for patch in self.about.patches]

    @property
    def line(self) -> str:
        return f"{verb_before(self.about, self.diffs, self.title)}{told_line(self.about, self.cwd)}"


def subject_of(pending: PendingPermission, session: Session) -> RequestSubject:
    """Read the request together with what the session knows of its tool call."""
    request, asked = pending.request, pending.request.subject
    call = asked.tool_call if asked is not None else None
    asking = session.whose(request.session_id)
    entry = asked_entry(pending, session)
    about = asked_subject(pending, session)
    raws = [(found.value, "Input") for found in about.inputs if found.value is not None]
    if asked is not None and call is None and asked.type not in ("tool_call", "command"):
        raws.append((asked.raw, f"Unknown subject: {brief(asked.type, 60)}"))
    content = entry.content or ((call.content or ()) if call is not None else ())
    return RequestSubject(
        title=without_input(request.title.strip() or entry.title, [found.value for found in about.inputs]),
        about=about,
        description=request.description or "",
        content=tuple(content),
        earlier_diffs=tuple(entry.earlier_diffs),
        raws=tuple(raws),
        plans=tuple(_plans(entry, asking, about)),
        locations=tuple(entry.locations),
        cwd=asking.cwd,
    )


def identical_to(pending: PendingPermission, session: Session) -> list[PendingPermission]:
    """All that wait in the session and ask for the same, oldest first: by asker, options, input and whole subject."""
    mine = _asked(pending, session)
    return [each for each in session.permissions if each is pending or _asked(each, session) == mine]


def _asked(pending: PendingPermission, session: Session) -> tuple[object, ...]:
    """All that a subject is read from, without the names of calls; reading 50 subjects would take 15 ms."""
    request, subject, entry = pending.request, pending.request.subject, asked_entry(pending, session)
    call = subject.tool_call if subject is not None else None
    calls = [(each.title, each.kind, each.raw_input, each.content, each.locations) for each in (entry, call) if each]
    other = subject.raw if subject is not None and call is None else None
    asker = request.session_id, request.options, request.title, request.description
    return *asker, subject and (subject.type, subject.command), other, calls, entry.earlier_diffs, entry.patches


def _plans(entry: ToolCallEntry, session: Session, about: ToolSubject) -> Iterator[str]:
    """The plans that the user is asked to agree to, whole: those of this turn, and the input's; steps only alone."""
    given = [found.value.get("plan") for found in about.inputs if isinstance(found.value, dict)]
    texts = [plan for plan in given if isinstance(plan, str) and plan.strip()]
    if entry.kind == "switch_mode":
        plans = list(reversed(session.index.turn_plans.values()))
        texts = [*(text for plan in plans for text in (plan.content, plan.uri) if text), *texts]
        content = any(isinstance(item, ContentItem) for item in entry.content)
        if not texts and not content:
            texts = ["\n".join(f"- {step.content}" for step in plan.entries) for plan in plans if plan.entries]
    yield from dict.fromkeys(text.strip() for text in texts)


def facts_of(found: RequestSubject, cwd: str, shown: Collection[str]) -> Iterator[RequestFact]:
    """All that is named: the title where it says more, then every command, file and address, each once.

    `shown` are the files whose diffs stand below, as they are named there.
    """
    about = found.about
    named = (at for at in about.places if not {at.path, place(at.path, None, cwd)} & set(shown))
    places = [at for at in named if not (about.commands and at.path == cwd)]
    title = title_of(found, places, cwd)
    if title:
        yield RequestFact(f"{OUTSIDE}{title}" if _is_outside(title, cwd) and " " not in title else title, "title")
    if found.description:
        yield RequestFact(found.description, "muted")
    if about.commands and title:
        yield BLANK
    for command in about.commands:
        yield RequestFact(command, "command")
    if about.commands:
        yield RequestFact(f"in {place(about.folder or cwd, None, '')}", "muted")
    outside = outside_of(found, cwd)
    found_at = ((place(at.path, at.line, cwd), at.path) for at in places)
    for text, path in (*((each, "") for each in about.addresses), *found_at):
        if text != title and not title.endswith(f" {text}"):
            yield RequestFact(f"{OUTSIDE}{text}" if path in outside else text, "named")
    for pattern in about.patterns:
        if pattern not in title and pattern.rstrip("*").rstrip("/") not in outside:
            yield RequestFact(f"for {pattern}", "named")


def outside_of(found: RequestSubject, cwd: str) -> list[str]:
    """The absolute paths that a request names and the session's folder does not have."""
    return [at.path for at in found.about.places if _is_outside(at.path, cwd)]


def _is_outside(path: str, cwd: str) -> bool:
    return path.startswith("/") and path != cwd and not path.startswith(f"{cwd}/")


def title_of(found: RequestSubject, places: Sequence[SubjectLocation], cwd: str) -> str:
    """The first line: the title, but where it only names the tool or repeats what follows; then the verb and a file."""
    about, title = found.about, unmarked(found.title)
    if about.lead == "text":
        return title or "The agent needs permission"
    if about.lead == "command":
        return about.description if about.description != found.description else ""
    files = [diff.path for diff in found.diffs if diff.path]
    if files and not beyond(title, [*files, *(place(path, None, cwd) for path in files)], about.kind):
        return ""  # the files stand above their diffs
    if not is_identifier(title, about.kind) and title:
        return title
    named = [place(at.path, at.line, cwd) for at in places[:1]] or list(about.addresses[:1])
    if not named:
        return "" if found.diffs else title
    return f"{verb_of(about.kind)} {' '.join(named)}"


def first_of_kind(options: Sequence[PermissionOption], kind: str) -> int | None:
    """The index of the first option of that kind."""
    return next((index for index, option in enumerate(options) if option.kind == kind), None)


def option_for(key: str, options: Sequence[PermissionOption]) -> int | None:
    """The index of the option that a digit or a letter answers with."""
    if len(key) != 1:
        return None
    for kind, letter in LETTERS.items():
        if key == letter:
            return first_of_kind(options, kind)
    return int(key) - 1 if key in "123456789" and int(key) <= len(options) else None


def letter_for(index: int, options: Sequence[PermissionOption]) -> str:
    kind = options[index].kind
    return LETTERS.get(kind, "") if first_of_kind(options, kind) == index else ""


def highlighted_first(options: Sequence[PermissionOption]) -> int | None:
    """Where the highlight begins: what allows once, else what rejects once; nowhere where there is neither."""
    once = first_of_kind(options, "allow_once")
    return rejecting(options) if once is None else once


def both_sides(options: Sequence[PermissionOption]) -> list[int]:
    """The first option that allows and the first that rejects, each for this once where there is such a one."""
    found: list[int] = []
    for side in ("allow", "reject"):
        of_kinds = (first_of_kind(options, f"{side}_{reach}") for reach in ("once", "always"))
        found += [index for index in of_kinds if index is not None][:1]
    return found


def rejecting(options: Sequence[PermissionOption]) -> int | None:
    """The option that a refusal with a reason answers with."""
    return first_of_kind(options, "reject_once")


def name_of(option: PermissionOption) -> str:
    """The agent's name for an option, or its id."""
    return brief(option.name, NAME_LIMIT) or brief(option.option_id, 100) or "(no name)"


def unsaid_kind(option: PermissionOption, *, terse: bool = False) -> str:
    """The kind in words, two cells from the name, where the name does not begin with it, or imply it.

    A name implies an "always" in words of its own (`Yes, and don't ask again`); one answer only where it is `terse`:
    `Yes` alone does not say how long it holds.
    """
    kind = brief(option.kind.replace("_", " "), 20) or "unknown kind"
    name = name_of(option).lower()
    turned = " ".join(reversed(kind.lower().split(" ")))  # "Always allow"
    said = name.startswith((kind.lower(), turned)) or (kind, name) == ("reject once", "reject")
    implied = (terse or option.kind not in ONCE) and _implies(name, option.kind)
    return "" if said or implied else f"  {kind}"


def _implies(name: str, kind: str) -> bool:
    """Whether a name in words of its own leaves no doubt of its kind: `Yes`, `No, and don't ask again`."""
    verdict, _, reach = kind.partition("_")
    first = name.replace(",", " ").split(" ")[0]
    return first in _VERDICTS.get(verdict, ()) and any(word in name for word in _LASTING) == (reach == "always")
