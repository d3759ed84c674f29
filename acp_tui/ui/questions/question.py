"""A question of the panel, as data and in words: a form or an address of the agent, or options of a new session."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from rich.cells import cell_len
from textual.content import Content

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.elicitation import UrlElicitation
from acp_tui.session.facts import InputOptions, PendingElicitation
from acp_tui.session.form import Form
from acp_tui.session.form_fields import Field
from acp_tui.session.form_rules import Value
from acp_tui.session.text.phrases import counted
from acp_tui.session.text.secret_names import CONCEALED
from acp_tui.ui.kit.theme import MUTED, Hint, fitting, key_hints
from acp_tui.ui.questions.docked_panel import LOUD, count
from acp_tui.ui.render.text import sanitise, sanitise_line

LONGEST = 8_000  # characters; a longer one cannot be read before it is opened
_FOREIGN = frozenset(' \t\n\r\\"<>`{}|^')  # not of an address; browsers and people read them differently


class Address(Frozen):
    """`host` is where it leads, with its port; `warnings` name what is odd; `refusal` why it is not opened here."""

    url: str
    host: str
    warnings: tuple[str, ...]
    refusal: str = ""


def address_of(url: str) -> Address:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return Address(url, "", (), "not a valid URL")
    refusal = _refusal(url, parts, host)
    shown = host if port is None else f"{host}:{port}"
    return Address(url, shown, tuple(_warnings(parts, host)), refusal)


def _refusal(url: str, parts: SplitResult, host: str) -> str:
    if len(url) > LONGEST:
        return f"too long to review ({len(url):,} characters)"
    if sanitise(url) != url or not url.isprintable() or any(sign in _FOREIGN for sign in url):
        return "contains characters that are not valid in a URL"
    if parts.scheme not in ("http", "https"):
        return f"not a web link ({parts.scheme})" if parts.scheme else "not a web link"
    return "" if host else "has no host name"


def _warnings(parts: SplitResult, host: str) -> list[str]:
    number = _number(host)
    here = host == "localhost" or host.endswith(".localhost") or (number is not None and number.is_loopback)
    found: list[str] = []
    if parts.username is not None or parts.password is not None:
        found.append("the part before the @ is a user name, not the site")
    if any(label.startswith("xn--") for label in host.split(".")):
        found.append(f"the site's name is encoded; decoded, it reads {_spelled(host)}")
    elif not host.isascii():
        found.append("the site's name has look-alike letters")
    if parts.scheme == "http" and not here:
        found.append("not encrypted (http)")
    if not here and (number is not None or host.replace(".", "").isdigit() or host.startswith("0x")):
        found.append("the site is an IP address, not a name")
    return found


def _spelled(host: str) -> str:
    try:
        return sanitise(host.encode("ascii").decode("idna"))
    except UnicodeError:
        return "unreadable"


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


Act = Literal["accept", "review", "edit", "open", "decline", "cancel", "start", "skip"]


class Button(Frozen):
    """An act by its name, and the key that does it where no text is being written."""

    act: Act
    label: str
    key: str


ACCEPT = Button("accept", "Send", "s")
SEND = Button("accept", "Send", "ctrl+r")
REVIEW = Button("review", "Review", "ctrl+r")
EDIT = Button("edit", "Edit", "e")
OPEN = Button("open", "Open", "o")
DECLINE = Button("decline", "Decline", "d")
CANCEL = Button("cancel", "Cancel", "c")
DIGITS = 9  # choices that have one
OPENINGS = {"new": "Start", "load": "Load", "resume": "Resume", "fork": "Fork"}


@dataclass(slots=True)
class ElicitationQuestion:
    """One thing to answer; `source` tells it from others by identity, `warning` is said before everything.

    `opening` is what is done to the session that waits for it; empty where the session is there already.
    """

    source: object
    key: int
    message: str
    form: Form | None = None
    address: Address | None = None
    warning: str = ""
    opening: str = ""

    @property
    def before_session(self) -> bool:
        return bool(self.opening)

    @property
    def lead(self) -> Field | None:
        """The one choice that is asked for; beside it there is at most an optional text. Options are no question."""
        fields = self._fields()
        if self.before_session or len(fields) > 2:
            return None
        choices = [field for field in fields if field.choices or field.kind == "boolean"]
        texts = [field for field in fields if field.kind == "text" and not field.required]
        return choices[0] if len(choices) == 1 and len(choices) + len(texts) == len(fields) else None

    @property
    def direct(self) -> bool:
        """Whether the form shows all that will be sent, so that there is nothing to review."""
        return self.form is not None and (len(self._fields()) < 2 or self.lead is not None)

    def _fields(self) -> Sequence[Field]:
        return [field for field in self.form.fields if field.kind != "unknown"] if self.form is not None else ()

    def buttons(self, reviewing: bool) -> Sequence[Button]:
        if self.before_session:
            skip = Button("skip", "Skip", "escape")
            start = Button("start", f"{self.opening} session", "ctrl+r")
            return (start, skip) if self.form is None or self.form.acceptable else (skip,)
        if self.address is not None:
            return (DECLINE, CANCEL) if self.address.refusal else (OPEN, DECLINE, CANCEL)
        if reviewing:
            return ACCEPT, EDIT, DECLINE, CANCEL
        if self.form is not None and not self.form.acceptable:
            return DECLINE, CANCEL
        return SEND if self.direct else REVIEW, DECLINE, CANCEL


def question_of(pending: PendingElicitation) -> ElicitationQuestion:
    request = pending.request
    if isinstance(request, UrlElicitation):
        return ElicitationQuestion(pending, pending.key, request.message, address=address_of(request.url))
    form = Form(request.requested_schema)
    warning = ""
    if not form.acceptable:
        warning = "acp-tui does not support a required field of this form. You can only decline or cancel."
    elif any(field.masked for field in form.fields):
        warning = "Do not use forms for secrets: the agent gets your input as plain text."
    return ElicitationQuestion(pending, pending.key, request.message, form, warning=warning)


def question_before_session(options: InputOptions) -> ElicitationQuestion:
    """What can be chosen for a session that is to be opened."""
    form = Form(options.schema, options.last)
    warning = f"The agent refused these options: {options.refused}" if options.refused else ""
    if not form.acceptable:
        warning = "acp-tui does not support a required option. The session starts without options."
    message = "Leave a field empty to use the agent's default."
    return ElicitationQuestion(options, 0, message, form, warning=warning, opening=OPENINGS.get(options.way, "Start"))


SCROLL: Hint = ("pgdn", "scroll")
LATER: Hint = ("esc", "answer later")
FOUND_ALONE: tuple[Hint, ...] = (
    ("shift+tab", "back"),
    ("space", "select"),
    ("↑↓", "select"),
    ("←→", "move"),
    ("tab", "next"),
)  # left out first where there is little room
MESSAGE_AT_MOST = 8_000  # characters; more is counted
LINES_AT_MOST = 200
_COLUMN = 30  # cells of a title before values begin in a column


def counted_fields(at: int | None, fields: int) -> str:
    """Which of several fields has the focus, else how many there are."""
    return "" if fields < 2 else f"{fields} fields" if at is None else f"field {at + 1} of {fields}"


def heading(question: ElicitationQuestion, agent: str, waiting: int, *, reviewing: bool) -> Content:
    name = sanitise_line(agent, 40) or "The agent"
    said = f"△ {name} needs your input"
    if question.before_session:
        said = "△ Options for this session"
    elif question.address is not None:
        said = f"△ {name} wants to open a link"
    elif reviewing:
        said = "△ Review before sending"
    return Content.assemble((said, LOUD), count(waiting))


def message(question: ElicitationQuestion) -> Content:
    """The agent's words in full, after a warning if there is one."""
    more = len(question.message) - MESSAGE_AT_MOST
    text = sanitise(question.message[:MESSAGE_AT_MOST]).strip("\n")
    lines = text.split("\n")
    if len(lines) > LINES_AT_MOST:
        text = "\n".join([*lines[:LINES_AT_MOST], f"… {counted(len(lines) - LINES_AT_MOST, 'more line')}"])
    if more > 0:
        text += f"\n… {counted(more, 'more character')}"
    parts = [Content.styled(f"! {sanitise(question.warning)}", "$warning")] if question.warning else []
    return Content("\n").join([*parts, Content(text)])


