"""Negotiation of the version: the dialect that an agent's answer to `initialize` asks for.

An agent that refuses the offer of version 2 with an error is started again for version 1: a second `initialize`
on one connection is nothing that any version foresees, and an agent may be half initialised after the first.
"""

from typing import Any

from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.capabilities import Offer
from acp_tui.protocol.faults import INVALID_PARAMS, UNSUPPORTED_PROTOCOL_VERSION, ProtocolFault
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v1.dialect import read_initialized as read_version_1
from acp_tui.protocol.vocabulary.initialization import Initialized
from acp_tui.startup import late
from acp_tui.wire.jsonrpc import INVALID_REQUEST

V1_MEMBERS = ("agentCapabilities", "agentInfo", "authMethods")
V2_MEMBERS = ("info", "capabilities")
REFUSALS = (UNSUPPORTED_PROTOCOL_VERSION, INVALID_REQUEST, INVALID_PARAMS)


def is_refused_offer(offer: Offer, code: int) -> bool:
    """Whether an error answer to the introduction may mean that version 1 alone would have been welcome."""
    return offer != "1" and code in REFUSALS


def choose(result: Any, offer: Offer = "1") -> tuple[Dialect, Initialized]:
    """The dialect that the agent's answer asks for, and what it said; a ProtocolFault if it was not offered."""
    if not isinstance(result, dict):
        raise ProtocolFault("The agent's answer to initialize cannot be read", reason="an object is required")
    version = result.get("protocolVersion")
    if _is_version_1(version, result):
        return Version1Dialect(), read_version_1(result)
    if offer != "1" and version in (2, "2"):
        initialized, by_load = late("acp_tui.protocol.v2.dialect").read_initialized(result)
        return late("acp_tui.protocol.v2.dialect").Version2Dialect(by_load=by_load), initialized
    ours = "1" if offer == "1" else "1 and 2"
    theirs = "no protocol version" if version is None else f"protocol version {version!r:.40}"
    hint = "Try another version of the agent, or a newer acp-tui."
    if version == 2:
        hint = "Try: --protocol auto"
    raise ProtocolFault(
        "Unsupported protocol version",
        reason=f"The agent answered with {theirs}; it was offered {ours}.",
        hint=hint,
    )


def _is_version_1(version: Any, result: dict[str, Any]) -> bool:
    if version is None:
        return any(member in result for member in V1_MEMBERS)
    if version in (2, "2"):  # some agents echo the version that they were offered and go on in version 1
        return not any(member in result for member in V2_MEMBERS)
    return version in (1, "1") and version is not True
