"""The lines of the traffic without what was typed into forms, accounts, and secrets that their names give away.

A line without any is left as it is, byte for byte.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.records.traffic import Direction, TrafficChunk
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.elicitation import FormElicitation, read_elicitation
from acp_tui.protocol.vocabulary.initialization import AUTH_READERS, AUTH_STATUS, KEPT, MARKER, STATES
from acp_tui.session.folds.questions import recordable_answer
from acp_tui.session.form_fields import recordable
from acp_tui.session.text.secret_masking import masked_data, without_secrets, without_values
from acp_tui.session.text.secret_names import CONCEALED, NOT_RECORDED
from acp_tui.wire.jsonrpc import VALUES_CAP, Line, LineFramer, OversizedLine, Request, decode

ASKED_AT_MOST = 100  # requests whose answers are waited for
# A method may be written with escapes. An answer to a request that nobody saw is known by its members.
_SUSPECT = re.compile(rb'auth\\?/status|"accounts"|\\u00')
_ANSWER = re.compile(rb'"(?:result|error)"')
_WORD = re.compile(r"[a-z_]{1,40}")
_ENVELOPE = frozenset({"jsonrpc", "id", "method"})  # what a message has beside what it says
_Object = dict[str, Any]
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class AccountNames:
    """What passes on one wire, without accounts. Lines of both directions go through `clean` in their order."""

    def __init__(self) -> None:
        self._asked: dict[str, None] = {}

    def clean(self, direction: Direction, line: bytes) -> bytes:
        if direction == "start":
            self._asked.clear()
        elif direction == "->" and AUTH_STATUS.encode() in line:
            self._remember(line)
        elif direction == "<-" and ((self._asked and _ANSWER.search(line)) or _SUSPECT.search(line)):
            return self._cleaned(line)
        return line

    def _remember(self, line: bytes) -> None:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return  # nothing that this program sends
        if isinstance(request, dict) and request.get("method") == AUTH_STATUS:
            self._asked[_key(request)] = None
            while len(self._asked) > ASKED_AT_MOST:
                del self._asked[next(iter(self._asked))]

    def _cleaned(self, line: bytes) -> bytes:
        try:
            told = json.loads(line.decode("utf-8", "replace").lstrip("\ufeff"))  # as the connection reads it
        except (ValueError, RecursionError):
            return NOT_RECORDED.encode() if b"status" in line or b'"accounts"' in line else line
        messages = told if isinstance(told, list) else [told]
        found = [self._hide(message) for message in messages if isinstance(message, dict)]
        if not any(found):
            return line
        return _encoded(told)

    def _hide(self, message: _Object) -> bool:
        """Take accounts out of one message; whether it may have had any."""
        method, result, error = message.get("method"), message.get("result"), message.get("error")
        if isinstance(method, str):
            found = method in AUTH_READERS
        else:
            asked = _key(message) in self._asked
            self._asked.pop(_key(message), None)
            found = asked or (isinstance(result, dict) and "state" in result and "accounts" in result)
        if found:
            left = {name: message[name] for name in message if name in _ENVELOPE}
            left |= {name: _state_of(message[name]) for name in ("params", "result") if name in message}
            if error is not None:
                left["error"] = {"code": error.get("code") if isinstance(error, dict) else None, "message": CONCEALED}
            message.clear()
            message.update(left)
        return found


def _key(message: _Object) -> str:
    """A message's id, however it is written: 3.0 is the same number as 3."""
    told = message.get("id")
    return str(int(told) if isinstance(told, float) and told.is_integer() else told)


def _state_of(told: Any) -> Any:
    """What is left of a status in either form: words that are no names, and how many accounts there were."""
    if not isinstance(told, dict):
        return None
    left: _Object = {"kind": told["kind"]} if _is_word(told.get("kind")) else {}
    if isinstance(told.get("state"), str):
        left["state"] = told["state"] if told["state"] in STATES else "unknown"
    if isinstance(told.get("accounts"), list):
        left["accounts"] = [{"label": CONCEALED} for _ in told["accounts"][: KEPT + 1]]
    if isinstance(told.get(MARKER), dict):
        left[MARKER] = _state_of(told[MARKER])
    if "label" in told:
        left["label"] = CONCEALED
    return left


def _is_word(told: Any) -> bool:
    return isinstance(told, str) and _WORD.fullmatch(told) is not None


LINE_CAP = 64 * 1024 * 1024
FORMS_KEPT = 1_000  # forms of the agent that are remembered until they are answered; of others no answer is left


