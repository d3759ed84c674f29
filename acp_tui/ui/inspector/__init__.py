"""The protocol inspector: what passes between us and the agent, message by message."""
