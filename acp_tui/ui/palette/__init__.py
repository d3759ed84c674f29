"""The command palette: commands of both sides, sessions, options and their values, and themes, found as one types.

Prompts of one's own are used here: listed, agreed to, and sent.
"""
