"""Prompts of one's own, as they are used: read while the list of slash commands is open, agreed to, and sent."""
