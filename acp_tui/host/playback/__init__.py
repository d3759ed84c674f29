"""A record of the wire played again through the same client: the agent by its lines, the person by what they did."""

from acp_tui.host.playback.player import Player
from acp_tui.host.playback.timeline import Timeline

__all__ = ["Player", "Timeline"]
