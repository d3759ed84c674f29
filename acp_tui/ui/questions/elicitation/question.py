"""What the panel asks, whatever it comes from: a form or an address of the agent, or options of a new session."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.elicitation import UrlElicitation
from acp_tui.session.facts import InputOptions, PendingElicitation
from acp_tui.session.form import Form
from acp_tui.session.form_fields import Field
from acp_tui.ui.render.text import sanitise

LONGEST = 8_000  # characters; a longer one cannot be read before it is opened
_FOREIGN = frozenset(' \t\n\r\\"<>`{}|^')  # not of an address; browsers and people read them differently


class Address(Frozen):
    """`host` is where it leads, with its port; `warnings` say what is odd; `refusal` why it is not opened here."""

    url: str
    host: str
    warnings: tuple[str, ...]
    refusal: str = ""


def address_of(url: str) -> Address:
    """Look at an address that an agent sent."""
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
    return "" if host else "names no site"


def _warnings(parts: SplitResult, host: str) -> list[str]:
    number = _number(host)
    here = host == "localhost" or host.endswith(".localhost") or (number is not None and number.is_loopback)
    found: list[str] = []
    if parts.username is not None or parts.password is not None:
        found.append("the part before the @ is a user name, not the site")
    if any(label.startswith("xn--") for label in host.split(".")):
        found.append(f"the site's name is encoded and reads: {_spelled(host)}")
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
OPENINGS = {"new": "Start", "load": "Load", "resume": "Resume", "fork": "Fork"}


@dataclass(slots=True)
class Question:
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


def question_of(pending: PendingElicitation) -> Question:
    request = pending.request
    if isinstance(request, UrlElicitation):
        return Question(pending, pending.key, request.message, address=address_of(request.url))
    form = Form(request.requested_schema)
    warning = ""
    if not form.acceptable:
        warning = "acp-tui does not support a required field of this form. You can only decline or cancel."
    elif any(field.masked for field in form.fields):
        warning = "Do not use forms for secrets: the agent gets your input as plain text."
    return Question(pending, pending.key, request.message, form, warning=warning)


def question_before_session(options: InputOptions) -> Question:
    """What can be chosen for a session that is to be opened."""
    form = Form(options.schema, options.last)
    warning = f"The agent refused these options: {options.refused}" if options.refused else ""
    if not form.acceptable:
        warning = "acp-tui does not support a required option. The session starts without options."
    message = "Leave a field empty to use the agent's default."
    return Question(options, 0, message, form, warning=warning, opening=OPENINGS.get(options.way, "Start"))
