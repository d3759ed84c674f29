"""The lines of the traffic without whose account the agent uses: of who is logged in, only the state is left.

Inspector and `--record` files have no other lines than these, so that neither what is copied nor what is kept names
anybody.
"""

import json
import re
from typing import Any

from acp_tui.host.recording.traffic import Direction
from acp_tui.protocol.shared.auth_status import KEPT, MARKER, METHOD, READERS, STATES
from acp_tui.session.text.secret_names import CONCEALED, NOT_RECORDED

ASKED_AT_MOST = 100  # requests whose answers are waited for
# A method may be written with escapes. An answer to a request that nobody saw is known by its members.
_SUSPECT = re.compile(rb'auth\\?/status|"accounts"|\\u00')
_ANSWER = re.compile(rb'"(?:result|error)"')
_WORD = re.compile(r"[a-z_]{1,40}")
_ENVELOPE = frozenset({"jsonrpc", "id", "method"})  # what a message has beside what it says
_Object = dict[str, Any]


class AccountNames:
    """What passes on one wire, without accounts. Lines of both directions go through `clean` in their order."""

    def __init__(self) -> None:
        self._asked: dict[str, None] = {}

    def clean(self, direction: Direction, line: bytes) -> bytes:
        if direction == "start":
            self._asked.clear()
        elif direction == "->" and METHOD.encode() in line:
            self._remember(line)
        elif direction == "<-" and ((self._asked and _ANSWER.search(line)) or _SUSPECT.search(line)):
            return self._cleaned(line)
        return line

    def _remember(self, line: bytes) -> None:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return  # nothing that this program sends
        if isinstance(request, dict) and request.get("method") == METHOD:
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
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")

    def _hide(self, message: _Object) -> bool:
        """Take accounts out of one message; whether it may have had any."""
        method, result, error = message.get("method"), message.get("result"), message.get("error")
        if isinstance(method, str):
            found = method in READERS
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
