"""Drawings of the transcript's entries: messages, plans, notices, pictures, subagents, and tool calls."""
