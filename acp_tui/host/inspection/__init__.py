"""Traffic as messages: what was said, how long answers took, what is wrong; must not know screens."""

from acp_tui.host.inspection.inspection import Inspection
from acp_tui.host.inspection.message import Message

__all__ = ["Inspection", "Message"]
