"""Faults that end a connection, as the user is told: what happened, the agent's last words, what to try next."""

import re
import shlex
from collections.abc import Sequence

from acp_tui.errors import AgentFault
from acp_tui.frozen import Frozen
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.connection import words_of
from acp_tui.host.system.processes import ending
from acp_tui.protocol.capabilities import Offer
from acp_tui.protocol.faults import AUTH_REQUIRED, UNSUPPORTED_PROTOCOL_VERSION, error_words
from acp_tui.protocol.negotiation import is_refused_offer
from acp_tui.protocol.vocabulary.initialization import AuthMethod, read_auth_methods
from acp_tui.safe_text import named
from acp_tui.wire.jsonrpc import Error

LAST_LINES = 10
LINES_READ = 200  # of which repeats are counted
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]?|\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_DUMPED = re.compile(r"\s*(?:at \S|.*\[Object\b|[\W\d_]*$)|\s+['\"]?[\w$]+['\"]?: .*[,{\[]$")  # stack frames, and data
_CAUSE = re.compile(r"abort|cannot|crash|denied|error|exception|fail|fatal|invalid|missing|not found|panic", re.I)
LINE_CAP = 300  # characters of one line of standard error in a message


class AgentFaults(Frozen):
    """The faults of one process that was started by `argv`; `attended`: a user is there who can restart it.

    `tried_both`: it was offered both versions of the protocol before.
    """

    process: AgentProcess
    argv: Sequence[str]
    attended: bool = False
    tried_both: bool = False

    def gone(self, *, ready: bool, input_closed: bool) -> AgentFault:
        if self.process.returncode is not None:
            ended = ending(self.process.returncode)
            title, what = "The agent exited", ended[:1].upper() + ended[1:]
        else:
            closed = "stdin" if input_closed else "stdout"
            title, what = "The agent closed the connection", f"It closed its {closed} but is still running"
        if ready:
            return AgentFault(
                title,
                self._with_last_words(what),
                "" if self.attended else "Run the command again.",
            )
        return AgentFault(f"{title} during start-up", self._with_last_words(what), self._by_itself())

    def clogged(self) -> AgentFault:
        return AgentFault(
            "The agent is not reading its input", self._with_last_words("Too much unsent data is waiting")
        )

    def not_introduced(self, error: Error, offer: Offer) -> AgentFault:
        """The agent answered the introduction with an error, perhaps because of what it was offered."""
        hint = self._by_itself()
        if is_refused_offer(offer, error.code):
            hint = "It may support only version 1. Try: --protocol auto"
        elif error.code == UNSUPPORTED_PROTOCOL_VERSION and not self.tried_both:
            hint = "It may support only a newer version. Try: --protocol auto"
        return AgentFault("The agent refused the connection", self._with_last_words(words_of(error)), hint)

    def session_refused(self, error: Error, methods: Sequence[AuthMethod]) -> AgentFault:
        """The agent would not open a session; mostly because it wants a log-in first."""
        if error.code != AUTH_REQUIRED:
            message = self._with_last_words(words_of(error))
            return AgentFault("The agent could not open a session", message, self._by_itself())
        methods = methods or methods_beside(error)
        ways = [f"{method.name}: {method.description}" if method.description else method.name for method in methods]
        message = login_reason(error, "Login required.")
        if ways:
            message += "\nLogin methods: " + "; ".join(ways)
        commands = [
            shlex.join([*((method.command,) if method.command else self.argv), *method.args])
            for method in methods
            if method.type == "terminal"
        ]
        how = f" ({' or '.join(map(named, commands))})" if commands else ""
        return AgentFault(
            "The agent requires a login",
            message,
            f"Log in with the agent's own command line{how}, or set the API key it needs, then try again.",
        )

    def _by_itself(self) -> str:
        return f"Try the command in your shell: {named(shlex.join(self.argv))}"

    def _with_last_words(self, what: str) -> str:
        told = counted_repeats(self.process.stderr.tail(LINES_READ))
        lines = useful_lines(told) if self.attended else told[-LAST_LINES:]
        shown = [line if len(line) <= LINE_CAP else f"{line[:LINE_CAP]}… ({len(line):,} characters)" for line in lines]
        heading = "Last lines on stderr:" if len(shown) > 1 else "On stderr:"
        indent = "  " * self.attended
        if not shown:
            return what if "\n" in what else f"{what}."
        heard = [what, heading] if "\n" in what else [f"{what}. {heading}"]
        return "\n".join([*heard, *(f"{indent}{line}" for line in shown)])


def useful_lines(lines: Sequence[str]) -> Sequence[str]:
    """Of the last lines those that are words, from the last on that names a cause, as whoever sees all of them wants.

    Data and stack frames are left out, unless there is nothing else.
    """
    words = [line for line in lines if not _DUMPED.match(line)] or lines
    last = words[-LAST_LINES:]
    return last[next((at for at in reversed(range(len(last))) if _CAUSE.search(last[at])), 0) :]


def counted_repeats(lines: Sequence[str]) -> list[str]:
    """Lines that say the same, whatever time they tell, as the last of them, with how often it came: `skipped  × 8`."""
    found: dict[str, tuple[str, int]] = {}
    for line in lines:
        said = _TIME.sub("", line).strip()
        found[said] = line, found.pop(said, ("", 0))[1] + 1
    return [line if count == 1 else f"{line}  × {count:,}" for said, (line, count) in found.items() if said]


def login_reason(error: Error, otherwise: str) -> str:
    """Why an agent wants a log-in, as it says it; its ways to log in are told elsewhere."""
    data = error.data
    if isinstance(data, dict):
        data = {name: value for name, value in data.items() if name != "authMethods"}
    return error_words(None, error.message or otherwise, None if isinstance(data, list) else data)


def methods_beside(error: Error) -> tuple[AuthMethod, ...]:
    """The ways to log in that an agent names in the error; some name them nowhere else."""
    return read_auth_methods(error.data.get("authMethods") if isinstance(error.data, dict) else error.data)
