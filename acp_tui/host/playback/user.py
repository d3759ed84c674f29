"""The user of a wire record: what they did then is done again, through the same client.

What a terminal showed is taken from the answers that were given to the agent, for no command is run.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from pydantic import TypeAdapter

from acp_tui.host.client import Client
from acp_tui.protocol.shared.fork_point import fork_point
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.sessions import SessionInfo
from acp_tui.protocol.vocabulary.terminals import TerminalExitStatus, TerminalUpdate
from acp_tui.protocol.vocabulary.updates import Update
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import SubagentEvent
from acp_tui.session.pending import PendingElicitation, PendingPermission
from acp_tui.session.state import Session
from acp_tui.wire.jsonrpc import RequestId

Params = dict[str, Any]
NOT_DONE = ("session/close", "session/delete")  # they would take away what is looked at now
P = TypeVar("P", PendingPermission, PendingElicitation)
_blocks: TypeAdapter[list[ContentBlock]] = TypeAdapter(list[ContentBlock])


class RecordedUser:
    """Acts on a client as it stands in a record, which is foreign: whatever it holds raises nothing."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._asked: dict[RequestId, tuple[str, Params]] = {}
        self._acts: dict[str, Callable[[Params], object]] = {
            "session/new": self._begin,
            "session/load": self._load,
            "session/resume": self._load,
            "session/fork": self._fork,
            "session/list": lambda params: client.known_sessions.ask(
                params.get("cwd"), archived=params.get("archived") == "only"
            ),
            "session/set_title": lambda params: client.known_sessions.title(params["sessionId"], params["title"]),
            "session/archive": lambda params: client.known_sessions.archive(params["sessionId"], archived=True),
            "session/unarchive": lambda params: client.known_sessions.archive(params["sessionId"], archived=False),
            "session/status": lambda params: client.known_sessions.look(params["sessionId"]),
            "session/prompt": self._prompt,
            "session/cancel": self._cancel,
            "session/set_config_option": lambda params: client.of(self._session(params)).choose(
                params["configId"], params["value"]
            ),
            "session/set_mode": lambda params: self._choose_legacy(params, "mode"),
            "session/set_model": lambda params: self._choose_legacy(params, "model"),
            "authenticate": lambda params: client.logins.log_in(str(params["methodId"])),
            "auth/login": lambda params: client.logins.log_in(str(params["methodId"])),
            "logout": lambda _: client.logins.log_out(),
            "auth/logout": lambda _: client.logins.log_out(),
        }

    def does(self, method: str, params: Any) -> bool:
        """Do what led to this request or notification; False where nobody knows what that was."""
        act = self._acts.get(method)
        if act is None or method in NOT_DONE:
            return False
        try:
            act(params if isinstance(params, dict) else {})
        except Exception:  # noqa: BLE001 - a value that no client sends, in any of its places
            return False
        return True

    def restarts(self) -> None:
        self._asked.clear()
        self._client.restart()

    def was_asked(self, request_id: RequestId, method: str, params: Any) -> None:
        self._asked[request_id] = (method, params if isinstance(params, dict) else {})

    def answers(self, request_id: RequestId, result: Any) -> None:
        method, params = self._asked.get(request_id, ("", {}))
        result = result if isinstance(result, dict) else {}
        with suppress(Exception):  # as above
            if method == "session/request_permission":
                self._answer_permission(request_id, params, result)
            elif method == "elicitation/create":
                self._answer_elicitation(request_id, params, result)
            elif method.startswith("terminal/"):
                self._shows(params, _display(params, method, result))
        self._asked.pop(request_id, None)

    def _session(self, params: Params) -> Session:
        """The session that is meant, or of a subagent the one that the user talks to."""
        name = params.get("sessionId")
        return [session for session in self._client.sessions if name == session.id or name in session.family][-1]

    def _cancel(self, params: Params) -> None:
        session, name = self._session(params), str(params.get("sessionId"))
        if name == session.id:
            self._client.of(session).cancel()
        else:
            self._client.of(session).cancel_child(name)

    def _shows(self, params: Params, shown: Update) -> None:
        session, name = self._session(params), str(params.get("sessionId"))
        session.apply(shown if name == session.id else SubagentEvent(name, shown))

    def _begin(self, params: Params) -> None:
        """A new session, or again the one that the agent did not open with the system prompt."""
        if not any(map(self._client.open_without_prompt, self._client.sessions)):
            self._client.open_session(str(params.get("cwd") or self._client.cwd))

    def _load(self, params: Params) -> None:
        cwd = str(params.get("cwd") or self._client.cwd)
        self._client.load_session(SessionInfo(session_id=str(params["sessionId"]), cwd=cwd), folders=[cwd])

    def _fork(self, params: Params) -> None:
        """As it was, or from the message that follows the answer after which it was forked."""
        session, after = self._session(params), fork_point(params)
        entries = iter(session.entries)
        if after and any(entry.id == after for entry in entries):
            message = next((one for one in entries if isinstance(one, MessageEntry) and one.role == "user"), None)
            self._client.branches.begin(session, message, [])
        else:
            self._client.fork_session(session)

    def _prompt(self, params: Params) -> None:
        self._client.of(self._session(params)).submit(_blocks.validate_python(params["prompt"]))

    def _choose_legacy(self, params: Params, category: str) -> None:
        session = self._session(params)
        option = {option.category: option for option in reversed(session.config_options)}[category]
        self._client.of(session).choose(option.id, params[f"{category}Id"])

    def _asked_at(self, request_id: RequestId, method: str, params: Params, pending: Sequence[P]) -> P:
        """What waits for the answer to this request; the questions of one session wait in the order of their requests.

        Raises LookupError where it waits no more.
        """
        about = method, params.get("sessionId")
        same = [key for key, (asked, other) in self._asked.items() if (asked, other.get("sessionId")) == about]
        return [one for one in pending if one.request.session_id == about[1]][same.index(request_id)]

    def _answer_permission(self, request_id: RequestId, params: Params, result: Params) -> None:
        session = self._session(params)
        outcome = result.get("outcome")
        chosen = outcome.get("optionId") if isinstance(outcome, dict) else None
        pending = self._asked_at(request_id, "session/request_permission", params, session.permissions)
        self._client.of(session).questions.answer_permission(pending.key, chosen if isinstance(chosen, str) else None)

    def _answer_elicitation(self, request_id: RequestId, params: Params, result: Params) -> None:
        session = self._session(params) if params.get("sessionId") else self._client.sessions[-1]
        pending = self._asked_at(request_id, "elicitation/create", params, session.elicitations)
        content = result.get("content")
        self._client.of(session).questions.answer_elicitation(
            pending.key, str(result.get("action")), content if isinstance(content, dict) else None
        )


def _display(params: Params, method: str, result: Params) -> Update:
    """What the answer to a request about a terminal says about what was to be seen of it."""
    if method == "terminal/create":
        command = " ".join(map(str, [params.get("command", ""), *(params.get("args") or [])]))
        return TerminalUpdate(terminal_id=result["terminalId"], command=command, cwd=params.get("cwd"))
    given: dict[str, Any] = {"terminal_id": params["terminalId"]}
    status = result if method == "terminal/wait_for_exit" else result.get("exitStatus")
    if isinstance(status, dict):
        given["exit_status"] = TerminalExitStatus.model_validate(status)
    if method == "terminal/release":
        given["released"] = True
    elif method == "terminal/output":
        given["output"] = str(result.get("output", "")).encode("utf-8", "replace")
    return TerminalUpdate(**given)