class PassedLine(Frozen):
    """A line, without its end, what was typed and accounts, and when its last byte passed (monotonic seconds).

    `size` is in bytes, as it passed.
    """

    at: float
    direction: Direction
    line: Line
    size: int = 0


class TrafficLines:
    """Cuts pieces into lines, each direction by itself."""

    def __init__(self, cap: int = LINE_CAP, put_in: Sequence[str] = ()) -> None:
        """`put_in`: see `Traffic`."""
        self._cap, self._put_in = cap, put_in
        self._framers: dict[Direction, LineFramer] = {}
        self._torn: set[Direction] = set()
        self._answers, self._accounts = FormAnswers(), AccountNames()

    def tear(self) -> None:
        """Pieces are missing: what comes before the first line's end in each direction is no line."""
        self._framers.clear()
        self._torn = {"<-", "err"}

    def feed(self, piece: TrafficChunk) -> Iterator[PassedLine]:
        """The lines that a piece completes; the start of a process is an empty one."""
        direction, data = piece.direction, piece.data
        if direction == "start":
            self._framers.clear()
            self._torn.clear()
            yield PassedLine(piece.at, "start", self._clean("start", b""))
            return
        if direction in self._torn:
            _, end, data = data.partition(b"\n")
            if not end:
                return
            self._torn.discard(direction)
        if direction not in self._framers:
            # What is said on standard error is not parsed.
            self._framers[direction] = LineFramer(self._cap, None if direction == "err" else VALUES_CAP)
        for line in self._framers[direction].feed(data):
            if isinstance(line, OversizedLine):
                yield PassedLine(piece.at, direction, line, line.size)
            else:
                yield PassedLine(piece.at, direction, self._clean(direction, line), len(line))

    def _clean(self, direction: Direction, line: bytes) -> bytes:
        if self._put_in and direction == "->" and b'"mcpServers":' in line:
            line = _without_put_in(line, self._put_in)
        return self._accounts.clean(direction, self._answers.clean(direction, line))


class FormAnswers:
    """What passes on one wire, without what the user typed into the forms of elicitations and input options.

    All lines of both directions go through `clean` in their order: an answer does not say which of its values were
    typed, the form does, which came before it. Where that is not known, everything counts as typed.
    """

    def __init__(self) -> None:
        self._forms: dict[str, FormElicitation | None] = {}

    def clean(self, direction: Direction, line: bytes) -> bytes:
        if direction == "start":
            self._forms.clear()
        elif direction == "<-" and b"elicitation/create" in line:
            self._remember(line)
        elif direction == "->" and (b'"configOptions":' in line or b'"action":' in line):
            return self._answered(line)
        return line

    def _remember(self, line: bytes) -> None:
        for message in decode(line):
            if not isinstance(message, Request) or message.method != "elicitation/create":
                continue
            try:
                form = read_elicitation(message.params)
            except ProtocolFault:
                continue
            key = repr(message.id)
            if isinstance(form, FormElicitation) and len(self._forms) < FORMS_KEPT:
                self._forms[key] = None if key in self._forms else form  # which of two is answered is not known

    def _answered(self, line: bytes) -> bytes:
        try:
            message = _object(json.loads(line))
        except (ValueError, RecursionError):
            return NOT_RECORDED.encode()  # nothing that this program sends
        params, result = _object(message.get("params")), _object(message.get("result"))
        form = self._forms.pop(repr(message.get("id")), None) if "action" in result else None
        if isinstance(options := params.get("configOptions"), dict):
            params["configOptions"] = recordable(None, options)
        elif isinstance(content := result.get("content"), dict):
            result["content"] = recordable_answer(form, content) if form is not None else recordable(None, content)
        else:
            return line
        return _encoded(message)


def _without_put_in(line: bytes, values: Sequence[str]) -> bytes:
    """A request of ours without these values in what it says of MCP servers."""

    def hidden(told: Any) -> Any:
        match told:
            case dict():
                return {name: hidden(item) for name, item in told.items()}
            case list():
                return [hidden(item) for item in told]
        return without_values(told, values) if isinstance(told, str) else told

    message = _object(json.loads(line))
    params = _object(message.get("params"))
    params["mcpServers"] = hidden(params.get("mcpServers"))
    return _encoded(message)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _encoded(value: Any) -> bytes:
    return _compact(value).encode("utf-8", "surrogatepass")


def redact_line(line: bytes) -> bytes:
    """A line of JSON without secrets, as `secret_masking` finds them, or values of variables and headers."""
    try:
        value = json.loads(line)
        clean = masked_data(value)
    except (ValueError, RecursionError):
        return without_secrets(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    if clean == value:
        return line
    return _encoded(clean)
