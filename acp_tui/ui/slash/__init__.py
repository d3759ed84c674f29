"""Slash commands: the client's, the agent's and own prompts in one list, and whose each name is."""
