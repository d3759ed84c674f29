"""Secrets taken out of what is written down of the wire, by the names that they have there; must not know files.

A line without any is left as it is, byte for byte.
"""

import json
import re
from typing import Any

from acp_tui.session.elicitations import CONCEALED
from acp_tui.session.form_fields import is_secret

# All that may hold a name that is hidden, which may be written with escapes; "mapping" and the like are left out.
_SUSPECT = re.compile(
    rb"(?i:env|headers|pass|secret|token|credential|key|authori[sz]ation|cookie|bearer|\\u00)"
    rb"|(?<![A-Za-z])(?i:pin)|(?<=[a-z0-9])P(?i:in)"
)
_ALL_INSIDE = frozenset({"env", "headers", "environment"})
_MORE = frozenset({"authorization", "authorisation", "cookie", "set-cookie", "bearer"})
_PAIR = frozenset({"name", "value"})
_ASSIGNED = re.compile(r"""(?P<name>[\w-]{2,60})(?P<to>["']?\s*[=:]\s*["']?)(?P<value>[^\s"',;]+)""")
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")


def redact_line(line: bytes) -> bytes:
    """A line of JSON without the values of variables, headers and what is named like a secret."""
    if _SUSPECT.search(line) is None:
        return line
    try:
        value = json.loads(line)
        clean = _clean(value, hide=False)
        if clean == value:
            return line
        return json.dumps(clean, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return redact_text(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def redact_text(text: str) -> str:
    """Free text without what is assigned to names like those of secrets, `NAME=value` or `name: value`."""

    def hide(match: re.Match[str]) -> str:
        secret = is_secret(match["name"]) or match["name"].lower() in _MORE
        return f"{match['name']}{match['to']}{CONCEALED}" if secret else match[0]

    return _ASSIGNED.sub(hide, _BEARER.sub(rf"\1 {CONCEALED}", text))


def _clean(value: Any, *, hide: bool) -> Any:
    if isinstance(value, list):
        return [_clean(item, hide=hide) for item in value]
    if not isinstance(value, dict):
        return CONCEALED if hide and isinstance(value, str | int | float) and not isinstance(value, bool) else value
    if value.keys() == _PAIR and isinstance(value["name"], str):
        return {"name": value["name"], "value": _clean(value["value"], hide=hide or _hides(value["name"]))}
    return {name: _clean(item, hide=hide or _hides(name)) for name, item in value.items()}


def _hides(name: str) -> bool:
    return name.lower() in _ALL_INSIDE or name.lower() in _MORE or is_secret(name)