def address(shown: Address) -> Content:
    """Where it leads, what is odd about that, and the address in full."""
    host = Content.assemble(("Site  ", MUTED), (sanitise_line(shown.host, 400), "bold"))
    whole = Content.assemble(("URL   ", MUTED), sanitise(shown.url).replace("\n", " "))
    rows = [host, whole] if shown.host else [whole]
    rows += [Content.styled(f"! {warning}", "$warning") for warning in shown.warnings]
    if shown.refusal:
        rows.append(Content.styled(f"✗ Will not open: {shown.refusal}.", "$error"))
    return Content("\n").join(rows)


def review(form: Form) -> Content:
    content = form.content()
    fields = {field.name: field for field in form.fields}
    titles = {name: sanitise_line(fields[name].title, 60) for name in content}
    width = min(_COLUMN, max(map(cell_len, titles.values()), default=0))
    rows = [
        Content.assemble(
            (title + " " * max(0, width - cell_len(title)) + "  ", MUTED), _value(form, fields[name], content[name])
        )
        for name, title in titles.items()
    ]
    left_out = [sanitise_line(field.title, 60) for field in form.fields if field.name not in content]
    if not content:
        rows.append(Content.styled("Nothing filled in.", MUTED))
    if left_out:
        rows.append(Content.styled(f"Not answered: {', '.join(left_out)}", MUTED))
    return Content("\n").join(rows)


