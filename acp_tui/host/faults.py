"""Why a connection ended, as a person is told: what happened, the agent's last words, what to try next."""

import shlex
from collections.abc import Sequence

from acp_tui.errors import AgentFault
from acp_tui.host.agent_process import AgentProcess
from acp_tui.host.exit_code import ending
from acp_tui.protocol.auth_methods import read_auth_methods
from acp_tui.protocol.faults import AUTH_REQUIRED, UNSUPPORTED_PROTOCOL_VERSION, error_words
from acp_tui.protocol.initialization import AuthMethod
from acp_tui.protocol.introduction import Offer
from acp_tui.protocol.negotiation import is_refused_offer
from acp_tui.safe_text import named
from acp_tui.wire.jsonrpc import Error

LAST_LINES = 10
LINE_CAP = 300  # characters of one line of standard error in a message


def gone(process: AgentProcess, argv: Sequence[str], *, ready: bool, input_closed: bool) -> AgentFault:
    """The agent went away, or closed a pipe and lives."""
    if process.returncode is not None:
        title, what = "The agent ended", _sentence(ending(process.returncode))
    elif input_closed:
        title, what = "The agent hung up", "It closed its standard input and went on running"
    else:
        title, what = "The agent hung up", "It closed its standard output and went on running"
    if ready:
        return AgentFault(title, _with_last_words(what, process), "Start it again to go on.")
    return AgentFault(f"{title} before it was ready", _with_last_words(what, process), _by_itself(argv))


def clogged(process: AgentProcess) -> AgentFault:
    """The agent does not read, and too much waits for it."""
    return AgentFault("The agent does not read its input", _with_last_words("Too much waits for it", process))


def refused(title: str, error: Error, process: AgentProcess, argv: Sequence[str]) -> AgentFault:
    """The agent answered something without which there is no connection with an error."""
    what = error_words(error.code, error.message, error.data)
    return AgentFault(title, _with_last_words(what, process), _by_itself(argv))


def not_introduced(error: Error, process: AgentProcess, offer: Offer, argv: Sequence[str]) -> AgentFault:
    """The agent answered the introduction with an error, perhaps because of what it was offered."""
    fault = refused("The agent refused the connection", error, process, argv)
    hint = fault.hint
    if is_refused_offer(offer, error.code):
        hint = "It may speak version 1 only: start acp-tui with --protocol auto."
    elif error.code == UNSUPPORTED_PROTOCOL_VERSION:
        hint = "It may speak a newer version only: start acp-tui with --protocol auto."
    return AgentFault(fault.title, fault.message, hint)


def session_refused(
    error: Error, methods: Sequence[AuthMethod], argv: Sequence[str], process: AgentProcess
) -> AgentFault:
    """The agent would not open a session; mostly because it wants a log-in first."""
    if error.code != AUTH_REQUIRED:
        return refused("The agent did not open a session", error, process, argv)
    # Some agents name the ways to log in only beside the error.
    beside = error.data.get("authMethods") if isinstance(error.data, dict) else error.data
    methods = methods or read_auth_methods(beside)
    ways = [f"{method.name}: {method.description}" if method.description else method.name for method in methods]
    message = error_words(None, error.message) if error.message else "It asks for a log-in."
    if ways:
        message += "\nWays that it names: " + "; ".join(ways)
    commands = [
        shlex.join([*((method.command,) if method.command else argv), *method.args])
        for method in methods
        if method.type == "terminal"
    ]
    how = f" ({' or '.join(map(named, commands))})" if commands else ""
    return AgentFault(
        "The agent asks for a log-in",
        message,
        f"Log in with the agent's own command line{how}, or set the key that it needs, then start again.",
    )


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _by_itself(argv: Sequence[str]) -> str:
    return f"Run it by itself to see what it needs: {named(shlex.join(argv))}"


def _with_last_words(what: str, process: AgentProcess) -> str:
    lines = process.stderr.tail(LAST_LINES)
    shown = [line if len(line) <= LINE_CAP else f"{line[:LINE_CAP]}… ({len(line):,} characters)" for line in lines]
    told = "Last lines of its standard error:"
    heard = [what, told] if "\n" in what else [f"{what}. {told}"]
    return "\n".join([*heard, *shown]) if shown else what if "\n" in what else f"{what}."
