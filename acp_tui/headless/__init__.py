"""The front end without a screen: `acp-tui run`. Textual is never imported here."""

from acp_tui.headless.run import CANCELLED, FAILED, OK, STOPPED, USAGE, Order, run

__all__ = ["CANCELLED", "FAILED", "OK", "STOPPED", "USAGE", "Order", "run"]