def _value(form: Form, field: Field, value: Value) -> str:
    if field.kind == "choice":
        return sanitise_line(field.title_of(str(form.entered(field.name))), 400)
    if field.masked:
        return CONCEALED  # nothing is said of its length either
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list):
        return sanitise_line(", ".join(field.title_of(each) for each in value), 2_000) or "none"
    return sanitise(str(value)) if isinstance(value, str) and value else str(value) or "(empty)"


def hints(question: ElicitationQuestion, room: int, *, reviewing: bool, scrolls: bool = False) -> Content:
    """The keys that do something now, as many as have room in so many cells; the last one, Esc, always stays.

    Where an address or a review `scrolls`, the key for that stays next longest: all of it should be read.
    """
    keys = _keys(question, reviewing)
    if scrolls and (question.address is not None or reviewing):
        keys.insert(0, SCROLL)
    return key_hints(fitting(keys, room, (*FOUND_ALONE, *reversed(keys[:-1]))))


def _keys(question: ElicitationQuestion, reviewing: bool) -> list[Hint]:
    if question.lead is not None and question.form is not None and not reviewing:
        return _answering(question.form, question.lead)
    if question.before_session:
        opens, several = question.opening.lower(), len(question.buttons(reviewing)) > 1
        start = [("enter", f"next/{opens}"), ("^R", opens)] if several else []
        return [("tab", "next"), *start, ("esc", "skip")]
    if question.address is not None or reviewing:
        return [("enter", "select"), ("←→", "move"), LATER]
    buttons = question.buttons(reviewing)
    send = [("^R", "review")] if REVIEW in buttons else [("enter", "send")] if SEND in buttons else []
    if question.direct:
        return [*send, ("tab", "next"), LATER]
    return [("tab", "next"), ("shift+tab", "back"), ("space", "select"), *send, LATER]


def _answering(form: Form, lead: Field) -> list[Hint]:
    """Keys of a question of one choice; Enter is one of them once there is something to send."""
    count = 2 if lead.kind == "boolean" else min(DIGITS, len(lead.choices))
    digits = "1" if count == 1 else f"1-{count}"
    if lead.kind == "choices":
        return [(f"{digits}, space", "select"), ("enter", "send"), ("tab", "next"), LATER]
    send = [("enter", "send")] if form.entered(lead.name) is not None else []
    return [(digits, "answer"), ("↑↓", "select"), *send, ("tab", "next"), LATER]
