"""Permission requests as agents send them, and a session whose rules answer them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from acp_tui.host.rules.command_chain import CommandEnvironment
from acp_tui.host.rules.rule import Rule, RuleOffer, RulePolicy, RuleSetup
from acp_tui.host.rules.session_rules import SessionRules
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.vocabulary.tool_calls import (
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallUpdate,
)
from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import Session

ENVIRONMENT = CommandEnvironment(path="/usr/local/bin:/usr/bin:/bin")
AGENT = "Claude"
KINDS = ("allow_once", "allow_always", "reject_once")


def options(*kinds: str) -> list[PermissionOption]:
    """One of each kind; its id is the kind with a number."""
    return [PermissionOption(option_id=f"{kind}-{at}", name=kind, kind=kind) for at, kind in enumerate(kinds)]


def call_of(call_id: str = "c", **members: Any) -> ToolCallUpdate:
    return ToolCallUpdate.model_validate({"tool_call_id": call_id, **members})


def running(command: Any, **members: Any) -> dict[str, Any]:
    """A call that runs a command, as most agents announce it."""
    raw = {"command": command, **members}
    return {"kind": "execute", "title": command if isinstance(command, str) else "", "raw_input": raw}


class Asked:
    """A session in a folder, and its rules."""

    def __init__(self, folder: Path, **setup: Any) -> None:
        self.session = Session("s", str(folder))
        self.folder = folder
        self.setup = RuleSetup(AGENT, ENVIRONMENT, **{"remember": False, **setup})
        self.rules = SessionRules(self.session, lambda: SessionScope(str(folder)), self.setup)

    def with_policy(self, policy: RulePolicy) -> "Asked":
        return Asked(self.folder, policy=policy)

    def request(self, kinds: Sequence[str] = KINDS, title: str | None = None, **members: Any) -> PermissionRequest:
        """As a dialect does it: the call of a request is an update like any other, and its title the request's."""
        call = call_of(**members)
        self.session.apply(call)
        subject = PermissionSubject(type="tool_call", tool_call=call, tool_call_id=call.tool_call_id)
        shown = title if title is not None else call.title or ""
        return PermissionRequest(session_id="s", title=shown, subject=subject, options=options(*kinds))

    def answer(self, **members: Any) -> str | None:
        """The id of the option that the rules select, without its number."""
        answer = self.rules.answer(self.request(**members))
        return None if answer is None else answer.option_id.partition("-")[0]

    def offer(self, **members: Any) -> RuleOffer:
        return self.rules.offer(PendingPermission(1, self.request(**members)))

    def make(self, *rules: Rule, readers: bool = False, scope: Any = None) -> list[Rule]:
        return self.rules.make([replace(rule, scope=scope or rule.scope) for rule in rules], readers=readers)


def exact(command: str, **members: Any) -> Rule:
    return Rule("", members.pop("verdict", "allow"), "exact", tuple(command.split()), **members)


def prefix(command: str, **members: Any) -> Rule:
    return Rule("", members.pop("verdict", "allow"), "prefix", tuple(command.split()), **members)


def files(folder: Path, action: str, **members: Any) -> Rule:
    return Rule("", members.pop("verdict", "allow"), "folder", (str(folder.resolve()),), action=action, **members)


def tool(kind: str, **members: Any) -> Rule:
    return Rule("", members.pop("verdict", "allow"), "tool", (kind,), scope="session", **members)
