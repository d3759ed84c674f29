"""Processes, files, terminals and the connection to the agent; must not know Textual."""
