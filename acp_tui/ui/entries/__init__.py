"""Drawings of the transcript's entries: messages, notices, pictures, subagents."""
